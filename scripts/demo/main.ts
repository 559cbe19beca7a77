// `npm run demo`: endpoints that a majority cannot reach leave the answer, told with real
// processes on this machine, in about a minute. It exits with 0 if the story went as told, with 1
// if not. Does I/O.

import { Stage } from "./stage.ts";
import { tell } from "./story.ts";

const startedMs = performance.now();
let stage: Stage | undefined;
let isBrokenOff = false;

for (const [signal, status] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const) {
  process.once(signal, () => {
    isBrokenOff = true;
    say(`${signal}: everything that was started is stopped.`);
    void close().finally(() => process.exit(status));
  });
}

try {
  stage = await Stage.prepare();
  await stage.open((voter, answer) => say(`    ${voter} answers ${answer}`));
  await tell(stage, say);
} catch (error) {
  process.exitCode = 1;
  const why = error instanceof Error ? error.message : String(error);
  if (!isBrokenOff) say(`The story did not go as told: ${why}`);
} finally {
  await close();
}

async function close(): Promise<void> {
  const open = stage;
  stage = undefined;
  await open?.close();
}

function say(line: string): void {
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  console.log(`${seconds.padStart(5)} s  ${line}`);
}
