// Overflow (semantics 4): the share of the clients that each level keeps, and the level of one.

import { expect } from "chai";
import fc from "fast-check";
import { levelOfClient, levelShares } from "../../src/routing/overflow.ts";

/** [healthy, total] of each level. */
type Levels = readonly (readonly [healthy: number, total: number])[];

const shares: { name: string; percent?: number; levels: Levels; expected: number[] }[] = [
  { name: "no level at all", levels: [], expected: [] },
  {
    name: "all is well",
    levels: [
      [1, 1],
      [1, 1],
    ],
    expected: [1, 0],
  },
  {
    name: "one of three at home keeps 0.476",
    levels: [
      [1, 3],
      [1, 1],
    ],
    expected: [10 / 21, 11 / 21],
  },
  {
    name: "home's only endpoint ramps up and counts as a fifth",
    levels: [
      [0.2, 1],
      [1, 1],
    ],
    expected: [2 / 7, 5 / 7],
  },
  {
    name: "home's only endpoint has ramped up to the threshold",
    levels: [
      [0.7, 1],
      [1, 1],
    ],
    expected: [1, 0],
  },
  {
    name: "home 0 of 1, the region 4 of 4",
    levels: [
      [0, 1],
      [4, 4],
      [1, 1],
    ],
    expected: [0, 1, 0],
  },
  {
    name: "exactly at the threshold",
    levels: [
      [7, 10],
      [1, 1],
    ],
    expected: [1, 0],
  },
  {
    name: "exactly at another threshold",
    percent: 50,
    levels: [
      [1, 2],
      [1, 1],
    ],
    expected: [1, 0],
  },
  {
    name: "at a threshold that halves do not hit",
    percent: 29,
    levels: [
      [29, 100],
      [1, 1],
    ],
    expected: [1, 0],
  },
  {
    name: "half the threshold takes half",
    levels: [
      [7, 20],
      [1, 1],
    ],
    expected: [0.5, 0.5],
  },
  {
    name: "above the threshold takes all",
    levels: [
      [8, 10],
      [1, 1],
    ],
    expected: [1, 0],
  },
  {
    name: "one weak level after the other",
    levels: [
      [7, 20],
      [7, 40],
      [7, 20],
    ],
    expected: [0.5, 0.25, 0.25],
  },
  {
    name: "the list ends first: scaled to 1",
    levels: [
      [1, 10],
      [2, 10],
    ],
    expected: [1 / 3, 2 / 3],
  },
  { name: "one weak level alone takes all", levels: [[1, 10]], expected: [1] },
  {
    name: "a dead level between",
    levels: [
      [7, 20],
      [0, 5],
      [1, 1],
    ],
    expected: [0.5, 0, 0.5],
  },
  {
    name: "a level without endpoints",
    levels: [
      [0, 0],
      [1, 1],
    ],
    expected: [0, 1],
  },
  {
    name: "nothing is healthy",
    levels: [
      [0, 1],
      [0, 2],
    ],
    expected: [0, 0],
  },
  {
    name: "threshold 0: any healthy one carries all",
    percent: 0,
    levels: [
      [1, 100],
      [1, 1],
    ],
    expected: [1, 0],
  },
  {
    name: "threshold 0: a dead one carries none",
    percent: 0,
    levels: [
      [0, 9],
      [1, 100],
    ],
    expected: [0, 1],
  },
  {
    name: "threshold 100: one sick of ten spills",
    percent: 100,
    levels: [
      [9, 10],
      [1, 1],
    ],
    expected: [0.9, 0.1],
  },
  {
    name: "an endpoint that ramps up counts in part",
    levels: [
      [0.35, 1],
      [1, 1],
    ],
    expected: [0.5, 0.5],
  },
];

const choices: { name: string; shares: number[]; u: number; expected: number }[] = [
  { name: "the first whose running sum exceeds u", shares: [0.5, 0.5], u: 0.49, expected: 0 },
  { name: "a sum equal to u does not exceed it", shares: [0.5, 0.5], u: 0.5, expected: 1 },
  { name: "u = 0 skips levels without a share", shares: [0, 1, 0], u: 0, expected: 1 },
  {
    name: "the last with a share where rounding leaves a gap",
    shares: [0.3, 0.6, 0],
    u: 0.95,
    expected: 1,
  },
  { name: "none without shares", shares: [0, 0], u: 0, expected: -1 },
  { name: "none without levels", shares: [], u: 0.5, expected: -1 },
];

describe("the shares of levels", () => {
  for (const { name, percent = 70, levels, expected } of shares) {
    it(name, () => {
      const found = sharesOf(levels, percent);
      expect(found).to.have.length(expected.length);
      for (const [at, share] of found.entries())
        expect(share).to.be.closeTo(expected[at] ?? 0, 1e-12);
    });
  }

  const level = fc
    .tuple(fc.nat(12), fc.nat(12))
    .map(([healthy, sick]): [number, number] => [healthy, healthy + sick]);
  const levelLists = fc.array(level, { minLength: 1, maxLength: 6 });
  const settings = { seed: 20261121, numRuns: 2000 };

  it("sum to 1 where anything is healthy, and each is 0 to 1", () => {
    fc.assert(
      fc.property(levelLists, fc.integer({ min: 0, max: 100 }), (levels, percent) => {
        const found = sharesOf(levels, percent);
        const sum = found.reduce((total, share) => total + share, 0);
        const isAnyHealthy = levels.some(([healthy]) => healthy > 0);
        expect(sum).to.be.closeTo(isAnyHealthy ? 1 : 0, 1e-9);
        for (const [at, share] of found.entries()) {
          expect(share).to.be.within(0, 1);
          if (levels[at]?.[0] === 0) expect(share).to.equal(0);
        }
      }),
      settings,
    );
  });

  it("keep to the formula as long as the list does not end first", () => {
    fc.assert(
      fc.property(levelLists, fc.integer({ min: 1, max: 100 }), (levels, percent) => {
        const found = sharesOf([...levels, [1, 1]], percent);
        let left = 1;
        for (const [at, [healthy, total]] of levels.entries()) {
          const expected = total === 0 ? 0 : Math.min(left, healthy / total / (percent / 100));
          expect(found[at]).to.be.closeTo(expected, 1e-9);
          left -= expected;
        }
      }),
      settings,
    );
  });

  it("bring no client to a level whose health falls, whoever the client is", () => {
    fc.assert(
      fc.property(
        levelLists,
        fc.nat(5),
        fc.integer({ min: 0, max: 100 }),
        (levels, pick, percent) => {
          const worse = pick % levels.length;
          const [healthy = 0] = levels[worse] ?? [];
          fc.pre(healthy > 0 && levels.some(([each], at) => at !== worse && each > 0));
          const after = levels.map(([each, total], at): [number, number] =>
            at === worse ? [each - 1, total] : [each, total],
          );
          const before = sharesOf(levels, percent);
          const then = sharesOf(after, percent);
          for (let u = 0.0005; u < 1; u += 0.001) {
            const to = levelOfClient(then, u);
            if (to === worse) expect(levelOfClient(before, u)).to.equal(worse);
          }
        },
      ),
      { ...settings, numRuns: 500 },
    );
  });
});

describe("the level of a client", () => {
  for (const { name, shares, u, expected } of choices) {
    it(name, () => expect(levelOfClient(shares, u)).to.equal(expected));
  }
});

function sharesOf(levels: Levels, percent: number): number[] {
  return levelShares(
    levels.map(([healthy, total]) => ({ healthy, total })),
    percent,
  );
}
