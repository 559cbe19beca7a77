#!/usr/bin/env node
// The `meridian` command: arguments in, exit status out. It must not know which commands there are.
// Does I/O.

import { CommanderError } from "commander";
import { ExitStatus } from "./output.ts";
import { meridianProgram } from "./program.ts";

// A reader that has seen enough, as `head` has, is no failure; output that is lost is one, unless a
// command goes on for long after it, as `serve` does.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") return;
  console.error(`cannot write the output: ${error.message}`);
  exitWith(ExitStatus.FAILED);
});
process.stderr.on("error", () => undefined);
// The runtime would give the status of wrong input, after which no supervisor should start anew.
process.on("uncaughtException", (error) => {
  console.error(error);
  process.exit(ExitStatus.FAILED);
});

try {
  await meridianProgram(exitWith).parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  exitWith(error.exitCode === 0 ? ExitStatus.FINE : ExitStatus.BAD_USAGE);
}

function exitWith(status: number): void {
  process.exitCode = status;
}
