// Commands whose output nobody takes, and a server that is told to rotate its logs when it starts and
// when it ends. Starts the real command.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import path from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { waitFor } from "../../scripts/demo/wait-for.ts";
import { askUdp, queryOctets } from "../kit/dns-client.ts";
import { type FederationSketch, filesOf } from "../kit/federation.ts";
import { writeServerFolder } from "../kit/server.ts";

const command = path.resolve(import.meta.dirname, "../../dist/cli/main.js");
const federation: FederationSketch = {
  clusters: { paris: { at: [48.8, 2.3], networks: ["10.1.0.0/16"] } },
  services: { "shop/web": { in: { paris: { clusterIps: ["10.1.0.10"] } } } },
};

describe("the output of a command", () => {
  let full: number;
  before(() => {
    full = openSync("/dev/full", "w");
  });
  after(() => closeSync(full));

  it("may be cut off by a reader that has seen enough", async () => {
    const child = spawn(process.execPath, [command, "--help"], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    child.stdout.destroy();
    const [said, [status]] = await Promise.all([text(child.stderr), once(child, "exit")]);
    expect([status, said]).to.deep.equal([0, ""]);
  });

  it("is told of in a sentence where it is lost", async () => {
    const child = spawn(process.execPath, [command, "completion", "bash"], {
      stdio: ["ignore", full, "pipe"],
    });
    if (!child.stderr) throw new Error("cannot read standard error");
    const [said, [status]] = await Promise.all([text(child.stderr), once(child, "exit")]);
    expect(said).to.match(/^cannot write the output: ENOSPC[^\n]*\n$/);
    expect(status).to.equal(2);
  });

  it("may be lost without an end to a server, which SIGHUP never ends either", async () => {
    const port = await freePort();
    const folder = writeServerFolder({
      files: filesOf(federation),
      serverSpec: { listen: { dns: [`127.0.0.1:${port}`] }, geoip: { databases: [] } },
    });
    const child = spawn(process.execPath, [command, "serve"], {
      stdio: ["ignore", full, full],
      cwd: folder,
    });
    const ended = once(child, "exit");
    try {
      const server = { address: "127.0.0.1", port };
      const octets = queryOctets("web.shop.my-federation.my-domain.com.", "A");
      const isAnswered = () =>
        askUdp(server, octets, { timeoutMs: 200 }).then(
          () => true,
          () => false,
        );
      await waitFor("the first answer", 15_000, isAnswered, Boolean);
      // It answers before all of it has started.
      await hangUp(child, 10);
      expect(await isAnswered()).to.equal(true);

      // The server lets a client end its connection, for a fifth of a second.
      const client = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
      client.on("error", () => undefined);
      await once(client, "connect");
      const isLeft = once(client.resume(), "end");
      child.kill("SIGTERM");
      await isLeft;
      await hangUp(child, 3);
      client.destroy();
      expect(await ended).to.deep.equal([0, null]);
    } finally {
      child.kill("SIGKILL");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

async function hangUp(child: ChildProcess, times: number): Promise<void> {
  for (let each = 0; each < times; each++) {
    child.kill("SIGHUP");
    await delay(10);
  }
}

/** A port that nobody has at the moment. */
async function freePort(): Promise<number> {
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const place = listener.address();
  listener.close();
  await once(listener, "close");
  if (place === null || typeof place === "string") throw new Error("cannot find a free port");
  return place.port;
}
