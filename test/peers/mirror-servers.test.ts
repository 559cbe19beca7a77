// Three servers that vote and keep one cloud zone together, over 200 ms of latency: the zone comes
// to the truth each time, no value is undone and redone while the truth stays, and without a
// majority nothing is changed.

import { expect } from "chai";
import { freePorts } from "../../scripts/demo/free-ports.ts";
import { waitFor } from "../../scripts/demo/wait-for.ts";
import { type FederationSketch, filesOf } from "../kit/federation.ts";
import { type MirrorStand, type StandRecord, standKinds, unpaired } from "../kit/mirror-stands.ts";
import { newKey, type OperatedServer, OperatedServers } from "../kit/operating.ts";
import { startWebService, type WebService } from "../kit/web-service.ts";

const stable = "127.0.4.1";
const dying = "127.0.4.2";
const global = "web.prod.my-federation.my-domain.com.";
const flips = 3;
/** A verdict of three voters, 2 s of debouncing, 10 s where another instance was quicker. */
const seenMs = 30_000;
/** All is compared so often that each instance sees what the others write before it knows why. */
const schedule = "*/3 * * * * *";
/** A ballot counts for 15 s. */
const lostMs = 20_000;
/** Longer than any instance waits between seeing a change and writing it. */
const quietMs = 15_000;

describe("three servers with the same mirrors", () => {
  let stands: readonly MirrorStand[];
  let servers: OperatedServers;
  let web: WebService;
  let other: WebService;
  /** How often the truth about the dying service has changed, its beginning too. */
  let truths = 1;

  before(async () => {
    const [port = 0, ...httpPorts] = await freePorts(4);
    stands = await Promise.all(standKinds.map((each) => each.start({ latencyMs: 200 })));
    web = await startWebService({ address: dying, port });
    other = await startWebService({ address: stable, port });
    const names = ["ns1", "ns2", "ns3"];
    const places = new Map(names.map((name, at) => [name, `127.0.0.1:${httpPorts[at]}`]));
    const key = newKey();
    servers = new OperatedServers(
      names.map((name) => ({
        name,
        federation: federationOf(port),
        keys: [key],
        spec: {
          listen: { http: places.get(name) },
          mirror: stands.map(({ spec }) => ({ ...spec, maxDeletePercent: 100, schedule })),
          health: {
            voter: true,
            secretFile: "peers.key",
            peers: names
              .filter((peer) => peer !== name)
              .map((peer) => ({ name: peer, url: `http://${places.get(peer)}` })),
          },
        },
      })),
    );
    await servers.start();
    await zoneHas(stable, dying);
  });
  after(async () => {
    await servers?.stop();
    await Promise.all([...(stands ?? []), web, other].map((each) => each?.stop()));
  });
  afterEach(() => {
    for (const stand of stands) {
      expect(unpaired(stand.records()), stand.label).to.deep.equal([]);
      expect(historyOf(stand, global), stand.label).not.to.include("");
    }
  });

  it(`bring it to the truth ${flips} times, and never back`, async () => {
    for (let flip = 0; flip < flips; flip++) {
      await web.kill();
      truths++;
      await zoneHas(stable);
      await web.revive();
      truths++;
      await zoneHas(stable, dying);
    }
    await quiet();
    for (const stand of stands) {
      expect(historyOf(stand, global), stand.label).to.have.length(truths);
    }
    const drift = await Promise.all(
      servers.all.map((each) => each.metric("meridian_mirror_drift_total")),
    );
    expect(drift).to.deep.equal([0, 0, 0]);
  });

  it("leave what one of them writes by files that the others have not got yet", async () => {
    const [first, ...others] = servers.all;
    if (!first) throw new Error("cannot test: there is no server");
    addService([first], "early");
    const look = () => stands.map((stand) => historyOf(stand, nameOf("early")).length);
    await waitFor("it in each zone", seenMs, look, (seen) => seen.join() === "1,1");
    await quiet();
    addService(others, "early");
    await quiet();
    for (const stand of stands) {
      expect(historyOf(stand, nameOf("early")), stand.label).to.deep.equal(["192.0.2.7"]);
    }
  });

  it("change nothing without a majority, and all that is due with one", async () => {
    const [alone, ...lost] = servers.all;
    if (!alone) throw new Error("cannot test: there is no server");
    await Promise.all(lost.map((each) => each.kill()));
    await waitFor(
      "quorum lost",
      lostMs,
      () => quorumOf(alone),
      (seen) => seen === "lost",
    );
    const before = stands.map((each) => each.changeCount());
    const logged = alone.events.length;
    await web.kill();
    addService(servers.all, "late");
    for (const { label } of stands) {
      await alone.logged(
        ({ event, mirror, reason }) =>
          event === "mirror-held" && mirror === label && `${reason}`.startsWith("quorum is lost"),
        logged,
      );
    }
    await quiet();
    expect(stands.map((each) => each.changeCount())).to.deep.equal(before);
    await Promise.all(lost.map((each) => each.start()));
    truths++;
    await zoneHas(stable);
    await web.revive();
    truths++;
    await zoneHas(stable, dying);
    await quiet();
    for (const stand of stands) {
      expect(historyOf(stand, global), stand.label).to.have.length(truths);
    }
    for (const stand of stands) {
      expect(historyOf(stand, nameOf("late")), stand.label).to.deep.equal(["192.0.2.7"]);
    }
  });

  async function zoneHas(...addresses: readonly string[]): Promise<void> {
    const look = () => stands.map((stand) => historyOf(stand, global).at(-1));
    await waitFor(addresses.join(), seenMs, look, (seen) =>
      seen.every((each) => each === addresses.join()),
    );
  }

  /** Waits so long that whoever wanted to write has written. */
  async function quiet(): Promise<void> {
    const startMs = Date.now();
    await waitFor(
      "quiet",
      2 * quietMs,
      () => Date.now() - startMs,
      (seen) => seen > quietMs,
    );
  }
});

/** The values that the A records of a name had, one after the other; empty: there were none. */
function historyOf(stand: MirrorStand, name: string): string[] {
  const history: string[] = [];
  const ofName = (each: StandRecord): boolean => each.name === name && each.type === "A";
  for (const { deleted, written } of stand.changes()) {
    const after = written.find(ofName)?.values.join() ?? (deleted.some(ofName) ? "" : undefined);
    if (after !== undefined && after !== history.at(-1)) history.push(after);
  }
  return history;
}

function nameOf(service: string): string {
  return `${service}.prod.my-federation.my-domain.com.`;
}

/** Gives servers the files of one more service. */
function addService(servers: readonly OperatedServer[], name: string): void {
  const service = { in: { c1: { external: ["192.0.2.7"], ports: [] } } };
  const files = filesOf({ ...federationOf(0), services: { [`prod/${name}`]: service } });
  for (const file of [`zones/services/prod-${name}.json`, `zones/clusters/c1/prod-${name}.json`]) {
    for (const each of servers) each.write(file, files[file] ?? "");
  }
}

async function quorumOf(server: OperatedServer): Promise<string> {
  return (await server.health()).quorum;
}

function federationOf(port: number): FederationSketch {
  const times = { intervalSeconds: 1, timeoutSeconds: 1, rise: 1, fall: 1 };
  return {
    ttl: { max: 60, min: 1 },
    clusters: { c1: { region: "eu", zones: ["eu1"] }, c2: { region: "us", zones: ["us1"] } },
    services: {
      "prod/web": {
        healthCheck: { type: "http", port, ...times },
        in: { c1: { external: [stable] }, c2: { external: [dying] } },
      },
    },
  };
}
