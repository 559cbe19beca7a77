// Health by vote, with real servers and services: what dies leaves every answer in time and comes
// back in time, and a voter that lost the others changes nothing. Cuts between voters need more
// than Node: test/peers has them.

import { expect } from "chai";
import { freePorts } from "../../scripts/demo/free-ports.ts";
import type { Voter } from "../../scripts/demo/voter.ts";
import { serviceName } from "../../scripts/demo/voter-files.ts";
import { waitFor } from "../../scripts/demo/wait-for.ts";
import { formatAddress } from "../../src/dns/address.ts";
import type { HealthStatus } from "../../src/health/health-status.ts";
import { query } from "../kit/dns-client.ts";
import { Voters, withoutMajority } from "../kit/voters.ts";
import { startWebService, type WebService } from "../kit/web-service.ts";

const endpoints = { c1: "127.0.0.11", c2: "127.0.0.12", c3: "127.0.0.13" };
const [first, second, third] = Object.values(endpoints) as [string, string, string];
const healthCheck = { intervalSeconds: 1, timeoutSeconds: 1, fall: 2, rise: 2 };
/** The most that a verdict may take once all voters can see why. */
const downMs = (healthCheck.intervalSeconds * healthCheck.fall + 1) * 1000;
const upMs = (healthCheck.intervalSeconds * healthCheck.rise + 1) * 1000;
/** A ballot counts for 15 s; who fell silent is noticed every second. */
const lostMs = 15_000 + 3000;
/** Two rounds of ballots. */
const agreedMs = 10_000;

describe("voting, three servers and three web services", () => {
  let voters: Voters;
  const httpPorts = new Map<string, number>();
  const services = new Map<string, WebService>();

  before(async () => {
    const [webPort = 0, ...ports] = await freePorts(4);
    for (const address of Object.values(endpoints)) {
      services.set(address, await startWebService({ address, port: webPort }));
    }
    const places = ["ns1", "ns2", "ns3"].map((name, at) => {
      const httpPort = ports[at] ?? 0;
      httpPorts.set(name, httpPort);
      return { name, address: "127.0.0.1", httpPort, dnsPort: 0 };
    });
    voters = await Voters.start(places, { endpoints, port: webPort, healthCheck });
    await waitFor("all verdicts up, by all", 15_000, verdictsOfAll, (seen) =>
      seen.every((each) => each === "up up up"),
    );
  });
  after(async () => {
    await voters?.stop();
    await Promise.all([...services.values()].map((each) => each.stop()));
  });
  afterEach(() => expect(withoutMajority(voters.verdicts, 2)).to.deep.equal([]));

  it(`takes a service that died out of every answer within ${downMs} ms`, async () => {
    await service(second).kill();
    await answered(voters.all, [first, third], downMs);
  });

  it(`gives a service that came back in every answer within ${upMs} ms`, async () => {
    await service(second).revive();
    await answered(voters.all, [first, second, third], upMs);
  });

  it("changes nothing at a voter that lost the others, also when it starts again", async () => {
    const [alone, ...others] = voters.all;
    if (!alone) throw new Error("cannot test: there is no voter");
    await service(first).kill();
    await answered(voters.all, [second, third], downMs);

    await Promise.all(others.map((each) => each.kill()));
    const lost = (seen: { quorum: string; metric: number }): boolean =>
      seen.quorum === "lost" && seen.metric === 0;
    await waitFor("quorum lost in status and metrics", lostMs, () => quorumOf(alone), lost);
    await service(first).revive();
    await service(second).kill();
    await seesForItself(alone, { [first]: "up", [second]: "down", [third]: "up" });
    expect(await addressesOf(alone)).to.deep.equal([second, third]);
    for (const { address, frozenBecause } of (await alone.health()).endpoints) {
      const isDisputed = address !== third;
      if (isDisputed) expect(frozenBecause, address).to.be.a("string");
    }

    await alone.kill();
    await alone.start();
    expect(await quorumOf(alone)).to.deep.equal({ quorum: "lost", metric: 0 });
    await seesForItself(alone, { [first]: "up", [second]: "down", [third]: "up" });
    expect(await addressesOf(alone)).to.deep.equal([second, third]);

    await Promise.all(others.map((each) => each.start()));
    await answered(voters.all, [first, third], agreedMs);
    expect(await quorumOf(alone)).to.deep.equal({ quorum: "held", metric: 1 });
    await service(second).revive();
    await answered(voters.all, [first, second, third], upMs);
  });

  function service(address: string): WebService {
    const found = services.get(address);
    if (!found) throw new Error(`cannot find the service: got ${address}`);
    return found;
  }

  function verdictsOfAll(): Promise<string[]> {
    return Promise.all(
      voters.all.map(async (each) =>
        (await each.health()).endpoints.map(({ verdict }) => verdict).join(" "),
      ),
    );
  }

  /** Waits until these servers answer these addresses, in any order. */
  async function answered(
    servers: readonly Voter[],
    addresses: readonly string[],
    withinMs: number,
  ): Promise<void> {
    const look = () => Promise.all(servers.map(addressesOf));
    const wanted = addresses.join(" ");
    await waitFor(`the answers ${wanted}`, withinMs, look, (seen) =>
      seen.every((each) => each.join(" ") === wanted),
    );
  }

  /** Waits until the voter's own words of the endpoints are these. */
  async function seesForItself(
    voter: Voter,
    words: Readonly<Record<string, string>>,
  ): Promise<void> {
    const look = async () =>
      Object.fromEntries(
        (await voter.health()).endpoints.map(({ address, votes }) => [
          address,
          votes.find((vote) => vote.voter === voter.name)?.word ?? "none",
        ]),
      );
    await waitFor(`the words of ${voter.name}`, downMs + upMs, look, (seen) =>
      Object.entries(words).every(([address, word]) => seen[address] === word),
    );
  }

  /** As HTTP says it from outside. */
  async function quorumOf({ name }: Voter): Promise<{ quorum: string; metric: number }> {
    const base = `http://127.0.0.1:${httpPorts.get(name)}`;
    const status = (await (await fetch(`${base}/v1/status`)).json()) as { health: HealthStatus };
    const metrics = await (await fetch(`${base}/metrics`)).text();
    const [, value] = /^meridian_quorum (\d)$/m.exec(metrics) ?? [];
    return { quorum: status.health.quorum, metric: Number(value) };
  }
});

/** Sorted. */
async function addressesOf(voter: Voter): Promise<string[]> {
  const { answers } = await query(voter.dns, serviceName, "A");
  return answers.map(({ rdata }) => formatAddress(rdata)).sort();
}
