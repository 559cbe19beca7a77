// The loop that reads a source again when something changed, one reading at a time, and hands on
// what came of it. It knows no source: anything that gives a state or problems will do. Does I/O
// (timers).

import { formatProblem, type Problem } from "../config/problem.ts";

/** What a reading gives; `retryAfterMs` asks for another reading after that time. */
export type Reading<State> = (
  | { readonly ok: true; readonly state: State }
  | { readonly ok: false; readonly problems: readonly Problem[] }
) & { readonly retryAfterMs?: number | undefined };

export interface ReloadOptions<State> {
  readonly read: () => Reading<State> | Promise<Reading<State>>;
  /** A state that is not the very object that was given last; or the same, once problems are mended. */
  readonly onState: (state: State) => void;
  /** Problems that are not the same as those that were given last. */
  readonly onProblems: (problems: readonly Problem[]) => void;
  /** `read` or one of the functions above threw: a mistake in the program. */
  readonly onError: (error: unknown) => void;
}

/**
 * Reads whenever `trigger` is called, never twice at once; calls during a reading make one more
 * after it, however many they are.
 */
export class Reload<State> {
  readonly #options: ReloadOptions<State>;
  #running: Promise<void> | undefined;
  #isWanted = false;
  #isStopped = false;
  #retry: NodeJS.Timeout | undefined;
  /** The last state, unless problems came after it. */
  #state: { readonly value: State } | undefined;
  #problems = "";

  constructor(options: ReloadOptions<State>) {
    this.#options = options;
  }

  /** Asks for a reading. The promise ends with the reading that sees all that was there at the call. */
  trigger(): Promise<void> {
    if (this.#isStopped) return Promise.resolve();
    this.#isWanted = true;
    this.#running ??= this.#run();
    return this.#running;
  }

  /** Reads no more; a reading that is under way ends unheard. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#retry);
  }

  async #run(): Promise<void> {
    while (this.#isWanted && !this.#isStopped) {
      this.#isWanted = false;
      clearTimeout(this.#retry);
      try {
        const reading = await this.#options.read();
        if (!this.#isStopped) this.#handOn(reading);
      } catch (error) {
        this.#options.onError(error);
      }
    }
    this.#running = undefined;
  }

  #handOn(reading: Reading<State>): void {
    if (reading.retryAfterMs !== undefined) {
      this.#retry = setTimeout(() => void this.trigger(), reading.retryAfterMs);
    }
    if (reading.ok) {
      this.#problems = "";
      if (this.#state?.value === reading.state) return;
      this.#state = { value: reading.state };
      this.#options.onState(reading.state);
    } else {
      const problems = reading.problems.map(formatProblem).join("\n");
      this.#state = undefined;
      if (problems === this.#problems) return;
      this.#problems = problems;
      this.#options.onProblems(reading.problems);
    }
  }
}
