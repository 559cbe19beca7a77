// What a server's own counters say: reads the text format of Prometheus
// (https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format), as far as counters
// and histograms of two readings are compared. It asks nobody.

/** Values by name with labels, as they are written. */
export type MetricsReading = ReadonlyMap<string, number>;

/** Counts of a histogram's buckets, each up to its bound, least first; the last bound is Infinity. */
export type Buckets = readonly { readonly upTo: number; readonly count: number }[];

export function readMetrics(text: string): MetricsReading {
  const entries = text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line): [string, number] => {
      const end = line.indexOf("}") + 1 || line.indexOf(" ");
      return [line.slice(0, end), Number(line.slice(end).trim().split(" ")[0])];
    });
  return new Map(entries);
}

/** By how much each value rose. */
export function riseOf(before: MetricsReading, after: MetricsReading): MetricsReading {
  return new Map([...after].map(([name, value]) => [name, value - (before.get(name) ?? 0)]));
}

/** The values of one metric by one of its labels, which must be its only one. */
export function byLabel(reading: MetricsReading, name: string, label: string): Map<string, number> {
  const start = `${name}{${label}="`;
  return new Map(
    [...reading]
      .filter(([key]) => key.startsWith(start))
      .map(([key, value]) => [key.slice(start.length, key.lastIndexOf('"')), value]),
  );
}

/** The buckets of a histogram without further labels. */
export function bucketsOf(reading: MetricsReading, name: string): Buckets {
  return [...byLabel(reading, `${name}_bucket`, "le")]
    .map(([bound, count]) => ({ upTo: bound === "+Inf" ? Infinity : Number(bound), count }))
    .sort((a, b) => a.upTo - b.upTo);
}

/** The share, 0 to 1, of what lies within a bound that is one of the buckets'; NaN of none. */
export function shareWithin(buckets: Buckets, bound: number): number {
  const total = buckets.at(-1)?.count ?? 0;
  const within = buckets.find(({ upTo }) => upTo === bound);
  if (!within)
    throw new RangeError(`cannot tell the share: no bucket has this bound, got ${bound}`);
  return within.count / total;
}

/**
 * The value that this share (0 to 1) of all stays within, supposing that values lie evenly in their
 * bucket, as Prometheus does; in the last one its lower bound. NaN of none.
 */
export function quantileOf(buckets: Buckets, share: number): number {
  const wanted = share * (buckets.at(-1)?.count ?? Number.NaN);
  let from = 0;
  let below = 0;
  for (const { upTo, count } of buckets) {
    if (count >= wanted && count > 0) {
      if (upTo === Infinity) return from;
      return from + ((upTo - from) * (wanted - below)) / (count - below);
    }
    from = upTo;
    below = count;
  }
  return Number.NaN;
}
