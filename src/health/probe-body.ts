// Looks for a text in a body that comes in pieces. It must not know where they come from.

/** So many octets of a body are looked at (semantics 6). */
export const searchedOctets = 64 * 1024;

/** A search that needs no more memory than the text and one piece. */
export class BodySearch {
  readonly #wanted: Buffer;
  /** The end of what was seen, in which the text may have begun. */
  #tail: Buffer = Buffer.alloc(0);
  #left = searchedOctets;

  /** `wanted` is looked for as UTF-8; it must not be empty. */
  constructor(wanted: string) {
    this.#wanted = Buffer.from(wanted);
  }

  /** Takes the next piece. `over`: the text is not in the octets that are looked at. */
  take(piece: Buffer): "found" | "more" | "over" {
    const looked = piece.subarray(0, this.#left);
    this.#left -= looked.length;
    const text = this.#tail.length > 0 ? Buffer.concat([this.#tail, looked]) : looked;
    if (text.includes(this.#wanted)) return "found";
    if (this.#left === 0) return "over";
    // A copy, so that no large piece is kept for the sake of its end.
    this.#tail = Buffer.from(text.subarray(Math.max(0, text.length - this.#wanted.length + 1)));
    return "more";
  }
}
