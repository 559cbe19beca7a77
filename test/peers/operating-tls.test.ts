// Ballots by mutual TLS at an address of their own: between voters whose certificates one authority
// signed, and not from one whose certificate another authority did.

import { copyFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { freePorts } from "../../scripts/demo/free-ports.ts";
import { waitFor } from "../../scripts/demo/wait-for.ts";
import type { FederationSketch } from "../kit/federation.ts";
import { newKey, type OperatedServer, OperatedServers } from "../kit/operating.ts";
import { startWebService, type WebService } from "../kit/web-service.ts";

const certificates = path.resolve(import.meta.dirname, "../health/tls");
const endpoint = "127.0.0.11";
/** A round of ballots, and a busy machine. */
const roundMs = 5000 + 3000;
const trusted = ["ns1", "ns2", "ns3"];
const everybody = [...trusted, "ns4"];

describe("voters that exchange ballots by mutual TLS", () => {
  let servers: OperatedServers;
  let stranger: OperatedServer;
  let service: WebService;

  before(async () => {
    const [webPort = 0, ...ports] = await freePorts(5);
    service = await startWebService({ address: endpoint, port: webPort });
    const federation = federationOf(webPort);
    const keys = [newKey()];
    const placeOf = (name: string): string => `127.0.0.1:${ports[everybody.indexOf(name)]}`;
    servers = new OperatedServers(
      everybody.map((name) => ({
        name,
        federation,
        keys,
        spec: {
          workers: 1,
          health: {
            voter: true,
            secretFile: "peers.key",
            listen: placeOf(name),
            tls: { cert: "own.pem", key: "own.key", ca: "ca.pem" },
            peers: everybody
              .filter((peer) => peer !== name)
              .map((peer) => ({ name: peer, url: `https://${placeOf(peer)}` })),
          },
        },
      })),
    );
    stranger = servers.server("ns4");
    for (const each of servers.all) certify(each, each === stranger ? "stranger" : "voter");
    await servers.start();
  });
  after(async () => {
    await servers?.stop();
    await service?.stop();
  });

  it("hear each other, and decide by what they hear", async () => {
    const others = trusted.map((each) => servers.server(each));
    await heard(others, trusted);
    for (const each of others) expect((await each.health()).quorum).to.equal("held");
    await service.kill();
    const verdicts = () =>
      Promise.all(others.map(async (each) => (await each.endpoint(endpoint)).verdict));
    await waitFor("down at all", roundMs, verdicts, (seen) => seen.join() === "down,down,down");
  });

  it("do not hear one with a certificate of another authority, nor does it hear them", async () => {
    await heard([stranger], ["ns4"]);
    expect((await stranger.health()).quorum).to.equal("lost");
    // It has the right key and settings, and sees that the service is dead as they do.
    const look = () => stranger.endpoint(endpoint);
    const { seen } = await waitFor("its word", roundMs, look, ({ votes }) =>
      votes.some(({ voter, word }) => voter === "ns4" && word === "down"),
    );
    expect(seen.verdict).to.not.equal("down");
    for (const name of trusted) {
      const each = servers.server(name);
      const { voters } = await each.health();
      const shown = voters.find((voter) => voter.name === "ns4");
      expect(shown?.lastBallotSecondsAgo, name).to.equal(null);
      const taken = await each.metric("meridian_ballots_taken_total", { voter: "ns4" });
      expect(taken, name).to.equal(0);
      const failure = await each.logged(
        (event) => event.event === "ballot-not-taken" && event["receiver"] === "ns4",
      );
      expect(failure["outcome"], name).to.match(/certificate/i);
    }
  });

  it("hear it once it has one that they trust", async () => {
    await stranger.kill();
    certify(stranger, "voter");
    await stranger.start();
    await heard(servers.all, everybody);
  });
});

/** Its certificate and key; all of them trust the one authority. */
function certify({ folder }: OperatedServer, leaf: "voter" | "stranger"): void {
  for (const [from, to] of [
    [`${leaf}.pem`, "own.pem"],
    [`${leaf}.key`, "own.key"],
    ["ca.pem", "ca.pem"],
  ] as const) {
    copyFileSync(path.join(certificates, from), path.join(folder, to));
  }
}

/** Waits until each of them hears these voters and no others. */
async function heard(by: readonly OperatedServer[], voters: readonly string[]): Promise<void> {
  const look = () => Promise.all(by.map((each) => each.heard()));
  await waitFor(`${voters.join()} heard`, roundMs, look, (seen) =>
    seen.every((each) => each.join() === voters.join()),
  );
}

function federationOf(port: number): FederationSketch {
  const times = { intervalSeconds: 1, timeoutSeconds: 1, fall: 1, rise: 1 };
  return {
    clusters: { c1: {} },
    services: {
      "prod/web": {
        healthCheck: { type: "http", port, ...times },
        in: { c1: { external: [endpoint] } },
      },
    },
  };
}
