// A ring of records in memory that two threads share: one writes, one reads, and neither waits for
// the other. What does not fit is dropped and counted. It must not know what a record says.

import { WholeCount } from "./whole-count.ts";

/**
 * One thread's ring. It outlives the thread: the next one in its place goes on where that one
 * stood, and what that one did not finish was never there.
 */
export type QueryRing = SharedArrayBuffer;

/**
 * Octets of records that a ring has room for, a power of two: some 2,000 queries. Memory that was
 * never written takes no room in the machine.
 */
export const ringOctets = 256 * 1024;

/** Words of 4 octets in front of the records; counts wrap at 2^32. */
const Word = {
  /** Octets ever written, and ever read: what lies between them waits. */
  WRITTEN: 0,
  READ: 1,
  /** Records that were offered, and those for which there was no room. */
  OFFERED: 2,
  DROPPED: 3,
  /** Changes with every change of the share. */
  SHARE_CHANGES: 4,
} as const;
/** Where the share of queries that become records stands, as a float of 8 octets. */
const shareAt = 24;
const headerOctets = 32;
/** Each record begins with its octets, this word counted; 0: the next one is at the ring's begin. */
const lengthOctets = 4;

/** An empty ring, its share 0. */
export function createRing(octets: number = ringOctets): QueryRing {
  if (octets < 64 || (octets & (octets - 1)) !== 0) {
    throw new RangeError(
      `cannot make a ring: its octets are no power of two from 64, got ${octets}`,
    );
  }
  return new SharedArrayBuffer(headerOctets + octets);
}

/** The writing side: one thread at a time may have it. */
export class RingWriter {
  /** The records' memory, to write into where `reserve` said. */
  readonly octets: Uint8Array;
  readonly view: DataView;
  readonly #words: Int32Array;
  readonly #share: Float64Array;
  readonly #size: number;
  #written: number;
  #reserved = 0;

  constructor(ring: QueryRing) {
    this.#words = new Int32Array(ring, 0, headerOctets / 4);
    this.#share = new Float64Array(ring, shareAt, 1);
    this.octets = new Uint8Array(ring, headerOctets);
    this.view = new DataView(ring, headerOctets);
    this.#size = this.octets.length;
    this.#written = Atomics.load(this.#words, Word.WRITTEN);
  }

  /** Changes when the share may have. */
  get shareChanges(): number {
    return Atomics.load(this.#words, Word.SHARE_CHANGES);
  }

  /** The share of queries that become records, 0 to 1. */
  get share(): number {
    return this.#share[0] ?? 0;
  }

  /**
   * Where a record of so many octets may be written, or -1 if there is no room: that one is
   * counted as dropped. Nobody sees it before `commit`.
   */
  reserve(length: number): number {
    const words = this.#words;
    Atomics.add(words, Word.OFFERED, 1);
    const size = this.#size;
    const whole = (lengthOctets + length + 3) & ~3;
    let at = this.#written & (size - 1);
    // A record lies in one piece: what is left at the end is left out.
    const left = whole > size - at ? size - at : 0;
    const free = size - ((this.#written - Atomics.load(words, Word.READ)) | 0);
    if (left + whole > free) {
      Atomics.add(words, Word.DROPPED, 1);
      return -1;
    }
    if (left > 0) {
      this.view.setUint32(at, 0);
      at = 0;
    }
    this.view.setUint32(at, lengthOctets + length);
    this.#reserved = left + whole;
    return at + lengthOctets;
  }

  /** Shows the reader what was reserved last. */
  commit(): void {
    this.#written = (this.#written + this.#reserved) | 0;
    this.#reserved = 0;
    Atomics.store(this.#words, Word.WRITTEN, this.#written);
  }
}

/** Takes one record, which is only there while it is called. */
export type TakeRecord = (view: DataView, at: number, length: number) => void;

/** The reading side: one thread may have it. */
export class RingReader {
  readonly #view: DataView;
  readonly #words: Int32Array;
  readonly #share: Float64Array;
  readonly #size: number;
  #read: number;
  readonly #offered = new WholeCount();
  readonly #dropped = new WholeCount();

  constructor(ring: QueryRing) {
    this.#words = new Int32Array(ring, 0, headerOctets / 4);
    this.#share = new Float64Array(ring, shareAt, 1);
    this.#view = new DataView(ring, headerOctets);
    this.#size = this.#view.byteLength;
    this.#read = Atomics.load(this.#words, Word.READ);
  }

  /** Says which share of the queries, 0 to 1, is to be a record from now on. */
  setShare(share: number): void {
    if (this.#share[0] === share) return;
    this.#share[0] = share;
    Atomics.add(this.#words, Word.SHARE_CHANGES, 1);
  }

  /** Hands over the records that wait, in order, at most so many; how many these were. */
  read(most: number, take: TakeRecord): number {
    const written = Atomics.load(this.#words, Word.WRITTEN);
    let count = 0;
    try {
      while (count < most && this.#read !== written) {
        const at = this.#read & (this.#size - 1);
        const length = this.#view.getUint32(at);
        // A record that cannot be taken is not offered again.
        this.#read = (this.#read + (length === 0 ? this.#size - at : (length + 3) & ~3)) | 0;
        if (length === 0) continue;
        count++;
        take(this.#view, at + lengthOctets, length - lengthOctets);
      }
    } finally {
      Atomics.store(this.#words, Word.READ, this.#read);
    }
    return count;
  }

  /** Records that were offered to the ring since it was made. */
  get offered(): number {
    return this.#offered.at(Atomics.load(this.#words, Word.OFFERED));
  }

  /** Those of them that it had no room for. */
  get dropped(): number {
    return this.#dropped.at(Atomics.load(this.#words, Word.DROPPED));
  }
}
