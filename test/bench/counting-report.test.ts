// What the measure of counting makes of its slices.

import { expect } from "chai";
import { countingReport, figuresOf, type Slice } from "../../scripts/bench/counting-report.ts";

describe("the cost of counting", () => {
  it("is the median over pairs, whichever of both was first, of CPU time for an answer", () => {
    // The machine is half as fast in the second pair: ratios do not see that.
    const slices = [
      ...[slice(false, 4), slice(true, 4.04)],
      ...[slice(true, 8.24), slice(false, 8)],
      ...[slice(false, 4), slice(true, 4.2)],
    ];
    const { cost, low, high, withUs, withoutUs, rate } = figuresOf({ slices });
    expect(cost).to.be.closeTo(0.03, 1e-9);
    expect([low, high].map((each) => Math.round(each * 1000))).to.deep.equal([30, 50]);
    expect(withoutUs).to.be.closeTo(4, 1e-9);
    expect(withUs).to.be.closeTo(4.2, 1e-9);
    expect(rate).to.be.closeTo(1 - 1 / 1.03, 1e-9);
  });

  it("cannot be told of a pair of one build", () => {
    expect(() => figuresOf({ slices: [slice(true, 4), slice(true, 4)] })).to.throw(
      "cannot compare: a pair has one build only",
    );
  });

  it("stands on a page that says under which load it was measured", () => {
    const page = countingReport({
      date: "2026-01-02",
      machine: { cpu: "a CPU", cores: 2, kernel: "Linux 6", node: "v20" },
      loadBefore: 4.24,
      loadAfter: 5,
      other: "another build",
      pairs: 1,
      seconds: 2,
      results: [{ id: "a", title: "static", slices: [slice(true, 4.04), slice(false, 4)] }],
    });
    expect(page).to.include("load average 4.2 before and 5.0 after");
    expect(page).to.include("| a: static | 4.000 | 4.040 | 1.00 % | 1.00 % to 1.00 % | 0.99 % |");
  });
});

/** A second of one core, with so many microseconds for each answer. */
function slice(isCounting: boolean, microseconds: number): Slice {
  return { isCounting, answered: 1e6 / microseconds, serverCpuSeconds: 1, seconds: 1 };
}
