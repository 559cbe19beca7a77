// Counts of a data plane: each query moves the counts that it should and no other, threads add up,
// and what is counted under a number goes by the name that had it first.

import { expect } from "chai";
import {
  AnswerNote,
  AnswerPath,
  CacheLook,
  noOrigin,
  originOf,
} from "../../src/answer/answer-note.ts";
import { DataPlaneTally, trafficOf } from "../../src/server/data-plane-counters.ts";
import {
  createQueryCounts,
  doorOf,
  durationBounds,
  QueryCounts,
  sumQueryCounts,
  timedRounds,
} from "../../src/server/query-counts.ts";

const addresses = [
  { address: "127.0.0.1", port: 53 },
  { address: "::1", port: 5300 },
];

describe("counts of queries", () => {
  const kinds = [
    { type: 1, rcode: 0, expected: "A NOERROR" },
    { type: 28, rcode: 3, expected: "AAAA NXDOMAIN" },
    { type: 5, rcode: 2, expected: "CNAME SERVFAIL" },
    { type: 12, rcode: 4, expected: "PTR NOTIMP" },
    { type: 65, rcode: 5, expected: "HTTPS REFUSED" },
    { type: 64, rcode: 9, expected: "SVCB NOTAUTH" },
    { type: 257, rcode: 1, expected: "CAA FORMERR" },
    { type: 255, rcode: 16, expected: "ANY BADVERS" },
    { type: 0, rcode: 1, expected: "other FORMERR" },
    { type: 258, rcode: 6, expected: "other other" },
    { type: 65_535, rcode: 17, expected: "other other" },
    { type: 43, rcode: 4095, expected: "other other" },
  ];
  for (const { type, rcode, expected } of kinds) {
    it(`has type ${type} and rcode ${rcode} as ${expected}`, () => {
      const counts = new QueryCounts(createQueryCounts(2));
      counts.answered(doorOf(1, "tcp"), noteOf({ type, rcode }));
      const { doors } = sumQueryCounts([counts.memory]);
      const counted = doors.flatMap(({ listener, transport, responses }) =>
        responses
          .filter(({ count }) => count > 0)
          .map((each) => `${listener} ${transport} ${each.type} ${each.rcode} ${each.count}`),
      );
      expect(counted).to.deep.equal([`1 tcp ${expected} 1`]);
    });
  }

  it("move one path, one look and one origin with each answer", () => {
    const counts = new QueryCounts(createQueryCounts(1));
    const origin = originOf(2, "distance");
    counts.answered(0, noteOf({ path: AnswerPath.PLAN, origin }));
    counts.answered(0, noteOf({ path: AnswerPath.READY, cacheLook: CacheLook.HIT, origin }));
    counts.answered(0, noteOf({ path: AnswerPath.FULL, cacheLook: CacheLook.MISS }));
    counts.answered(0, noteOf({ path: AnswerPath.TEMPLATE, isTruncated: true }));
    const sums = sumQueryCounts([counts.memory]);
    expect(sums.paths).to.deep.equal({ plan: 1, ready: 1, template: 1, full: 1 });
    expect([sums.cacheHits, sums.cacheMisses]).to.deep.equal([1, 1]);
    expect([sums.origins[origin], sums.origins[noOrigin]]).to.deep.equal([2, 2]);
    expect(sums.doors.map(({ truncated }) => truncated)).to.deep.equal([1, 0]);
  });

  it("tell open connections apart from those that ever were, and forget them with their thread", () => {
    const counts = new QueryCounts(createQueryCounts(1));
    for (const change of ["accepted", "accepted", "closed", "refused"] as const) {
      counts.connection(change);
    }
    const told = () => sumQueryCounts([counts.memory]).connections;
    expect(told()).to.deep.equal({ open: 1, accepted: 2, refused: 1 });
    new QueryCounts(counts.memory).forgetConnections();
    expect(told()).to.deep.equal({ open: 0, accepted: 2, refused: 1 });
  });

  it("put a duration into the bucket whose bound it does not pass", () => {
    const counts = new QueryCounts(createQueryCounts(1));
    const [first = 0] = durationBounds;
    counts.took(first, 1);
    counts.took(first * 1.01, 2);
    counts.took(1000, 3);
    const { durations } = sumQueryCounts([counts.memory]);
    expect(durations.counts).to.have.length(durationBounds.length + 1);
    expect(durations.counts.slice(0, 2)).to.deep.equal([1, 2]);
    expect(durations.counts.at(-1)).to.equal(3);
    expect(durations.sumSeconds).to.be.closeTo(first * 3.02 + 3000, 1e-9);
  });

  it(`time one round of ${timedRounds}, the first among them`, () => {
    const counts = new QueryCounts(createQueryCounts(1));
    const timed = Array.from({ length: 3 * timedRounds }, () => counts.isTimed());
    expect(timed.flatMap((isTimed, at) => (isTimed ? [at] : []))).to.deep.equal([
      0,
      timedRounds,
      2 * timedRounds,
    ]);
  });
});

describe("a data plane's counters", () => {
  it("add up threads under the names of listeners, and of clusters as they were first numbered", () => {
    const tally = new DataPlaneTally(2, 2);
    const [one, two] = [0, 1].map((thread) => new QueryCounts(tally.memoryOf(thread)));
    if (!one || !two) throw new Error("there are two threads");
    const numbers = tally.numbersOf(["east", "west"]);
    one.received(doorOf(0, "udp"), 3);
    two.received(doorOf(0, "udp"), 4);
    one.silent(2);
    two.sendFailed();
    one.fault();
    one.answered(doorOf(0, "udp"), noteOf({ origin: originOf(numbers.get("west") ?? 0, "front") }));
    // A snapshot without the east, and with another cluster: what was counted stays west's.
    const later = tally.numbersOf(["north", "west"]);
    for (const name of ["north", "west"]) {
      const origin = originOf(later.get(name) ?? 0, "distance");
      two.answered(doorOf(1, "tcp"), noteOf({ rcode: 0, origin }));
    }
    tally.restarted();
    const counters = tally.counters(addresses, []);
    expect(
      counters.doors.map(({ listener, transport, queries }) => [listener, transport, queries]),
    ).to.deep.equal([
      ["127.0.0.1:53", "udp", 7],
      ["127.0.0.1:53", "tcp", 0],
      ["[::1]:5300", "udp", 0],
      ["[::1]:5300", "tcp", 0],
    ]);
    expect(counters.answers).to.deep.equal([
      { cluster: "west", level: "front", count: 1 },
      { cluster: "west", level: "distance", count: 1 },
      { cluster: "north", level: "distance", count: 1 },
    ]);
    expect(counters.dropped).to.deep.equal({ kernel: 0, send: 1, oversized: 0, silent: 2 });
    expect([counters.faults, counters.restarts]).to.deep.equal([1, 1]);
    expect(trafficOf(counters)).to.deep.equal({
      responses: 3,
      byRcode: { NOERROR: 3 },
      dropped: 1,
      byCluster: new Map([
        ["west", 2],
        ["north", 1],
      ]),
    });
  });
});

function noteOf(fields: Partial<AnswerNote>): AnswerNote {
  return Object.assign(new AnswerNote(), { path: AnswerPath.PLAN, type: 1 }, fields);
}
