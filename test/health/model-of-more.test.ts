// The model test with five voters, with seven of whom five vote on an endpoint, and with one.

import { checkSchedules } from "./model-check.ts";

describe("a federation of other numbers of voters", () => {
  it("turns no verdict without a majority, and agrees in the end", function () {
    this.timeout(180_000); // some 15 s where nothing else runs
    checkSchedules([5, 5, 5, 7, 1], 20261122, 27_000);
  });
});
