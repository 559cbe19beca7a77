// Medians and percentiles against plain sorting.

import { expect } from "chai";
import fc from "fast-check";
import { DurationCounts, median } from "../../scripts/bench/statistics.ts";

describe("bench statistics", () => {
  const medians = [
    { name: "one value is its own median", values: [7], expected: 7 },
    { name: "an odd count has its middle value", values: [9, 1, 5], expected: 5 },
    {
      name: "an even count has the mean of the two in the middle",
      values: [4, 1, 2, 9],
      expected: 3,
    },
    { name: "what was not measured does not count", values: [Number.NaN, 3, 5], expected: 4 },
    { name: "nothing has no median", values: [], expected: Number.NaN },
  ];
  for (const { name, values, expected } of medians) {
    it(name, () => expect(median(values)).to.deep.equal(expected));
  }

  it("a percentile is within two hundredths of the one by sorting", () => {
    const duration = fc.double({ min: 1, max: 6e7, noNaN: true });
    fc.assert(
      fc.property(
        fc.array(duration, { minLength: 1 }),
        fc.double({ min: 0.01, max: 1, noNaN: true }),
        (all, share) => {
          const counts = new DurationCounts();
          for (const each of all) counts.add(each);
          const sorted = [...all].sort((a, b) => a - b);
          const exact = sorted[Math.max(0, Math.ceil(share * all.length) - 1)] ?? 0;
          expect(counts.percentile(share) / exact).to.be.within(0.98, 1.02);
          expect(counts.total).to.equal(all.length);
        },
      ),
    );
  });

  it("durations below a microsecond stay below one", () => {
    const counts = new DurationCounts();
    for (const duration of [0, 0.3, 0.9]) counts.add(duration);
    expect(counts.percentile(1)).to.be.within(0.5, 1);
  });

  it("no durations have no percentile", () => {
    expect(new DurationCounts().percentile(0.5)).to.deep.equal(Number.NaN);
  });
});
