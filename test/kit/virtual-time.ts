// Time that a test moves: calls come in the order of their times, and between two of them all that
// waits for settled promises goes on. It must not know what is called, nor wait for the real clock.

interface Call {
  readonly atMs: number;
  /** Calls of one time come in the order in which they were asked for. */
  readonly order: number;
  readonly callback: () => void;
}

/** A clock with calls to come. */
export class VirtualTime {
  #nowMs: number;
  #asked = 0;
  readonly #calls = new Set<Call>();

  /** @param startMs milliseconds since 1970 at its beginning */
  constructor(startMs = 0) {
    this.#nowMs = startMs;
  }

  readonly now = (): number => this.#nowMs;

  /** Calls back after a time; gives the function that cancels it. */
  readonly schedule = (callback: () => void, delayMs: number): (() => void) => {
    const call = { atMs: this.#nowMs + Math.max(0, delayMs), order: this.#asked++, callback };
    this.#calls.add(call);
    return () => {
      this.#calls.delete(call);
    };
  };

  /** How many calls are still to come. */
  get pending(): number {
    return this.#calls.size;
  }

  /** Resolves after a time, and rejects as soon as the signal says so. */
  wait(delayMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        cancel();
        reject(signal?.reason);
      };
      const cancel = this.schedule(() => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      }, delayMs);
      if (signal?.aborted) onAbort();
      else signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  /** Goes on until this moment, and stands there. */
  async runUntil(atMs: number): Promise<void> {
    await settled();
    for (let next = this.#first(); next && next.atMs <= atMs; next = this.#first()) {
      this.#calls.delete(next);
      this.#nowMs = next.atMs;
      next.callback();
      await settled();
    }
    this.#nowMs = Math.max(this.#nowMs, atMs);
  }

  runFor(durationMs: number): Promise<void> {
    return this.runUntil(this.#nowMs + durationMs);
  }

  /** Goes on until this has settled; throws if it has not after an hour. */
  async until<Value>(promise: Promise<Value>): Promise<Value> {
    let isSettled = false;
    const settle = (): void => {
      isSettled = true;
    };
    promise.then(settle, settle);
    await settled();
    const lastMs = this.#nowMs + 3_600_000;
    for (let next = this.#first(); !isSettled && next; next = this.#first()) {
      if (next.atMs > lastMs) break;
      await this.runUntil(next.atMs);
    }
    if (!isSettled) throw new Error("cannot wait for it: nothing more happens");
    return promise;
  }

  #first(): Call | undefined {
    let first: Call | undefined;
    for (const call of this.#calls) {
      const isEarlier =
        !first || call.atMs < first.atMs || (call.atMs === first.atMs && call.order < first.order);
      if (isEarlier) first = call;
    }
    return first;
  }
}

/** Resolves when nothing waits for a settled promise any more: an immediate comes after them all. */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
