// Chooses a share of all queries by chance: each is as likely as any other, so clients that ask in
// step hide from nobody. The gap to the next one is drawn, so that most queries cost one subtraction.

/** Longer gaps are drawn in parts: small whole numbers need no memory of their own. */
const longestGapDefault = 0x3fff_ffff;

/** A sampler of one thread. */
export class QuerySampler {
  /** Xorshift (Marsaglia 2003, https://www.jstatsoft.org/article/view/v008i14), never 0. */
  #state: number;
  #share = 0;
  /** Queries until the next one that counts, or until the gap's next part. */
  #gap = 0;
  #isPart = true;
  readonly #longestGap: number;

  /**
   * @param seed in [0,1): threads of equal seeds choose alike.
   * @param longestGap 1 to 2^30.
   */
  constructor(seed: number, longestGap: number = longestGapDefault) {
    this.#longestGap = longestGap;
    this.#state = Math.floor(seed * 0xffff_ffff) | 0 || 1;
  }

  /** Chooses so large a share from now on, 0 to 1. */
  setShare(share: number): void {
    this.#share = share;
    this.#draw();
  }

  /** Whether the query at hand is of the share. */
  isDue(): boolean {
    if (this.#gap > 0) {
      this.#gap -= 1;
      return false;
    }
    const isPart = this.#isPart;
    this.#draw();
    // What comes after the part of a gap is as far away as it ever was.
    return isPart ? this.isDue() : true;
  }

  /** The number of failures before a success is distributed geometrically. */
  #draw(): void {
    const gap =
      this.#share <= 0
        ? Number.POSITIVE_INFINITY
        : Math.floor(Math.log(this.#unit()) / Math.log1p(-this.#share));
    this.#isPart = gap >= this.#longestGap;
    this.#gap = this.#isPart ? this.#longestGap : gap | 0;
  }

  /** In (0,1]. */
  #unit(): number {
    let state = this.#state;
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    this.#state = state;
    return (state >>> 0) / 0xffff_ffff;
  }
}
