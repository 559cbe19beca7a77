// The queries of a load that are under way: which ids they have, and which of them are lost. It
// knows ids and times; it sends and receives nothing.

/** Queries under way by slot; the slot is the lower part of the id, the upper part is by chance. */
export class Outstanding {
  readonly size: number;
  readonly #mask: number;
  /** The id under way in each slot; -1: none. */
  readonly #ids: Int32Array;
  readonly #sinceMs: Float64Array;
  readonly #free: Int32Array;
  #freeCount: number;
  #random = 0x2545f491;

  /** @param size queries under way at once, a power of two up to 32,768. */
  constructor(size: number) {
    if (size < 1 || size > 32768 || (size & (size - 1)) !== 0) {
      throw new RangeError(`cannot load: a window must be a power of two, got ${size}`);
    }
    this.size = size;
    this.#mask = size - 1;
    this.#ids = new Int32Array(size).fill(-1);
    this.#sinceMs = new Float64Array(size);
    this.#free = Int32Array.from({ length: size }, (_, slot) => slot);
    this.#freeCount = size;
  }

  /** How many more may be under way. */
  get free(): number {
    return this.#freeCount;
  }

  /** An id for a query from now on; there must be a free one. */
  take(sinceMs: number): number {
    const slot = this.#free[--this.#freeCount] ?? 0;
    let random = this.#random;
    random ^= random << 13;
    random ^= random >>> 17;
    random ^= random << 5;
    this.#random = random;
    const id = (random & 0xffff & ~this.#mask) | slot;
    this.#ids[slot] = id;
    this.#sinceMs[slot] = sinceMs;
    return id;
  }

  /** Since when the query with this id was under way, which it is no more; -1: it was not. */
  answered(id: number): number {
    const slot = id & this.#mask;
    if (this.#ids[slot] !== id) return -1;
    this.#ids[slot] = -1;
    this.#free[this.#freeCount++] = slot;
    return this.#sinceMs[slot] ?? -1;
  }

  /** Gives up on all that are under way since before this time; how many those were. */
  giveUp(beforeMs: number): number {
    let lost = 0;
    for (let slot = 0; slot < this.size; slot++) {
      if ((this.#ids[slot] ?? -1) < 0 || (this.#sinceMs[slot] ?? 0) >= beforeMs) continue;
      this.#ids[slot] = -1;
      this.#free[this.#freeCount++] = slot;
      lost++;
    }
    return lost;
  }
}
