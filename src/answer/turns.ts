// Whose turn it is: how far the addresses of a cluster are rotated in the next answer to a
// question. It must not know the question, only its hash.

const counters = 0x10000;

/** A counter for each question, as far as their hashes differ, in a fixed amount of memory. */
export class Turns {
  readonly #turns = new Uint32Array(counters);

  /** @param chance in [0,1): where each begins, so that restarts favour no address. */
  constructor(chance: () => number) {
    for (let at = 0; at < counters; at++) this.#turns[at] = Math.floor(chance() * 0x10000);
  }

  /** The question's turn; it counts up by one each time. */
  next(hash: number): number {
    const at = hash & (counters - 1);
    const turn = this.#turns[at] ?? 0;
    // Kept small: numbers past 31 bits would be slower.
    this.#turns[at] = (turn + 1) & 0x3fffffff;
    return turn;
  }
}

/**
 * More variants of rotation than this are not kept, but for as many as one cluster has addresses:
 * the first so many are answered in turn, and each address has a turn.
 */
export const mostVariants = 64;

/** After how many answers two rotations are together where they began; any number past `mostVariants` for more. */
export function leastCommonMultiple(a: number, b: number): number {
  if (b <= 1 || a > mostVariants) return a;
  let [x, y] = [a, b];
  while (y > 0) [x, y] = [y, x % y];
  return (a / x) * b;
}
