// A count that somebody else keeps in 32 bits, the kernel or another thread, as a number that never goes
// down. It must not know what is counted.

/** To be told the count now and then: more often than 2^32 more are counted. */
export class WholeCount {
  #last = 0;
  #value = 0;

  /** The whole count, as the 32 bits of it are `now`, with a sign or without. */
  at(now: number): number {
    this.#value += (now - this.#last) >>> 0;
    this.#last = now;
    return this.#value;
  }
}
