// Lets so many tasks begin in any span of time, first in first out. It knows times; it must not know
// what the tasks do. Does I/O: timers.

/** Where the time comes from, so that tests need not wait. */
export interface PaceClock {
  /** Milliseconds of a clock that is never set. */
  readonly now: () => number;
  /** Calls back once after so many milliseconds, unless what it returns is called. */
  readonly after: (delayMs: number, callback: () => void) => () => void;
}

export interface PaceOptions {
  /** Tasks within one span, 1 or more. */
  readonly most: number;
  readonly spanMs: number;
  readonly clock?: PaceClock;
}

interface Waiting {
  readonly begin: () => void;
}

/**
 * Runs tasks such that no more than `most` of them are under way in any span of `spanMs`. A task
 * counts from its beginning until `spanMs` after its end: what is sent may arrive at any moment
 * between the two, and the receiver counts arrivals.
 */
export class Pace {
  readonly #most: number;
  readonly #spanMs: number;
  readonly #clock: PaceClock;
  readonly #waiting: Waiting[] = [];
  #running = 0;
  /** Until when tasks that have ended still count, the earliest first. */
  readonly #countedUntilMs: number[] = [];
  #cancelLook: (() => void) | undefined;

  constructor({ most, spanMs, clock = systemClock }: PaceOptions) {
    this.#most = most;
    this.#spanMs = spanMs;
    this.#clock = clock;
  }

  /**
   * Runs a task when its turn comes and settles as it does.
   * @throws the signal's reason, if that comes before its turn
   */
  async run<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.#turn(signal);
    try {
      return await task();
    } finally {
      this.#running--;
      this.#countedUntilMs.push(this.#clock.now() + this.#spanMs);
      this.#look();
    }
  }

  #turn(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const waiting = {
        begin: () => {
          signal?.removeEventListener("abort", leave);
          resolve();
        },
      };
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(signal?.reason);
        this.#look();
      };
      signal?.addEventListener("abort", leave, { once: true });
      this.#waiting.push(waiting);
      this.#look();
    });
  }

  /** Lets begin what may, and looks again when the next may. Nobody waits: no timer is left. */
  #look(): void {
    this.#cancelLook?.();
    this.#cancelLook = undefined;
    const nowMs = this.#clock.now();
    while ((this.#countedUntilMs[0] ?? Number.POSITIVE_INFINITY) <= nowMs) {
      this.#countedUntilMs.shift();
    }
    while (this.#running + this.#countedUntilMs.length < this.#most) {
      const next = this.#waiting.shift();
      if (!next) return;
      this.#running++;
      next.begin();
    }
    const [nextMs] = this.#countedUntilMs;
    if (this.#waiting.length === 0 || nextMs === undefined) return;
    this.#cancelLook = this.#clock.after(nextMs - nowMs, () => this.#look());
  }
}

/**
 * Resolves after so many milliseconds.
 * @throws the signal's reason, if that comes first
 */
export function wait(
  delayMs: number,
  signal: AbortSignal,
  clock: PaceClock = systemClock,
): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const stop = () => {
      cancel();
      reject(signal.reason);
    };
    const cancel = clock.after(delayMs, () => {
      signal.removeEventListener("abort", stop);
      resolve();
    });
    signal.addEventListener("abort", stop, { once: true });
  });
}

/** The machine's own time. */
export const systemClock: PaceClock = {
  now: () => performance.now(),
  after: (delayMs, callback) => {
    const timer = setTimeout(callback, Math.ceil(delayMs));
    return () => clearTimeout(timer);
  },
};
