// The control API by HTTPS: commands and tokens over it, what is told to who speaks something else, and
// that connections on which nothing is said keep nobody out.

import { once } from "node:events";
import { copyFileSync, readFileSync } from "node:fs";
import { get as httpGet, type IncomingMessage } from "node:http";
import { request as httpsRequest, type RequestOptions } from "node:https";
import { connect, type Socket } from "node:net";
import path from "node:path";
import { text } from "node:stream/consumers";
import { connect as tlsConnect } from "node:tls";
import { expect } from "chai";
import { freePorts } from "../../scripts/demo/free-ports.ts";
import { waitFor } from "../../scripts/demo/wait-for.ts";
import { runCommand } from "../kit/command.ts";
import { type OperatedServer, OperatedServers } from "../kit/operating.ts";

const certificates = path.resolve(import.meta.dirname, "../health/tls");
const ca = readFileSync(path.join(certificates, "ca.pem"));
/** More than the listener takes at once. */
const silentConnections = 600;
/** The time that a handshake has, and a busy machine. */
const handshakeMs = 5000 + 5000;

describe("the control API by HTTPS", () => {
  let servers: OperatedServers;
  let server: OperatedServer;
  let port = 0;
  let token = "";

  before(async () => {
    [port = 0] = await freePorts(1);
    const federation = {
      clusters: { c1: {}, c2: {} },
      services: { "shop/web": { in: { c1: { external: ["192.0.2.1"] } } } },
    };
    const tls = { cert: "own.pem", key: "own.key" };
    const spec = {
      listen: { http: `127.0.0.1:${port}` },
      control: { tokensFile: "tokens", tls },
    };
    servers = new OperatedServers([{ name: "ns1", federation, spec }]);
    server = servers.server("ns1");
    copyFileSync(path.join(certificates, "voter.pem"), path.join(server.folder, "own.pem"));
    copyFileSync(path.join(certificates, "voter.key"), path.join(server.folder, "own.key"));
    const file = path.join(server.folder, "tokens");
    const args = ["token", "oncall", "--role", "operate", "--file", file];
    const made = await runCommand(args, server.folder);
    token = made.stdout.trim();
    await servers.start();
  });
  after(() => servers?.stop());

  async function ask(target: string, more: RequestOptions = {}) {
    const sent = httpsRequest({ host: "127.0.0.1", port, path: target, ca, agent: false, ...more });
    const answered = once(sent, "response") as Promise<[IncomingMessage]>;
    sent.end();
    const [response] = await answered;
    return { status: response.statusCode, content: await text(response) };
  }

  function command(args: readonly string[], env: Readonly<Record<string, string>>) {
    const whole = [...args, "--server", `https://127.0.0.1:${port}`];
    return runCommand(whole, server.folder, env);
  }

  it("answers reads of this machine, and writes with a token", async () => {
    expect(await ask("/readyz")).to.deep.equal({ status: 200, content: "ready" });
    expect((await ask("/v1/state")).status).to.equal(200);
    const drain = { method: "POST" };
    expect((await ask("/v1/clusters/c2/drain", drain)).status).to.equal(401);
    const headers = { authorization: `Bearer ${token}` };
    const drained = await ask("/v1/clusters/c2/drain", { ...drain, headers });
    expect(drained).to.deep.equal({
      status: 200,
      content: JSON.stringify({ changed: true, drained: ["c2"] }),
    });
    expect((await ask("/v1/clusters/c2/undrain", { ...drain, headers })).status).to.equal(200);
  });

  it("serves commands that trust its certificate, and says why not to others", async () => {
    const file = path.join(certificates, "ca.pem");
    const trusting = { MERIDIAN_TOKEN: token, NODE_EXTRA_CA_CERTS: file };
    const drained = await command(["drain", "c2"], trusting);
    expect([drained.status, drained.stderr], drained.stdout).to.deep.equal([0, ""]);
    expect((await command(["undrain", "c2"], trusting)).status).to.equal(0);
    const refused = await command(["drain", "c2"], { MERIDIAN_TOKEN: token });
    expect(refused.status).to.not.equal(0);
    expect(refused.stderr)
      .to.match(/certificate/)
      .and.not.contain(token);
  });

  it("says nothing to plain HTTP or to an older TLS than 1.2", async () => {
    const plain = httpGet({ host: "127.0.0.1", port, path: "/v1/state", agent: false });
    const [failure] = (await once(plain, "error")) as [Error];
    expect(failure).to.be.instanceOf(Error);
    const old = { ca, maxVersion: "TLSv1.1", minVersion: "TLSv1" } as const;
    const socket = tlsConnect({ host: "127.0.0.1", port, ...old, ciphers: "ALL:@SECLEVEL=0" });
    const [fault] = (await once(socket, "error")) as [Error];
    expect(fault.message).to.match(/protocol version|wrong version|unsupported|alert/i);
  });

  it("ends connections on which nobody begins to speak, however many there are", async () => {
    const silent: Socket[] = [];
    let closed = 0;
    for (let at = 0; at < silentConnections; at++) {
      const socket = connect({ host: "127.0.0.1", port });
      socket.on("error", () => undefined).once("close", () => closed++);
      silent.push(socket);
    }
    try {
      await waitFor(
        "all of them ended",
        handshakeMs,
        async () => closed,
        (count) => count === silentConnections,
      );
    } finally {
      for (const each of silent) each.destroy();
    }
    const asked = () => ask("/readyz").catch(() => undefined);
    await waitFor("an answer", handshakeMs, asked, (answer) => answer?.status === 200);
  });
});
