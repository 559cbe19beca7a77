// Medians, and percentiles of durations that are counted in buckets. It knows numbers only.

/** The middle value, or the mean of the two in the middle; NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)];
  const lower = sorted[Math.ceil(middle) - 1];
  return upper === undefined || lower === undefined ? Number.NaN : (lower + upper) / 2;
}

/** Steps of a bucket within each power of two: the error of a percentile is at most 1 in 64. */
const steps = 64;
/** Up to 2^26 µs, more than a minute. */
const octaves = 27;

/** Counts durations in microseconds, without keeping them: 64 buckets for each power of two. */
export class DurationCounts {
  readonly #buckets = new Float64Array(steps * octaves);
  #total = 0;

  get total(): number {
    return this.#total;
  }

  add(durationUs: number): void {
    const bucket = bucketOf(durationUs);
    this.#buckets[bucket] = (this.#buckets[bucket] ?? 0) + 1;
    this.#total++;
  }

  /** The duration in microseconds that this share (0 to 1) of all stays within; NaN of none. */
  percentile(share: number): number {
    if (this.#total === 0) return Number.NaN;
    const wanted = Math.max(1, Math.ceil(share * this.#total));
    let seen = 0;
    for (const [bucket, count] of this.#buckets.entries()) {
      seen += count;
      if (seen >= wanted) return middleOf(bucket);
    }
    return Number.NaN;
  }
}

function bucketOf(durationUs: number): number {
  if (!(durationUs > 1)) return Math.max(0, Math.floor((durationUs || 0) * steps) - 1);
  const octave = Math.min(octaves - 2, 31 - Math.clz32(durationUs));
  const step = Math.min(steps - 1, Math.floor((durationUs / 2 ** octave - 1) * steps));
  return (octave + 1) * steps + step;
}

function middleOf(bucket: number): number {
  const octave = Math.floor(bucket / steps) - 1;
  const step = (bucket % steps) + 0.5;
  return octave < 0 ? step / steps : (1 + step / steps) * 2 ** octave;
}
