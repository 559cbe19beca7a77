// Messages for words that are none of those known, with the known one that may have been meant.
// It knows the mnemonics of types; where the word stood is the caller's.

import { shown } from "./character-string.ts";
import { nearest } from "./nearest.ts";
import { recordType } from "./record-types.ts";

/** Why `word` is refused as a `what`. */
export function unknownWord(what: string, word: string, known: readonly string[]): string {
  const near = nearest(word, known);
  const suggestion = near === undefined ? "" : ` (did you mean ${near}?)`;
  return `not a known ${what}${suggestion}, got ${shown(word)}`;
}

/** Why `word` is refused as a record type. */
export function unknownType(word: string): string {
  return unknownWord("record type", word, mnemonics);
}

/** All types that have a text form of their own; the last of them is CAA. */
const mnemonics: readonly string[] = Array.from({ length: 258 }, (_, code) => recordType(code))
  .filter((type) => type.layout !== undefined)
  .map((type) => type.mnemonic);
