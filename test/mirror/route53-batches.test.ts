// Which groups go into which request of Route 53.

import { expect } from "chai";
import fc from "fast-check";
import type { ChangeGroup } from "../../src/mirror/provider.ts";
import { batchesOf, requestLimits } from "../../src/mirror/route53-batches.ts";
import { type ChangeSize, sizeOf } from "../../src/mirror/route53-changes.ts";

/** Sizes in which groups of a mirror come, and the odd large one. */
const valueCounts = fc.oneof(
  { weight: 20, arbitrary: fc.integer({ min: 1, max: 12 }) },
  { weight: 1, arbitrary: fc.integer({ min: 300, max: 700 }) },
);
const manyGroups = fc.array(
  fc.record({ values: valueCounts, length: fc.constantFrom(9, 39, 80) }),
  {
    maxLength: 600,
  },
);

describe("batches for Route 53", () => {
  it("hold each group once and whole, and none is over a limit", () => {
    fc.assert(
      fc.property(manyGroups, (shapes) => {
        const groups = shapes.map(({ values, length }, at) => group(at, values, length));
        const batches = batchesOf(groups);
        expect(batches.flat().map(placeOf).toSorted(ascending)).to.deep.equal([...groups.keys()]);
        for (const batch of batches) {
          if (batch.length > 1) expect(overLimit(total(batch))).to.equal(false);
        }
      }),
      { numRuns: 30, seed: 53 },
    );
  });

  it("use 95 % of the binding limit, but for the last, where no group has 5 %", () => {
    const small = fc.array(
      fc.record({ values: fc.integer({ min: 1, max: 22 }), length: fc.constantFrom(9, 31, 70) }),
      { minLength: 100, maxLength: 600 },
    );
    fc.assert(
      fc.property(small, (shapes) => {
        const groups = shapes.map(({ values, length }, at) => group(at, values, length));
        for (const batch of batchesOf(groups).slice(0, -1)) {
          expect(usedShare(total(batch))).to.be.at.least(0.95);
        }
      }),
      { numRuns: 30, seed: 53 },
    );
  });

  it("keep the order where all fit, and take a later group only to become full", () => {
    const limits: ChangeSize = { changes: 1000, values: 100, valueCharacters: 32_000 };
    const sizes = [60, 50, 30, 45, 8, 6, 1];
    const groups = sizes.map((values, at) => group(at, values, 9));
    const batches = batchesOf(groups, limits).map((batch) => batch.map(placeOf));
    expect(batches).to.deep.equal([
      [0, 2, 4],
      [1, 3],
      [5, 6],
    ]);
  });

  it("give a group over the limits a batch of its own", () => {
    const groups = [group(0, 5, 9), group(1, 1001, 9), group(2, 5, 9)];
    const batches = batchesOf(groups).map((batch) => batch.map(placeOf));
    expect(batches).to.deep.equal([[0, 2], [1]]);
  });

  it("are bound by characters and by changes too", () => {
    const long = Array.from({ length: 20 }, (_, at) => group(at, 10, 320));
    expect(batchesOf(long).map((batch) => batch.length)).to.deep.equal([10, 10]);
    const aliases = Array.from({ length: 1001 }, (_, at) => group(at, 0, 0));
    expect(batchesOf(aliases).map((batch) => batch.length)).to.deep.equal([1000, 1]);
  });

  it("are none for no groups", () => expect(batchesOf([])).to.deep.equal([]));
});

/** The number that `group` was given. */
function placeOf({ name }: ChangeGroup): number {
  return Number(/\d+/.exec(name)?.[0]);
}

function ascending(one: number, other: number): number {
  return one - other;
}

/** A group of one creation with so many values of so many characters. */
function group(at: number, values: number, length: number): ChangeGroup {
  const name = `s${at}.example.com.`;
  const texts = Array.from({ length: values }, (_, value) => String(value).padStart(length, "1"));
  const after = { name, type: "A", parts: [{ ttlSeconds: 60, values: texts }] };
  return { name, changes: [{ kind: "create", after }] };
}

function total(batch: readonly ChangeGroup[]): ChangeSize {
  return sizeOf(batch.flatMap(({ changes }) => changes));
}

function overLimit(size: ChangeSize): boolean {
  return usedShare(size) > 1;
}

function usedShare(size: ChangeSize): number {
  return Math.max(
    size.changes / requestLimits.changes,
    size.values / requestLimits.values,
    size.valueCharacters / requestLimits.valueCharacters,
  );
}
