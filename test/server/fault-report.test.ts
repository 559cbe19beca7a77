import { expect } from "chai";
import { FaultReport } from "../../src/server/fault-report.ts";

describe("FaultReport", () => {
  it("lets one fault a second through and counts the others", () => {
    const report = new FaultReport();
    const reported = [0, 1, 500, 999, 1000, 1001, 2500].map((ms) => report.add(`at ${ms}`, ms));
    expect(reported).to.deep.equal([
      "at 0",
      undefined,
      undefined,
      undefined,
      "at 1000\n(3 more since the last report)",
      undefined,
      "at 2500\n(1 more since the last report)",
    ]);
  });
});
