// The cost of counting as a page: for each case what an answer costs with counting and without, and
// how sure that is. It knows numbers only.

import type { Machine } from "./results.ts";
import { median } from "./statistics.ts";

/** One slice of load on one of both builds. */
export interface Slice {
  readonly isCounting: boolean;
  readonly answered: number;
  readonly serverCpuSeconds: number;
  readonly seconds: number;
}

/** One case's slices: pairs of both builds stand next to each other, in any order. */
export interface CountingCase {
  readonly id: string;
  readonly title: string;
  readonly slices: readonly Slice[];
}

export interface CountingResults {
  readonly date: string;
  readonly machine: Machine;
  /** Load average of a minute, before the run and after it. */
  readonly loadBefore: number;
  readonly loadAfter: number;
  /** What it is compared with. */
  readonly other: string;
  readonly pairs: number;
  readonly seconds: number;
  readonly results: readonly CountingCase[];
}

/** Above this load average others have used the cores: pairs differ by more than counting costs. */
const busyLoad = 0.5;
const busyText = `
**The machine was busy with other work: pairs differ by more than what is measured, so these figures
show no more than its size. Measure again on a quiet machine.**
`;

/** The page. */
export function countingReport(run: CountingResults): string {
  const { cpu, cores, kernel, node } = run.machine;
  const rows = run.results.map((result) => {
    const { withUs, withoutUs, cost, low, high, rate } = figuresOf(result);
    return `| ${result.id}: ${result.title} | ${withoutUs.toFixed(3)} | ${withUs.toFixed(3)} | ${percent(cost)} | ${percent(low)} to ${percent(high)} | ${percent(rate)} |`;
  });
  return `# What counting costs

Written by \`tsx scripts/bench/counting.ts\`. Metrics count every query and answer on the data plane:
[what is counted](../../src/server/query-counts.ts).

${run.date}, ${cpu}, ${cores} cores, ${kernel}, Node ${node}; load average ${run.loadBefore.toFixed(1)} before and ${run.loadAfter.toFixed(1)} after.

Compared with ${run.other}: both run on the same core with one worker at full load, in turn,
${run.pairs} pairs of slices of ${run.seconds} s, the first of a pair another one each time. The
cost is the median over the pairs of how much more CPU time the process takes for an answer, user and
system; beside it the middle half of the pairs, and the median of how much fewer answers a second there
are.
${run.loadBefore > busyLoad ? busyText : ""}
| case | µs CPU without | with | cost | middle half | fewer answers |
| --- | ---: | ---: | ---: | ---: | ---: |
${rows.join("\n")}
`;
}

/** Medians over the pairs; costs as shares of 1. */
export function figuresOf({ slices }: Pick<CountingCase, "slices">): {
  readonly withUs: number;
  readonly withoutUs: number;
  readonly cost: number;
  /** What a quarter of the pairs is below, and a quarter above. */
  readonly low: number;
  readonly high: number;
  /** How much fewer answers a second there are. */
  readonly rate: number;
} {
  const pairs = Array.from({ length: slices.length >> 1 }, (_, at) => {
    const both = slices.slice(2 * at, 2 * at + 2);
    const counting = both.find(({ isCounting }) => isCounting);
    const bare = both.find(({ isCounting }) => !isCounting);
    if (!counting || !bare) throw new Error("cannot compare: a pair has one build only");
    return { counting, bare };
  });
  const costs = pairs.map(({ counting, bare }) => microseconds(counting) / microseconds(bare) - 1);
  const sorted = [...costs].sort((a, b) => a - b);
  const quarter = (share: number): number =>
    sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN;
  return {
    withUs: median(pairs.map(({ counting }) => microseconds(counting))),
    withoutUs: median(pairs.map(({ bare }) => microseconds(bare))),
    cost: median(costs),
    low: quarter(0.25),
    high: quarter(0.75),
    rate: median(pairs.map(({ counting, bare }) => 1 - rateOf(counting) / rateOf(bare))),
  };
}

function microseconds({ serverCpuSeconds, answered }: Slice): number {
  return (1e6 * serverCpuSeconds) / answered;
}

function rateOf({ answered, seconds }: Slice): number {
  return answered / seconds;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(2)} %`;
}
