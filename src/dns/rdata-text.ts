// Rdata in master-file form, both ways, by the layouts of record-types.ts, and in the form of
// RFC 3597 that fits every type. It knows tokens of one record; lines and files are the caller's.

import { formatCharacters, shown } from "./character-string.ts";
import { type FieldText, fieldTexts, hex, parseCharacterString } from "./field-text.ts";
import type { Name } from "./name.ts";
import { checkRdata } from "./rdata-wire.ts";
import { type Field, RRType, recordType, typeCode } from "./record-types.ts";
import { formatServiceParameters, parseServiceParameters } from "./svcb-text.ts";
import type { TextToken, TokensResult } from "./text-token.ts";
import { readTypeBitmap, writeTypeBitmap } from "./type-bitmap.ts";
import { unknownType } from "./unknown-word.ts";
import { WireReader } from "./wire-reader.ts";

export type { TextToken } from "./text-token.ts";

/** Uncompressed rdata, or what is wrong with which token; an index past the last means that something is missing. */
export type RdataResult =
  | { ok: true; rdata: Uint8Array }
  | { ok: false; reason: string; token: number };

const maxRdataLength = 0xffff;

/**
 * Reads the tokens after a record's type. Relative names take `origin`. Every type may be written
 * as `\# length hex` (RFC 3597 section 5), types without a layout must be.
 */
export function parseRdata(type: number, tokens: readonly TextToken[], origin: Name): RdataResult {
  if (tokens[0]?.text === "\\#" && !tokens[0].isQuoted) return parseGeneric(type, tokens);
  const { layout, mnemonic } = recordType(type);
  if (!layout) {
    return refused(0, `${mnemonic} is written as \\# length hex`, tokens[0]);
  }
  const parts: Uint8Array[] = [];
  let next = 0;
  for (const field of layout) {
    const runsToEnd = restParsers.has(field.kind);
    const end = runsToEnd ? tokens.length : next + 1;
    const parsed = parseField(type, field, tokens.slice(next, end), origin);
    if (!parsed.ok) return { ...parsed, token: next + parsed.token };
    parts.push(parsed.octets);
    next = end;
  }
  if (next < tokens.length) {
    const last = layout.at(-1)?.name ?? "type";
    return refused(next, `nothing may follow the ${last}`, tokens[next]);
  }
  const rdata = Buffer.concat(parts);
  if (rdata.length > maxRdataLength) {
    return { ok: false, token: 0, reason: `longer than 65535 octets, got ${rdata.length}` };
  }
  return { ok: true, rdata: new Uint8Array(rdata) };
}

/**
 * The rdata on one line, as BIND prints it but with no blanks inside hex and base64;
 * `parseRdata` reads it back. Types without a layout, and rdata that does not fit its layout,
 * are written as `\# length hex`.
 */
export function formatRdata(type: number, rdata: Uint8Array): string {
  const layout = recordType(type).layout;
  if (!layout || checkRdata(type, rdata)) return formatGeneric(rdata);
  const reader = new WireReader(rdata, false);
  return layout
    .map((field) => formatField(type, field, reader))
    .filter((text) => text !== "")
    .join(" ");
}

type RestParser = (tokens: readonly TextToken[], field: Field) => TokensResult;

/** Kinds that take all the tokens that are left. */
const restParsers: ReadonlyMap<string, RestParser> = new Map<string, RestParser>([
  ["strings", parseStrings],
  ["hex", parseHex],
  ["base64", parseBase64],
  ["typeBitmap", parseTypeBitmap],
  ["serviceParameters", parseServiceParameters],
]);

/** Kinds in which quotes have a meaning. */
const quotableKinds: readonly string[] = ["string", "strings", "text", "serviceParameters"];
/** Kinds that may be left out altogether. */
const optionalKinds: readonly string[] = ["typeBitmap", "serviceParameters"];

function parseField(
  type: number,
  field: Field,
  tokens: readonly TextToken[],
  origin: Name,
): TokensResult {
  const [first] = tokens;
  if (!first && !optionalKinds.includes(field.kind)) {
    return refused(0, `the ${field.name} is missing`, first);
  }
  const quoted = tokens.findIndex((token) => token.isQuoted);
  if (quoted >= 0 && !quotableKinds.includes(field.kind)) {
    return refused(quoted, `the ${field.name} stands in quotes`, tokens[quoted]);
  }
  const restParser = restParsers.get(field.kind);
  if (restParser) return restParser(tokens, field);
  const text = first?.text ?? "";
  if (isCaaTag(type, field) && !/^[0-9a-z]{1,255}$/i.test(text)) {
    return refused(0, "not a tag of letters and digits", first);
  }
  const parsed = fieldText(field).parse(text, origin);
  return parsed.ok ? parsed : { ...parsed, token: 0 };
}

function formatField(type: number, field: Field, reader: WireReader): string {
  switch (field.kind) {
    case "strings": {
      const texts: string[] = [];
      while (reader.remaining > 0) texts.push(formatCharacters(reader.take(reader.u8())));
      return texts.join(" ");
    }
    case "hex":
      return hex(reader.take(reader.remaining));
    case "base64":
      return Buffer.from(reader.take(reader.remaining)).toString("base64");
    case "typeBitmap":
      return formatTypeBitmap(reader.take(reader.remaining));
    case "serviceParameters":
      return formatServiceParameters(reader.take(reader.remaining));
    default:
      // The tag alone of all strings is never quoted (RFC 8659 section 4.1.1).
      if (isCaaTag(type, field)) return Buffer.from(reader.take(reader.u8())).toString("latin1");
      return fieldText(field).format(reader);
  }
}

function isCaaTag(type: number, field: Field): boolean {
  return type === RRType.CAA && field.kind === "string";
}

function fieldText(field: Field): FieldText {
  const text = fieldTexts.get(field.kind);
  if (!text) throw new TypeError(`cannot write a field as text: no form, got ${field.kind}`);
  return text;
}

function parseStrings(tokens: readonly TextToken[]): TokensResult {
  const parts: Uint8Array[] = [];
  for (const [index, token] of tokens.entries()) {
    const parsed = parseCharacterString(token.text);
    if (!parsed.ok) return { ...parsed, token: index };
    parts.push(parsed.octets);
  }
  return { ok: true, octets: Buffer.concat(parts) };
}

function parseHex(tokens: readonly TextToken[], field: Field): TokensResult {
  const bad = tokens.findIndex((token) => !/^[0-9a-f]+$/i.test(token.text));
  if (bad >= 0) return refused(bad, `the ${field.name} is not hex`, tokens[bad]);
  const digits = tokens.map((token) => token.text).join("");
  if (digits.length % 2 !== 0) {
    const last = tokens.length - 1;
    return refused(last, `the ${field.name} has an odd number of digits`, tokens[last]);
  }
  return { ok: true, octets: Buffer.from(digits, "hex") };
}

function parseBase64(tokens: readonly TextToken[], field: Field): TokensResult {
  const bad = tokens.findIndex((token) => !/^[0-9a-z+/=]+$/i.test(token.text));
  if (bad >= 0) return refused(bad, `the ${field.name} is not base64`, tokens[bad]);
  const text = tokens.map((token) => token.text).join("");
  const octets = Buffer.from(text, "base64");
  if (octets.toString("base64") !== text) {
    const last = tokens.length - 1;
    return refused(last, `the ${field.name} is not whole base64`, tokens[last]);
  }
  return { ok: true, octets };
}

function parseTypeBitmap(tokens: readonly TextToken[]): TokensResult {
  const types: number[] = [];
  for (const [index, { text }] of tokens.entries()) {
    const code = typeCode(text);
    if (code === undefined) return { ok: false, token: index, reason: unknownType(text) };
    types.push(code);
  }
  return { ok: true, octets: writeTypeBitmap(types) };
}

function formatTypeBitmap(octets: Uint8Array): string {
  const result = readTypeBitmap(octets);
  const types = result.ok ? result.types : [];
  return types.map((code) => recordType(code).mnemonic).join(" ");
}

/** RFC 3597 section 5. Octets of a known type must fit its layout. */
function parseGeneric(type: number, tokens: readonly TextToken[]): RdataResult {
  const [, length, ...rest] = tokens;
  if (!length || !/^\d{1,5}$/.test(length.text) || Number(length.text) > maxRdataLength) {
    return refused(1, "not a length from 0 to 65535", length);
  }
  const parsed = parseHex(rest, { name: "rdata", kind: "hex" });
  if (!parsed.ok) return { ...parsed, token: parsed.token + 2 };
  if (parsed.octets.length !== Number(length.text)) {
    return {
      ok: false,
      token: 1,
      reason: `the length is not that of the hex, got ${length.text} for ${parsed.octets.length} octets`,
    };
  }
  const failure = checkRdata(type, parsed.octets);
  if (failure) {
    return { ok: false, token: 2, reason: `the octets do not fit the type: ${failure.reason}` };
  }
  return { ok: true, rdata: new Uint8Array(parsed.octets) };
}

function formatGeneric(rdata: Uint8Array): string {
  return rdata.length > 0 ? `\\# ${rdata.length} ${hex(rdata)}` : "\\# 0";
}

function refused(token: number, problem: string, got: TextToken | undefined) {
  const shownGot = got ? shown(got.text) : "the end of the record";
  return { ok: false, token, reason: `${problem}, got ${shownGot}` } as const;
}
