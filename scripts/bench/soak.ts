// `npm run bench -- --soak MINUTES`: full load on Meridian for a long time, with a change every 100
// ms. It prints whether memory stays flat, what was lost, and how long changes took. Does I/O.

import { changeOften } from "./change-stream.ts";
import type { ServedWorld } from "./configs/config.ts";
import type { LoadClient } from "./load-client.ts";
import type { LoadCounts } from "./load-counts.ts";
import { loadWindow, start } from "./measure.ts";
import { memoryUse } from "./process-use.ts";
import type { BenchServer } from "./servers.ts";
import { median } from "./statistics.ts";

export interface SoakResult {
  readonly minutes: number;
  readonly answered: number;
  readonly ratePerSecond: number;
  readonly lost: number;
  /** Lost queries that the kernel dropped at the server's socket, as it counts them. */
  readonly kernelDrops: number;
  readonly rcodes: Readonly<Record<number, number>>;
  readonly changes: number;
  readonly missedChanges: number;
  readonly medianChangeMs: number;
  readonly longestChangeMs: number;
  /** Resident memory in MiB, once for each step of the load. */
  readonly rssMib: readonly number[];
}

const stepSeconds = 10;
const warmSeconds = 10;

/** Runs the load in steps of ten seconds. */
export async function soak(
  server: BenchServer,
  world: ServedWorld,
  load: LoadClient,
  minutes: number,
): Promise<SoakResult> {
  const running = await start(server, world, undefined);
  const over = new AbortController();
  const changing = changeOften(running.folder, running.port, over.signal);
  // A failure shows where it is awaited.
  changing.catch(() => undefined);
  const steps: LoadCounts[] = [];
  const rssMib: number[] = [];
  try {
    for (let seconds = 0; seconds < minutes * 60; seconds += stepSeconds) {
      const counts = await load.run({
        kind: "top",
        port: running.port,
        pool: { type: "A", hosts: world.hosts, withSubnet: false, randomShare: 0.1 },
        networks: 0,
        warmSeconds: seconds === 0 ? warmSeconds : 0,
        seconds: Math.min(stepSeconds, minutes * 60 - seconds),
        window: loadWindow,
        rate: 0,
        serverPid: running.pid,
      });
      steps.push(counts);
      rssMib.push(memoryUse(running.pid).rssKib / 1024);
      console.log(
        `  ${Math.round(seconds + counts.seconds)} s: ${Math.round(counts.answered / counts.seconds)}/s, lost ${counts.lost} (${counts.kernelDrops} in the kernel), ${rssMib.at(-1)?.toFixed(0)} MiB`,
      );
    }
    over.abort();
    const { changes, delaysMs, missed } = await changing;
    const sum = (value: (step: LoadCounts) => number): number =>
      steps.reduce((total, step) => total + value(step), 0);
    return {
      minutes,
      answered: sum(({ answered }) => answered),
      ratePerSecond: sum(({ answered }) => answered) / sum(({ seconds }) => seconds),
      lost: sum(({ lost }) => lost),
      kernelDrops: sum(({ kernelDrops }) => kernelDrops),
      rcodes: summed(steps.map(({ rcodes }) => rcodes)),
      changes,
      missedChanges: missed,
      medianChangeMs: median(delaysMs),
      longestChangeMs: delaysMs.reduce((longest, each) => Math.max(longest, each), 0),
      rssMib,
    };
  } finally {
    over.abort();
    await running.stop();
  }
}

/** What the result says, in lines. */
export function soakText(result: SoakResult): string {
  const { rssMib, rcodes } = result;
  const byCode = Object.entries(rcodes).map(([rcode, count]) => `${rcode}: ${count}`);
  return [
    `${result.minutes} minutes, ${Math.round(result.ratePerSecond)} answers/s (by rcode ${byCode.join(", ")})`,
    `lost ${result.lost} queries; the kernel dropped ${result.kernelDrops} at the server's socket`,
    `memory ${rssMib[0]?.toFixed(0)} MiB at the start, ${rssMib.at(-1)?.toFixed(0)} MiB at the end, at most ${Math.max(...rssMib).toFixed(0)} MiB`,
    `${result.changes} changes, ${result.missedChanges} never seen; seen after ${result.medianChangeMs.toFixed(0)} ms (median), ${result.longestChangeMs.toFixed(0)} ms at most`,
  ].join("\n");
}

function summed(all: readonly Readonly<Record<number, number>>[]): Record<number, number> {
  const sums: Record<number, number> = {};
  for (const rcodes of all) {
    for (const [rcode, count] of Object.entries(rcodes)) {
      sums[Number(rcode)] = (sums[Number(rcode)] ?? 0) + count;
    }
  }
  return sums;
}
