// Runs a function with what it prints kept apart: for commands that print in this process. It
// must not know what is run.

export interface Captured<Result> {
  readonly result: Result;
  readonly stdout: string;
  readonly stderr: string;
}

/** Everything that `run` gives to `console.log` and `console.error`, a line each. */
export async function captured<Result>(
  run: () => Result | Promise<Result>,
): Promise<Captured<Result>> {
  const { log, error } = console;
  let stdout = "";
  let stderr = "";
  console.log = (text: string) => {
    stdout += `${text}\n`;
  };
  console.error = (text: string) => {
    stderr += `${text}\n`;
  };
  try {
    const result = await run();
    return { result, stdout, stderr };
  } finally {
    Object.assign(console, { log, error });
  }
}
