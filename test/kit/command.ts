// Runs a `meridian` command to its end. It must not know what any command prints. Does I/O.

import { spawn } from "node:child_process";
import path from "node:path";
import { text } from "node:stream/consumers";
import type { Explanation } from "../../src/answer/explanation.ts";

const command = path.resolve(import.meta.dirname, "../../dist/cli/main.js");

export interface Finished {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs `meridian` with these arguments in a folder.
 * @param environment over that of the tests.
 */
export async function runCommand(
  args: readonly string[],
  folder: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<Finished> {
  const child = spawn(process.execPath, [command, ...args], {
    cwd: folder,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { status: await ended, stdout, stderr };
}

/**
 * What `meridian explain --json` says with the `meridian.yaml` of a folder. Rejects if it fails.
 * @param resolver who sends a client that is a prefix.
 */
export async function explainJson(
  folder: string,
  name: string,
  type: string,
  client: string,
  resolver?: string,
): Promise<Explanation> {
  const by = resolver === undefined ? [] : ["--resolver", resolver];
  const args = ["explain", name, type, "--client", client, ...by, "--json"];
  const finished = await runCommand(args, folder);
  if (finished.status !== 0) throw new Error(`cannot explain ${name}: ${finished.stderr}`);
  return JSON.parse(finished.stdout) as Explanation;
}
