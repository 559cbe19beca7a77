// The model test with five voters, with seven of whom five vote on an endpoint, and with one: some of
// the schedules of test/peers/long-laws.test.ts.

import { checkSchedules } from "./model-check.ts";

describe("a federation of other numbers of voters", () => {
  it("turns no verdict without a majority, and agrees in the end", () =>
    checkSchedules([5, 5, 5, 7, 1], 20261122, 3000));
});
