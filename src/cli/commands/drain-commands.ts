// `meridian drain` and `undrain` on the command line: their arguments, flags and help. It must not
// know how they do what they do: that is loaded when it is asked for.

import type { Command } from "commander";
import type { DrainOptions } from "../drain.ts";
import { addMoreHelp } from "./shared-help.ts";
import {
  dataFolderOption,
  type ExitWith,
  serverOption,
  tokenFileOption,
} from "./shared-options.ts";

/** Adds both commands to the program. */
export function addDrains(program: Command, exitWith: ExitWith): void {
  for (const action of ["drain", "undrain"] as const) {
    const command = program
      .command(action)
      .description(
        action === "drain"
          ? "take a cluster out of the answers; kept over restarts"
          : "put a drained cluster back into the answers",
      )
      .argument("<cluster>", "the name of the cluster")
      .option(...dataFolderOption)
      .option(...serverOption)
      .option(...tokenFileOption);
    if (action === "drain")
      command.option("--force", "also the last cluster that is in the answers");
    command.action(async (cluster: string, options: DrainOptions) => {
      const { drainCommand } = await import("../drain.ts");
      exitWith(await drainCommand(action, cluster, options));
    });
    addMoreHelp(command, {
      examples: [
        `meridian ${action} cluster-2`,
        `meridian ${action} cluster-2 --server https://ns1.example.com:8053`,
      ],
      page: "docs/status.md",
    });
  }
}
