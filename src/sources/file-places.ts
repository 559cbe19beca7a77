// Finds lines and columns in a file by reading it again up to there. It knows one file; it must
// not know what stands there. Does I/O.

import { closeSync, openSync, readSync } from "node:fs";
import type { Place } from "../config/yaml-documents.ts";
import { PlaceFinder } from "./json-places.ts";
import { chunkOctets } from "./settled-file.ts";

/** Places asked for in ascending order cost one reading together. */
export class FilePlaces {
  readonly #file: string;
  #offset = 0;
  #finder = new PlaceFinder(Number.POSITIVE_INFINITY);

  constructor(file: string) {
    this.#file = file;
  }

  /** The place of an octet; the beginning if the file can be read no more. */
  at(offset: number): Place {
    if (offset < this.#offset) {
      this.#offset = 0;
      this.#finder = new PlaceFinder(Number.POSITIVE_INFINITY);
    }
    try {
      this.#readTo(offset);
    } catch {
      return { line: 1, column: 1 }; // who changed the file meanwhile makes another reading
    }
    return this.#finder.place;
  }

  #readTo(offset: number): void {
    if (offset === this.#offset) return;
    const descriptor = openSync(this.#file, "r");
    try {
      const buffer = new Uint8Array(Math.min(chunkOctets, offset - this.#offset));
      while (this.#offset < offset) {
        const wanted = Math.min(buffer.length, offset - this.#offset);
        const length = readSync(descriptor, buffer, 0, wanted, this.#offset);
        if (length === 0) return;
        this.#finder.push(buffer.subarray(0, length));
        this.#offset += length;
      }
    } finally {
      closeSync(descriptor);
    }
  }
}
