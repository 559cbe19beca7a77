// Laws that npm test holds over a part of these cases: all of them take longer than it should. They
// need nothing but Node.

import { checkAnswers } from "../fuzz/check-answers.ts";
import { checkSchedules } from "../health/model-check.ts";
import { atLength } from "../kit/length.ts";

// Their cases are counted when they are loaded.
process.env[atLength] = "whole";
for (const law of [
  "answer/fast-path",
  "answer/internal-answers",
  "answer/scope",
  "answer/explain-agrees",
  "dns/message-fuzz",
  "dns/message-laws",
  "routing/shares",
]) {
  await import(`../${law}.test.ts`);
}
delete process.env[atLength];

const packets = 200_000;
/** Of three voters, and of five, of seven of whom five vote, and of one. */
const [ofThree, ofMore] = [74_000, 27_000];

describe("laws, at length", () => {
  it(`${packets} mutated packets are answered or dropped in time, within limits, readably`, () =>
    checkAnswers(packets));

  it(`no verdict turns without a majority of three voters in ${ofThree} schedules`, function () {
    this.timeout(180_000); // some 15 s where nothing else runs
    checkSchedules([3], 20261121, ofThree);
  });

  it(`nor without one of five or seven in ${ofMore}`, function () {
    this.timeout(180_000);
    checkSchedules([5, 5, 5, 7, 1], 20261122, ofMore);
  });
});
