// A server that keeps a cloud zone while it serves: what becomes of endpoints, files and drains is
// soon in the zone; a mirror that cannot work changes nothing of what is answered, and says so.

import { rmSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { freePorts } from "../../scripts/demo/free-ports.ts";
import { waitFor } from "../../scripts/demo/wait-for.ts";
import { runCommand } from "../kit/command.ts";
import { type FederationSketch, filesOf, serviceFile } from "../kit/federation.ts";
import { type MirrorStand, type StandRecord, standKinds, unpaired } from "../kit/mirror-stands.ts";
import { answerOf, type OperatedServer, OperatedServers } from "../kit/operating.ts";
import { startWebService, type WebService } from "../kit/web-service.ts";

const stable = "127.0.3.1";
const dying = "127.0.3.2";
const global = "web.prod.my-federation.my-domain.com.";
const regional = "web.prod.my-federation.svc.us.my-domain.com.";
/** A probe each second, 2 s of debouncing, 5 s for the rest. */
const seenMs = 8000;

describe("a server with a mirror in each cloud", () => {
  let stands: readonly MirrorStand[];
  let servers: OperatedServers;
  let server: OperatedServer;
  let web: WebService;
  const others: WebService[] = [];
  let port: number;

  before(async () => {
    [port = 0] = await freePorts(1);
    stands = await Promise.all(standKinds.map((each) => each.start({ latencyMs: 20 })));
    web = await startWebService({ address: dying, port });
    others.push(await startWebService({ address: stable, port }));
    servers = new OperatedServers([
      {
        name: "ns1",
        federation: federationOf(port),
        spec: {
          health: { voter: true },
          mirror: stands.map(({ spec }) => ({ ...spec, maxDeletePercent: 100 })),
        },
      },
    ]);
    server = servers.server("ns1");
    await servers.start();
    await zoneHas("all that is up", `${global} A ${stable},${dying}`, `${regional} A ${dying}`);
  });
  after(async () => {
    await servers?.stop();
    await Promise.all([...(stands ?? []), web, ...others].map((each) => each?.stop()));
  });
  afterEach(() => {
    for (const each of stands) expect(unpaired(each.records()), each.label).to.deep.equal([]);
  });

  it("takes what died out of the zone, and puts it back when it is back", async () => {
    await web.kill();
    await zoneHas(
      "without the dead",
      `${global} A ${stable}`,
      `${regional} CNAME web.prod.my-federation.svc.my-domain.com.`,
    );
    await web.revive();
    await zoneHas("with the living", `${global} A ${stable},${dying}`, `${regional} A ${dying}`);
  });

  it("leaves what is down together as it is answered: all of it, never nothing", async () => {
    const [other] = others;
    await Promise.all([web.kill(), other?.kill()]);
    await recordsAre(
      "fail-open",
      (found) => found.ttl === 1 && found.values.join() === `${stable},${dying}`,
    );
    await Promise.all([web.revive(), other?.revive()]);
    await recordsAre("all up again", (found) => found.ttl === 60);
    for (const stand of stands) {
      const withdrawals = stand
        .changes()
        .filter(({ deleted, written }) => deleted.some(isGlobal) && !written.some(isGlobal));
      expect(withdrawals, stand.label).to.deep.equal([]);
    }
  });

  it("follows the files: a service comes, and all of it goes again", async () => {
    const federation = federationOf(port);
    const more = filesOf({
      ...federation,
      services: { "prod/api": { in: { c1: { external: ["192.0.2.7"], ports: [] } } } },
    });
    const file = `zones/${serviceFile("c1", "prod/api")}.json`;
    const policy = "zones/services/prod-api.json";
    const api = "api.prod.my-federation.my-domain.com. A 192.0.2.7";
    await server.reloaded(() => {
      server.write(policy, more[policy] ?? "");
      server.write(file, more[file] ?? "");
    });
    await zoneHas("the new service", api);
    await server.reloaded(() => {
      rmSync(path.join(server.folder, policy));
      rmSync(path.join(server.folder, file));
    });
    const left = () =>
      stands.flatMap((stand) => stand.records().filter((each) => each.name.includes("api.prod.")));
    await waitFor("nothing of it", seenMs, left, (seen) => seen.length === 0);
  });

  it("follows drains", async () => {
    await runCommand(["drain", "c2"], server.folder);
    await zoneHas("without the drained", `${global} A ${stable}`);
    await runCommand(["undrain", "c2"], server.folder);
    await zoneHas("with it", `${global} A ${stable},${dying}`);
  });

  it("counts what it does", async () => {
    for (const stand of stands) {
      const labels = { mirror: stand.label };
      expect(await server.metric("meridian_mirror_requests_total", labels)).to.be.above(5);
      expect(await server.metric("meridian_mirror_changes_total", labels)).to.be.above(10);
      expect(await server.metric("meridian_mirror_records", labels)).to.equal(lines(stand).length);
      const lastSuccess = await server.metric(
        "meridian_mirror_last_success_timestamp_seconds",
        labels,
      );
      expect(Date.now() / 1000 - lastSuccess).to.be.within(0, 300);
    }
  });

  it("answers on while its cloud is away, says so, and catches up", async () => {
    for (const stand of stands) stand.setTrouble("failing");
    await web.kill();
    for (const { label } of stands) {
      await server.logged(({ event, mirror }) => event === "mirror-failed" && mirror === label);
    }
    expect((await answerOf(server.dns, global)).addresses).to.deep.equal([stable]);
    const status = async () => (await runCommand(["status"], server.folder)).stdout;
    await waitFor("it in the status", seenMs, status, (seen) =>
      stands.every(({ label }) => seen.includes(`mirror ${label}: failing`)),
    );
    for (const stand of stands) stand.setTrouble(undefined);
    // Tried again after 5 s, then after 10 s.
    await zonesHave("caught up", [`${global} A ${stable}`], 30_000);
    await web.revive();
    await zoneHas("all again", `${global} A ${stable},${dying}`);
  });

  it("ends soon in the midst of a request that is not answered well", async () => {
    for (const stand of stands) stand.setTrouble("throttling");
    const before = stands.map((each) => each.requests().length);
    await web.kill();
    const requests = () => stands.map((each) => each.requests().length);
    await waitFor("a request", seenMs, requests, (seen) =>
      seen.every((count, at) => count > (before[at] ?? 0)),
    );
    const startMs = performance.now();
    await server.stop();
    expect(performance.now() - startMs).to.be.below(3000);
    expect(server.events.at(-1)?.event).to.equal("stopped");
  });

  function zoneHas(what: string, ...wanted: readonly string[]): Promise<void> {
    return zonesHave(what, wanted, seenMs);
  }

  async function zonesHave(
    what: string,
    wanted: readonly string[],
    withinMs: number,
  ): Promise<void> {
    await waitFor(
      what,
      withinMs,
      () => stands.map(lines),
      (seen) => seen.every((found) => wanted.every((line) => found.includes(line))),
    );
  }

  /** Waits until the records of the global name are so in each zone. */
  async function recordsAre(what: string, isSo: (found: StandRecord) => boolean): Promise<void> {
    const look = () => stands.map((stand) => stand.records().find(isGlobal));
    await waitFor(what, seenMs, look, (seen) =>
      seen.every((each) => each !== undefined && isSo(each)),
    );
  }
});

function lines(stand: MirrorStand): string[] {
  return stand
    .records()
    .filter(({ type }) => type !== "TXT")
    .map(({ name, type, values }) => `${name} ${type} ${values}`);
}

function isGlobal({ name, type }: StandRecord): boolean {
  return name === global && type === "A";
}

function federationOf(port: number): FederationSketch {
  return {
    ttl: { max: 60, min: 1 },
    clusters: { c1: { region: "eu", zones: ["eu1"] }, c2: { region: "us", zones: ["us1"] } },
    services: {
      "prod/web": {
        healthCheck: {
          type: "http",
          port,
          intervalSeconds: 1,
          timeoutSeconds: 1,
          rise: 1,
          fall: 1,
        },
        in: { c1: { external: [stable] }, c2: { external: [dying] } },
      },
    },
  };
}
