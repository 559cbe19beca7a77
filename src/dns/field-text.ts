// The text form of the fields that are one token long, both ways. It knows the kinds of fields;
// in which record a field stands, and the kinds that run over many tokens, are the caller's.

import { formatAddress, parseAddress } from "./address.ts";
import { formatBase32Hex, parseBase32Hex } from "./base32hex.ts";
import { formatCharacters, parseCharacters, shown } from "./character-string.ts";
import { parseDuration } from "./duration-text.ts";
import { formatName, type Name, parseName } from "./name.ts";
import { type FieldKind, recordType, typeCode } from "./record-types.ts";
import { unknownType, unknownWord } from "./unknown-word.ts";
import type { WireReader } from "./wire-reader.ts";

/** Octets of a field, or why there are none. */
export type FieldResult = { ok: true; octets: Uint8Array } | { ok: false; reason: string };

/** How one kind of field is written. */
export interface FieldText {
  parse(text: string, origin: Name): FieldResult;
  /** Takes the field off the reader; the rdata must be well formed. */
  format(reader: WireReader): string;
}

/** Every kind that is one token. */
export const fieldTexts: ReadonlyMap<FieldKind, FieldText> = new Map<FieldKind, FieldText>([
  ["u8", { parse: (text) => parseNumber(text, 1), format: (reader) => String(reader.u8()) }],
  ["u16", { parse: (text) => parseNumber(text, 2), format: (reader) => String(reader.u16()) }],
  ["u32", { parse: (text) => parseNumber(text, 4), format: (reader) => String(reader.u32()) }],
  ["ttl", { parse: parseTtl, format: (reader) => String(reader.u32()) }],
  ["time", { parse: parseTime, format: (reader) => formatTime(reader.u32()) }],
  ["ipv4", addressText(4)],
  ["ipv6", addressText(16)],
  ["compressedName", { parse: parseDomainName, format: (reader) => formatName(reader.name()) }],
  ["name", { parse: parseDomainName, format: (reader) => formatName(reader.name()) }],
  [
    "string",
    {
      parse: parseCharacterString,
      format: (reader) => formatCharacters(reader.take(reader.u8())),
    },
  ],
  [
    "text",
    { parse: parseText, format: (reader) => formatCharacters(reader.take(reader.remaining)) },
  ],
  ["salt", { parse: parseSalt, format: (reader) => hex(reader.take(reader.u8())) || "-" }],
  ["hash", { parse: parseHash, format: (reader) => formatBase32Hex(reader.take(reader.u8())) }],
  ["type", { parse: parseType, format: (reader) => recordType(reader.u16()).mnemonic }],
  ["algorithm", { parse: parseAlgorithm, format: (reader) => String(reader.u8()) }],
]);

/** A domain name; a relative one is completed by `origin`. */
export function parseDomainName(text: string, origin: Name): FieldResult {
  const parsed = parseName(text, origin);
  if (parsed.ok) return { ok: true, octets: parsed.name };
  const problem = parsed.reason.replace(/^cannot read a name: /, "").replace(/, got ".*$/s, "");
  return refused(`not a domain name: ${problem}`, text);
}

/** One character-string with its length octet (RFC 1035 section 3.3). */
export function parseCharacterString(text: string): FieldResult {
  const parsed = parseText(text);
  if (!parsed.ok || parsed.octets.length > 0xff) {
    return parsed.ok ? refused("a string longer than 255 octets", text) : parsed;
  }
  return withLength(parsed.octets);
}

/** Upper-case hex. */
export function hex(octets: Uint8Array): string {
  return Buffer.from(octets).toString("hex").toUpperCase();
}

/** Mnemonics of DNSSEC algorithms (IANA "DNS Security Algorithm Numbers"). */
const algorithms: ReadonlyMap<string, number> = new Map([
  ["RSAMD5", 1],
  ["DH", 2],
  ["DSA", 3],
  ["RSASHA1", 5],
  ["DSA-NSEC3-SHA1", 6],
  ["RSASHA1-NSEC3-SHA1", 7],
  ["RSASHA256", 8],
  ["RSASHA512", 10],
  ["ECC-GOST", 12],
  ["ECDSAP256SHA256", 13],
  ["ECDSAP384SHA384", 14],
  ["ED25519", 15],
  ["ED448", 16],
  ["INDIRECT", 252],
  ["PRIVATEDNS", 253],
  ["PRIVATEOID", 254],
]);

function parseNumber(text: string, octetCount: 1 | 2 | 4): FieldResult {
  const limit = 2 ** (octetCount * 8) - 1;
  if (!/^\d{1,10}$/.test(text) || Number(text) > limit) {
    return refused(`not a number from 0 to ${limit}`, text);
  }
  return number(Number(text), octetCount);
}

function parseTtl(text: string): FieldResult {
  const seconds = parseDuration(text);
  if (seconds === undefined) return refused("not a time such as 3600 or 1h30m", text);
  return number(seconds, 4);
}

/** `YYYYMMDDHHmmSS` in UTC, or seconds since 1970 (RFC 4034 section 3.2). */
function parseTime(text: string): FieldResult {
  if (/^\d{1,10}$/.test(text) && Number(text) <= 0xffff_ffff) return number(Number(text), 4);
  const date = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(text);
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = (date ?? [])
    .slice(1)
    .map(Number);
  const seconds = Date.UTC(year, month - 1, day, hour, minute, second) / 1000;
  // A day that does not exist comes back as another one.
  if (!date || seconds < 0 || seconds > 0xffff_ffff || formatTime(seconds) !== text) {
    return refused("not a time as YYYYMMDDHHmmSS or in seconds since 1970", text);
  }
  return number(seconds, 4);
}

function formatTime(seconds: number): string {
  return new Date(seconds * 1000)
    .toISOString()
    .replace(/\.\d+Z$/, "")
    .replace(/\D/g, "");
}

function addressText(octetCount: 4 | 16): FieldText {
  const family = octetCount === 4 ? "IPv4" : "IPv6";
  return {
    parse: (text) => {
      const address = parseAddress(text);
      if (address?.length === octetCount) return { ok: true, octets: address };
      return refused(`not an ${family} address`, text);
    },
    format: (reader) => formatAddress(reader.take(octetCount)),
  };
}

function parseText(text: string): FieldResult {
  const octets = parseCharacters(text);
  return octets
    ? { ok: true, octets }
    : refused("an escape that is not \\X or \\000 to \\255", text);
}

function parseSalt(text: string): FieldResult {
  if (text === "-") return withLength(new Uint8Array(0));
  if (!/^([0-9a-f]{2}){1,255}$/i.test(text)) {
    return refused("not a salt in hex of at most 255 octets, or -", text);
  }
  return withLength(Buffer.from(text, "hex"));
}

function parseHash(text: string): FieldResult {
  const octets = parseBase32Hex(text);
  if (!octets || octets.length === 0 || octets.length > 0xff) {
    return refused("not a hash of 1 to 255 octets in base32hex", text);
  }
  return withLength(octets);
}

function parseType(text: string): FieldResult {
  const code = typeCode(text);
  return code === undefined ? { ok: false, reason: unknownType(text) } : number(code, 2);
}

function parseAlgorithm(text: string): FieldResult {
  if (/^\d/.test(text)) return parseNumber(text, 1);
  const code = algorithms.get(text.toUpperCase());
  if (code !== undefined) return number(code, 1);
  return { ok: false, reason: unknownWord("DNSSEC algorithm", text, [...algorithms.keys()]) };
}

function withLength(octets: Uint8Array): FieldResult {
  return { ok: true, octets: Buffer.concat([Buffer.of(octets.length), octets]) };
}

function number(value: number, octetCount: number): FieldResult {
  const octets = Buffer.alloc(octetCount);
  octets.writeUIntBE(value, 0, octetCount);
  return { ok: true, octets };
}

function refused(problem: string, got: string): FieldResult {
  return { ok: false, reason: `${problem}, got ${shown(got)}` };
}
