// The whole address space of one family, cut into ranges that each have a number. It knows
// addresses and numbers; it must not know what the numbers mean.

import type { Network } from "../dns/address.ts";

/**
 * Disjoint ranges that together cover the family. Range `i` starts at `starts[i]` and ends
 * before the next; the first starts at zero, and neighbours have different values. Both arrays
 * lie on SharedArrayBuffers, so threads share one copy.
 */
export interface RangeTable {
  readonly family: 4 | 6;
  /** Words of 32 bits, the most significant first: one a range for IPv4, four for IPv6. */
  readonly starts: Uint32Array;
  /** -1: nothing is known of the range. */
  readonly values: Int32Array;
  /**
   * The range that holds the first address of each of the 65,536 blocks of the address's first 16
   * bits, so that a search begins near its end; only large tables have it.
   */
  readonly blocks?: Uint32Array;
}

/** Tables from so many ranges on have `blocks`. */
const leastForBlocks = 1024;
const blockCount = 0x10000;

/** A table for each family. */
export interface FamilyTables {
  readonly 4: RangeTable;
  readonly 6: RangeTable;
}

/** A network and the number that its addresses get: 0 or more, or -1 for none. */
export interface NetworkValue {
  readonly network: Network;
  readonly value: number;
}

/** The index of the range that holds an address of the table's family. */
export function findRange(table: RangeTable, address: Uint8Array): number {
  const { starts } = table;
  const wordCount = wordsOf(table.family);
  const w0 = wordAt(address, 0);
  const w1 = wordCount === 1 ? 0 : wordAt(address, 4);
  const w2 = wordCount === 1 ? 0 : wordAt(address, 8);
  const w3 = wordCount === 1 ? 0 : wordAt(address, 12);
  let low = 0;
  let high = table.values.length - 1;
  if (table.blocks) {
    const block = w0 >>> 16;
    low = table.blocks[block] ?? 0;
    high = block + 1 < blockCount ? (table.blocks[block + 1] ?? high) : high;
  }
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (startsAfter(starts, middle * wordCount, wordCount, w0, w1, w2, w3)) high = middle - 1;
    else low = middle;
  }
  return low;
}

/** `findRange` for an IPv4 address as one word. */
export function findIpv4Range({ starts, values, blocks }: RangeTable, address: number): number {
  let low = 0;
  let high = values.length - 1;
  if (blocks) {
    const block = address >>> 16;
    low = blocks[block] ?? 0;
    high = block + 1 < blockCount ? (blocks[block + 1] ?? high) : high;
  }
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((starts[middle] ?? 0) > address) high = middle - 1;
    else low = middle;
  }
  return low;
}

/** `scopeOf` for an IPv4 address as one word. */
export function ipv4ScopeOf(
  { starts, values }: RangeTable,
  range: number,
  address: number,
): number {
  const before = range === 0 ? 0 : Math.clz32(((starts[range] ?? 0) - 1) ^ address) + 1;
  const isLast = range + 1 === values.length;
  const after = isLast ? 0 : Math.clz32((starts[range + 1] ?? 0) ^ address) + 1;
  return Math.max(before, after);
}

/** The value of the range that holds an address of the table's family. */
export function valueAt(table: RangeTable, address: Uint8Array): number {
  return table.values[findRange(table, address)] ?? -1;
}

/**
 * The length of the shortest prefix around `address` that lies wholly inside its range, which is
 * `findRange` of it; 0 if one range covers all. It is an ECS scope that is neither longer than
 * the table needs nor shorter than is true (RFC 7871 section 7.2.1).
 */
export function scopeOf(table: RangeTable, range: number, address: Uint8Array): number {
  // The prefix must leave out the last address before the range and the first one after it.
  const wordCount = wordsOf(table.family);
  const start = range * wordCount;
  const isFirst = range === 0;
  const isLast = range + 1 === table.values.length;
  const before = isFirst ? 0 : commonBits(table, start, 1, address) + 1;
  const after = isLast ? 0 : commonBits(table, start + wordCount, 0, address) + 1;
  return Math.max(before, after);
}

/**
 * A table of networks: the longest prefix wins, of equal networks the first, and addresses
 * outside all of them get -1. Networks of the other family are passed over.
 */
export function fromNetworks(family: 4 | 6, entries: readonly NetworkValue[]): RangeTable {
  const sorted = entries
    .filter(({ network }) => network.address.length === wordsOf(family) * 4)
    .map(({ network, value }) => ({ start: wordsOfAddress(network.address), network, value }))
    .sort(
      (a, b) => compareWords(a.start, b.start) || a.network.prefixLength - b.network.prefixLength,
    );
  const builder = new RangeTableBuilder(family, entries.length * 2 + 1);
  /** The networks around the current place, the innermost last, each with what comes after it. */
  const open: { value: number; after: Words | undefined }[] = [];
  const closeUntil = (place: Words | undefined): void => {
    for (let last = open.at(-1); last?.after; last = open.at(-1)) {
      if (place && compareWords(last.after, place) > 0) return;
      open.pop();
      appendWords(builder, last.after, open.at(-1)?.value ?? -1);
    }
  };
  let previous: (typeof sorted)[number] | undefined;
  for (const each of sorted) {
    const { start, network, value } = each;
    const isRepeated =
      previous?.network.prefixLength === network.prefixLength &&
      compareWords(previous.start, start) === 0;
    previous = each;
    if (isRepeated) continue;
    closeUntil(start);
    appendWords(builder, start, value);
    open.push({ value, after: addressAfter(start, network.prefixLength) });
  }
  closeUntil(undefined);
  return builder.finish();
}

/** A table with the values of `top` where they are 0 or more and those of `bottom` elsewhere. */
export function overlay(top: RangeTable, bottom: RangeTable): RangeTable {
  const wordCount = wordsOf(top.family);
  const builder = new RangeTableBuilder(top.family, top.values.length + bottom.values.length);
  let topNext = 0;
  let bottomNext = 0;
  let topValue = -1;
  let bottomValue = -1;
  while (topNext < top.values.length || bottomNext < bottom.values.length) {
    const order = compareStarts(top, topNext, bottom, bottomNext);
    const source = order <= 0 ? top : bottom;
    const at = (order <= 0 ? topNext : bottomNext) * wordCount;
    if (order <= 0) topValue = top.values[topNext++] ?? -1;
    if (order >= 0) bottomValue = bottom.values[bottomNext++] ?? -1;
    builder.appendFrom(source.starts, at, topValue >= 0 ? topValue : bottomValue);
  }
  return builder.finish();
}

/** A table with `f` of every value, -1 included; neighbours that became equal are one range. */
export function mapValues(table: RangeTable, f: (value: number) => number): RangeTable {
  const wordCount = wordsOf(table.family);
  const builder = new RangeTableBuilder(table.family, table.values.length);
  table.values.forEach((value, range) => {
    builder.appendFrom(table.starts, range * wordCount, f(value));
  });
  return builder.finish();
}

/**
 * Collects ranges in the order of their starts and merges neighbours of equal value. It begins
 * with the whole space at -1; a second range of the same start takes the place of the first.
 */
export class RangeTableBuilder {
  readonly #family: 4 | 6;
  readonly #wordCount: 1 | 4;
  #starts: Uint32Array;
  #values: Int32Array;
  #count = 1;

  /** `capacity` is how many ranges are expected; it grows when there are more. */
  constructor(family: 4 | 6, capacity: number) {
    this.#family = family;
    this.#wordCount = wordsOf(family);
    this.#starts = new Uint32Array(Math.max(capacity, 1) * this.#wordCount);
    this.#values = new Int32Array(Math.max(capacity, 1));
    this.#values[0] = -1;
  }

  /** Begins a range of `value` at an address given as words; for IPv4 only `w0` counts. */
  append(w0: number, w1: number, w2: number, w3: number, value: number): void {
    const starts = this.#starts;
    const last = (this.#count - 1) * this.#wordCount;
    const isSameStart =
      starts[last] === w0 &&
      (this.#wordCount === 1 ||
        (starts[last + 1] === w1 && starts[last + 2] === w2 && starts[last + 3] === w3));
    if (isSameStart && this.#count > 1) this.#count -= 1;
    else if (isSameStart) {
      this.#values[0] = value;
      return;
    }
    if (this.#values[this.#count - 1] === value) return;
    if (this.#count === this.#values.length) this.#grow();
    const at = this.#count * this.#wordCount;
    this.#starts[at] = w0;
    if (this.#wordCount === 4) {
      this.#starts[at + 1] = w1;
      this.#starts[at + 2] = w2;
      this.#starts[at + 3] = w3;
    }
    this.#values[this.#count] = value;
    this.#count += 1;
  }

  /** Begins a range of `value` at the start that stands at index `at` of another table's starts. */
  appendFrom(starts: Uint32Array, at: number, value: number): void {
    const w0 = starts[at] ?? 0;
    this.append(w0, starts[at + 1] ?? 0, starts[at + 2] ?? 0, starts[at + 3] ?? 0, value);
  }

  finish(): RangeTable {
    const words = this.#count * this.#wordCount;
    const starts = new Uint32Array(new SharedArrayBuffer(words * 4));
    const values = new Int32Array(new SharedArrayBuffer(this.#count * 4));
    starts.set(this.#starts.subarray(0, words));
    values.set(this.#values.subarray(0, this.#count));
    const table = { family: this.#family, starts, values };
    return this.#count < leastForBlocks ? table : { ...table, blocks: blocksOf(table) };
  }

  #grow(): void {
    const starts = new Uint32Array(this.#starts.length * 2);
    const values = new Int32Array(this.#values.length * 2);
    starts.set(this.#starts);
    values.set(this.#values);
    this.#starts = starts;
    this.#values = values;
  }
}

function blocksOf(table: RangeTable): Uint32Array {
  const wordCount = wordsOf(table.family);
  const blocks = new Uint32Array(new SharedArrayBuffer(blockCount * 4));
  let range = 0;
  for (let block = 0; block < blockCount; block++) {
    const first = (block << 16) >>> 0;
    while (
      range + 1 < table.values.length &&
      !startsAfter(table.starts, (range + 1) * wordCount, wordCount, first, 0, 0, 0)
    ) {
      range++;
    }
    blocks[block] = range;
  }
  return blocks;
}

/** An address as four words, the most significant first; an IPv4 address is the first of them. */
type Words = readonly [number, number, number, number];

function wordsOf(family: 4 | 6): 1 | 4 {
  return family === 4 ? 1 : 4;
}

function wordsOfAddress(address: Uint8Array): Words {
  if (address.length === 4) return [wordAt(address, 0), 0, 0, 0];
  return [wordAt(address, 0), wordAt(address, 4), wordAt(address, 8), wordAt(address, 12)];
}

function wordAt(address: Uint8Array, at: number): number {
  const high = ((address[at] ?? 0) << 24) | ((address[at + 1] ?? 0) << 16);
  return (high | ((address[at + 2] ?? 0) << 8) | (address[at + 3] ?? 0)) >>> 0;
}

function appendWords(builder: RangeTableBuilder, words: Words, value: number): void {
  builder.append(words[0], words[1], words[2], words[3], value);
}

function compareWords(a: Words, b: Words): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2] || a[3] - b[3];
}

/** The first address after a network, `undefined` if the network ends the space. */
function addressAfter(start: Words, prefixLength: number): Words | undefined {
  if (prefixLength === 0) return undefined;
  const after: [number, number, number, number] = [start[0], start[1], start[2], start[3]];
  let carry = 2 ** (31 - ((prefixLength - 1) & 31));
  for (let index = (prefixLength - 1) >> 5; index >= 0 && carry > 0; index -= 1) {
    const sum = (after[index] ?? 0) + carry;
    after[index] = sum >>> 0;
    carry = sum > 0xffffffff ? 1 : 0;
  }
  return carry > 0 ? undefined : after;
}

/** Whether the start at index `at` lies after the address of the given words. */
function startsAfter(
  starts: Uint32Array,
  at: number,
  wordCount: number,
  w0: number,
  w1: number,
  w2: number,
  w3: number,
): boolean {
  const s0 = starts[at] ?? 0;
  if (s0 !== w0 || wordCount === 1) return s0 > w0;
  const s1 = starts[at + 1] ?? 0;
  if (s1 !== w1) return s1 > w1;
  const s2 = starts[at + 2] ?? 0;
  return s2 === w2 ? (starts[at + 3] ?? 0) > w3 : s2 > w2;
}

/** Orders two tables' ranges by start; a range past the end of its table comes last. */
function compareStarts(a: RangeTable, aRange: number, b: RangeTable, bRange: number): number {
  if (aRange === a.values.length) return 1;
  if (bRange === b.values.length) return -1;
  const wordCount = wordsOf(a.family);
  for (let index = 0; index < wordCount; index += 1) {
    const difference =
      (a.starts[aRange * wordCount + index] ?? 0) - (b.starts[bRange * wordCount + index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** How many leading bits `address` shares with the start at index `at` less `minus`, 0 or 1. */
function commonBits(table: RangeTable, at: number, minus: 0 | 1, address: Uint8Array): number {
  const end = at + wordsOf(table.family);
  for (let index = at; index < end; index += 1) {
    // Taking 1 away reaches a word only if it borrows through every word after it.
    const borrow = isZero(table.starts, index + 1, end) ? minus : 0;
    const bits = (index - at) * 32;
    const difference = ((table.starts[index] ?? 0) - borrow) ^ wordAt(address, bits / 8);
    if (difference !== 0) return bits + Math.clz32(difference);
  }
  return (end - at) * 32;
}

function isZero(words: Uint32Array, from: number, to: number): boolean {
  for (let index = from; index < to; index += 1) if (words[index] !== 0) return false;
  return true;
}
