// Keeps the reports of faults few: whoever can cause a fault with a packet must not be able to
// fill the log with it. It must not know what a fault is; the time arrives as an argument.

/** Milliseconds in which one report is let through. */
const intervalMs = 1000;

/** Lets one report a second through, which says how many there were since the last one. */
export class FaultReport {
  #lastMs = Number.NEGATIVE_INFINITY;
  #held = 0;

  /**
   * The text to report now, or `undefined` if another one was reported within the last second.
   * @param nowMs on any clock that does not go back.
   */
  add(text: string, nowMs: number): string | undefined {
    if (nowMs - this.#lastMs < intervalMs) {
      this.#held++;
      return undefined;
    }
    const held = this.#held;
    this.#lastMs = nowMs;
    this.#held = 0;
    return held === 0 ? text : `${text}\n(${held} more since the last report)`;
  }
}
