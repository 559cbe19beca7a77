// A growing buffer for a message, with name compression and with the means to take back what did
// not fit. It knows numbers, octets and names; it must not know what they mean.

import { type Name, nameKey } from "./name.ts";

/** Pointers have 14 bits (RFC 1035 section 4.1.4), so names from here on cannot be pointed to. */
const pointerLimit = 0x4000;
const pointerBits = 0xc000;

/** A place to which `rewind` takes the writer back. */
export interface Mark {
  readonly offset: number;
  readonly suffixCount: number;
}

/** Appends to a message; the octets so far are `finish()`. */
export class WireWriter {
  offset = 0;
  private buffer = new Uint8Array(1024);
  /**
   * Suffixes written so far, by their keys: a pointer may lead to another spelling of the same
   * name (RFC 4343 section 4.1 asks for no more), so how the question is spelled changes no octet
   * behind it.
   */
  private readonly offsets = new Map<string, number>();
  private readonly suffixes: string[] = [];

  u8(value: number): void {
    this.reserve(1);
    this.buffer[this.offset++] = value;
  }

  u16(value: number): void {
    this.reserve(2);
    this.buffer[this.offset++] = value >>> 8;
    this.buffer[this.offset++] = value;
  }

  u32(value: number): void {
    this.u16(value >>> 16);
    this.u16(value & 0xffff);
  }

  octets(octets: Uint8Array): void {
    this.reserve(octets.length);
    this.buffer.set(octets, this.offset);
    this.offset += octets.length;
  }

  /** Writes a name, its longest suffix that was written before as a pointer. */
  name(name: Name): void {
    this.reserve(name.length);
    // One string for the name; each suffix is a part of it and costs no copy.
    const key = nameKey(name);
    for (let at = 0; at < name.length - 1; at += (name[at] ?? 0) + 1) {
      const suffix = key.substring(at);
      const pointer = this.offsets.get(suffix);
      if (pointer !== undefined) {
        this.octets(name.subarray(0, at));
        this.u16(pointerBits | pointer);
        return;
      }
      if (this.offset + at < pointerLimit) {
        this.offsets.set(suffix, this.offset + at);
        this.suffixes.push(suffix);
      }
    }
    this.octets(name);
  }

  /** Writes over two octets that stand already. */
  patchU16(offset: number, value: number): void {
    this.buffer[offset] = value >>> 8;
    this.buffer[offset + 1] = value;
  }

  mark(): Mark {
    return { offset: this.offset, suffixCount: this.suffixes.length };
  }

  /** Forgets all that was written since the mark, the names to point to as well. */
  rewind(mark: Mark): void {
    this.offset = mark.offset;
    for (const suffix of this.suffixes.splice(mark.suffixCount)) this.offsets.delete(suffix);
  }

  /** A copy of the octets written. */
  finish(): Uint8Array {
    return this.buffer.slice(0, this.offset);
  }

  private reserve(length: number): void {
    const needed = this.offset + length;
    if (needed <= this.buffer.length) return;
    const larger = new Uint8Array(Math.max(needed, this.buffer.length * 2));
    larger.set(this.buffer.subarray(0, this.offset));
    this.buffer = larger;
  }
}
