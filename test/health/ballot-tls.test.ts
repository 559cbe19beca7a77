// Ballots over mutual TLS: only those whose certificates one authority signed talk to each other.

import { readFileSync } from "node:fs";
import { request } from "node:https";
import path from "node:path";
import { expect } from "chai";
import Fastify from "fastify";
import { encodeBallot } from "../../src/health/ballot.ts";
import { ballotRoutes } from "../../src/health/ballot-routes.ts";
import { BallotSender, type ClientTls } from "../../src/health/ballot-sender.ts";
import { BallotRecord, keyA, localUrl } from "./ballot-record.ts";

const read = (file: string): string =>
  readFileSync(path.join(import.meta.dirname, "tls", file), "utf8");
const files = (name: string, ca: string): ClientTls => ({
  cert: read(`${name}.pem`),
  key: read(`${name}.key`),
  ca: read(`${ca}.pem`),
});
const voter = files("voter", "ca");

const cases: readonly {
  readonly name: string;
  readonly client: ClientTls | undefined;
  readonly server?: ClientTls;
  readonly outcome: RegExp;
}[] = [
  { name: "certificates of one authority", client: voter, outcome: /^taken$/ },
  {
    name: "a sender whose certificate another authority signed",
    client: files("stranger", "ca"),
    outcome: /connection reset|alert|SSL/,
  },
  {
    name: "a receiver whose certificate another authority signed",
    client: voter,
    server: files("stranger", "ca"),
    outcome: /certificate/,
  },
  {
    name: "a sender that trusts the system's authorities only",
    client: undefined,
    outcome: /certificate/,
  },
];

describe("ballots over mutual TLS", () => {
  for (const { name, client, server = voter, outcome } of cases) {
    it(`${name}: ${outcome.source}`, async () => {
      const record = new BallotRecord([keyA]);
      const { cert, key, ca } = server;
      const https = { cert, key, ca, requestCert: true, rejectUnauthorized: true };
      const app = Fastify({ https, forceCloseConnections: true });
      ballotRoutes(app, record);
      const url = localUrl(await app.listen({ port: 0, host: "127.0.0.1" }));
      let sender: BallotSender | undefined;
      try {
        const result = await new Promise<string>((resolve) => {
          sender = new BallotSender({
            name: "ns2",
            keys: () => [keyA],
            tls: client,
            times: outcome.test("taken") ? {} : { totalMs: 600 },
            onOutcome: (_name, each) => resolve(each),
            onPulled: () => {},
          });
          sender.setPosts([{ name: "ns1", url }]);
          sender.send(encodeBallot(ballot), "full");
        });
        expect(result).to.match(outcome);
        expect(record.takings).to.deep.equal(result === "taken" ? ["ns2"] : []);
      } finally {
        await sender?.stop();
        await app.close();
      }
    });
  }

  it("refuses a client without a certificate, whoever it trusts", async () => {
    const record = new BallotRecord([keyA]);
    const { cert, key, ca } = voter;
    const https = { cert, key, ca, requestCert: true, rejectUnauthorized: true };
    const app = Fastify({ https, forceCloseConnections: true });
    ballotRoutes(app, record);
    const url = localUrl(await app.listen({ port: 0, host: "127.0.0.1" }));
    try {
      const failure = await new Promise<Error | undefined>((resolve) => {
        const call = request(`${url}/v1/ballots`, { ca, agent: false }, () => resolve(undefined));
        call.on("error", resolve).end();
      });
      expect(failure).to.be.instanceOf(Error);
      expect(failure?.message).to.match(/certificate required|reset|hang up/i);
      expect(record.refusals).to.deep.equal([]);
    } finally {
      await app.close();
    }
  });
});

const ballot = {
  voter: "ns2",
  boot: "b1",
  sequence: 1,
  sentAtMs: 1,
  configuration: "c",
  isFull: true,
  words: new Map(),
};
