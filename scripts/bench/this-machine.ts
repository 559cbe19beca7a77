// What a run says of where and when it was made. It knows nothing of what was measured. Does I/O.

import os from "node:os";
import type { Machine } from "./results.ts";

/** This machine, as the tables name it. */
export function thisMachine(): Machine {
  return {
    cpu: os.cpus()[0]?.model ?? "unknown",
    cores: os.cpus().length,
    kernel: `${os.type()} ${os.release()}`,
    node: process.version,
  };
}

/** The day, as `2026-01-31`, in UTC. */
export function today(): string {
  return new Date().toISOString().slice(0, 10);
}
