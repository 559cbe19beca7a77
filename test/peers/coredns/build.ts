// CoreDNS, built from the sources that main.go and go.sum name. It must not know what is asked of it.
// Does I/O.

import path from "node:path";
import { runProgram } from "../programs.ts";

const folder = path.resolve(import.meta.dirname, "../../../node_modules/.cache/coredns");

/**
 * Builds the program `coredns`; the folder that it lies in. The first time it brings some 40 Go modules
 * and takes a minute of two cores, then a second. Takes Go 1.21 or newer (Debian 13), which brings the one that
 * go.mod names. Rejects with what go said.
 */
export async function buildCoreDns(): Promise<string> {
  const args = ["build", "-trimpath", "-buildvcs=false", "-o", path.join(folder, "coredns"), "."];
  await runProgram("go", args, import.meta.dirname);
  return folder;
}
