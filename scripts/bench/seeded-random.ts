// Chance that can be had again: the same seed gives the same networks, names and queries in every
// run and for every server. It knows nothing of what the numbers are used for.

/** A source of whole numbers from 0 to 2^32 - 1. */
export type RandomWords = () => number;

/** Numbers from a seed (mulberry32, https://gist.github.com/tommyettinger/46a874533244883189143505d203312c). */
export function seededRandom(seed: number): RandomWords {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let word = Math.imul(state ^ (state >>> 15), state | 1);
    word ^= word + Math.imul(word ^ (word >>> 7), word | 61);
    return (word ^ (word >>> 14)) >>> 0;
  };
}

/** A whole number from 0 to `bound` - 1. */
export function below(random: RandomWords, bound: number): number {
  return Math.floor((random() / 2 ** 32) * bound);
}

/** Puts the elements in a random order, in place (Fisher and Yates). */
export function shuffle<Element>(elements: Element[], random: RandomWords): Element[] {
  for (let last = elements.length - 1; last > 0; last--) {
    const other = below(random, last + 1);
    const moved = elements[last] as Element;
    elements[last] = elements[other] as Element;
    elements[other] = moved;
  }
  return elements;
}
