// The draw inside a level (semantics 3): its order by weight and hash, and the hash itself.

import { expect } from "chai";
import { type Drawn, drawOrder, isContested, score } from "../../src/routing/draw.ts";
import { unitHash } from "../../src/routing/hash.ts";

/** Weight and hash by item. */
type Entries = Readonly<Record<string, readonly [weight: number, hash: number]>>;

const rows: { name: string; entries: Entries; order: string; isContested: boolean }[] = [
  { name: "nobody", entries: {}, order: "", isContested: false },
  { name: "one alone", entries: { a: [100, 0.5] }, order: "a", isContested: false },
  {
    name: "equal weights: the higher hash first",
    entries: { a: [1, 0.2], b: [1, 0.3] },
    order: "b a",
    isContested: true,
  },
  {
    name: "-w / ln(h): 2 at 0.3 beats 1 at 0.5",
    entries: { a: [1, 0.5], b: [2, 0.3] },
    order: "b a",
    isContested: true,
  },
  {
    name: "-w / ln(h): 1 at 0.6 beats 2 at 0.3",
    entries: { a: [1, 0.6], b: [2, 0.3] },
    order: "a b",
    isContested: true,
  },
  {
    name: "weight 0 is behind all, whatever its hash",
    entries: { a: [0, 0.999], b: [1, 0.001] },
    order: "b a",
    isContested: false,
  },
  {
    name: "a share of an endpoint is before weight 0",
    entries: { a: [0, 0.9], b: [0.01, 0.1] },
    order: "b a",
    isContested: false,
  },
  {
    name: "several of weight 0 as if equal",
    entries: { a: [0, 0.1], b: [0, 0.9], c: [5, 0.1] },
    order: "c b a",
    isContested: true,
  },
  { name: "weight 0 alone", entries: { a: [0, 0.5] }, order: "a", isContested: false },
];

describe("the draw", () => {
  for (const { name, entries, order, isContested: expected } of rows) {
    it(name, () => {
      const drawn = Object.entries(entries).map(
        ([item, [weight, hash]]): Drawn<string> => ({ item, weight, hash }),
      );
      expect(
        drawOrder(drawn)
          .map(({ item }) => item)
          .join(" "),
      ).to.equal(order);
      expect(
        drawOrder(drawn.toReversed())
          .map(({ item }) => item)
          .join(" "),
      ).to.equal(order);
      expect(isContested(drawn, drawn.length)).to.equal(expected);
    });
  }

  it("is contested by weight 0 only where those of weight 0 are given", () => {
    const drawn = [100, 0, 0].map((weight): Drawn<number> => ({ item: 0, weight, hash: 0.5 }));
    expect([0, 1, 2, 3].map((given) => isContested(drawn, given))).to.deep.equal([
      false,
      false,
      true,
      true,
    ]);
  });

  it("scores by -w / ln(h)", () => {
    expect(score({ item: "", weight: 3, hash: 0.5 })).to.be.closeTo(-3 / Math.log(0.5), 1e-12);
  });
});

describe("the hash of a client", () => {
  const prefixes = Array.from({ length: 65_536 }, (_, at) =>
    Uint8Array.of(at >> 8, at & 255, 7, 0),
  );

  it("is the same in every version: clients keep their order over an upgrade", () => {
    expect(unitHash("spill shop/web", Uint8Array.of(192, 0, 2, 0))).to.equal(fixed.short);
    expect(unitHash("draw shop/web a", Uint8Array.of(0x20, 1, 0xd, 0xb8, 0, 1, 2))).to.equal(
      fixed.long,
    );
  });

  it("lies between 0 and 1, evenly", () => {
    const bins = new Array<number>(16).fill(0);
    for (const prefix of prefixes) {
      const hash = unitHash("draw shop/web a", prefix);
      expect(hash > 0 && hash < 1).to.equal(true);
      const bin = Math.floor(hash * bins.length);
      bins[bin] = (bins[bin] ?? 0) + 1;
    }
    expect(chiSquared(bins)).to.be.below(chiSquared15);
  });

  it("of one text says nothing about that of another", () => {
    const cells = new Array<number>(16).fill(0);
    for (const prefix of prefixes) {
      const a = Math.floor(unitHash("draw shop/web a", prefix) * 4);
      const b = Math.floor(unitHash("draw shop/web b", prefix) * 4);
      cells[a * 4 + b] = (cells[a * 4 + b] ?? 0) + 1;
    }
    expect(chiSquared(cells)).to.be.below(chiSquared15);
  });

  it("tells texts and prefixes apart by every octet", () => {
    const seen = new Set<number>();
    for (let octet = 0; octet < 16; octet++) {
      for (let bit = 0; bit < 8; bit++) {
        const prefix = new Uint8Array(16);
        prefix[octet] = 1 << bit;
        seen.add(unitHash("a", prefix)).add(unitHash("b", prefix));
      }
    }
    expect(seen.size).to.equal(256);
  });
});

/** 15 degrees of freedom, 0.1 % significance. */
const chiSquared15 = 37.7;

/** Computed by another implementation of MurmurHash3. */
const fixed = { short: 0.010620317115800637, long: 0.09180862497486914 };

function chiSquared(counts: readonly number[]): number {
  const expected = counts.reduce((sum, count) => sum + count, 0) / counts.length;
  return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
}
