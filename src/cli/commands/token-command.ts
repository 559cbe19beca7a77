// `meridian token` on the command line: its arguments, flags and help. It must not know how the command
// does what it does: that is loaded when it is asked for.

import { type Command, Option } from "commander";
import type { TokenOptions } from "../token.ts";
import { addMoreHelp } from "./shared-help.ts";
import { configOption, type ExitWith } from "./shared-options.ts";

/** Adds the command to the program. */
export function addToken(program: Command, exitWith: ExitWith): void {
  const command = program
    .command("token")
    .summary("make or revoke a token of the control API")
    .description("make a token for the control API over HTTP, or take one away")
    .argument("<name>", "who holds it: the audit log says so")
    .addOption(
      new Option("--role <role>", "what it allows: to look, or everything").choices([
        "read",
        "operate",
      ]),
    )
    .option("--revoke", "take the token of this name away")
    .option("--file <file>", "the tokens file; default: that of --config")
    .option(...configOption)
    .action(async (name: string, options: TokenOptions) => {
      const { tokenCommand } = await import("../token.ts");
      exitWith(await tokenCommand(name, options));
    });
  addMoreHelp(command, {
    notes: "The token is printed once; the file keeps its SHA-256 alone.",
    examples: [
      "meridian token grafana --role read",
      "meridian token anna --role operate > anna.token",
      "meridian token anna --revoke",
    ],
    page: "docs/tokens.md",
  });
}
