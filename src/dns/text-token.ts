// The pieces into which the text of a record is cut, and what comes of reading them. It knows no
// record type and no file.

/** A word, or what stood between quotes: escapes still in place, one character an octet (latin1). */
export interface TextToken {
  readonly text: string;
  readonly isQuoted: boolean;
}

/** Octets that were read from tokens, or what is wrong with the token of that index; an index past the last one means that something is missing. */
export type TokensResult =
  | { ok: true; octets: Uint8Array }
  | { ok: false; reason: string; token: number };
