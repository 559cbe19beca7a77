// The page of all commands: what --help of each prints. It must not know any command.

import { helpOf } from "../../src/cli/commands/help-capture.ts";
import { commandPath, commandsBelow } from "../../src/cli/commands/shared-help.ts";
import { meridianProgram } from "../../src/cli/program.ts";
import { madeBy } from "./tables.ts";

export function commandsPage(): string {
  const program = meridianProgram(() => {});
  const shown = commandsBelow(program).filter((each) => !commandPath(each).includes(" __"));
  const parts = shown.map(
    (each) => `## ${commandPath(each)}\n\n\`\`\`text\n${helpOf(each)}\n\`\`\`\n`,
  );
  return `# Commands

${madeBy}

What \`--help\` of each command prints. Errors go to standard error. A mistyped command, flag or choice is
answered with the one that was probably meant.

${parts.join("\n")}`;
}
