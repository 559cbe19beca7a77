// `meridian status` on the command line: its arguments, flags and help. It must not know how the command
// does what it does: that is loaded when it is asked for.

import type { Command } from "commander";
import type { StatusOptions } from "../status.ts";
import { addMoreHelp } from "./shared-help.ts";
import {
  dataFolderOption,
  type ExitWith,
  serverOption,
  tokenFileOption,
} from "./shared-options.ts";

/** Adds the command to the program. */
export function addStatus(program: Command, exitWith: ExitWith): void {
  const command = program
    .command("status")
    .summary("how a running server, its voters and all endpoints are")
    .description(
      "voters, clusters, and each endpoint with each voter's word and what would flip it",
    )
    .option(...dataFolderOption)
    .option(...serverOption)
    .option(...tokenFileOption)
    .option("--json", "print it as JSON")
    .action(async (options: StatusOptions) => {
      const { statusCommand } = await import("../status.ts");
      exitWith(await statusCommand(options));
    });
  addMoreHelp(command, {
    notes: "It exits 0 whether all is well or not, and 2 if the server cannot be asked.",
    examples: ["meridian status", "meridian status --server http://127.0.0.1:8053"],
    page: "docs/status.md",
  });
}
