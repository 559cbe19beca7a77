// `meridian help` on the command line: the help of any command, however deep. It must not know any.

import type { Command } from "commander";
import { addMoreHelp, commandPath, didYouMean } from "./shared-help.ts";

/** Adds the command to the program. */
export function addHelp(program: Command): void {
  const command = program
    .command("help")
    .description("what a command does, as --help behind it says")
    .argument("[command...]", "the command and, if it has some, its subcommand")
    .action((words: readonly string[]) => find(program, words).help());
  addMoreHelp(command, {
    examples: ["meridian help mirror plan"],
    page: "docs/reference/commands.md",
  });
}

/** The command of these words. Ends as a wrong usage if there is none. */
function find(from: Command, words: readonly string[]): Command {
  const [word, ...others] = words;
  if (word === undefined) return from;
  const visible = from.createHelp().visibleCommands(from);
  const found = visible.find((each) => each.name() === word);
  if (found !== undefined) return find(found, others);
  const names = visible.map((each) => each.name());
  const where = from.parent ? ` of ${commandPath(from)}` : "";
  return from.error(`error: unknown command '${word}'${where}${didYouMean(word, names)}`, {
    code: "commander.unknownCommand",
  });
}
