// Finds line and column of an octet in a file that is read again for it, chunk by chunk. It knows
// UTF-8 and line ends; it must not know what stands there.

import type { Place } from "../config/yaml-documents.ts";

/** Counts lines and columns up to one place, as `readDocuments` counts them. */
export class PlaceFinder {
  #octetsLeft: number;
  /** The file's first octets, as a number. */
  #head = 0;
  #line = 1;
  #column = 1;

  /** @param offset the octets of the file that stand before the place. */
  constructor(offset: number) {
    this.#octetsLeft = offset;
  }

  /** Takes the file's next octets; whether more are needed. */
  push(chunk: Uint8Array): boolean {
    const length = Math.min(chunk.length, this.#octetsLeft);
    for (let at = 0; at < length; at++) {
      const octet = chunk[at] ?? 0;
      if (octet === 0x0a) {
        this.#line++;
        this.#column = 1;
      } else if (octet < 0x80 || octet >= 0xc0) {
        this.#column += octet >= 0xf0 ? 2 : 1; // columns count UTF-16 units
      }
      if (this.#head < 0x10000) {
        this.#head = this.#head * 0x100 + octet;
        if (this.#head === byteOrderMark) this.#column = 1; // it stands in no column
      }
    }
    this.#octetsLeft -= length;
    return this.#octetsLeft > 0;
  }

  /** The place; the file's end if there were too few octets. */
  get place(): Place {
    return { line: this.#line, column: this.#column };
  }
}

const byteOrderMark = 0xefbbbf;
