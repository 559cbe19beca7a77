// Callbacks that are due at some time, at most one of a name. It must not know what they do.

/** Calls back after a time; gives the function that cancels it. */
export type Schedule = (callback: () => void, delayMs: number) => () => void;

/** Timers by name. */
export class NamedTimers {
  readonly #schedule: Schedule;
  readonly #cancels = new Map<string, () => void>();
  #isStopped = false;

  constructor(schedule: Schedule) {
    this.#schedule = schedule;
  }

  /** Calls back once, at the time that was asked for first. */
  later(name: string, delayMs: number, callback: () => unknown): void {
    if (this.#isStopped || this.#cancels.has(name)) return;
    const cancel = this.#schedule(() => {
      this.#cancels.delete(name);
      callback();
    }, delayMs);
    this.#cancels.set(name, cancel);
  }

  /** Calls back at this time, and not before, whatever was asked for. */
  again(name: string, delayMs: number, callback: () => unknown): void {
    this.cancel(name);
    this.later(name, delayMs, callback);
  }

  cancel(name: string): void {
    this.#cancels.get(name)?.();
    this.#cancels.delete(name);
  }

  /** Calls nobody back any more. */
  stop(): void {
    this.#isStopped = true;
    for (const cancel of this.#cancels.values()) cancel();
    this.#cancels.clear();
  }
}
