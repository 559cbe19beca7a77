// Repeatable chance for generated tests: equal seeds throw equal numbers on every machine. It
// must not know what is drawn.

/** A source of chance that a seed decides wholly (mulberry32). */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** A number in [0,1). */
  unit(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x100000000;
  }

  /** A whole number, both bounds included. */
  integer(least: number, most: number): number {
    return least + Math.floor(this.unit() * (most - least + 1));
  }

  /** True with this probability. */
  chance(probability: number): boolean {
    return this.unit() < probability;
  }

  /** One of the items; throws if there is none. */
  pick<Item>(items: readonly Item[]): Item {
    const at = this.integer(0, items.length - 1);
    if (items.length === 0) throw new Error("cannot pick: there is no item");
    return items[at] as Item;
  }

  /** Each item with this probability, in their order. */
  some<Item>(items: readonly Item[], probability: number): Item[] {
    return items.filter(() => this.chance(probability));
  }

  octets(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => this.integer(0, 255));
  }
}
