// Three voters whose settings change while they vote: a third one joins two, keys are changed one
// after the other, and what goes wrong on the way harms none but itself.

import { chmodSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { freePorts } from "../../scripts/demo/free-ports.ts";
import { waitFor } from "../../scripts/demo/wait-for.ts";
import { runCommand } from "../kit/command.ts";
import type { FederationSketch } from "../kit/federation.ts";
import { answerOf, newKey, type OperatedServer, OperatedServers } from "../kit/operating.ts";
import { startWebService, type WebService } from "../kit/web-service.ts";

const name = "web.prod.my-federation.my-domain.com";
const [dying, living] = ["127.0.0.11", "127.0.0.12"] as const;
/** Many, so that each voter soon has something new to say of one. */
const ailing = ["127.0.0.13", "127.0.0.14", "127.0.0.15", "127.0.0.16"];
const [oldKey, rightKey, wrongKey] = [newKey(), newKey(), newKey()];
/** A probe each second, and a busy machine. */
const seenMs = 4000;
/** A round of ballots. */
const roundMs = 5000 + 1000;

describe("voters whose settings change", () => {
  let servers: OperatedServers;
  let first: OperatedServer;
  let second: OperatedServer;
  let third: OperatedServer;
  let service: WebService;
  const others: WebService[] = [];
  /** The spec of one of them, with the peers of these names. */
  let specOf: (name: string, peers: readonly string[]) => Record<string, unknown>;

  before(async () => {
    const [webPort = 0, ...httpPorts] = await freePorts(4);
    service = await startWebService({ address: dying, port: webPort });
    for (const address of [living, ...ailing]) {
      others.push(await startWebService({ address, port: webPort }));
    }
    const names = ["ns1", "ns2", "ns3"];
    const placeOf = (each: string): string => `127.0.0.1:${httpPorts[names.indexOf(each)]}`;
    specOf = (each, peers) => ({
      listen: { http: placeOf(each) },
      health: {
        voter: true,
        secretFile: "peers.key",
        peers: peers.map((peer) => ({ name: peer, url: `http://${placeOf(peer)}` })),
      },
    });
    const federation = federationOf(webPort);
    servers = new OperatedServers([
      { name: "ns1", federation, keys: [oldKey], spec: specOf("ns1", ["ns2"]) },
      { name: "ns2", federation, keys: [oldKey], spec: specOf("ns2", ["ns1"]) },
      { name: "ns3", federation, keys: [wrongKey], spec: specOf("ns3", ["ns1", "ns2"]) },
    ]);
    [first, second, third] = [servers.server("ns1"), servers.server("ns2"), servers.server("ns3")];
    await servers.start();
    await heard([first, second], ["ns1", "ns2"]);
    await agreed([first, second], "up");
    // From now on each voter says something new of them each second, and the verdict stays.
    for (const each of others.slice(1)) each.setStatus(500);
  });
  after(async () => {
    await servers?.stop();
    await Promise.all([service, ...others].map((each) => each?.stop()));
  });

  it("count nothing that is signed with another key, and say so", async () => {
    await heard([third], ["ns3"]);
    for (const each of [first, second]) {
      const look = () => refused(each, "bad-signature");
      await waitFor(`bad-signature at ${each.name}`, roundMs, look, (seen) => seen > 0);
      await each.logged(({ event, ...fields }) => {
        return event === "ballot-refused" && fields["reason"] === "bad-signature";
      });
    }
    await third.logged(
      ({ event, ...fields }) =>
        event === "ballot-not-taken" && `${fields["outcome"]}`.includes("bad-signature"),
    );
    expect((await third.health()).quorum).to.equal("lost");
    expect((await third.endpoint(dying)).verdict).to.equal("none");
  });

  it("count nothing of one that has other voters configured, and flag it", async () => {
    await first.reloaded(() => first.configure(specOf("ns1", ["ns2", "ns3"])));
    await service.kill();
    const words = () => Promise.all([ownWord(first), ownWord(second)]);
    await waitFor("down in both words", seenMs, words, (seen) => seen.join() === "down,down");
    for (const [each, stranger] of [
      [first, "ns2"],
      [second, "ns1"],
    ] as const) {
      const { voters, warnings } = await each.health();
      const flagged = voters.filter((voter) => voter.hasOtherConfiguration);
      expect(flagged.map((voter) => voter.name)).to.deep.equal([stranger]);
      expect(warnings.join("\n")).to.contain(
        `${stranger} has other voters, regions or electors configured`,
      );
      expect((await each.endpoint(dying)).verdict, each.name).to.equal("up");
      expect((await answerOf(each.dns, name)).addresses).to.deep.equal([dying, living]);
    }
    // What the second one had heard before counts for 15 s.
    const { stdout } = await runCommand(["status"], first.folder);
    expect(stdout).to.contain("NOT WELL: quorum: lost");
    expect(stdout).to.contain("ns2 has other voters");
  });

  it("agree again as soon as all have the same voters, none of them restarted", async () => {
    const bootsBefore = [first, second].map(startsOf);
    await second.reloaded(() => second.configure(specOf("ns2", ["ns1", "ns3"])));
    await agreed([first, second], "down");
    await heard([first, second], ["ns1", "ns2"]);
    await third.reloaded(() => third.setKeys([oldKey]));
    await heard(servers.all, ["ns1", "ns2", "ns3"]);
    await agreed(servers.all, "down");
    await service.revive();
    await agreed(servers.all, "up");
    for (const each of servers.all) {
      const { warnings, quorum, votersLive } = await each.health();
      expect({ warnings, quorum, votersLive }).to.deep.equal({
        warnings: [],
        quorum: "held",
        votersLive: 3,
      });
    }
    expect([first, second].map(startsOf)).to.deep.equal(bootsBefore);
  });

  it("take every ballot while keys are changed step by step", async () => {
    const logBefore = servers.all.map(({ events }) => events.length);
    const refusedBefore = await Promise.all(servers.all.map((each) => refused(each)));
    const steps = [[oldKey, rightKey], [rightKey, oldKey], [rightKey]];
    for (const keys of steps) {
      for (const each of servers.all) {
        await each.reloaded(() => each.setKeys(keys));
        await exchanged();
      }
    }
    expect(await Promise.all(servers.all.map((each) => refused(each)))).to.deep.equal(
      refusedBefore,
    );
    const troubles = servers.all.flatMap(({ events }, at) =>
      events.slice(logBefore[at]).filter(({ event }) => event !== "reloaded"),
    );
    expect(troubles).to.deep.equal([]);
    await heard(servers.all, ["ns1", "ns2", "ns3"]);
  });

  it("go on with the keys that they have if others can read the file by now", async () => {
    const file = path.join(second.folder, "peers.key");
    const problem = await second.reloaded(() => chmodSync(file, 0o644), "problem");
    expect(problem).to.deep.include({ file: path.join(second.folder, "meridian.yaml") });
    expect(problem["line"]).to.be.above(1);
    expect(problem["msg"]).to.contain(`others can read it (mode 0644), make it 0600`);
    await exchanged();
    const status = async () => (await runCommand(["status"], second.folder)).stdout;
    const refusedText = "the files were refused at the last reload (1 problem)";
    expect(await status()).to.contain(refusedText);
    chmodSync(file, 0o600);
    await waitFor("no problem", seenMs, status, (seen) => !seen.includes(refusedText));
  });

  /** Waits until each voter has taken something new of each other one. */
  async function exchanged(): Promise<void> {
    const before = await takenOfAll();
    await waitFor("ballots from all to all", 2 * roundMs, takenOfAll, (seen) =>
      seen.every((taken, at) => taken > (before[at] ?? 0)),
    );
  }

  function takenOfAll(): Promise<number[]> {
    return Promise.all(
      servers.all.flatMap((each) =>
        servers.all
          .filter((voter) => voter !== each)
          .map((voter) => each.metric("meridian_ballots_taken_total", { voter: voter.name })),
      ),
    );
  }
});

function refused(server: OperatedServer, reason?: string): Promise<number> {
  const labels = reason === undefined ? {} : { reason };
  return server.metric("meridian_ballots_refused_total", labels);
}

/** What a voter says itself of the service that dies. */
async function ownWord(server: OperatedServer): Promise<string | undefined> {
  const { votes } = await server.endpoint(dying);
  return votes.find(({ voter }) => voter === server.name)?.word;
}

function startsOf({ events }: OperatedServer): number {
  return events.filter(({ event }) => event === "serving").length;
}

/** Waits until each of them hears these voters and no others. */
async function heard(by: readonly OperatedServer[], voters: readonly string[]): Promise<void> {
  const look = () => Promise.all(by.map((each) => each.heard()));
  await waitFor(`${voters.join()} heard`, roundMs, look, (seen) =>
    seen.every((each) => each.join() === voters.join()),
  );
}

/** Waits until each of them has this verdict on the service that dies, and answers by it. */
async function agreed(by: readonly OperatedServer[], verdict: "up" | "down"): Promise<void> {
  const wanted = verdict === "up" ? [dying, living] : [living];
  const look = () =>
    Promise.all(
      by.map(async (each) => [
        (await each.endpoint(dying)).verdict,
        ...(await answerOf(each.dns, name)).addresses,
      ]),
    );
  await waitFor(`${verdict} everywhere`, seenMs, look, (seen) =>
    seen.every((each) => each.join() === [verdict, ...wanted].join()),
  );
}

function federationOf(port: number): FederationSketch {
  const times = { intervalSeconds: 1, timeoutSeconds: 1, rise: 1 };
  return {
    ttl: { max: 60, min: 1 },
    clusters: { c1: {}, c2: {} },
    services: {
      "prod/web": {
        healthCheck: { type: "http", port, ...times, fall: 1 },
        in: { c1: { external: [dying] }, c2: { external: [living] } },
      },
      "prod/ailing": {
        healthCheck: { type: "http", port, ...times, fall: 100 },
        in: { c1: { external: ailing } },
      },
    },
  };
}
