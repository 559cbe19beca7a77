// `meridian check` on the command line: its arguments, flags and help. It must not know how the command
// does what it does: that is loaded when it is asked for.

import type { Command } from "commander";
import { addMoreHelp } from "./shared-help.ts";
import { configOption, type ExitWith } from "./shared-options.ts";

/** Adds the command to the program. */
export function addCheck(program: Command, exitWith: ExitWith): void {
  const command = program
    .command("check")
    .summary("read all files; print every problem, or what they hold")
    .description("read everything; print every problem and exit 1, or what it holds and exit 0")
    .option(...configOption)
    .action(async ({ config }: { config: string }) => {
      const { check } = await import("../check.ts");
      exitWith(await check(config));
    });
  addMoreHelp(command, {
    notes: `Each problem has its place, FILE:LINE:COLUMN, and a mistyped key the right one.
It asks no running server and changes nothing.`,
    examples: ["meridian check", "meridian check --config /etc/meridian/meridian.yaml"],
    page: "docs/configuration.md",
  });
}
