// What is remembered of questions by their hashes alone, in a fixed amount of memory: where their
// answer was found last, and whether they were asked lately. It may be wrong and must only save work.

const slots = 0x10000;

/** Where an answer was found last. */
export const FoundBy = { UNKNOWN: 0, ANY_VIEW: 1, OWN_VIEW: 2 } as const;

export class Sightings {
  readonly #foundBy = new Uint8Array(slots);
  readonly #marks = new Uint16Array(slots);

  foundBy(hash: number): number {
    return this.#foundBy[hash & (slots - 1)] ?? FoundBy.UNKNOWN;
  }

  setFoundBy(hash: number, by: number): void {
    this.#foundBy[hash & (slots - 1)] = by;
  }

  /** Whether the question was asked lately; from now on it was. */
  isSecond(hash: number): boolean {
    const slot = hash & (slots - 1);
    const mark = (hash >>> 16) | 1;
    if (this.#marks[slot] === mark) return true;
    this.#marks[slot] = mark;
    return false;
  }
}
