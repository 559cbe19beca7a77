// What must hold of the answers to mutated packets. It must not know how many there are.

import { expect } from "chai";
import { Rcode } from "../../src/dns/codes.ts";
import { fuzzAnswers } from "./fuzz-answers.ts";
import { fuzzState } from "./fuzz-state.ts";

const seed = 20261121;

/** Answers so many packets and holds each answer to what must hold. */
export async function checkAnswers(packets: number): Promise<void> {
  const report = fuzzAnswers(await fuzzState(), seed, packets);
  expect(report.faults.join("\n")).to.equal("");
  expect(report.packets).to.equal(packets);
  // Else the mutations are so wild that they test the first check alone.
  for (const rcode of [Rcode.NOERROR, Rcode.NXDOMAIN, Rcode.REFUSED, Rcode.FORMERR]) {
    expect(report.rcodes.get(rcode) ?? 0, `rcode ${rcode}`).to.be.above(packets / 50);
  }
  expect(report.rcodes.get(Rcode.SERVFAIL) ?? 0).to.equal(0);
}
