// One voter, which decides alone: the ejection budget and the ramp as its clients and its operator
// see them, and the verdict on a clusterIP.

import { expect } from "chai";
import { freePorts } from "../../scripts/demo/free-ports.ts";
import { waitFor } from "../../scripts/demo/wait-for.ts";
import { formatAddress } from "../../src/dns/address.ts";
import type { HealthCheck } from "../../src/federation/model.ts";
import { runCommand } from "../kit/command.ts";
import { query } from "../kit/dns-client.ts";
import type { FederationSketch, ServiceSketch } from "../kit/federation.ts";
import { answerOf, type OperatedServer, OperatedServers } from "../kit/operating.ts";
import { startWebService, type WebService } from "../kit/web-service.ts";

const suffix = "prod.my-federation.my-domain.com";
/** A probe each second, and a busy machine. */
const seenMs = 4000;
const rampSeconds = 4;
const inside = "127.0.1.7";
const outside = "127.0.2.7";
const times = { intervalSeconds: 1, timeoutSeconds: 1, fall: 1, rise: 1 };

const held = { c1: "127.0.0.21", c2: "127.0.0.22" };
const ramped = { c1: "127.0.0.23", c2: "127.0.0.24" };
const clusterIps = { c1: "127.0.0.25", c2: "127.0.0.28" };
const external = { c1: "127.0.0.26", c2: "127.0.0.27" };

describe("a voter alone", () => {
  let servers: OperatedServers;
  let server: OperatedServer;
  const services = new Map<string, WebService>();

  before(async () => {
    const [port = 0] = await freePorts(1);
    const places = [held, ramped, clusterIps, external].flatMap((each) => Object.values(each));
    for (const address of places) {
      services.set(address, await startWebService({ address, port }));
    }
    const spec = { cluster: "c1", health: { voter: true } };
    servers = new OperatedServers([{ name: "ns1", federation: federationOf(port), spec }]);
    server = servers.server("ns1");
    await servers.start();
    const look = async () => (await server.health()).endpoints.map(({ verdict }) => verdict).sort();
    // Nobody votes on the clusterIP of the other cluster.
    const wanted = ["none", ...Array<string>(7).fill("up")].join();
    await waitFor("all up", seenMs, look, (seen) => seen.join() === wanted);
  });
  after(async () => {
    await servers?.stop();
    await Promise.all([...services.values()].map((each) => each.stop()));
  });

  it("holds in what maxEjectPercent does not let it take out, the newest, and says so", async () => {
    await service(held.c2).kill();
    await answers("held", [held.c1]);
    await service(held.c1).kill();
    await waitFor("both down", seenMs, heldStatus, (seen) =>
      seen.every(({ verdict }) => verdict === "down"),
    );
    const flags = (await heldStatus()).map(({ isHeldIn, health }) => ({ isHeldIn, health }));
    expect(flags).to.deep.equal([
      { isHeldIn: true, health: 1 },
      { isHeldIn: false, health: 0 },
    ]);
    expect((await answerOf(server.dns, `held.${suffix}`)).addresses).to.deep.equal([held.c1]);
    const explain = ["explain", `held.${suffix}`, "--client", "198.51.100.1"];
    const [status, explained, text] = await Promise.all(
      [["status"], [...explain, "--json"], explain].map((args) => runCommand(args, server.folder)),
    );
    expect(status?.stdout).to.match(/^NOT WELL: 2 of 8 endpoints down; 1 held in the answers/);
    expect(heldInOf(explained?.stdout ?? "")).to.deep.equal({ [held.c1]: true, [held.c2]: false });
    expect(text?.stdout).to.contain("held in");
  });

  it("takes out the newer one too once the older is back", async () => {
    await service(held.c2).revive();
    await answers("held", [held.c2]);
    await service(held.c1).revive();
    await answers("held", [held.c1, held.c2]);
  });

  it(`gives an endpoint its clients back by and by, within ${rampSeconds} s`, async () => {
    await service(ramped.c1).kill();
    await answers("ramped", [ramped.c2]);
    expect(await shareOf(ramped.c1)).to.equal(0);
    await service(ramped.c1).revive();
    const seen: { health: number; share: number }[] = [];
    const look = async () => {
      const { verdict, health } = await server.endpoint(ramped.c1);
      const share = await shareOf(ramped.c1);
      if (verdict === "up") seen.push({ health, share });
      return health;
    };
    await waitFor("the end of the ramp", seenMs + rampSeconds * 1000, look, (now) => now === 1);
    // One more look, with all of it back.
    await look();
    const [first, last] = [seen[0], seen.at(-1)];
    expect(first?.health).to.be.within(0.001, 0.5);
    expect(first?.share).to.be.below(0.35);
    // Half of them, as chance has it: four standard deviations.
    expect(last?.share).to.be.closeTo(0.5, 4 * Math.sqrt(0.25 / clients.length));
    const healths = seen.map(({ health }) => health);
    expect(healths).to.deep.equal([...healths].sort((a, b) => a - b));
    expect(new Set(healths).size).to.be.above(2);
    // A client that came back stays.
    const shares = seen.map(({ share }) => share);
    expect(shares).to.deep.equal([...shares].sort((a, b) => a - b));
    expect(new Set(shares).size).to.be.above(2);
  });

  it("decides on its own cluster's clusterIP, for the clients inside alone", async () => {
    expect(await insideAnswer()).to.deep.equal([clusterIps.c1, external.c2]);
    await service(clusterIps.c1).kill();
    await waitFor("out inside", seenMs, insideAnswer, (seen) => seen.join() === external.c2);
    expect((await answerOf(server.dns, `both.${suffix}`, outside)).addresses).to.deep.equal([
      external.c1,
      external.c2,
    ]);
    const { verdict, isInternal } = await server.endpoint(clusterIps.c1);
    expect({ verdict, isInternal }).to.deep.equal({ verdict: "down", isInternal: true });
    await service(clusterIps.c1).revive();
    await waitFor("back inside", seenMs, insideAnswer, (seen) => seen.includes(clusterIps.c1));
    const unvoted = await server.endpoint(clusterIps.c2);
    expect(unvoted.votes).to.deep.equal([]);
    expect(service(clusterIps.c2).requests).to.equal(0);
  });

  function service(address: string): WebService {
    const found = services.get(address);
    if (!found) throw new Error(`cannot find the service: got ${address}`);
    return found;
  }

  async function insideAnswer(): Promise<string[]> {
    return (await answerOf(server.dns, `both.${suffix}`, inside)).addresses;
  }

  async function heldStatus() {
    return [await server.endpoint(held.c1), await server.endpoint(held.c2)];
  }

  async function answers(name: string, wanted: readonly string[]): Promise<void> {
    const look = async () => (await answerOf(server.dns, `${name}.${suffix}`)).addresses;
    await waitFor(
      `the answer ${wanted.join()}`,
      seenMs,
      look,
      (seen) => seen.join() === wanted.join(),
    );
  }

  /** The part of the clients that are given this address first. */
  async function shareOf(address: string): Promise<number> {
    const firsts = await Promise.all(
      clients.map(async (subnet) => {
        const { answers: records } = await query(server.dns, `ramped.${suffix}`, "A", { subnet });
        const [first] = records;
        return first ? formatAddress(first.rdata) : "";
      }),
    );
    return firsts.filter((each) => each === address).length / clients.length;
  }
});

/** Of as many places; each is drawn for by itself. */
const clients = Array.from({ length: 200 }, (_, at) => `198.18.${at}.0/24`);

function federationOf(port: number): FederationSketch {
  const checked = (
    check: Partial<HealthCheck>,
    places: Readonly<Record<string, string>>,
    ips: Readonly<Record<string, string>> = {},
  ): ServiceSketch => ({
    healthCheck: { type: "http", port, ...times, ...check },
    in: Object.fromEntries(
      Object.entries(places).map(([cluster, address]) => {
        const ip = ips[cluster];
        return [cluster, { external: [address], ...(ip !== undefined && { clusterIps: [ip] }) }];
      }),
    ),
  });
  return {
    ttl: { max: 60, min: 1 },
    clusters: { c1: { networks: ["127.0.1.0/24"] }, c2: {} },
    services: {
      "prod/held": checked({ maxEjectPercent: 50 }, held),
      "prod/ramped": checked({ rampSeconds }, ramped),
      "prod/both": checked({}, external, clusterIps),
    },
  };
}

function heldInOf(json: string): Record<string, boolean | undefined> {
  const { steps } = JSON.parse(json) as {
    steps: {
      routes: {
        levels: {
          candidates: { given: { address: string; verdict?: { heldIn: boolean } }[] }[];
        }[];
      }[];
    }[];
  };
  const candidates = steps[0]?.routes[0]?.levels.flatMap((each) => each.candidates) ?? [];
  const given = candidates.flatMap((each) => each.given);
  return Object.fromEntries(given.map(({ address, verdict }) => [address, verdict?.heldIn]));
}
