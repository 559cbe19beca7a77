// Servers that do not vote: one that the voters name as a listener, and one that nobody names and
// that asks. And how soon after a verdict the answers of every server follow.

import { expect } from "chai";
import { freePorts } from "../../scripts/demo/free-ports.ts";
import type { VoterEvent } from "../../scripts/demo/voter.ts";
import { waitFor } from "../../scripts/demo/wait-for.ts";
import type { FederationSketch } from "../kit/federation.ts";
import {
  AnswerRecord,
  newKey,
  type OperatedServer,
  OperatedServers,
  type OperatedSettings,
} from "../kit/operating.ts";
import { startWebService, type WebService } from "../kit/web-service.ts";

const name = "web.prod.my-federation.my-domain.com";
const [dying, living] = ["127.0.0.11", "127.0.0.12"] as const;
const voterNames = ["ns1", "ns2", "ns3"];
/** Who asks does so every 5 s; what is over is for a busy machine. */
const askedMs = 5000 + 1000;
const postedMs = 500;
/** From the log's line to the answers; the goal is 50 ms. */
const answeredMs = 300;

describe("servers that do not vote, beside three voters", () => {
  let servers: OperatedServers;
  const services: WebService[] = [];

  before(async () => {
    const [webPort = 0, ...httpPorts] = await freePorts(5);
    for (const address of [dying, living]) {
      services.push(await startWebService({ address, port: webPort }));
    }
    servers = new OperatedServers(settingsOf(webPort, httpPorts));
    // Who asks is to find them at once.
    const [asking, others] = [servers.server("asking"), servers.all.slice(0, -1)];
    await Promise.all(others.map((each) => each.start()));
    await asking.start();
    await waitFor(
      "all voters heard by all, and all endpoints up",
      10_000,
      () => Promise.all(servers.all.map((each) => each.health())),
      (seen) =>
        seen.every(
          ({ votersLive, endpoints }) =>
            votersLive === 3 && endpoints.every(({ verdict }) => verdict === "up"),
        ),
    );
  });
  after(async () => {
    await servers?.stop();
    await Promise.all(services.map((each) => each.stop()));
  });

  it("say that they listen, and have no ballots of their own", async () => {
    for (const listener of [servers.server("named"), servers.server("asking")]) {
      const { role, quorum, voters, endpoints } = await listener.health();
      expect({ role, quorum }).to.deep.equal({ role: "listener", quorum: "held" });
      expect(voters.map((each) => each.name)).to.deep.equal(voterNames);
      expect(endpoints.flatMap(({ votes }) => votes.map(({ voter }) => voter))).to.deep.equal([
        ...voterNames,
        ...voterNames,
      ]);
      expect(await listener.metric("meridian_probes_total")).to.equal(0);
    }
  });

  it("follow verdicts: the named one at once, the one that asks within 5 s, and their answers", async () => {
    const records = new Map(servers.all.map((each) => [each, new AnswerRecord(each.dns, name)]));
    try {
      const died = await verdictsAfter("down", servers.all, () => services[0]?.kill());
      await Promise.all([...records.values()].map((each) => each.until([living])));
      const prompt = servers.all.filter((each) => each.name !== "asking");
      const revivedAt = Date.now();
      const revived = await verdictsAfter("up", prompt, () => services[0]?.revive());
      for (const each of prompt) await records.get(each)?.until([dying, living]);

      expect(lagOf("named", died)).to.be.below(postedMs);
      expect(lagOf("named", revived)).to.be.below(postedMs);
      expect(lagOf("asking", died)).to.be.below(askedMs);
      for (const [server, record] of records) {
        const lateDown = record.lastAskedWith(dying, revivedAt) - timeOf(server.name, died);
        expect(lateDown, server.name).to.be.below(answeredMs);
      }
      for (const server of prompt) {
        const lastAsked = records.get(server)?.lastAskedWithout(dying) ?? Number.NaN;
        expect(lastAsked - timeOf(server.name, revived), server.name).to.be.below(answeredMs);
      }
    } finally {
      for (const record of records.values()) record.stop();
    }
  });

  /** The log lines of these servers' next verdicts, by server. */
  async function verdictsAfter(
    verdict: "up" | "down",
    of: readonly OperatedServer[],
    change: () => Promise<void> | undefined,
  ): Promise<ReadonlyMap<string, VoterEvent>> {
    const before = new Map(of.map((each) => [each, each.events.length]));
    await change();
    const found = of.map(async (each): Promise<[string, VoterEvent]> => {
      const isNext = ({ event, ...fields }: VoterEvent): boolean =>
        event === "verdict" && fields["verdict"] === verdict;
      return [each.name, await each.logged(isNext, before.get(each))];
    });
    return new Map(await Promise.all(found));
  }
});

/** Milliseconds by which a server came after the last voter. */
function lagOf(server: string, verdicts: ReadonlyMap<string, VoterEvent>): number {
  const voters = voterNames.map((each) => timeOf(each, verdicts));
  return timeOf(server, verdicts) - Math.max(...voters);
}

function timeOf(server: string, verdicts: ReadonlyMap<string, VoterEvent>): number {
  return verdicts.get(server)?.time ?? Number.NaN;
}

function settingsOf(webPort: number, httpPorts: readonly number[]): OperatedSettings[] {
  const federation: FederationSketch = {
    ttl: { max: 60, min: 1 },
    clusters: { c1: {}, c2: {} },
    services: {
      "prod/web": {
        healthCheck: {
          type: "http",
          port: webPort,
          intervalSeconds: 1,
          timeoutSeconds: 1,
          fall: 1,
          rise: 1,
        },
        in: { c1: { external: [dying] }, c2: { external: [living] } },
      },
    },
  };
  const keys = [newKey()];
  const urlOf = (at: number): string => `http://127.0.0.1:${httpPorts[at]}`;
  const voters = voterNames.map((each, at) => ({ name: each, url: urlOf(at) }));
  const named = { name: "named", url: urlOf(3) };
  const listener = { voter: false, secretFile: "peers.key", peers: voters };
  return [
    ...voters.map((each, at) => ({
      name: each.name,
      federation,
      keys,
      spec: {
        listen: { http: `127.0.0.1:${httpPorts[at]}` },
        health: {
          voter: true,
          secretFile: "peers.key",
          peers: voters.filter((other) => other !== each),
          listeners: [named],
        },
      },
    })),
    {
      name: "named",
      federation,
      keys,
      spec: { listen: { http: `127.0.0.1:${httpPorts[3]}` }, health: listener },
    },
    { name: "asking", federation, keys, spec: { health: listener } },
  ];
}
