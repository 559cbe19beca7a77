// A set of services that takes eight octets for each: two hashes of its key. Two services of
// millions have the same pair once in many thousand years of changes. It must not know what is
// said of them.

import { writeLabels } from "../federation/service-reader.ts";
import { hashKey, type KeyBuffer, keyBuffer, wordCount } from "../memory/key-words.ts";

const firstSlots = 16;

/** Grows as it is filled; nothing is taken out of it. */
export class ServiceHashes {
  /** Pairs of hashes, a power of two of them; the second one 0: free. */
  #slots = new Int32Array(firstSlots * 2);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds a service by its two hashes (`firstHash`, `secondHash`); false if it was there. */
  add(first: number, second: number): boolean {
    if (this.#size * 8 >= this.#slots.length * 3) this.#grow();
    const at = slotOf(this.#slots, first, second);
    if (this.#slots[at + 1] !== 0) return false;
    this.#slots[at] = first;
    this.#slots[at + 1] = second;
    this.#size++;
    return true;
  }

  has(first: number, second: number): boolean {
    const at = slotOf(this.#slots, first, second);
    return this.#slots[at + 1] !== 0;
  }

  /** Every pair of hashes that is also in `other`. */
  forEachShared(other: ServiceHashes, onShared: (first: number, second: number) => void): void {
    this.forEach((first, second) => {
      if (other.has(first, second)) onShared(first, second);
    });
  }

  /** Whether any of the sets has each service of this one. */
  isWithin(others: readonly ServiceHashes[]): boolean {
    let isWithin = true;
    this.forEach((first, second) => {
      isWithin = isWithin && others.some((each) => each.has(first, second));
    });
    return isWithin;
  }

  /** Every pair of hashes, in no order. */
  forEach(visit: (first: number, second: number) => void): void {
    const slots = this.#slots;
    for (let at = 0; at < slots.length; at += 2) {
      const [first = 0, second = 0] = [slots[at], slots[at + 1]];
      if (second !== 0) visit(first, second);
    }
  }

  #grow(): void {
    const former = this.#slots;
    const slots = new Int32Array(former.length * 2);
    for (let at = 0; at < former.length; at += 2) {
      const first = former[at] ?? 0;
      const second = former[at + 1] ?? 0;
      if (second === 0) continue;
      const to = slotOf(slots, first, second);
      slots[to] = first;
      slots[to + 1] = second;
    }
    this.#slots = slots;
  }
}

/** The hash that services are also found by in memory. */
export function firstHash({ words }: KeyBuffer, keyLength: number): number {
  return hashKey(words, keyLength);
}

/** A hash that has nothing to do with the first one; never 0. */
export function secondHash({ words }: KeyBuffer, keyLength: number): number {
  let hash = 0x2545f491 ^ keyLength;
  const count = wordCount(keyLength);
  for (let at = 0; at < count; at++) {
    hash = Math.imul(hash ^ (words[at] ?? 0), 0x01000193);
    hash ^= hash >>> 15;
  }
  hash = Math.imul(hash ^ (hash >>> 13), 0x27d4eb2f);
  return (hash ^ (hash >>> 16)) | 1;
}

/** Both hashes of the service `namespace/name`. */
export function hashesOf(key: string): [first: number, second: number] {
  const slash = key.indexOf("/");
  const length = writeLabels(scratch, [key.slice(slash + 1), key.slice(0, slash)]);
  return [firstHash(scratch, length), secondHash(scratch, length)];
}

const scratch = keyBuffer();

/** Where a pair of hashes stands, or the free place for it. */
function slotOf(slots: Int32Array, first: number, second: number): number {
  const mask = slots.length - 2;
  for (let at = (first << 1) & mask; ; at = (at + 2) & mask) {
    const found = slots[at + 1];
    if (found === 0 || (found === second && slots[at] === first)) return at;
  }
}
