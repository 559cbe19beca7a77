// A query of the common form, read in place: one question of class IN, and at most an OPT with
// options that change little. It fills fields and allocates nothing; whatever is of another form,
// or wrong, it leaves to `answer`. It must not know what is answered.

import { DnsClass } from "../dns/codes.ts";
import { OptionCode } from "../dns/edns.ts";
import { RRType } from "../dns/record-types.ts";
import { endHash, hashWord, lastWord, lowerWord } from "../memory/key-words.ts";

/** Octets of memory, seen in every way that reading and writing messages needs. */
export interface MessageMemory {
  readonly octets: Uint8Array;
  /** Begins where `octets` does, which is at a multiple of four in its buffer. */
  readonly words: Int32Array;
  readonly view: DataView;
}

/** The same memory in all ways. Throws a RangeError if it begins at no multiple of four. */
export function messageMemory(octets: Uint8Array): MessageMemory {
  const { buffer, byteOffset, length } = octets;
  return {
    octets,
    words: new Int32Array(buffer, byteOffset, length >> 2),
    view: new DataView(buffer, byteOffset, length),
  };
}

/** A query in memory, and who sent it. */
export interface FastReceived {
  memory: MessageMemory;
  /** Where the message begins, a multiple of four, and its octets. */
  at: number;
  length: number;
  /** Holds the sender's address of 4 or 16 octets from `sourceAt` on. */
  source: Uint8Array;
  sourceAt: number;
  family: 4 | 6;
  transport: "udp" | "tcp";
}

/** Where the question begins in a message. */
export const questionAt = 12;

/** More options than any client sends are `answer`'s. */
const mostOptions = 16;

/** The fields of the last query that `read` took. */
export class FastQuery {
  /** The name in lower case, from the first label's length octet to the root's, filled up with zeros. */
  readonly name = new Uint8Array(256);
  readonly nameWords = new Int32Array(this.name.buffer);
  nameLength = 0;
  /** Where each label begins, the root's left out, and how many there are. */
  readonly labelStarts = new Uint8Array(128);
  labelCount = 0;
  type = 0;
  /** Of name and type. */
  hash = 0;
  recursionDesired = 0;
  hasOpt = false;
  udpSize = 512;
  dnssecOk = false;
  /** Where the ECS option's data begins in the memory, 0 for none; and its length. */
  ecsAt = 0;
  ecsLength = 0;
  /** The ECS option's family, 4 or 6, and source length. */
  ecsFamily: 4 | 6 = 4;
  ecsSource = 0;
  /** Where a cookie's client part begins, 0 for none. */
  cookieAt = 0;
  wantsNsid = false;

  /** Reads the message of `length` octets at `at`, a multiple of four; false: not of the common form. */
  read({ octets, words, view }: MessageMemory, at: number, length: number): boolean {
    // A header, the root, type and class are 17 octets.
    if (length < 17) return false;
    const flags = view.getUint16(at + 2);
    // No response, opcode QUERY; one question, no answer, no authority, at most one additional.
    if ((flags & 0xf800) !== 0 || view.getUint32(at + 4) !== 0x10000) return false;
    const counts = view.getUint32(at + 8);
    if (counts > 1) return false;
    const end = at + length;
    if (!this.#readName(octets, words, at + questionAt, end)) return false;
    let next = at + questionAt + this.nameLength;
    if (next + 4 > end) return false;
    const type = view.getUint16(next);
    if (view.getUint16(next + 2) !== DnsClass.IN || isOdd(type)) return false;
    this.type = type;
    this.hash = endHash(hashWord(this.hash, type));
    this.recursionDesired = flags & 0x0100;
    this.ecsAt = 0;
    this.cookieAt = 0;
    this.wantsNsid = false;
    this.hasOpt = counts === 1;
    next += 4;
    if (!this.hasOpt) {
      this.udpSize = 512;
      return next === end;
    }
    return this.#readOpt(octets, view, next, end);
  }

  #readName(octets: Uint8Array, words: Int32Array, start: number, end: number): boolean {
    let at = start;
    let count = 0;
    for (;;) {
      const length = octets[at] ?? 0;
      if (length === 0) break;
      // Pointers and reserved bits; names over 255 octets cannot have more labels than fit.
      if (length > 63) return false;
      this.labelStarts[count++] = at - start;
      at += length + 1;
      if (at >= end || at - start > 254) return false;
    }
    const nameLength = at - start + 1;
    this.labelCount = count;
    this.nameLength = nameLength;
    const { nameWords } = this;
    const from = start >> 2;
    const last = (nameLength - 1) >> 2;
    let hash = nameLength;
    for (let word = 0; word < last; word++) {
      const lowered = lowerWord(words[from + word] ?? 0);
      nameWords[word] = lowered;
      hash = hashWord(hash, lowered);
    }
    const lowered = lastWord(lowerWord(words[from + last] ?? 0), nameLength);
    nameWords[last] = lowered;
    this.hash = hashWord(hash, lowered);
    return true;
  }

  /** RFC 6891 section 6.1.2. */
  #readOpt(octets: Uint8Array, view: DataView, at: number, end: number): boolean {
    if (at + 11 > end || octets[at] !== 0 || view.getUint16(at + 1) !== RRType.OPT) return false;
    this.udpSize = view.getUint16(at + 3);
    const ttl = view.getUint32(at + 5);
    // No upper rcode, version 0.
    if (ttl >>> 16 !== 0) return false;
    this.dnssecOk = (ttl & 0x8000) !== 0;
    let next = at + 11;
    if (next + view.getUint16(at + 9) !== end) return false;
    for (let count = 0; next < end; count++) {
      if (count === mostOptions || next + 4 > end) return false;
      const code = view.getUint16(next);
      const length = view.getUint16(next + 2);
      next += 4;
      if (next + length > end) return false;
      if (code === OptionCode.ECS) {
        if (!this.#readEcs(octets, view, next, length)) return false;
      } else if (code === OptionCode.COOKIE) {
        const isWell = length === 8 || (length >= 16 && length <= 40);
        if (!isWell || this.cookieAt !== 0) return false;
        this.cookieAt = next;
      } else if (code === OptionCode.NSID) {
        this.wantsNsid = true;
      } else if (code === OptionCode.KEEPALIVE || code === OptionCode.EDE) {
        return false;
      }
      next += length;
    }
    return true;
  }

  /** RFC 7871 section 6. */
  #readEcs(octets: Uint8Array, view: DataView, at: number, length: number): boolean {
    if (length < 4 || this.ecsAt !== 0) return false;
    const family = view.getUint16(at);
    const source = octets[at + 2] ?? 0;
    const bits = family === 1 ? 32 : family === 2 ? 128 : 0;
    if (bits === 0 || source > bits || octets[at + 3] !== 0) return false;
    if (length !== 4 + ((source + 7) >> 3)) return false;
    const spare = (8 - (source & 7)) & 7;
    if (spare > 0 && ((octets[at + length - 1] ?? 0) & ((1 << spare) - 1)) !== 0) return false;
    this.ecsAt = at;
    this.ecsLength = length;
    this.ecsFamily = family === 1 ? 4 : 6;
    this.ecsSource = source;
    return true;
  }
}

/** OPT as a question, transfers, and the other types that ask for something else than records. */
function isOdd(type: number): boolean {
  return type === RRType.OPT || (type >= 249 && type <= 254);
}
