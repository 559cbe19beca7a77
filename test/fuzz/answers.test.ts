import { expect } from "chai";
import { Rcode } from "../../src/dns/codes.ts";
import { fuzzAnswers } from "./fuzz-answers.ts";
import { fuzzState } from "./fuzz-state.ts";

const packets = 200_000;
const seed = 20261121;

describe("answers: fuzz", () => {
  it(`${packets} mutated packets are answered or dropped in time, within limits, readably`, async () => {
    const report = fuzzAnswers(await fuzzState(), seed, packets);
    expect(report.faults.join("\n")).to.equal("");
    expect(report.packets).to.equal(packets);
    // Else the mutations are so wild that they test the first check alone.
    for (const rcode of [Rcode.NOERROR, Rcode.NXDOMAIN, Rcode.REFUSED, Rcode.FORMERR]) {
      expect(report.rcodes.get(rcode) ?? 0, `rcode ${rcode}`).to.be.above(packets / 50);
    }
    expect(report.rcodes.get(Rcode.SERVFAIL) ?? 0).to.equal(0);
  });
});
