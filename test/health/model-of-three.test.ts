// The model test with three voters; those with other numbers run beside it.

import { checkSchedules } from "./model-check.ts";

describe("a federation of three voters", () => {
  it("turns no verdict without a majority, and agrees in the end", () => {
    checkSchedules([3], 20261121, 72_000);
  });
});
