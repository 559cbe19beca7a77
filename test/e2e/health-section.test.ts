// `spec.health` that comes and goes while the server runs: as a log line says, it is taken up at the
// next start, so until then answers, explanations and the vote stay as they were.

import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { waitFor } from "../../scripts/demo/wait-for.ts";
import type { Explanation } from "../../src/answer/explanation.ts";
import { callControl } from "../../src/cli/control-client.ts";
import { readServerStatus } from "../../src/cli/server-status.ts";
import { filesOf, type ServiceSketch } from "../kit/federation.ts";
import { answerOf } from "../kit/operating.ts";
import { type RunningServer, startServer } from "../kit/server.ts";
import { startWebService, type WebService } from "../kit/web-service.ts";

const name = "web.a.fed.example.org";

function sketch(port: number, others: Record<string, ServiceSketch> = {}) {
  const web: ServiceSketch = {
    ttl: { max: 180, min: 5 },
    healthCheck: { port, intervalSeconds: 1, fall: 20 },
    in: { c1: { external: ["127.0.0.1"] } },
  };
  const services = { "a/web": web, ...others };
  return filesOf({ name: "fed", domain: "example.org", clusters: { c1: {} }, services });
}

function start(port: number, health: object | undefined): Promise<RunningServer> {
  return startServer({ files: sketch(port), serverSpec: specWith(health) });
}

function specWith(health: object | undefined) {
  return { workers: 1, geoip: { databases: [] }, ...(health && { health }) };
}

/** Resolves when the server has taken up what it takes up. */
async function reconfigure(server: RunningServer, health: object | undefined): Promise<void> {
  const { address, port } = server;
  const from = server.log().length;
  const config = {
    apiVersion: "meridian.dev/v1alpha1",
    kind: "Server",
    metadata: { name: "ns1" },
    spec: { ...specWith(health), listen: { dns: [`${address}:${port}`] } },
  };
  writeFileSync(path.join(server.folder, "meridian.yaml"), JSON.stringify(config));
  await server.logged((each) => each.event === "reloaded", from);
  const told = await server.logged((each) => each["setting"] === "spec.health", from);
  expect(told).to.include({ event: "needs-restart", msg: "changed at the next start only" });
}

async function explained(server: RunningServer) {
  const socket = path.join(server.folder, "data/meridian.sock");
  const asked = `/v1/explain?name=${name}&client=127.0.0.1`;
  const reply = await callControl({ socket }, "GET", asked);
  if (!reply.ok) throw new Error(reply.message);
  return (reply.body as Explanation).steps[0]?.routes[0]?.ttlBy.kind;
}

async function votedOn(server: RunningServer): Promise<readonly string[] | undefined> {
  const socket = path.join(server.folder, "data/meridian.sock");
  const reply = await callControl({ socket }, "GET", "/v1/status");
  const status = reply.ok ? readServerStatus(reply.body) : undefined;
  return status?.health?.endpoints.map((each) => `${each.service} ${each.address} ${each.verdict}`);
}

describe("spec.health while a server runs", () => {
  let web: WebService;
  let server: RunningServer | undefined;

  beforeEach(async () => {
    web = await startWebService();
  });
  afterEach(async () => {
    await server?.stop();
    await web.stop();
  });

  it("shortens no TTL when it is added, as nobody votes before the next start", async () => {
    server = await start(web.port, undefined);
    expect(await answerOf(server, name)).to.deep.equal({ addresses: ["127.0.0.1"], ttl: 180 });
    await reconfigure(server, { voter: true });
    expect(await answerOf(server, name)).to.deep.equal({ addresses: ["127.0.0.1"], ttl: 180 });
    expect(await explained(server)).to.equal("no-vote");
    expect(await votedOn(server)).to.equal(undefined);
  });

  it("goes on as it was when it is taken away, also for services that come and go then", async () => {
    server = await start(web.port, { voter: true });
    const running = server;
    const voted = (wanted: string) =>
      waitFor(
        wanted,
        10_000,
        async () => (await votedOn(running))?.join(),
        (got) => got === wanted,
      );
    await voted("a/web 127.0.0.1 up");
    await reconfigure(server, undefined);
    expect(await answerOf(server, name)).to.deep.equal({ addresses: ["127.0.0.1"], ttl: 20 });
    expect(await explained(server)).to.equal("verdict");
    const other: ServiceSketch = {
      healthCheck: { port: web.port, intervalSeconds: 1 },
      in: { c1: { external: ["127.0.0.2"] } },
    };
    const files = sketch(web.port, { "a/other": other });
    const added = Object.entries(files).filter(([file]) => file.includes("other"));
    for (const [file, text] of added) writeFileSync(path.join(server.folder, file), text);
    await voted("a/other 127.0.0.2 down,a/web 127.0.0.1 up");
    for (const [file] of added) rmSync(path.join(server.folder, file));
    await voted("a/web 127.0.0.1 up");
  });
});
