// `meridian keygen` on the command line: its arguments, flags and help. It must not know how the command
// does what it does: that is loaded when it is asked for.

import type { Command } from "commander";
import { addMoreHelp } from "./shared-help.ts";
import type { ExitWith } from "./shared-options.ts";

/** Adds the command to the program. */
export function addKeygen(program: Command, exitWith: ExitWith): void {
  const command = program
    .command("keygen")
    .summary("make a new key for voters")
    .description("make a new key for voters: into a file of mode 0600, or to standard output")
    .argument("[file]", "the file to make; one that exists is left as it is")
    .action(async (file: string | undefined) => {
      const { keygen } = await import("../keygen.ts");
      exitWith(keygen(file));
    });
  addMoreHelp(command, { examples: ["meridian keygen data/peers.key"], page: "docs/health.md" });
}
