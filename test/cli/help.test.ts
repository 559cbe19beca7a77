// The help of the whole tree of commands, and what is said on mistyped words. It runs the tree in this
// process; it must not run any command.

import { existsSync } from "node:fs";
import { expect } from "chai";
import { type Command, CommanderError } from "commander";
import { helpOf } from "../../src/cli/commands/help-capture.ts";
import { commandPath, commandsBelow, helpScreen } from "../../src/cli/commands/shared-help.ts";
import { meridianProgram } from "../../src/cli/program.ts";
import { version } from "../../src/cli/version.ts";

const program = meridianProgram(() => {});
const shown = commandsBelow(program).filter((each) => !commandPath(each).includes(" __"));

/** What is printed for these words; none of them may run a command. */
function usage(...words: string[]): { output: string; error: string; exitCode: number } {
  const fresh = meridianProgram(() => {});
  let output = "";
  let error = "";
  for (const command of commandsBelow(fresh)) {
    command.configureOutput({
      writeOut: (text) => {
        output += text;
      },
      writeErr: (text) => {
        error += text;
      },
      getOutHelpWidth: () => helpScreen.columns,
      getErrHelpWidth: () => helpScreen.columns,
    });
  }
  try {
    fresh.parse(words, { from: "user" });
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    return { output, error, exitCode: thrown.exitCode };
  }
  throw new Error(`cannot look at the usage: a command ran, got ${words.join(" ")}`);
}

describe("the help of each command", () => {
  for (const command of shown) {
    const name = commandPath(command);

    it(`fits a screen of 80 columns and 24 lines, ${name}`, () => {
      const lines = helpOf(command).split("\n");
      expect(lines.filter((line) => line.length > helpScreen.columns)).to.deep.equal([]);
      expect(lines.length, lines.join("\n")).to.be.at.most(helpScreen.lines);
    });

    it(`has an example of it that names nothing unknown, ${name}`, () => {
      const examples = examplesOf(command);
      expect(examples).not.to.have.length(0);
      for (const example of examples) {
        const wanted = command === program ? name : `${name} `.trimEnd();
        expect(example.startsWith(wanted) || example.includes(`(${wanted}`), example).to.equal(
          true,
        );
        for (const [, flag = ""] of example.matchAll(/ (--[a-z-]+)/g)) {
          expect(command.options.map(({ long }) => long)).to.include(flag);
        }
      }
    });

    it(`names pages that exist, ${name}`, () => {
      const [, pages = ""] = /\nMore: (.+)$/.exec(helpOf(command)) ?? [];
      expect(pages).not.to.equal("");
      for (const page of pages.split(", ")) {
        expect(existsSync(new URL(`../../${page}`, import.meta.url)), page).to.equal(true);
      }
    });

    it(`describes each flag and argument, ${name}`, () => {
      for (const each of [...command.options, ...command.registeredArguments]) {
        expect(each.description, name).not.to.equal("");
      }
    });
  }

  it("shows each command on one line of the program's", () => {
    const lines = helpOf(program).split("\n");
    const first = lines.indexOf("Commands:") + 1;
    const names = lines.slice(first, lines.indexOf("", first)).map((line) => line.split(/ +/)[1]);
    expect(names).to.deep.equal(
      program
        .createHelp()
        .visibleCommands(program)
        .map((each) => each.name()),
    );
  });

  it("tells the exit statuses once for all", () => {
    expect(helpOf(program)).to.match(/Exit status: 0 fine, 1 .*, 2 .*, 64 usage/);
  });

  it("is the same by help COMMAND, and ends with success", () => {
    for (const command of shown) {
      const words = commandPath(command).split(" ").slice(1);
      const text = `${helpOf(command)}\n`;
      expect(usage("help", ...words), words.join(" ")).to.deep.equal({
        output: text,
        error: "",
        exitCode: 0,
      });
      expect(usage(...words, "--help"), words.join(" ")).to.deep.equal({
        output: text,
        error: "",
        exitCode: 0,
      });
    }
  });

  it("is told with failure where a command is missing", () => {
    for (const words of [[], ["mirror"]]) {
      const { output, error, exitCode } = usage(...words);
      expect({ output, exitCode }).to.deep.equal({ output: "", exitCode: 1 });
      expect(error).to.include("Commands:");
    }
  });
});

describe("meridian --version", () => {
  it("prints the version alone", () => {
    expect(usage("--version")).to.deep.equal({ output: `${version}\n`, error: "", exitCode: 0 });
  });
});

describe("a mistyped word", () => {
  it("suggests the command, for each command with two letters swapped", () => {
    for (const command of shown.filter(({ parent }) => parent)) {
      const words = commandPath(command).split(" ").slice(1);
      const wrong = [...words.slice(0, -1), swapped(words.at(-1) ?? "")];
      for (const way of [wrong, ["help", ...wrong]]) {
        expect(refusal(way), way.join(" ")).to.include(`(Did you mean ${words.at(-1)}?)`);
      }
    }
  });

  it("suggests the flag, for each flag with a letter too many", () => {
    for (const command of shown) {
      for (const long of [...command.options.map((each) => each.long), "--help"]) {
        const words = [...commandPath(command).split(" ").slice(1), `${long}x`];
        expect(refusal(words), words.join(" ")).to.match(
          new RegExp(`error: unknown option '${long}x'\n\\(Did you mean (one of .*)?${long}\\b`),
        );
      }
    }
  });

  it("suggests the choice, for each choice with a letter too many", () => {
    let count = 0;
    for (const command of shown) {
      const path = commandPath(command).split(" ").slice(1);
      const flags = command.options.map(({ long, argChoices = [] }) => ({
        words: [long ?? ""],
        argChoices,
      }));
      const places = command.registeredArguments.map(({ argChoices = [] }) => ({
        words: [],
        argChoices,
      }));
      for (const { words, argChoices } of [...flags, ...places]) {
        for (const choice of argChoices) {
          const told = refusal([
            ...path,
            ...operandsBefore(command, words),
            ...words,
            `${choice}x`,
          ]);
          expect(told).to.include(
            `Allowed choices are ${argChoices.join(", ")}.\n(Did you mean ${choice}?)`,
          );
          count += 1;
        }
      }
    }
    expect(count).to.be.at.least(5);
  });

  it("is told where nothing is near", () => {
    expect(refusal(["quux"])).to.equal(
      "error: unknown command 'quux'\n(meridian --help shows what there is)\n",
    );
    expect(refusal(["help", "mirror", "quux"])).to.match(
      /^error: unknown command 'quux' of meridian mirror\n/,
    );
    expect(refusal(["serve", "--udp", "zzzzzzz"])).not.to.include("Did you mean");
  });
});

describe("too many arguments or too few", () => {
  it("are told in a sentence that names the command, or what is missing", () => {
    for (const command of shown.filter((each) => each.commands.length === 0)) {
      const path = commandPath(command).split(" ").slice(1);
      const taken = command.registeredArguments;
      const required = taken.filter((each) => each.required);
      if (required[0] !== undefined) {
        expect(refusal(path)).to.include(
          `error: missing required argument '${required[0].name()}'`,
        );
      }
      if (taken.some((each) => each.variadic)) continue;
      const words = taken.map((each) => each.argChoices?.[0] ?? "x");
      expect(refusal([...path, ...words, "x"])).to.match(
        new RegExp(
          `error: too many arguments for '${command.name()}'. Expected ${taken.length} arguments? but got`,
        ),
      );
    }
  });

  it("lead to the help of the command that they were given to", () => {
    expect(refusal(["mirror", "plan", "x"])).to.include(
      "(meridian mirror plan --help shows what there is)",
    );
  });
});

/** What is said of wrong usage on standard error, and that nothing else is. */
function refusal(words: readonly string[]): string {
  const { output, error, exitCode } = usage(...words);
  expect({ output, exitCode }, words.join(" ")).to.deep.equal({ output: "", exitCode: 1 });
  return error;
}

function examplesOf(command: Command): string[] {
  const [, one, several = ""] =
    /\n(?:Example: (.+)|Examples:\n((?: {2}.+\n)+))/.exec(`${helpOf(command)}\n`) ?? [];
  if (one !== undefined) return [one];
  return several
    .replace(/ \\\n +/g, " ")
    .trimEnd()
    .split("\n")
    .map((line) => line.trim());
}

/** Flags are read before arguments are, so only an argument needs those before it. */
function operandsBefore(command: Command, words: readonly string[]): string[] {
  if (words.length > 0) return [];
  const at = command.registeredArguments.findIndex(({ argChoices }) => argChoices);
  return command.registeredArguments.slice(0, Math.max(0, at)).map(() => "x");
}

function swapped(word: string): string {
  const [first = "", second = "", ...others] = word;
  return [second, first, ...others].join("");
}
