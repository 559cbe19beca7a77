// What one Service's JSON text has in common with the next one's: all but a few values. Where only
// those differ, nothing need be read but them. It compares octets; it must not know what the
// values mean.

import { isLabel } from "./plain-service-ports.ts";

/** Objects that are longer or have more values than this are no templates. */
const maxOctets = 16384;
const maxSlots = 64;

/** A text that was found plain, and the strings in it that may be others, in order. */
export class ServiceTemplate {
  /** What each string is to the reader. */
  readonly uses = new Int32Array(maxSlots);
  /** Where each string began and ended in the text that was recorded or matched last. */
  readonly starts = new Int32Array(maxSlots);
  readonly ends = new Int32Array(maxSlots);
  slotCount = 0;
  /** False until `finish`, and if there was too much to record. */
  isUsable = false;
  readonly #octets = new Uint8Array(maxOctets);
  readonly #slotStarts = new Int32Array(maxSlots);
  readonly #slotEnds = new Int32Array(maxSlots);
  #length = 0;

  /** Begins to record. */
  begin(): void {
    this.slotCount = 0;
    this.isUsable = false;
  }

  /** Records that a string (or, empty, a place) may be another one. */
  addSlot(use: number, start: number, end: number): void {
    const slot = this.slotCount++;
    if (slot >= maxSlots) return;
    this.uses[slot] = use;
    this.starts[slot] = start;
    this.ends[slot] = end;
  }

  /** Ends recording: all else of the text is as it is. */
  finish(octets: Uint8Array, start: number, end: number): void {
    if (this.slotCount > maxSlots || end - start > maxOctets) return;
    this.#octets.set(octets.subarray(start, end));
    this.#length = end - start;
    for (let slot = 0; slot < this.slotCount; slot++) {
      this.#slotStarts[slot] = (this.starts[slot] ?? 0) - start;
      this.#slotEnds[slot] = (this.ends[slot] ?? 0) - start;
    }
    this.isUsable = true;
  }

  /**
   * The end of a text like this one that begins at `start`, its strings in `starts` and `ends`; -1
   * if there is none. Strings have no escape in them and no octet that is not ASCII.
   */
  match(octets: Uint8Array, start: number, limit: number): number {
    const own = this.#octets;
    const count = this.slotCount;
    let at = start;
    let ownAt = 0;
    for (let slot = 0; slot <= count; slot++) {
      const ownEnd = slot === count ? this.#length : (this.#slotStarts[slot] ?? 0);
      if (at + ownEnd - ownAt > limit) return -1;
      while (ownAt < ownEnd) if (octets[at++] !== own[ownAt++]) return -1;
      if (slot === count) break;
      this.starts[slot] = at;
      ownAt = this.#slotEnds[slot] ?? 0;
      if (own[ownAt] === 0x22) {
        while (at < limit && stringOctets[octets[at] ?? 0] === 1) at++;
      }
      this.ends[slot] = at;
    }
    return at;
  }
}

/** Whether octets are a name as `isObjectName` takes it. */
export function isName(octets: Uint8Array, start: number, end: number): boolean {
  return end - start <= 63 && isLabel(octets, start, end);
}

/** The octets of a string that need no look. */
const stringOctets = new Uint8Array(256).fill(1, 0x20, 0x80);
stringOctets[0x22] = 0;
stringOctets[0x5c] = 0;
