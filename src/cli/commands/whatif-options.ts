// The flags that say what a what-if assumes, in the same words for every command that takes them. It
// must not know what follows from them.

import type { Command } from "commander";

/** Adds `--health`, `--drain` and `--undrain`, each of which may be given again. */
export function addAssumptions(command: Command): Command {
  return command
    .option("--health <what=word>", "assume CLUSTER[/NAMESPACE/NAME] or ADDRESS =up|down", collect)
    .option("--drain <cluster>", "assume that it is drained; all three may be repeated", collect)
    .option("--undrain <cluster>", "assume that it is not", collect);
}

function collect(value: string, former: readonly string[] = []): string[] {
  return [...former, value];
}
