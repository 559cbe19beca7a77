// What waits to be sent to one receiver: its ballots in the order of their sequence, one at a time,
// each tried again for a bounded time. It must not know other receivers, so that none of them waits
// for this one. Does I/O.

import pRetry, { AbortError } from "p-retry";
import { type Caller, CallFailure } from "./ballot-request.ts";
import { type Refusal, refusals } from "./refusal.ts";
import { signatureHeader } from "./signature.ts";

/** Octets that are signed already. */
export interface Outgoing {
  readonly octets: Buffer;
  readonly signature: string;
  readonly isFull: boolean;
}

export interface LineTimes {
  /** For one attempt. */
  readonly attemptMs: number;
  /** For all attempts at one ballot: the next full one comes 5 s after the last. */
  readonly totalMs: number;
  /** Before the second attempt; doubled for each further one, up to a second. */
  readonly pauseMs: number;
}

/** A receiver that is well never has so many waiting; the next full ballot says all of it anew. */
const mostWaiting = 100;
const largestAnswerOctets = 64 * 1024;

export class BallotLine {
  readonly #url: string;
  readonly #caller: Caller;
  readonly #times: LineTimes;
  readonly #onOutcome: (outcome: string) => void;
  readonly #stop = new AbortController();
  #waiting: Outgoing[] = [];
  #current: Outgoing | undefined;
  /** A full ballot came after the current one: it need not be tried again. */
  #isSuperseded = false;
  #running: Promise<void> | undefined;

  constructor(url: string, caller: Caller, times: LineTimes, onOutcome: (outcome: string) => void) {
    this.#url = url;
    this.#caller = caller;
    this.#times = times;
    this.#onOutcome = onOutcome;
  }

  /**
   * Puts a ballot into the line. A full one takes the place of all that wait, for it says what they
   * say. Changes never overtake the full ballot before them: its sequence would be a past one then.
   */
  add(ballot: Outgoing): void {
    if (this.#stop.signal.aborted) return;
    if (ballot.isFull) {
      this.#waiting = [];
      this.#isSuperseded = this.#current !== undefined;
    }
    if (this.#waiting.length >= mostWaiting) {
      this.#waiting.splice(this.#waiting[0]?.isFull ? 1 : 0, 1);
    }
    this.#waiting.push(ballot);
    this.#running ??= this.#run();
  }

  /** Gives up what is under way and what waits; resolves when nothing runs any more. */
  async stop(): Promise<void> {
    this.#waiting = [];
    this.#stop.abort(new CallFailure("stopped"));
    await this.#running;
  }

  async #run(): Promise<void> {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      this.#current = next;
      this.#isSuperseded = false;
      const outcome = await this.#deliver(next);
      this.#current = undefined;
      if (!this.#stop.signal.aborted) this.#onOutcome(outcome);
    }
    this.#running = undefined;
  }

  /** Resolves with `taken` or the reason; never rejects. */
  async #deliver(ballot: Outgoing): Promise<string> {
    const { attemptMs, totalMs, pauseMs } = this.#times;
    const endMs = performance.now() + totalMs;
    let last: string | undefined;
    try {
      return await pRetry(
        async () => {
          const leftMs = Math.floor(endMs - performance.now());
          // An attempt with hardly any time would hide the reason of the one before it.
          const isLate = leftMs < attemptMs / 4 || this.#isSuperseded;
          if (isLate && last !== undefined) throw new AbortError(last);
          try {
            return await this.#attempt(ballot, leftMs);
          } catch (error) {
            last = error instanceof Error ? error.message : String(error);
            throw error;
          }
        },
        {
          retries: Number.POSITIVE_INFINITY,
          minTimeout: pauseMs,
          maxTimeout: 1000,
          maxRetryTime: totalMs,
          signal: this.#stop.signal,
          shouldRetry: () => !this.#isSuperseded,
        },
      );
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  /**
   * Resolves with the outcome of an answer that another attempt would not change; rejects where it
   * might.
   */
  async #attempt(ballot: Outgoing, leftMs: number): Promise<string> {
    const { status, body } = await this.#caller.call({
      method: "POST",
      url: this.#url,
      headers: {
        "content-type": "application/json",
        "content-length": String(ballot.octets.length),
        [signatureHeader]: ballot.signature,
      },
      body: ballot.octets,
      largestAnswerOctets,
      timeoutMs: Math.min(this.#times.attemptMs, leftMs),
      signal: this.#stop.signal,
    });
    if (status >= 200 && status < 300) return "taken";
    const refusal = refusalIn(body);
    // The receiver has this ballot or a later one already: an attempt came whose answer was lost,
    // or it asked for the ballot itself. No one else has this boot's sequences.
    if (refusal === "replayed") return "taken";
    const outcome = refusal
      ? `refused as ${refusal}: ${refusals[refusal].message}`
      : `status ${status}`;
    // It was sent whole: the receiver gave it up for want of room or time.
    if (status >= 500 || refusal === "truncated") throw new Error(outcome);
    return outcome;
  }
}

/** The reason that an answer names, if it is one that is known here. */
function refusalIn(body: Buffer): Refusal | undefined {
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    if (typeof value !== "object" || value === null || !("error" in value)) return undefined;
    const { error } = value;
    return typeof error === "string" && isRefusal(error) ? error : undefined;
  } catch {
    return undefined;
  }
}

function isRefusal(text: string): text is Refusal {
  return Object.hasOwn(refusals, text);
}
