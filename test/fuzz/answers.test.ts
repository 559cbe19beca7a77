// Mutated packets through the whole answer path: some of those of test/peers/long-laws.test.ts.

import { checkAnswers } from "./check-answers.ts";

const packets = 20_000;

describe("answers: fuzz", () => {
  it(`${packets} mutated packets are answered or dropped in time, within limits, readably`, () =>
    checkAnswers(packets));
});
