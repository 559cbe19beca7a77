// Who goes first where a core has too much to do: the threads that answer, before reading files,
// probing, voting and whatever knocks on HTTP. Linux alone has priorities of threads. Does I/O.

import { readdirSync } from "node:fs";
import os from "node:os";

/**
 * By how much the control plane is nicer: it gets about a quarter of a core that answering would
 * fill (sched(7)), and answers that are due do not wait for it. With 0 a thousand probes a second
 * made the 99th percentile of answers many times as long; with 10 probes came seconds late.
 */
const nicerBy = 5;
const nicest = 19;

/** The threads that the process has now, by the system's numbers; none elsewhere than on Linux. */
export function processThreads(): number[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc/self/task").map(Number);
}

/**
 * Lets these threads wait for the others. Threads that they start later do so too: one that answers
 * in the place of one that died as well, since only privileged processes may take it back.
 */
export function lowerPriority(threads: readonly number[]): void {
  for (const thread of threads) {
    try {
      os.setPriority(thread, Math.min(nicest, os.getPriority(thread) + nicerBy));
    } catch {
      // It has ended.
    }
  }
}
