// Ready answers as octets, in a fixed amount of memory: what is asked often stays, what is not goes,
// half of it at a time. It must not know what makes an answer true, only how to find it again.

import { wordCount } from "../memory/key-words.ts";

/** Words at the head of an entry; the name's words and the body's follow. */
export const EntryWord = {
  HASH: 0,
  /** Type << 16 | name's octets. */
  QUESTION: 1,
  VIEW: 2,
  VARIANT: 3,
  PREFIX_HIGH: 4,
  PREFIX_LOW: 5,
  FLAGS: 6,
  /** What the answer holds as long as: see `EntryFields`. */
  RECORD: 7,
  STAMP: 8,
  /** Message flags << 16 | answers. */
  ANSWERS: 9,
  /** Authorities << 16 | additionals. */
  OTHERS: 10,
  BODY_LENGTH: 11,
  /** See `EntryFields`. */
  ORIGIN: 12,
  WORDS: 13,
} as const;

/** What an entry says. */
export interface EntryFields {
  flags: number;
  /** A reference and its revision, or other numbers that the caller compares. */
  record: number;
  stamp: number;
  messageFlags: number;
  answers: number;
  authorities: number;
  additionals: number;
  bodyLength: number;
  /** Which cluster and level the first record came from, for those who count. */
  origin: number;
}

/** The question that an entry answers, and for whom. */
export interface EntryKey {
  nameWords: Int32Array;
  nameLength: number;
  type: number;
  /** Of name and type. */
  hash: number;
  view: number;
  variant: number;
  prefixHigh: number;
  prefixLow: number;
}

/** Octets of memory for each slot of the index. */
const octetsPerSlot = 128;
/** How many slots may hold an entry. */
const ways = 4;

interface Half {
  readonly words: Int32Array;
  /** Where the entry of a slot begins; 0 for none. */
  readonly index: Int32Array;
  next: number;
}

/** A bounded store of answers. */
export class WireCache {
  #young: Half;
  #old: Half;

  /** @param octets of memory, index included; it is used in two halves. */
  constructor(octets: number) {
    const slots = 2 ** Math.floor(Math.log2(Math.max(64, octets / 2 / octetsPerSlot)));
    const words = Math.max(1024, Math.floor(octets / 8) - slots);
    this.#young = half(words, slots);
    this.#old = half(words, slots);
  }

  /** Finds an entry: where it begins in `words`, until something else is found or put; or 0. */
  find(key: EntryKey): number {
    const hash = fullHash(key);
    let at = findIn(this.#young, key, hash);
    if (at === 0) {
      at = findIn(this.#old, key, hash);
      if (at === 0) return 0;
      // What is asked for again outlives the next change of halves.
      at = this.#keep(at, hash);
    }
    return at;
  }

  /** The memory that found entries lie in; `EntryWord` says what stands where. */
  get words(): Int32Array {
    return this.#young.words;
  }

  /** Keeps an answer, in place of the key's former one. One that is too large for the memory is not kept. */
  put(key: EntryKey, fields: Readonly<EntryFields>, body: Uint8Array): void {
    const hash = fullHash(key);
    const nameWords = wordCount(key.nameLength);
    const length = EntryWord.WORDS + nameWords + wordCount(body.length);
    const at = this.#allocate(length);
    if (at === 0) return;
    const { words } = this.#young;
    words[at + EntryWord.HASH] = hash;
    words[at + EntryWord.QUESTION] = (key.type << 16) | key.nameLength;
    words[at + EntryWord.VIEW] = key.view;
    words[at + EntryWord.VARIANT] = key.variant;
    words[at + EntryWord.PREFIX_HIGH] = key.prefixHigh;
    words[at + EntryWord.PREFIX_LOW] = key.prefixLow;
    words[at + EntryWord.FLAGS] = fields.flags;
    words[at + EntryWord.RECORD] = fields.record;
    words[at + EntryWord.STAMP] = fields.stamp;
    words[at + EntryWord.ANSWERS] = (fields.messageFlags << 16) | fields.answers;
    words[at + EntryWord.OTHERS] = (fields.authorities << 16) | fields.additionals;
    words[at + EntryWord.BODY_LENGTH] = body.length;
    words[at + EntryWord.ORIGIN] = fields.origin;
    const start = at + EntryWord.WORDS;
    for (let word = 0; word < nameWords; word++) words[start + word] = key.nameWords[word] ?? 0;
    const octets = new Uint8Array(words.buffer, (start + nameWords) * 4, body.length);
    octets.set(body);
    const former = findIn(this.#young, key, hash);
    this.#index(at, hash, former);
  }

  /** Forgets everything. */
  clear(): void {
    for (const each of [this.#young, this.#old]) {
      each.index.fill(0);
      each.next = 1;
    }
  }

  /** Copies an entry from the old half to the young one; where it is then. */
  #keep(at: number, hash: number): number {
    const from = this.#old.words;
    const nameWords = wordCount((from[at + EntryWord.QUESTION] ?? 0) & 0xffff);
    const bodyWords = wordCount(from[at + EntryWord.BODY_LENGTH] ?? 0);
    const length = EntryWord.WORDS + nameWords + bodyWords;
    if (this.#young.next + length > this.#young.words.length) {
      // The halves change places: the entry is copied within what was the young one's memory.
      return this.#keepAcross(from, at, length, hash);
    }
    const to = this.#young.words;
    const start = this.#young.next;
    this.#young.next += length;
    for (let word = 0; word < length; word++) to[start + word] = from[at + word] ?? 0;
    this.#index(start, hash, 0);
    return start;
  }

  #keepAcross(from: Int32Array, at: number, length: number, hash: number): number {
    const entry = from.slice(at, at + length);
    const start = this.#allocate(length);
    this.#young.words.set(entry, start);
    this.#index(start, hash, 0);
    return start;
  }

  /** Room in the young half; where, or 0 if there can be none. */
  #allocate(length: number): number {
    if (length >= this.#young.words.length) return 0;
    if (this.#young.next + length > this.#young.words.length) {
      const oldest = this.#old;
      this.#old = this.#young;
      this.#young = oldest;
      oldest.index.fill(0);
      oldest.next = 1;
    }
    const at = this.#young.next;
    this.#young.next += length;
    return at;
  }

  /** Leads to an entry, in place of the former one, of none, or of one of its neighbours. */
  #index(at: number, hash: number, former: number): void {
    const { index } = this.#young;
    const mask = index.length - 1;
    let slot = hash & mask;
    for (let way = 0; way < ways; way++) {
      const each = (hash + way) & mask;
      const held = index[each] ?? 0;
      if (held === former || held === 0) {
        slot = each;
        break;
      }
      if (way === ways - 1) slot = (hash + (at & (ways - 1))) & mask;
    }
    index[slot] = at;
  }
}

function half(words: number, slots: number): Half {
  return { words: new Int32Array(words), index: new Int32Array(slots), next: 1 };
}

function fullHash({ hash, view, variant, prefixHigh, prefixLow }: EntryKey): number {
  const who = Math.imul(view + 1, 0x9e3779b1) ^ Math.imul(variant, 0x85ebca6b);
  const where = Math.imul(prefixHigh, 0xc2b2ae35) ^ Math.imul(prefixLow, 0x27d4eb2f);
  const mixed = hash ^ who ^ (where ^ (where >>> 15));
  return mixed ^ (mixed >>> 16);
}

function findIn({ words, index }: Half, key: EntryKey, hash: number): number {
  const mask = index.length - 1;
  for (let way = 0; way < ways; way++) {
    const at = index[(hash + way) & mask] ?? 0;
    if (at !== 0 && words[at] === hash && isKey(words, at, key)) return at;
  }
  return 0;
}

function isKey(words: Int32Array, at: number, key: EntryKey): boolean {
  if (words[at + EntryWord.QUESTION] !== ((key.type << 16) | key.nameLength)) return false;
  if (words[at + EntryWord.VIEW] !== key.view || words[at + EntryWord.VARIANT] !== key.variant)
    return false;
  if (words[at + EntryWord.PREFIX_HIGH] !== key.prefixHigh) return false;
  if (words[at + EntryWord.PREFIX_LOW] !== key.prefixLow) return false;
  const start = at + EntryWord.WORDS;
  const count = (key.nameLength + 3) >> 2;
  for (let word = 0; word < count; word++) {
    if (words[start + word] !== key.nameWords[word]) return false;
  }
  return true;
}
