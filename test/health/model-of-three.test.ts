// The model test with three voters; those with other numbers run beside it.

import { checkSchedules } from "./model-check.ts";

describe("a federation of three voters", () => {
  it("turns no verdict without a majority, and agrees in the end", function () {
    this.timeout(180_000); // some 15 s where nothing else runs
    checkSchedules([3], 20261121, 74_000);
  });
});
