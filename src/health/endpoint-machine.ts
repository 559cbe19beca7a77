// One endpoint as one voter sees it (semantics 6): gdnsd's machine with `fall` and `rise`. It
// knows results of probes; it must not know how they were obtained, nor other voters.

import type { HealthCheck } from "../federation/model.ts";

/** What a probe found. */
export interface ProbeResult {
  readonly isSuccess: boolean;
  /** In a few words: `status 200`, `connect refused`, `timeout after 3000 ms`. */
  readonly reason: string;
}

/** A voter's own opinion of an endpoint. */
export interface EndpointOpinion {
  readonly isUp: boolean;
  /** Since when, in milliseconds of the caller's clock. */
  readonly sinceMs: number;
  /** Failures that count while up, and successes in a row. */
  readonly failures: number;
  readonly successes: number;
  /** Of the last probe. */
  readonly reason: string;
}

type Thresholds = Pick<HealthCheck, "fall" | "rise">;

/**
 * The opinion after one more result:
 * 1. the first result is final at once;
 * 2. up: each failure counts, `fall` of them are down; `rise` successes in a row forget them;
 * 3. down: `rise` successes in a row are up.
 */
export function advance(
  opinion: EndpointOpinion | undefined,
  { isSuccess, reason }: ProbeResult,
  { fall, rise }: Thresholds,
  nowMs: number,
): EndpointOpinion {
  if (!opinion) {
    return { isUp: isSuccess, sinceMs: nowMs, failures: 0, successes: isSuccess ? 1 : 0, reason };
  }
  const successes = isSuccess ? Math.min(opinion.successes + 1, rise) : 0;
  if (opinion.isUp) {
    const failures = isSuccess ? opinion.failures : opinion.failures + 1;
    if (failures >= fall) return { isUp: false, sinceMs: nowMs, failures: 0, successes: 0, reason };
    return { ...opinion, failures: successes >= rise ? 0 : failures, successes, reason };
  }
  if (successes >= rise) return { isUp: true, sinceMs: nowMs, failures: 0, successes, reason };
  return { ...opinion, successes, reason };
}

/** How many more results in a row, all against it, turn the opinion over: 1 or more. */
export function checksToFlip(opinion: EndpointOpinion, { fall, rise }: Thresholds): number {
  // What counted under larger thresholds can exceed those of now; the turn still takes a result.
  return Math.max(1, opinion.isUp ? fall - opinion.failures : rise - opinion.successes);
}
