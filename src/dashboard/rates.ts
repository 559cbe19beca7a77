// Rates from counters that are read again and again: the last fifteen minutes, as columns for a
// chart. It knows that a restart begins counters anew; it must not know how they are drawn.

import type { StateReport } from "../control/api-schemas.ts";

/** The counters at one moment. */
export interface Reading {
  readonly atMs: number;
  /** Tells one start of the server from the next. */
  readonly startedAt: string;
  readonly byRcode: Readonly<Record<string, number>>;
  readonly byCluster: Readonly<Record<string, number>>;
  readonly dropped: number;
}

export type CounterGroup = "byRcode" | "byCluster";

/** A line for each key, all over the same moments. */
export interface RateColumns {
  readonly keys: readonly string[];
  /** Seconds since 1970. */
  readonly times: readonly number[];
  /** For each key: per second, `null` where nobody counted. */
  readonly rates: readonly (readonly (number | null)[])[];
}

const keptMs = 15 * 60_000;
/** Counters that are further apart say little of any moment between. */
const gapMs = 15_000;

/** What one look at the state says of counters; times are the server's own. */
export function readingOf(state: StateReport): Reading {
  return {
    atMs: Date.parse(state.now),
    startedAt: state.startedAt,
    byRcode: state.traffic.byRcode,
    byCluster: Object.fromEntries(state.clusters.map(({ name, answers }) => [name, answers])),
    dropped: state.traffic.dropped,
  };
}

/** Over less, a rate says more of the moments of looking than of what was counted. */
const leastMs = 1000;

/** The readings with one more, without what is too old; one that is too near to the last is left out. */
export function withReading(readings: readonly Reading[], next: Reading): readonly Reading[] {
  const last = readings.at(-1);
  const isSameRun = last?.startedAt === next.startedAt;
  if (last && isSameRun && next.atMs - last.atMs < leastMs) return readings;
  const kept = readings.filter(({ atMs }) => atMs >= next.atMs - keptMs && atMs < next.atMs);
  return [...kept, next];
}

/** Rates between each reading and the one before; the keys in order, the busiest first. */
export function rateColumns(readings: readonly Reading[], group: CounterGroup): RateColumns {
  const keys = keysOf(readings, group);
  const times: number[] = [];
  const rates: (number | null)[][] = keys.map(() => []);
  for (const [at, reading] of readings.entries()) {
    const before = readings[at - 1];
    if (!before) continue;
    times.push(reading.atMs / 1000);
    for (const [column, key] of keys.entries()) {
      rates[column]?.push(rateBetween(before, reading, group, key));
    }
  }
  return { keys, times, rates };
}

/** The rate of each key over the last seconds; `undefined` before there are two readings. */
export function lastRates(
  readings: readonly Reading[],
  group: CounterGroup,
  overMs = 10_000,
): ReadonlyMap<string, number> | undefined {
  const last = readings.at(-1);
  const first = last && oldestOfRun(readings, last, overMs);
  if (!last || !first) return undefined;
  const seconds = (last.atMs - first.atMs) / 1000;
  const rates = keysOf([first, last], group).map((key): [string, number] => [
    key,
    grown(first, last, group, key) / seconds,
  ]);
  return new Map(rates);
}

/** Dropped queries per second over the last minute. */
export function dropRate(readings: readonly Reading[]): number {
  const last = readings.at(-1);
  const first = last && oldestOfRun(readings, last, 60_000);
  if (!last || !first) return 0;
  return Math.max(0, last.dropped - first.dropped) / ((last.atMs - first.atMs) / 1000);
}

/** Each cluster's share of the answers in the last minute, 0 to 1; none if there were none. */
export function clusterShares(readings: readonly Reading[]): ReadonlyMap<string, number> {
  const rates = lastRates(readings, "byCluster", 60_000) ?? new Map<string, number>();
  const total = sum(rates.values());
  if (total === 0) return new Map();
  return new Map([...rates].map(([cluster, rate]) => [cluster, rate / total]));
}

export function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

/** Keeps the busiest lines and adds up the rest to one, so that a chart stays readable. */
export function busiest(columns: RateColumns, most: number): RateColumns {
  const { keys, times, rates } = columns;
  if (keys.length <= most) return columns;
  const rest = rates.slice(most - 1);
  const others = times.map((_, at) => {
    const values = rest.map((column) => column[at] ?? null);
    return values.every((value) => value === null) ? null : sum(values.map((value) => value ?? 0));
  });
  return {
    keys: [...keys.slice(0, most - 1), "others"],
    times,
    rates: [...rates.slice(0, most - 1), others],
  };
}

/** By what they counted in all, then by name. */
function keysOf(readings: readonly Reading[], group: CounterGroup): string[] {
  const last = readings.at(-1)?.[group] ?? {};
  const keys = new Set(readings.flatMap((reading) => Object.keys(reading[group])));
  return [...keys].sort((a, b) => (last[b] ?? 0) - (last[a] ?? 0) || (a < b ? -1 : 1));
}

function rateBetween(
  before: Reading,
  after: Reading,
  group: CounterGroup,
  key: string,
): number | null {
  const isSameRun = before.startedAt === after.startedAt;
  if (!isSameRun || after.atMs - before.atMs > gapMs) return null;
  return grown(before, after, group, key) / ((after.atMs - before.atMs) / 1000);
}

/** A counter that is not there yet has counted nothing. */
function grown(before: Reading, after: Reading, group: CounterGroup, key: string): number {
  return Math.max(0, (after[group][key] ?? 0) - (before[group][key] ?? 0));
}

/** The oldest reading of the same run that is no older than that; `undefined` if it is alone. */
function oldestOfRun(
  readings: readonly Reading[],
  last: Reading,
  overMs: number,
): Reading | undefined {
  return readings.find(
    (each) => each !== last && each.startedAt === last.startedAt && each.atMs >= last.atMs - overMs,
  );
}
