// The checking programs of other makers that the packaging is held to, and how they are run. It must not
// know what they check. Does I/O: it runs programs.

import { spawnSync } from "node:child_process";

/** Each program and the Debian package that brings it. */
const debianPackages: Readonly<Record<string, string>> = {
  kubectl: "kubernetes-client",
  promtool: "prometheus",
  "systemd-analyze": "systemd",
  "systemd-sysusers": "systemd",
};

/** Runs a program to its end; what it wrote to standard output. Throws with all that it said if it fails. */
export function runTool(program: string, ...args: readonly string[]): string {
  const { error, status, stdout, stderr } = spawnSync(program, args, {
    encoding: "utf8",
    timeout: 120_000,
  });
  if (error && "code" in error && error.code === "ENOENT") {
    const named = debianPackages[program];
    const remedy = named === undefined ? "" : `; on Debian: apt-get install ${named}`;
    throw new Error(`cannot run ${program}: it is missing${remedy}`);
  }
  if (status === 0) return stdout;
  throw new Error(
    `cannot run ${program}: ${error ?? `exit status ${status}`}, got ${stdout}${stderr}`,
  );
}
