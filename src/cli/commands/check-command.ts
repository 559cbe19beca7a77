// `meridian check` on the command line: its arguments, flags and help. It must not know how the command
// does what it does: that is loaded when it is asked for.

import type { Command } from "commander";
import { configOption, type ExitWith } from "./shared-options.ts";

/** Adds the command to the program. */
export function addCheck(program: Command, exitWith: ExitWith): void {
  program
    .command("check")
    .description("read everything; print every problem and exit 1, or what it holds and exit 0")
    .option(...configOption)
    .action(async ({ config }: { config: string }) => {
      const { check } = await import("../check.ts");
      exitWith(await check(config));
    });
}
