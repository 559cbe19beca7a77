// A wall clock that jumps a day ahead at SIGUSR2, and back at the next one, in the process that is
// started with `--import` of this file. Monotonic clocks stay as they are.

import { isMainThread } from "node:worker_threads";

const dayMs = 24 * 60 * 60 * 1000;
const RightDate = globalThis.Date;
let shiftMs = 0;

const now = () => RightDate.now() + shiftMs;

globalThis.Date = new Proxy(RightDate, {
  construct: (target, given, newTarget) =>
    Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget),
  apply: () => new RightDate(now()).toString(),
  get: (target, key) => (key === "now" ? now : Reflect.get(target, key)),
});

if (isMainThread) {
  process.on("SIGUSR2", () => {
    shiftMs = shiftMs === 0 ? dayMs : 0;
  });
}
