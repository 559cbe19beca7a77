#!/usr/bin/env node
// The `meridian` command: arguments in, exit status out. It must not know which commands there are.
// Does I/O.

import { CommanderError } from "commander";
import { ExitStatus } from "./output.ts";
import { meridianProgram } from "./program.ts";

try {
  await meridianProgram(exitWith).parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  exitWith(error.exitCode === 0 ? ExitStatus.FINE : ExitStatus.BAD_USAGE);
}

function exitWith(status: number): void {
  process.exitCode = status;
}
