// `meridian explain` on the command line: its arguments, flags and help. It must not know how the command
// does what it does: that is loaded when it is asked for.

import type { Command } from "commander";
import type { ExplainCommandOptions } from "../explain.ts";
import { addMoreHelp } from "./shared-help.ts";
import { type ExitWith, serverOption, tokenFileOption } from "./shared-options.ts";
import { addAssumptions } from "./whatif-options.ts";

/** Adds the command to the program. */
export function addExplain(program: Command, exitWith: ExitWith): void {
  const command = program
    .command("explain")
    .description("what a client would be answered, and why, step by step")
    .argument("<name>", "the name asked for")
    .argument("[type]", "the record type", "A")
    .option("--client <addr[/len]>", "its source address, or an ECS prefix with /LEN")
    .option("--resolver <addr>", "who sends the prefix; default: a trusted one, if any is");
  addAssumptions(command)
    .option("--config <file>", "explain what the files say, without votes and drains")
    .option(...serverOption)
    .option(...tokenFileOption)
    .option("--failover", "how long clients take to leave a dead endpoint")
    .option("--json", "print it as JSON")
    .action(async (name: string, type: string, options: ExplainCommandOptions) => {
      const { explainCommand } = await import("../explain.ts");
      exitWith(await explainCommand(name, type, options));
    });
  addMoreHelp(command, {
    notes: "A running server is asked by its control socket; where none runs, the files are.",
    examples: ["meridian explain web.shop.fed.example.com --client 81.2.69.0/24"],
    page: "docs/explain.md",
  });
}
