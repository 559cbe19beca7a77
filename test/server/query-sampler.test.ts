// The sampler's share and its fairness, counted over many queries with seeds that are given.

import { expect } from "chai";
import { QuerySampler } from "../../src/server/query-sampler.ts";

describe("the choice of queries", () => {
  const shares = [
    { share: 0.5, longestGap: undefined },
    { share: 0.01, longestGap: undefined },
    { share: 0.01, longestGap: 7 },
    { share: 0.3, longestGap: 1 },
  ];
  for (const { share, longestGap } of shares) {
    const parts = longestGap === undefined ? "" : ` with gaps drawn in parts of ${longestGap}`;
    it(`takes a share of ${share}${parts}, within five deviations`, () => {
      for (const seed of [0.1, 0.5, 0.9]) {
        const sampler = new QuerySampler(seed, longestGap);
        sampler.setShare(share);
        const queries = 200_000;
        const due = dueOf(sampler, queries).length;
        expectNear(due, queries, share);
      }
    });
  }

  it("takes each query by a share of 1, and none by 0", () => {
    const sampler = new QuerySampler(0.3);
    expect(dueOf(sampler, 1000), "before any share is set").to.have.length(0);
    sampler.setShare(1);
    expect(dueOf(sampler, 1000)).to.have.length(1000);
    sampler.setShare(0);
    expect(dueOf(sampler, 1000)).to.have.length(0);
    sampler.setShare(1);
    expect(dueOf(sampler, 1000)).to.have.length(1000);
  });

  it("takes nothing for a while by a share of one in 10^15", () => {
    const sampler = new QuerySampler(0.3, 100);
    sampler.setShare(1e-15);
    expect(dueOf(sampler, 100_000)).to.have.length(0);
  });

  it("takes as many of each of ten clients who ask in turn", () => {
    const sampler = new QuerySampler(0.7);
    sampler.setShare(0.1);
    const clients = Array.from({ length: 10 }, () => 0);
    for (const at of dueOf(sampler, 200_000)) clients[at % 10] = (clients[at % 10] ?? 0) + 1;
    for (const count of clients) expectNear(count, 20_000, 0.1);
  });

  it("takes the next query as likely after one that was taken as after one that was not", () => {
    const sampler = new QuerySampler(0.2);
    sampler.setShare(0.25);
    const due = dueOf(sampler, 200_000);
    const next = due.filter((at, index) => due[index + 1] === at + 1).length;
    expectNear(next, due.length, 0.25);
  });

  it("chooses otherwise by another seed", () => {
    const [first, second] = [0.1, 0.2].map((seed) => {
      const sampler = new QuerySampler(seed);
      sampler.setShare(0.1);
      return dueOf(sampler, 1000);
    });
    expect(first).not.to.deep.equal(second);
  });
});

/** Which of so many queries were due, by their places. */
function dueOf(sampler: QuerySampler, queries: number): number[] {
  const due: number[] = [];
  for (let at = 0; at < queries; at++) if (sampler.isDue()) due.push(at);
  return due;
}

function expectNear(count: number, queries: number, share: number): void {
  const deviation = Math.sqrt(queries * share * (1 - share));
  expect(Math.abs(count - queries * share) / deviation).to.be.below(5);
}
