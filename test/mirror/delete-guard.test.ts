// How much a plan may delete.

import { expect } from "chai";
import { deleteRefusal } from "../../src/mirror/delete-guard.ts";

describe("the guard over deletions", () => {
  const rows: readonly [lost: number, owned: number, percent: number, isRefused: boolean][] = [
    [0, 0, 25, false],
    [0, 0, 0, false],
    [3, 3, 25, false],
    [3, 3, 0, false],
    [4, 4, 25, true],
    [4, 16, 25, false],
    [4, 15, 25, true],
    [4, 1000, 0, true],
    [25, 100, 25, false],
    [26, 100, 25, true],
    [251, 1001, 25, true],
    [1000, 1000, 100, false],
    [1000, 1000, 99, true],
  ];
  for (const [lost, owned, percent, isRefused] of rows) {
    it(`${isRefused ? "refuses" : "lets"} ${lost} of ${owned} go at ${percent} %`, () => {
      expect(deleteRefusal(lost, owned, percent) !== undefined).to.equal(isRefused);
    });
  }

  it("says how many, of how many, and what is allowed", () => {
    expect(deleteRefusal(1, 3, 25)).to.equal(undefined);
    expect(deleteRefusal(20, 30, 25)).to.equal(
      "it would delete 20 of 30 record sets (66.6 %), allowed 25 % (maxDeletePercent)",
    );
  });
});
