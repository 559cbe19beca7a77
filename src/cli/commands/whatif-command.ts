// `meridian whatif` on the command line: its flags and help. It must not know how the command does
// what it does: that is loaded when it is asked for.

import type { Command } from "commander";
import type { WhatIfCommandOptions } from "../whatif.ts";
import { addMoreHelp } from "./shared-help.ts";
import { type ExitWith, serverOption, tokenFileOption } from "./shared-options.ts";
import { addAssumptions } from "./whatif-options.ts";

/** Adds the command to the program. */
export function addWhatIf(program: Command, exitWith: ExitWith): void {
  const command = program
    .command("whatif")
    .summary("how traffic and kilometres would shift between clusters")
    .description("replay clients and names as things are and as they would be");
  addAssumptions(command)
    .option("--queries <file>", "lines CLIENT NAME [TYPE] [COUNT] or a query log, or -")
    .option("--config <file>", "replay by what the files say, without votes and drains")
    .option(...serverOption)
    .option(...tokenFileOption)
    .option("--json", "print it as JSON")
    .action(async (options: WhatIfCommandOptions) => {
      const { whatIfCommand } = await import("../whatif.ts");
      exitWith(await whatIfCommand(options));
    });
  addMoreHelp(command, {
    notes: `Nothing is changed. Without --queries the server replays its sample of those who
asked it (spec.querySample).`,
    examples: [
      "meridian whatif --drain cluster-2",
      "meridian whatif --health cluster-2=down --queries queries.txt",
    ],
    page: "docs/what-if.md",
  });
}
