// The attack of the benchmark: each of its requests is refused for the reason that it is made for, by
// the routes and the vote of the server itself.

import { connect } from "node:net";
import { expect } from "chai";
import { type FastifyInstance, fastify } from "fastify";
import {
  type AttackTarget,
  attackRequests,
  honestBallot,
  requestAt,
  streamPiece,
  streamPieces,
} from "../../scripts/bench/attack-mix.ts";
import { ballotRoutes } from "../../src/health/ballot-routes.ts";
import { Election } from "../../src/health/election.ts";

const key = Buffer.alloc(32, 7);
const voters = ["ns1", "ns2", "ns3"] as const;

describe("the attack on the ballots", () => {
  let app: FastifyInstance;
  let target: AttackTarget;
  /** Refusals that were counted, and who waits for one. */
  let refused: string[] = [];
  let onRefused: (() => void) | undefined;

  before(async () => {
    app = fastify();
    const election = new Election({ name: "ns1", boot: "own-boot", isVoter: true });
    const clock = () => ({ nowMs: performance.now(), wallMs: Date.now() });
    const electorate = voters.map((name) => ({ name, cluster: undefined, region: "" }));
    election.setElectorate({ voters: electorate, electors: 5 }, clock());
    ballotRoutes(app, {
      keys: () => [key],
      receive: (ballot) => election.receive(ballot, clock()),
      current: () => undefined,
      refused: (reason) => {
        refused.push(reason);
        onRefused?.();
      },
      taken: () => undefined,
    });
    await app.listen({ host: "127.0.0.1", port: 0 });
    const address = app.server.address();
    const port = typeof address === "object" ? (address?.port ?? 0) : 0;
    target = { port, key, voters, endpoints: ["a/b cluster-1 127.0.1.1"] };
  });
  after(() => app.close());

  it("each request is refused for its own reason, the honest one is taken", async () => {
    const honest = honestBallot(target, 101, Date.now());
    expect(await answerTo(honest.octets)).to.match(/^HTTP\/1\.1 204 /);
    for (const { kind, reason, octets, after } of attackRequests(target, honest, Date.now())) {
      refused = [];
      const counted = new Promise<void>((resolve) => {
        onRefused = resolve;
      });
      const answer = await answerTo(octets, after);
      await counted;
      // Whoever hangs up gets Node's own answer to what is no request.
      if (after === "wait") expect(answer, kind).to.include(`"error":"${reason}"`);
      expect(refused, kind).to.deep.equal([reason]);
    }
  });

  it("all kinds come equally often, but the one that must be read once in a thousand", () => {
    const honest = honestBallot(target, 101, Date.now());
    const requests = attackRequests(target, honest, Date.now());
    const counts = new Map<string, number>();
    for (let n = 0; n < 12_000; n++) {
      const { kind } = requestAt(requests, n) ?? { kind: "none" };
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
    expect(counts.size).to.equal(requests.length);
    expect(counts.get("10 MB, length not said")).to.equal(12);
    for (const { kind, after } of requests) {
      if (after !== "stream") expect(counts.get(kind), kind).to.be.within(990, 1000);
    }
  });

  /** All that comes until the server ends the connection, or the first answer of one that stays. */
  function answerTo(octets: Buffer, after = "wait"): Promise<string> {
    return new Promise((resolve) => {
      let answer = "";
      const socket = connect(target.port, "127.0.0.1");
      socket.on("data", (piece) => {
        answer += piece.toString("latin1");
        socket.destroy();
      });
      // Whoever answers before the whole body came resets the connection.
      socket.on("error", () => undefined);
      socket.on("close", () => resolve(answer));
      socket.write(octets);
      if (after === "hang-up") socket.end();
      if (after !== "stream") return;
      for (let piece = 0; piece < streamPieces; piece++) socket.write(streamPiece);
    });
  }
});
