// The writer's side of a map in shared memory: puts and deletes records so that readers see one
// whole version or the other, and uses memory again when nobody can be reading it. It must not
// know what keys and values mean.

import { isSince, oldestReader } from "./epochs.ts";
import { lastWord, wordCount } from "./key-words.ts";
import {
  ControlWord,
  type PackedGrowth,
  type PackedImage,
  PackedMap,
  type RecordRef,
  RecordWord,
  segmentBits,
} from "./packed-map.ts";

/** Words of the first segment; each further one is four times as large, up to a whole address range. */
const firstSegmentBits = 10;
const wordMask = (1 << segmentBits) - 1;
/** Records the index has room for at first. */
const firstSlots = 16;

export interface PackedWriterOptions {
  /** Told of each growth before anything is published that lies in it. */
  readonly onGrowth?: (growth: PackedGrowth) => void;
}

/** A map that this thread writes. */
export class PackedWriter extends PackedMap {
  readonly #onGrowth: (growth: PackedGrowth) => void;
  /** `undefined`: no other thread reads. */
  #marks: Int32Array | undefined;
  readonly #free = new Map<number, RecordRef[]>();
  /** Blocks that readers may still be in, with the publication that took them out, oldest first. */
  #retired: { ref: RecordRef; publication: number }[] = [];
  /** The next free word of the last segment, and the end of it. */
  #next = 1;
  #segmentEnd: number;
  #size = 0;
  #usedSlots = 0;

  constructor(options: PackedWriterOptions = {}) {
    super({
      control: sharedWords(ControlWord.COUNT),
      segments: [sharedWords(1 << firstSegmentBits)],
      index: sharedWords(firstSlots * 2),
    });
    this.#onGrowth = options.onGrowth ?? (() => undefined);
    this.#segmentEnd = 1 << firstSegmentBits;
    Atomics.store(this.control, ControlWord.PUBLICATION, 2);
  }

  /**
   * What other threads make their `PackedMap` of.
   * @param marks of all threads that read; memory is used again only when they have moved on.
   */
  share(marks: Int32Array): PackedImage {
    this.#marks = marks;
    return this.image();
  }

  get size(): number {
    return this.#size;
  }

  /**
   * Adds a record or puts one in the place of the key's former one.
   * @param key in lower case, the last word filled up with zeros.
   * @returns the record; it is the former one if nothing is different.
   */
  put(
    key: Int32Array,
    keyLength: number,
    hash: number,
    tag: number,
    value: Uint8Array,
    valueLength: number,
  ): RecordRef {
    const slot = this.#slotOf(key, keyLength, hash);
    const former = slot < 0 ? 0 : (this.index[slot * 2 + 1] ?? 0);
    if (former !== 0 && this.#isSame(former, tag, value, valueLength)) return former;

    const ref = this.#allocate(RecordWord.HEAD + wordCount(keyLength) + wordCount(valueLength));
    const words = this.wordsOf(ref);
    const at = ref & wordMask;
    Atomics.store(words, at + RecordWord.REVISION, this.#nextRevision());
    words[at + RecordWord.HASH] = hash;
    words[at + RecordWord.TAG] = tag;
    words[at + RecordWord.KEY] = keyLength;
    words[at + RecordWord.VALUE] = valueLength;
    const keyWords = wordCount(keyLength);
    for (let word = 0; word < keyWords; word++) {
      words[at + RecordWord.HEAD + word] = key[word] ?? 0;
    }
    words[at + RecordWord.HEAD + keyWords - 1] = lastWord(key[keyWords - 1] ?? 0, keyLength);
    const octets = this.octetsOf(ref);
    const valueAt = (at + RecordWord.HEAD + keyWords) * 4;
    for (let octet = 0; octet < valueLength; octet++) octets[valueAt + octet] = value[octet] ?? 0;

    this.#begin();
    if (former !== 0) {
      Atomics.store(this.index, slot * 2 + 1, ref);
      this.#retire(former);
    } else {
      this.#insert(hash, ref);
      this.#size++;
    }
    this.#end();
    return ref;
  }

  /** Takes a key's record out; whether there was one. */
  delete(key: Int32Array, keyLength: number, hash: number): boolean {
    const slot = this.#slotOf(key, keyLength, hash);
    if (slot < 0) return false;
    const former = this.index[slot * 2 + 1] ?? 0;
    this.#begin();
    Atomics.store(this.index, slot * 2 + 1, -1);
    this.#size--;
    this.#retire(former);
    this.#end();
    return true;
  }

  /** Gives a record another tag in its place, as a change that readers notice. */
  setTag(ref: RecordRef, tag: number): void {
    this.#begin();
    Atomics.store(this.wordsOf(ref), (ref & wordMask) + RecordWord.TAG, tag);
    this.#stamp(ref);
    this.#end();
  }

  /** Sets one of the owner's own words of the control array, as a change that readers notice. */
  setControl(word: number, value: number): void {
    this.#begin();
    Atomics.store(this.control, word, value);
    this.#end();
  }

  /** Words that wait for readers to move on; for tests and metrics. */
  get retiredBlocks(): number {
    return this.#retired.length;
  }

  #slotOf(key: Int32Array, length: number, hash: number): number {
    const ref = this.find(key, length, hash);
    if (ref === 0) return -1;
    const mask = (this.index.length >> 1) - 1;
    let slot = hash & mask;
    while (this.index[slot * 2 + 1] !== ref) slot = (slot + 1) & mask;
    return slot;
  }

  #isSame(ref: RecordRef, tag: number, value: Uint8Array, valueLength: number): boolean {
    if (this.tagOf(ref) !== tag || this.valueLengthOf(ref) !== valueLength) return false;
    const octets = this.octetsOf(ref);
    const at = this.valueAt(ref);
    for (let octet = 0; octet < valueLength; octet++) {
      if (octets[at + octet] !== value[octet]) return false;
    }
    return true;
  }

  #insert(hash: number, ref: RecordRef): void {
    // At most half full, so that a search ends soon.
    if ((this.#usedSlots + 1) * 4 > this.index.length) this.#rebuildIndex();
    if (putIntoIndex(this.index, hash, ref)) this.#usedSlots++;
  }

  /** A new index without the slots of deleted records, larger if it must be. */
  #rebuildIndex(): void {
    let slots = firstSlots;
    while (slots < (this.#size + 1) * 3) slots *= 2;
    const index = sharedWords(slots * 2);
    for (const ref of this.refs()) {
      putIntoIndex(index, this.wordsOf(ref)[(ref & wordMask) + RecordWord.HASH] ?? 0, ref);
    }
    this.#usedSlots = this.#size;
    this.index = index;
    this.#onGrowth({ index });
  }

  /** A change begins: whoever reads now may see it half. */
  #begin(): void {
    Atomics.add(this.control, ControlWord.PUBLICATION, 1);
  }

  #end(): void {
    Atomics.add(this.control, ControlWord.PUBLICATION, 1);
  }

  /** Gives a record a revision that none had, which who keeps its former one notices. */
  #stamp(ref: RecordRef): void {
    const at = (ref & wordMask) + RecordWord.REVISION;
    Atomics.store(this.wordsOf(ref), at, this.#nextRevision());
  }

  #nextRevision(): number {
    return Atomics.add(this.control, ControlWord.REVISION, 1) + 1;
  }

  /** What no index leads to any more waits for its readers; those who kept its revision notice. */
  #retire(ref: RecordRef): void {
    const { publication } = this;
    this.#stamp(ref);
    this.#retired.push({ ref, publication });
    this.#release();
  }

  #release(): void {
    const oldest = this.#marks && oldestReader(this.#marks);
    let count = 0;
    for (const { ref, publication } of this.#retired) {
      if (oldest !== undefined && isSince(publication, oldest)) break;
      const length = this.wordsOf(ref)[(ref & wordMask) + RecordWord.BLOCK] ?? 0;
      const free = this.#free.get(length);
      if (free) free.push(ref);
      else this.#free.set(length, [ref]);
      count++;
    }
    if (count > 0) this.#retired.splice(0, count);
  }

  /** A block of at least so many words. */
  #allocate(words: number): RecordRef {
    const length = blockLength(words);
    const ref = this.#free.get(length)?.pop();
    if (ref !== undefined) return ref;
    if (this.#next + length > this.#segmentEnd) this.#addSegment(length);
    const fresh = this.#next;
    this.#next += length;
    this.wordsOf(fresh)[(fresh & wordMask) + RecordWord.BLOCK] = length;
    return fresh;
  }

  #addSegment(least: number): void {
    const at = this.segments.length;
    if (least > wordMask) {
      throw new RangeError(`cannot store a record: more than 4 MiB, got ${least * 4} octets`);
    }
    let bits = Math.min(firstSegmentBits + 2 * at, segmentBits);
    while (1 << bits < least) bits++;
    const segment = sharedWords(1 << bits);
    this.grow({ segment, at });
    this.#next = at << segmentBits;
    this.#segmentEnd = this.#next + segment.length;
    this.#onGrowth({ segment, at });
  }
}

/** Large blocks come in few sizes, so that one that was freed fits another record. */
function blockLength(words: number): number {
  if (words <= 64) return words;
  const step = 2 ** (Math.floor(Math.log2(words)) - 3);
  return Math.min(Math.ceil(words / step) * step, Math.max(words, wordMask));
}

/** Puts a reference into the first slot that is free for its hash; whether the slot was never used before. */
function putIntoIndex(index: Int32Array, hash: number, ref: RecordRef): boolean {
  const mask = (index.length >> 1) - 1;
  let slot = hash & mask;
  while ((index[slot * 2 + 1] ?? 0) > 0) slot = (slot + 1) & mask;
  const isFresh = index[slot * 2 + 1] === 0;
  index[slot * 2] = hash;
  Atomics.store(index, slot * 2 + 1, ref);
  return isFresh;
}

function sharedWords(count: number): Int32Array {
  return new Int32Array(new SharedArrayBuffer(count * 4));
}
