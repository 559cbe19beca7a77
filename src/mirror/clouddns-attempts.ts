// Asks again where that may help, after growing waits and for a bounded time. It knows failures; it
// must not know what is asked, nor how. Does I/O: timers.

import { setTimeout as delay } from "node:timers/promises";
import pRetry from "p-retry";
import { type CloudDnsFailure, isPassing, isThrottle } from "./clouddns-errors.ts";

/** How often and how long. */
export interface Patience {
  /** Attempts after the first, where the service asked for fewer requests. */
  readonly throttleRetries: number;
  /** Attempts after the first, where it was ill or silent. */
  readonly retries: number;
  /** Before the second attempt; doubled for each further one. */
  readonly firstWaitMs: number;
  readonly longestWaitMs: number;
  /** After this no further attempt begins. */
  readonly totalMs: number;
  /** For one attempt. */
  readonly attemptMs: number;
  /** Numbers in [0,1). */
  readonly chance: () => number;
  /** Resolves after so long; rejects when the signal says so. */
  readonly wait: (waitMs: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Rate limits are counted by the minute (https://cloud.google.com/dns/quotas): eight attempts reach
 * over one. A network that is down is told of after some seconds.
 */
export const usualPatience: Patience = {
  throttleRetries: 7,
  retries: 3,
  firstWaitMs: 500,
  longestWaitMs: 32_000,
  totalMs: 120_000,
  attemptMs: 20_000,
  chance: Math.random,
  wait: (waitMs, signal) => delay(waitMs, undefined, { signal }),
};

/** Thrown for one attempt. */
export class FailedAttempt extends Error {
  override readonly name = "FailedAttempt";
  readonly failure: CloudDnsFailure;

  constructor(failure: CloudDnsFailure) {
    super(failure.kind);
    this.failure = failure;
  }
}

/**
 * What the first attempt that succeeds resolves with.
 * @param attempt rejects with a `FailedAttempt` for what may be tried again
 * @throws FailedAttempt the last one; whatever else an attempt threw; the signal's reason
 */
export async function withPatience<Result>(
  attempt: () => Promise<Result>,
  patience: Patience,
  signal: AbortSignal,
): Promise<Result> {
  let waitedMs = 0;
  // The waits are made here, for they follow Retry-After: p-retry itself waits for nothing.
  return pRetry(attempt, {
    retries: Math.max(patience.throttleRetries, patience.retries),
    minTimeout: 0,
    maxRetryTime: patience.totalMs,
    signal,
    shouldRetry: async ({ error, attemptNumber }) => {
      if (!(error instanceof FailedAttempt) || !isPassing(error.failure)) return false;
      const { failure } = error;
      const most = isThrottle(failure) ? patience.throttleRetries : patience.retries;
      if (attemptNumber > most) return false;
      const waitMs = waitBefore(failure, attemptNumber, patience);
      waitedMs += waitMs;
      if (waitedMs > patience.totalMs) return false;
      await patience.wait(waitMs, signal).catch((reason: unknown) => {
        signal.throwIfAborted();
        throw reason;
      });
      return true;
    },
  });
}

/** Exponential, less up to a half by chance so that several instances part; never before Retry-After. */
function waitBefore(failure: CloudDnsFailure, attemptNumber: number, patience: Patience): number {
  const full = Math.min(
    patience.longestWaitMs,
    patience.firstWaitMs * 2 ** Math.min(30, attemptNumber - 1),
  );
  const waitMs = Math.round(full * (1 - patience.chance() / 2));
  const asked = failure.kind === "answer" ? failure.retryAfterMs : undefined;
  return Math.max(waitMs, asked ?? 0);
}
