// The programs of other makers that the tests of this folder need, where Debian has them, and how
// they are run. It must not know what they are asked. Does I/O.

import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";

/** Each program and the Debian package that brings it. */
export const debianPackages = {
  curl: "curl",
  dig: "bind9-dnsutils",
  dnsperf: "dnsperf",
  go: "golang-go",
  ip: "iproute2",
  kdig: "knot-dnsutils",
  "named-compilezone": "bind9-utils",
  nft: "nftables",
  unbound: "unbound",
} as const;

export type Program = keyof typeof debianPackages;

/** Throws, with the names of all that are missing and how to get them, unless all are there. */
export function needPrograms(...programs: readonly Program[]): void {
  const missing = programs.filter((program) => programFile(program) === undefined);
  if (missing.length === 0) return;
  const packages = [...new Set(missing.map((program) => debianPackages[program]))];
  throw new Error(
    `cannot run these tests: missing ${missing.join(", ")}; on Debian: apt-get install ${packages.join(" ")}`,
  );
}

/**
 * Runs a program to its end; what it wrote to standard output, as latin1. Rejects with all that it
 * said if its exit status is not 0 or if it is missing.
 */
export async function runProgram(
  program: Program,
  args: readonly string[],
  folder?: string,
): Promise<string> {
  needPrograms(program);
  const child = spawn(programFile(program) ?? program, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, LC_ALL: "C" },
    ...(folder !== undefined && { cwd: folder }),
  });
  child.stdout.setEncoding("latin1");
  child.stderr.setEncoding("latin1");
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  const [status, stdout, stderr] = await Promise.all([
    ended,
    text(child.stdout),
    text(child.stderr),
  ]);
  if (status === 0) return stdout;
  throw new Error(`cannot run ${program}: exit status ${status}, got ${stdout}${stderr}`);
}

/** Debian keeps some of them where only root's PATH leads. */
const folders = [
  ...(process.env["PATH"] ?? "").split(path.delimiter),
  ...["/usr/sbin", "/sbin", "/usr/bin"],
];

function programFile(program: Program): string | undefined {
  return folders
    .filter((folder) => folder !== "")
    .map((folder) => path.join(folder, program))
    .find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
