// Character-strings in master-file form (RFC 1035 section 5.1), and how text of unknown content
// is shown in messages. One character of a string is one octet (latin1); it knows no record type.

import { readEscape } from "./name.ts";

/** The octets of a text whose escapes `\X` and `\DDD` are resolved; `undefined` if an escape is neither. */
export function parseCharacters(text: string): Uint8Array | undefined {
  const octets = new Uint8Array(text.length);
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] !== "\\") {
      octets[length++] = text.charCodeAt(at);
      continue;
    }
    const escaped = readEscape(text, at);
    if (!escaped) return undefined;
    octets[length++] = escaped.octet;
    at += escaped.length - 1;
  }
  return octets.subarray(0, length);
}

/** The octets as a quoted string that `parseCharacters` reads back, quotes aside. */
export function formatCharacters(octets: Uint8Array): string {
  let text = "";
  for (const octet of octets) text += quotedTexts[octet];
  return `"${text}"`;
}

/** Text for a message: octets that do not print as `\DDD`, and no more than the first 60. */
export function shown(text: string): string {
  const start = text.slice(0, 60);
  const printable = start.replace(/[^\x20-\x7e]/g, (character) => decimalEscape(character));
  return start.length < text.length ? `${printable}...` : printable;
}

const quotedTexts: readonly string[] = Array.from({ length: 256 }, (_, octet) => {
  const character = String.fromCharCode(octet);
  if (character === '"' || character === "\\") return `\\${character}`;
  return octet >= 0x20 && octet < 0x7f ? character : decimalEscape(character);
});

function decimalEscape(character: string): string {
  return `\\${String(character.charCodeAt(0)).padStart(3, "0")}`;
}
