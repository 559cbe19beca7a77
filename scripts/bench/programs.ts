// Programs that the benchmark runs: those that the machine has, and those in C that stand beside it,
// built where there is a compiler. It knows nothing of what they do. Does I/O.

import { spawnSync } from "node:child_process";
import { accessSync, constants, mkdirSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";

/**
 * The path of the program that NAME.c in this folder makes, which goes with this process;
 * `undefined` without a compiler, or if that fails.
 */
export function builtProgram(name: string): string | undefined {
  const compiler = findProgram("cc");
  if (compiler === undefined) return undefined;
  const folder = path.join(os.tmpdir(), `meridian-bench-${name}-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, name);
  const source = path.join(import.meta.dirname, `${name}.c`);
  const { status } = spawnSync(compiler, ["-O2", "-o", file, source], { stdio: "inherit" });
  return status === 0 ? file : undefined;
}

/** The first program of this name on the path, or where Debian keeps those for root. */
export function findProgram(program: string): string | undefined {
  const folders = [...(process.env["PATH"] ?? "").split(path.delimiter), "/usr/sbin", "/usr/bin"];
  return folders
    .filter((folder) => folder !== "")
    .map((folder) => path.join(folder, program))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
