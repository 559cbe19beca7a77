// `meridian keygen` on the command line: its arguments, flags and help. It must not know how the command
// does what it does: that is loaded when it is asked for.

import type { Command } from "commander";
import type { ExitWith } from "./shared-options.ts";

/** Adds the command to the program. */
export function addKeygen(program: Command, exitWith: ExitWith): void {
  program
    .command("keygen")
    .description("a new key for voters: into a file of mode 0600, or to standard output")
    .argument("[file]", "the file to make; one that exists is left as it is")
    .addHelpText("after", "\nExample: meridian keygen data/peers.key")
    .action(async (file: string | undefined) => {
      const { keygen } = await import("../keygen.ts");
      exitWith(keygen(file));
    });
}
