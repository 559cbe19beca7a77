// A limit of requests in a span of time. It must not know what the requests are or what time it is.

/** Has room for so many requests in any span of its length; those that are not admitted do not count. */
export class RateWindow {
  readonly #most: number | undefined;
  readonly #spanMs: number;
  /** When the last ones came, the oldest first. */
  readonly #admitted: number[] = [];

  /** `most` undefined: all. */
  constructor(most: number | undefined, spanMs: number) {
    this.#most = most;
    this.#spanMs = spanMs;
  }

  hasRoom(atMs: number): boolean {
    while ((this.#admitted[0] ?? atMs) <= atMs - this.#spanMs) this.#admitted.shift();
    return this.#most === undefined || this.#admitted.length < this.#most;
  }

  admit(atMs: number): void {
    if (this.#most !== undefined) this.#admitted.push(atMs);
  }
}
