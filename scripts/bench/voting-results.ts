// The raw results of the benchmarks of voting, as they are stored, and the figures that follow from
// them: each a ratio within one round, then the median of the rounds. Plain data and arithmetic.

import type { AttackCounts } from "./attack-counts.ts";
import type { LoadCounts } from "./load-counts.ts";
import { type Buckets, quantileOf, shareWithin } from "./prometheus-text.ts";
import { type Machine, rateOf } from "./results.ts";
import { median } from "./statistics.ts";

/** One stretch of load, and what the server's main thread used of it. */
export interface LoadStretch {
  readonly load: LoadCounts;
  /** CPU seconds of the main thread, which probes and hears ballots, for each second. */
  readonly mainShare: number;
}

/** Full load and half load, one after the other. */
export interface AttackArm {
  readonly top: LoadStretch;
  readonly paced: LoadStretch;
}

export interface AttackRound {
  readonly without: AttackArm;
  readonly with: AttackArm;
  readonly attack: AttackCounts;
}

export interface AttackResult {
  /** Requests a second that were meant. */
  readonly rate: number;
  readonly rounds: readonly AttackRound[];
  /** By reason: what was sent, and what the server counted. */
  readonly refused: readonly {
    readonly reason: string;
    readonly sent: number;
    readonly counted: number;
  }[];
  /** What was not as before after all of it; none is well. */
  readonly changed: readonly string[];
}

export interface ProbeRound {
  readonly without: LoadStretch;
  readonly with: LoadStretch;
}

export interface ProbeRunResult {
  readonly type: "http" | "tcp";
  readonly endpoints: number;
  readonly intervalSeconds: number;
  /** Queries a second, half of what the server without probes answers at most. */
  readonly queryRate: number;
  readonly rounds: readonly ProbeRound[];
  /** How late probes started, in seconds, over all rounds; and how long those took. */
  readonly delays: Buckets;
  readonly watchedSeconds: number;
  /** Probes by outcome while they were watched. */
  readonly outcomes: Readonly<Record<string, number>>;
}

export interface VotingResults {
  readonly date: string;
  readonly machine: Machine;
  readonly version: string;
  readonly seconds: number;
  /** What else ran: the kernel's load average of the minute before. */
  readonly loadBefore: number;
  readonly attack?: AttackResult | undefined;
  readonly probes: readonly ProbeRunResult[];
}

/** Two sides and the ratio of the second to the first; medians over rounds. */
export interface Comparison {
  readonly without: number;
  readonly with: number;
  readonly ratio: number;
  /** The least and the greatest ratio of a round. */
  readonly least: number;
  readonly most: number;
}

/** Compares a figure of both sides of each round. */
export function compare<Side>(
  rounds: readonly { readonly without: Side; readonly with: Side }[],
  figure: (side: Side) => number,
): Comparison {
  const ratios = rounds.map((round) => figure(round.with) / figure(round.without));
  return {
    without: median(rounds.map(({ without }) => figure(without))),
    with: median(rounds.map((round) => figure(round.with))),
    ratio: median(ratios),
    least: Math.min(...ratios),
    most: Math.max(...ratios),
  };
}

export const topRate = ({ top }: AttackArm): number => rateOf(top.load);
export const pacedP99 = ({ paced }: AttackArm): number => p99({ ...paced });
export const topMainShare = ({ top }: AttackArm): number => top.mainShare;

export function p99({ load }: LoadStretch): number {
  return load.latencyUs?.p99 ?? Number.NaN;
}

/** CPU of all of the server's threads, as a share of its core. */
export function coreShare({ load }: LoadStretch): number {
  return load.serverCpuSeconds / load.seconds;
}

/**
 * CPU microseconds of the main thread for each bad request, told from half load. What all threads use
 * would not tell it: a worker that is held up answers in larger batches, which are cheaper.
 */
export function attackCostUs(result: AttackResult): number {
  const main = compare(result.rounds, ({ paced }) => paced.mainShare);
  return (1e6 * (main.with - main.without)) / attackRate(result);
}

/** Requests of the attack that were sent in a second. */
export function attackRate({ rounds }: AttackResult): number {
  return median(rounds.map(({ attack: { sent, seconds } }) => sum(Object.values(sent)) / seconds));
}

/** How late a probe may start, in seconds; a bound of the histogram's buckets. */
export const startBound = 0.5;

/** How well probes kept their times. */
export interface Schedule {
  /** Share of the starts within `startBound`, 0 to 1. */
  readonly inTime: number;
  /** Seconds that 99 % of the starts stay within. */
  readonly p99Seconds: number;
  /** Starts, as a share of those that were due: one that is left out is not late. */
  readonly kept: number;
  /** CPU microseconds of the main thread for each probe. */
  readonly cpuUs: number;
}

export function scheduleOf(result: ProbeRunResult): Schedule {
  const { delays, watchedSeconds, endpoints, intervalSeconds, rounds } = result;
  const started = delays.at(-1)?.count ?? Number.NaN;
  const perSecond = endpoints / intervalSeconds;
  const main = compare(rounds, ({ mainShare }) => mainShare);
  return {
    inTime: shareWithin(delays, startBound),
    p99Seconds: quantileOf(delays, 0.99),
    kept: started / (perSecond * watchedSeconds),
    cpuUs: (1e6 * (main.with - main.without)) / perSecond,
  };
}

export function sum(values: Iterable<number>): number {
  return [...values].reduce((total, value) => total + value, 0);
}
