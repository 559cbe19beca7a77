// Counts of 32 bits, over their ends.

import { expect } from "chai";
import { WholeCount } from "../../src/server/whole-count.ts";

describe("a count of 32 bits", () => {
  it("goes on where it begins again from 0", () => {
    const count = new WholeCount();
    const seen = [0, 7, 7, 0xffff_fff0, 3, 0x8000_0000, 2].map((now) => count.at(now));
    const wrap = 2 ** 32;
    expect(seen).to.deep.equal([0, 7, 7, 0xffff_fff0, wrap + 3, wrap + 0x8000_0000, 2 * wrap + 2]);
  });

  it("is the same where it is read with a sign", () => {
    const count = new WholeCount();
    expect([0x7fff_ffff, -1, 5].map((now) => count.at(now))).to.deep.equal([
      0x7fff_ffff,
      0xffff_ffff,
      2 ** 32 + 5,
    ]);
  });
});
