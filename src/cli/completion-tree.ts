// The commands as scripts of shells complete them: words, flags, what may stand for each value. It
// reads the tree of commands; it must not know any command, nor any shell.

import type { Argument, Command, Option } from "commander";
import { recordType } from "../dns/record-types.ts";

/** What may stand for a flag's value or for an argument. */
export type CompletedValue =
  | { readonly kind: "file" | "clusters" | "unknown" }
  | { readonly kind: "words"; readonly words: readonly string[] };

export interface CompletedFlag {
  /** With both hyphens: `--config`. */
  readonly flag: string;
  readonly description: string;
  /** `undefined`: the flag stands alone. */
  readonly value: CompletedValue | undefined;
  /** The word for the value: `file`. */
  readonly valueName: string;
  /** It may be given more than once. */
  readonly isRepeated: boolean;
}

export interface CompletedArgument {
  readonly name: string;
  readonly value: CompletedValue;
  /** It stands for all that follow. */
  readonly isLast: boolean;
  readonly isRequired: boolean;
}

export interface CompletedCommand {
  readonly name: string;
  /** The words from below the program's name on, one space between them; `""` is the program. */
  readonly path: string;
  readonly description: string;
  readonly flags: readonly CompletedFlag[];
  readonly arguments: readonly CompletedArgument[];
  readonly commands: readonly CompletedCommand[];
}

/** What the program and all commands below it take, but for hidden ones. */
export function completionTree(command: Command, path = ""): CompletedCommand {
  const children = command.createHelp().visibleCommands(command);
  const names = children.map((child) => child.name());
  return {
    name: command.name(),
    path,
    description: firstLine(command.summary() || command.description()),
    flags: [
      ...command.options.filter(({ hidden }) => !hidden).flatMap(flagOf),
      { ...standalone, flag: "--help", description: "say what this takes, and end" },
    ],
    arguments: command.registeredArguments.map((each) => argumentOf(each, command)),
    commands: children.map((child, index) =>
      completionTree(child, `${path} ${names[index]}`.trim()),
    ),
  };
}

/** A command and all below it, each before those below it. */
export function completedCommands(command: CompletedCommand): CompletedCommand[] {
  return [command, ...command.commands.flatMap(completedCommands)];
}

const standalone = { value: undefined, valueName: "", isRepeated: false } as const;

function flagOf(option: Option): CompletedFlag[] {
  const { long, description, flags, variadic, argChoices } = option;
  if (long == null) return [];
  const valueName = /[<[](.+?)(?:\.\.\.)?[\]>]$/.exec(flags)?.[1] ?? "";
  const flag = { flag: long, description: firstLine(description), valueName };
  // A flag that collects what it is given has a reader of its own.
  const isRepeated = variadic || (option.parseArg !== undefined && argChoices === undefined);
  return [
    { ...flag, isRepeated, value: valueName ? namedValue(valueName, argChoices) : undefined },
  ];
}

function argumentOf(argument: Argument, command: Command): CompletedArgument {
  const name = argument.name();
  const of = { name, isLast: argument.variadic, isRequired: argument.required };
  if (name !== "command") return { ...of, value: namedValue(name, argument.argChoices) };
  const siblings = command.parent?.createHelp().visibleCommands(command.parent) ?? [];
  return { ...of, value: { kind: "words", words: siblings.map((each) => each.name()) } };
}

/** By the word that stands for it in the help: the same word means the same thing everywhere. */
function namedValue(name: string, choices: readonly string[] | undefined): CompletedValue {
  if (choices !== undefined) return { kind: "words", words: choices };
  switch (name) {
    case "file":
      return { kind: "file" };
    case "cluster":
      return { kind: "clusters" };
    case "type":
      return { kind: "words", words: federatedTypes };
    default:
      return { kind: "unknown" };
  }
}

/** Those that federated names and zones are asked for most. */
const federatedTypes = [1, 28, 33, 5, 2, 6, 16, 15].map((code) => recordType(code).mnemonic);

const firstLine = (text: string): string => text.split("\n", 1)[0] ?? "";
