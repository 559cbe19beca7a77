// A mistake in an input and its place, and how a list of them is ordered and printed. It knows
// nothing of what the inputs mean.

/** One mistake. `line` and `column` count from 1; `file` is the path as it was opened. */
export interface Problem {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** A value that was read, or every reason why it could not be. */
export type Read<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** `file:line:column: message`, the form that editors and compilers share. */
export function formatProblem(problem: Problem): string {
  return `${problem.file}:${problem.line}:${problem.column}: ${problem.message}`;
}

/** Order by file, line, column, then message; files by code unit, so that it is the same everywhere. */
export function compareProblems(a: Problem, b: Problem): number {
  return (
    compareText(a.file, b.file) ||
    a.line - b.line ||
    a.column - b.column ||
    compareText(a.message, b.message)
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
