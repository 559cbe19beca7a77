// How the command line speaks: exit statuses, problems on standard error, paths as the user would
// write them. Does I/O.

import path from "node:path";
import { formatProblem, type Problem } from "../config/problem.ts";

/** Exit statuses of every command. */
export const ExitStatus = {
  FINE: 0,
  BAD_INPUT: 1,
  FAILED: 2,
  BAD_USAGE: 64,
} as const;

/** `file:line:column: message` with the file relative to the current folder where it is below it. */
export function problemText(problem: Problem): string {
  return formatProblem({ ...problem, file: shortPath(problem.file) });
}

/** Prints each problem on standard error, then how many there are. */
export function printProblems(problems: readonly Problem[]): void {
  for (const problem of problems) console.error(problemText(problem));
  console.error(problems.length === 1 ? "1 problem" : `${problems.length} problems`);
}

/** A path relative to the current folder where it is below it. */
export function shortPath(file: string): string {
  const relative = path.relative(process.cwd(), file);
  return relative === "" || relative.startsWith("..") || path.isAbsolute(relative)
    ? file
    : relative;
}
