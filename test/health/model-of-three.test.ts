// The model test with three voters: some of the schedules of test/peers/long-laws.test.ts.

import { checkSchedules } from "./model-check.ts";

describe("a federation of three voters", () => {
  it("turns no verdict without a majority, and agrees in the end", () =>
    checkSchedules([3], 20261121, 7400));
});
