// Drains and undrains clusters without end, and prints what is drained after each change, so that
// a test can kill it at any moment. The file is its argument. Does I/O.

import { writeSync } from "node:fs";
import { readDrains } from "../../src/control/drains.ts";

const clusters = Array.from({ length: 20 }, (_, at) => ({
  name: `cluster-${at}`,
  isEnabled: true,
}));
const result = readDrains(process.argv[2] ?? "", { clusters: () => clusters });
if (!result.ok) throw new Error(result.message);
for (let turn = 0; ; turn++) {
  const name = `cluster-${(turn * 7) % 20}`;
  const outcome = await (result.drains.drained.has(name)
    ? result.drains.undrain(name)
    : result.drains.drain(name, { force: true }));
  if (!outcome.ok) throw new Error(outcome.message);
  writeSync(1, `${JSON.stringify(outcome.drained)}\n`);
}
