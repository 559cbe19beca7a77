// A cursor over the octets of a message that cannot leave its bounds. It knows numbers, octets
// and compressed names; it must not know what they mean.

import { maxNameLength, type Name, rootName } from "./name.ts";

/** What was wrong with the octets, and the offset at which it shows. */
export interface Failure {
  readonly reason: string;
  readonly offset: number;
}

/** A name has at most 127 labels, so more pointers than that serve only to cost time. */
const maxPointers = 127;
const scratch = new Uint8Array(maxNameLength);

/**
 * Reads from `offset` to `end`. The first thing that goes wrong is kept in `failure` and puts the
 * cursor at the end; from then on numbers read as 0, octets as none and names as the root. So a
 * caller reads a whole structure first and looks at `failure` once.
 */
export class WireReader {
  offset = 0;
  end: number;
  failure: Failure | undefined;
  readonly octets: Uint8Array;
  private readonly followsPointers: boolean;

  /** `followsPointers: false` for octets outside a message, in which a pointer leads nowhere. */
  constructor(octets: Uint8Array, followsPointers = true) {
    // A Buffer's `slice` is a view; what is read here must outlive the packet.
    this.octets = new Uint8Array(octets.buffer, octets.byteOffset, octets.byteLength);
    this.end = octets.length;
    this.followsPointers = followsPointers;
  }

  get remaining(): number {
    return this.end - this.offset;
  }

  u8(): number {
    return this.has(1) ? this.octet(this.offset++) : 0;
  }

  u16(): number {
    if (!this.has(2)) return 0;
    const at = this.offset;
    this.offset += 2;
    return (this.octet(at) << 8) | this.octet(at + 1);
  }

  u32(): number {
    const high = this.u16();
    return high * 0x10000 + this.u16();
  }

  /** A copy of the next `length` octets. */
  take(length: number): Uint8Array {
    if (!this.has(length)) return new Uint8Array(0);
    this.offset += length;
    return this.octets.slice(this.offset - length, this.offset);
  }

  skip(length: number): void {
    if (this.has(length)) this.offset += length;
  }

  /** A name, decompressed (RFC 1035 section 4.1.4). A pointer must point to before its own name. */
  name(): Name {
    let at = this.offset;
    let limit = this.end;
    let start = at;
    let length = 0;
    let pointers = 0;
    let next: number | undefined;
    while (at < limit) {
      const octet = this.octet(at);
      if (octet < 0x40) {
        if (length + 1 + octet > maxNameLength) return this.noName("it is longer than 255 octets");
        if (at + 1 + octet > limit) break;
        scratch[length++] = octet;
        at++;
        for (let last = at + octet; at < last; at++) scratch[length++] = this.octet(at);
        if (octet > 0) continue;
        this.offset = next ?? at;
        return scratch.slice(0, length);
      }
      if (octet < 0xc0) return this.noName(`a label type is not known, got 0x${hex(octet & 0xc0)}`);
      if (!this.followsPointers) return this.noName("a pointer stands outside a message");
      if (at + 2 > limit) break;
      const target = ((octet & 0x3f) << 8) | this.octet(at + 1);
      next ??= at + 2;
      if (target >= start) return this.noName(`a pointer does not point backwards, got ${target}`);
      if (++pointers > maxPointers) return this.noName("it has more than 127 pointers");
      // What it points to ended before this part began, so each part lies before the one before.
      limit = start;
      start = target;
      at = target;
    }
    return this.noName("it runs past its end");
  }

  /**
   * Narrows the reader to the next `length` octets and hands back the former end, for `widen`.
   * Fails if there are fewer.
   */
  narrow(length: number): number {
    const former = this.end;
    if (this.has(length)) this.end = this.offset + length;
    return former;
  }

  /** Takes back a `narrow`; fails if octets were left unread. */
  widen(former: number): void {
    if (this.remaining > 0)
      this.fail(`cannot read on: octets are left over, got ${this.remaining}`);
    this.end = former;
    if (this.failure) this.offset = former;
  }

  /** Records a failure, unless there is one already, and ends reading. */
  fail(reason: string, offset = this.offset): void {
    this.failure ??= { reason, offset };
    this.offset = this.end;
  }

  private noName(problem: string): Name {
    this.fail(`cannot read a name: ${problem}`);
    return rootName;
  }

  private has(length: number): boolean {
    if (length <= this.remaining && !this.failure) return true;
    this.fail(`cannot read ${length} octets: the end is nearer, got ${this.remaining}`);
    return false;
  }

  private octet(at: number): number {
    return this.octets[at] ?? 0;
  }
}

function hex(octet: number): string {
  return octet.toString(16).padStart(2, "0");
}
