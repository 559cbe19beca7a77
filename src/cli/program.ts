// The whole command line as one tree of commands, which runs, completes and documents itself. It must
// not know how any command does what it does.

import { Command } from "commander";
import { addCheck } from "./commands/check-command.ts";
import { addDrains } from "./commands/drain-commands.ts";
import { addExplain } from "./commands/explain-command.ts";
import { addKeygen } from "./commands/keygen-command.ts";
import { addMirror } from "./commands/mirror-commands.ts";
import { addServe } from "./commands/serve-command.ts";
import type { ExitWith } from "./commands/shared-options.ts";
import { addStatus } from "./commands/status-command.ts";

/** The program, its commands in the order in which they are shown. */
export function meridianProgram(exitWith: ExitWith): Command {
  const program = new Command("meridian")
    .description("Authoritative DNS for services that run in several clusters at once")
    .exitOverride()
    .showHelpAfterError("(meridian --help shows what there is)");
  const add = [addServe, addCheck, addExplain, addStatus, addDrains, addMirror, addKeygen];
  for (const each of add) each(program, exitWith);
  return program;
}
