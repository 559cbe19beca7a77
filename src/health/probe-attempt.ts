// What all probes have in common: one end, the first that is reported, not later than the time-out,
// and nothing left open behind it. It must not know what is asked. Does I/O: timers.

import type { ProbeResult } from "./endpoint-machine.ts";
import { plainReason, reasonOf } from "./probe-reason.ts";
import type { Target } from "./target.ts";

/** A target whose port is known. */
export type ProbePlace = Pick<Target, "address" | "check"> & { readonly port: number };

/** How the one who asks tells what happens. Only the first end counts. */
export interface Attempt {
  /** From here on a time-out is the answer's, no longer the connection's. */
  connected(): void;
  /** The probe is over; the reason is made plain (`plainReason`). */
  end(isSuccess: boolean, reason: string): void;
  /** The probe failed with this error, told by `reasonOf`. */
  fail(error: unknown): void;
}

/** A timer that fires so late tells that this process stood still, and the result is dropped. */
const hopelessMs = 2000;

/**
 * Begins, and resolves with the first end: what is reported, the time-out, or the abort.
 * `begin` returns how to close what it opened, which is called once, at the end.
 */
export function attempt(
  { check }: ProbePlace,
  signal: AbortSignal | undefined,
  begin: (attempt: Attempt) => () => void,
): Promise<ProbeResult> {
  const timeoutMs = check.timeoutSeconds * 1000;
  const deadlineMs = performance.now() + timeoutMs;
  return new Promise((resolve) => {
    let isOver = false;
    let isConnected = false;
    let hasGrace = true;
    let close: (() => void) | undefined;
    const end = (isSuccess: boolean, reason: string): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      close?.();
      resolve({ isSuccess, reason: plainReason(reason) });
    };
    const fail = (error: unknown): void => end(false, reasonOf(error));
    const onAbort = (): void => end(false, "aborted");
    // Timers fire before sockets are read. Where this process was late, the answer may be waiting
    // in the kernel, and the time that was lost was not the endpoint's: it is given back, once.
    const onTime = (): void => {
      const lateMs = performance.now() - deadlineMs;
      if (hasGrace && lateMs < hopelessMs) {
        hasGrace = false;
        timer = setTimeout(onTime, Math.max(1, lateMs));
      } else end(false, `${isConnected ? "" : "connect "}timeout after ${timeoutMs} ms`);
    };
    let timer = setTimeout(onTime, timeoutMs);
    signal?.addEventListener("abort", onAbort, { once: true });
    if (signal?.aborted) {
      onAbort();
      return;
    }
    try {
      close = begin({
        connected: () => {
          isConnected = true;
        },
        end,
        fail,
      });
      if (isOver) close();
    } catch (error) {
      fail(error);
    }
  });
}
