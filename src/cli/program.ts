// The whole command line as one tree of commands, which runs, completes and documents itself. It must
// not know how any command does what it does.

import { Command } from "commander";
import { addCheck } from "./commands/check-command.ts";
import { addCompletion } from "./commands/completion-command.ts";
import { addDrains } from "./commands/drain-commands.ts";
import { addExplain } from "./commands/explain-command.ts";
import { addHelp } from "./commands/help-command.ts";
import { addKeygen } from "./commands/keygen-command.ts";
import { addMirror } from "./commands/mirror-commands.ts";
import { addServe } from "./commands/serve-command.ts";
import { shapeHelp } from "./commands/shared-help.ts";
import type { ExitWith } from "./commands/shared-options.ts";
import { addStatus } from "./commands/status-command.ts";
import { addToken } from "./commands/token-command.ts";
import { addWhatIf } from "./commands/whatif-command.ts";
import { version } from "./version.ts";

/** The program, its commands in the order in which they are shown. */
export function meridianProgram(exitWith: ExitWith): Command {
  const program = new Command("meridian")
    .description("Authoritative DNS for services that run in several clusters at once")
    .usage("COMMAND [options]")
    .version(version)
    .exitOverride()
    .addHelpText(
      "after",
      `
Each command with --help says more; meridian --version prints the version.
Example: meridian check && meridian serve
Exit status: 0 fine, 1 the input is wrong, 2 a difference or a failure, 64 usage
More: README.md, docs/reference/commands.md`,
    );
  const add = [
    addServe,
    addCheck,
    addExplain,
    addWhatIf,
    addStatus,
    addDrains,
    addMirror,
    addKeygen,
    addToken,
    addCompletion,
    addHelp,
  ];
  for (const each of add) each(program, exitWith);
  shapeHelp(program);
  return program;
}
