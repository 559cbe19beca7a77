// `meridian serve` on the command line: its arguments, flags and help. It must not know how the command
// does what it does: that is loaded when it is asked for.

import { type Command, Option } from "commander";
import type { ServeOptions } from "../serve.ts";
import { addMoreHelp } from "./shared-help.ts";
import { configOption, type ExitWith } from "./shared-options.ts";

/** Adds the command to the program. */
export function addServe(program: Command, exitWith: ExitWith): void {
  const command = program
    .command("serve")
    .summary("run the server in the foreground")
    .description("run the server in the foreground; SIGHUP reloads, SIGTERM drains and exits 0")
    .option(...configOption)
    .addOption(
      new Option(
        "--udp <mode>",
        "read UDP in batches of system calls, or by node:dgram; default: batch if possible",
      ).choices(["batch", "dgram"]),
    )
    .option("--replace", "take the place of a running server without losing a query; it exits 0")
    .action(async ({ config, ...options }: { config: string } & ServeOptions) => {
      const { serve } = await import("../serve.ts");
      exitWith(await serve(config, options));
    });
  addMoreHelp(command, { examples: ["meridian serve"], page: "docs/configuration.md" });
}
