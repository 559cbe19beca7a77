// The benchmark's side of the process that answers probes: starts it beside the load and ends it.
// Does I/O.

import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { builtProgram } from "./programs.ts";
import { freePort } from "./running-server.ts";

/** Where endpoints are: many addresses, one port. */
export interface Responder {
  readonly addresses: readonly string[];
  readonly port: number;
  readonly stop: () => Promise<void>;
}

/** 127.0.1.1 to .200: so many that their closed connections do not use up the ports of any. */
const addressCount = 200;

/** Starts it on this core; rejects if it cannot listen. */
export async function startResponder(core: string): Promise<Responder> {
  const addresses = Array.from({ length: addressCount }, (_, at) => `127.0.1.${at + 1}`);
  const port = await freePort();
  const built = builtProgram("responder");
  const command =
    built === undefined
      ? [
          process.execPath,
          "--import",
          "tsx",
          path.join(import.meta.dirname, "responder-process.ts"),
        ]
      : [built];
  // It ends with its standard input, so also if this process is killed.
  const child = spawn("taskset", ["-c", core, ...command, String(port), ...addresses], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const isReady = await Promise.race([
    once(child.stdout, "data").then(() => true),
    exited.then(() => false),
  ]);
  if (!isReady) throw new Error(`cannot answer probes: nobody listens, got port ${port}`);
  return {
    addresses,
    port,
    stop: async () => {
      child.stdin.end();
      await exited;
    },
  };
}
