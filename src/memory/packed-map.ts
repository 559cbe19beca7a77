// A map from octet keys to octet values in shared memory: one thread writes, any number read, and
// what is written is seen at once without a message. This is the readers' side. It must not know
// what keys and values mean.

import { lastWord, wordCount } from "./key-words.ts";

/**
 * Where a record lies, in words over all segments. 0: nowhere. A record is six words (below), the
 * key's words and the value's octets.
 */
export type RecordRef = number;

/** Words of a segment's address range; the top bits of a reference say which segment it is in. */
export const segmentBits = 20;
const wordMask = (1 << segmentBits) - 1;

/** The words at the head of a record. */
export const RecordWord = {
  BLOCK: 0,
  REVISION: 1,
  HASH: 2,
  TAG: 3,
  KEY: 4,
  VALUE: 5,
  HEAD: 6,
} as const;

/** The words of a map's control array. */
export const ControlWord = { PUBLICATION: 0, REVISION: 1, USER: 2, COUNT: 4 } as const;

/** A map as it is handed to other threads: shared memory only. */
export interface PackedImage {
  /** See `ControlWord`; the words from `USER` on are the owner's own. */
  readonly control: Int32Array;
  readonly segments: readonly Int32Array[];
  /** Pairs of hash and reference, a power of two of them; reference 0: free, -1: free again. */
  readonly index: Int32Array;
}

/** What a map got more of. Readers must have it before they see anything that lies in it. */
export type PackedGrowth =
  | { readonly segment: Int32Array; readonly at: number }
  | { readonly index: Int32Array };

/** Whether the writer was in the middle of a change. */
export function isChanging(publication: number): boolean {
  return (publication & 1) === 1;
}

/** Reads a map that another thread, or this one, writes. */
export class PackedMap {
  /**
   * Takes up at once what the writer has said that there is more of: called when something lies in
   * memory that this reader has not been told of yet.
   */
  refresh: () => void = () => undefined;
  readonly control: Int32Array;
  protected readonly segments: Int32Array[];
  readonly #octets: Uint8Array[];
  protected index: Int32Array;

  constructor({ control, segments, index }: PackedImage) {
    this.control = control;
    this.segments = [...segments];
    this.#octets = this.segments.map(octetsOf);
    this.index = index;
  }

  /** What other threads make the same map of, if nobody writes to it any more. */
  image(): PackedImage {
    return { control: this.control, segments: [...this.segments], index: this.index };
  }

  /** Takes up what the writer says that there is more of. */
  grow(growth: PackedGrowth): void {
    if ("index" in growth) {
      this.index = growth.index;
    } else {
      this.segments[growth.at] = growth.segment;
      this.#octets[growth.at] = octetsOf(growth.segment);
    }
  }

  /** Counts up twice with each change: it is odd while one is being made. */
  get publication(): number {
    return Atomics.load(this.control, ControlWord.PUBLICATION);
  }

  /** The record of a key, or 0. The key is in lower case, its last word filled up with zeros or cut by this. */
  find(key: Int32Array, length: number, hash: number): RecordRef {
    const index = this.index;
    const mask = (index.length >> 1) - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      // Read as it is: a word is never torn, and what lies behind a reference is reached by way of
      // it. `Atomics.load` is a call of its own and took longer than the rest of the search.
      const ref = index[slot * 2 + 1] ?? 0;
      if (ref === 0) return 0;
      if (ref >>> segmentBits >= this.segments.length && ref > 0) this.refresh();
      if (ref > 0 && index[slot * 2] === hash && this.#hasKey(ref, key, length)) return ref;
    }
  }

  #hasKey(ref: RecordRef, key: Int32Array, length: number): boolean {
    const words = this.wordsOf(ref);
    const at = ref & wordMask;
    if (words[at + RecordWord.KEY] !== length) return false;
    const start = at + RecordWord.HEAD;
    const last = wordCount(length) - 1;
    for (let word = 0; word < last; word++) {
      if (words[start + word] !== key[word]) return false;
    }
    return words[start + last] === lastWord(key[last] ?? 0, length);
  }

  /** Changes whenever the record does, and when it is gone; never what it was before. */
  revisionOf(ref: RecordRef): number {
    return Atomics.load(this.wordsOf(ref), (ref & wordMask) + RecordWord.REVISION);
  }

  /** The owner's number beside the value. */
  tagOf(ref: RecordRef): number {
    return this.wordsOf(ref)[(ref & wordMask) + RecordWord.TAG] ?? 0;
  }

  keyLengthOf(ref: RecordRef): number {
    return this.wordsOf(ref)[(ref & wordMask) + RecordWord.KEY] ?? 0;
  }

  valueLengthOf(ref: RecordRef): number {
    return this.wordsOf(ref)[(ref & wordMask) + RecordWord.VALUE] ?? 0;
  }

  /** The octets that hold key and value; where they begin is said by `keyAt` and `valueAt`. */
  octetsOf(ref: RecordRef): Uint8Array {
    return this.#octets[ref >>> segmentBits] ?? nothing;
  }

  keyAt(ref: RecordRef): number {
    return ((ref & wordMask) + RecordWord.HEAD) * 4;
  }

  valueAt(ref: RecordRef): number {
    return this.keyAt(ref) + wordCount(this.keyLengthOf(ref)) * 4;
  }

  /** Where the value begins among the words of its segment. */
  valueWordAt(ref: RecordRef): number {
    return (ref & wordMask) + RecordWord.HEAD + wordCount(this.keyLengthOf(ref));
  }

  /** A copy of the value. */
  valueOf(ref: RecordRef): Uint8Array {
    const at = this.valueAt(ref);
    return new Uint8Array(this.octetsOf(ref).subarray(at, at + this.valueLengthOf(ref)));
  }

  /** All records that are there, in no order. What is changed meanwhile may be seen or not. */
  *refs(): Generator<RecordRef> {
    const { index } = this;
    for (let slot = 1; slot < index.length; slot += 2) {
      const ref = Atomics.load(index, slot);
      if (ref > 0) yield ref;
    }
  }

  /** The same memory as `octetsOf`. */
  wordsOf(ref: RecordRef): Int32Array {
    return this.segments[ref >>> segmentBits] ?? noWords;
  }
}

function octetsOf(segment: Int32Array): Uint8Array {
  return new Uint8Array(segment.buffer, segment.byteOffset, segment.byteLength);
}

const nothing = new Uint8Array(0);
const noWords = new Int32Array(0);
