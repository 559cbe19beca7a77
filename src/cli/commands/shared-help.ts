// How the help of every command is laid out: what stands below its flags, what is left out of it, and
// what a mistyped word is told. It must not know any command.

import { type Argument, type Command, Help, InvalidArgumentError, Option } from "commander";
import { nearest } from "../../dns/nearest.ts";

/** The columns and lines of a screen, which the help of each command fits. */
export const helpScreen = { columns: 80, lines: 24 } as const;

/** What a command's help says below its flags. */
export interface MoreHelp {
  /** Sentences that belong to no single flag, already cut into lines of at most 80 columns. */
  readonly notes?: string;
  /** Whole command lines, as one types them. */
  readonly examples: readonly [string, ...string[]];
  /** The page that says everything, from the folder of the package: `docs/status.md`. */
  readonly page: string;
}

/** Puts notes, examples and the page to read below the command's flags. */
export function addMoreHelp(command: Command, { notes, examples, page }: MoreHelp): Command {
  const [first, ...others] = examples;
  const shown =
    others.length === 0 && !first.includes("\n")
      ? `Example: ${first}`
      : ["Examples:", ...examples.map((each) => `  ${each}`)].join("\n");
  return command.addHelpText(
    "after",
    `${notes === undefined ? "" : `\n${notes}`}\n${shown}\nMore: ${page}`,
  );
}

/**
 * Lays out the help of the program and all commands below it, and lets each say on a mistyped word
 * what may have been meant. Called when all commands are there.
 */
export function shapeHelp(program: Command): void {
  for (const command of commandsBelow(program)) {
    command
      .helpCommand(false)
      .showHelpAfterError(`(${commandPath(command)} --help shows what there is)`)
      .configureHelp({
        subcommandTerm: (each) => each.name(),
        // The program's help tells of --help and --version once for all.
        groupItems: (all, visible, groupOf) =>
          layout.groupItems(
            all,
            visible.filter((each) => !(each instanceof Option && isOfAll(each))),
            groupOf,
          ),
      });
    for (const each of [...command.options, ...command.registeredArguments]) suggestChoice(each);
  }
}

/** A command and all below it, each before those below it; hidden ones too. */
export function commandsBelow(command: Command): Command[] {
  return [command, ...command.commands.flatMap(commandsBelow)];
}

/** The words that one types for a command: `meridian mirror plan`. */
export function commandPath(command: Command): string {
  return command.parent ? `${commandPath(command.parent)} ${command.name()}` : command.name();
}

/** The line that names the word which may have been meant; nothing if none is near. */
export function didYouMean(word: string, known: readonly string[]): string {
  const near = nearest(word, known);
  return near === undefined ? "" : `\n(Did you mean ${near}?)`;
}

const layout = new Help();

const isOfAll = ({ long }: Option): boolean => long === "--version" || long === "--help";

/** The library suggests commands and flags, and of choices only says which there are. */
function suggestChoice(taken: Option | Argument): void {
  const { argChoices, parseArg } = taken;
  if (argChoices === undefined || parseArg === undefined) return;
  taken.argParser((value: string, previous: unknown): unknown => {
    if (argChoices.includes(value)) return parseArg(value, previous);
    const allowed = `Allowed choices are ${argChoices.join(", ")}.`;
    throw new InvalidArgumentError(`${allowed}${didYouMean(value, argChoices)}`);
  });
}
