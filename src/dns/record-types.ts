// The one table of resource record types: code, mnemonic and the layout of the rdata as a list
// of fields. Reading, compressing, parsing and printing rdata all follow this table; it knows
// nothing of how they do so.

/**
 * One field of an rdata layout.
 *
 * - `u8`, `u16`, `u32`: unsigned numbers in network order.
 * - `ttl`: a 32-bit number of seconds that text may write as `1h30m`.
 * - `time`: 32-bit seconds since 1970 that text writes as `YYYYMMDDHHmmSS` (RFC 4034 section 3.2).
 * - `ipv4`, `ipv6`: 4 and 16 octets.
 * - `compressedName`: a domain name that may be compressed (RFC 3597 section 4: only the types of RFC 1035).
 * - `name`: a domain name that is never compressed when written.
 * - `string`: one character-string of at most 255 octets.
 * - `strings`: one or more character-strings to the end.
 * - `text`: raw octets to the end, written as one quoted string (CAA value, RFC 8659 section 4.1.1).
 * - `hex`, `base64`: octets to the end.
 * - `salt`: one length octet and that many octets, in hex, `-` when empty (RFC 5155 section 3.3).
 * - `hash`: one length octet and that many octets, in base32hex (RFC 5155 section 3.3).
 * - `u16Base64`: a 16-bit length and that many octets, in base64 (TSIG).
 * - `type`: a record type as 16-bit number, a mnemonic in text.
 * - `algorithm`: a DNSSEC algorithm number, 8 bits; text may use the mnemonic.
 * - `typeBitmap`: window blocks of types (RFC 4034 section 4.1.2).
 * - `serviceParameters`: SvcParams of SVCB and HTTPS (RFC 9460 section 2.2).
 */
export type FieldKind =
  | "u8"
  | "u16"
  | "u32"
  | "ttl"
  | "time"
  | "ipv4"
  | "ipv6"
  | "compressedName"
  | "name"
  | "string"
  | "strings"
  | "text"
  | "hex"
  | "base64"
  | "salt"
  | "hash"
  | "u16Base64"
  | "type"
  | "algorithm"
  | "typeBitmap"
  | "serviceParameters";

/** A field's name in its standard, for messages, and what it holds. */
export interface Field {
  readonly name: string;
  readonly kind: FieldKind;
}

/** A record type: `layout` is `undefined` for types that are opaque to us (RFC 3597). */
export interface RecordType {
  readonly code: number;
  readonly mnemonic: string;
  readonly layout: readonly Field[] | undefined;
}

function entry(code: number, mnemonic: string, ...fields: [string, FieldKind][]): RecordType {
  return { code, mnemonic, layout: fields.map(([name, kind]) => ({ name, kind })) };
}

const entries: readonly RecordType[] = [
  entry(1, "A", ["address", "ipv4"]), // RFC 1035 section 3.4.1
  entry(2, "NS", ["name server", "compressedName"]), // RFC 1035 section 3.3.11
  entry(5, "CNAME", ["target", "compressedName"]), // RFC 1035 section 3.3.1
  // RFC 1035 section 3.3.13
  entry(
    6,
    "SOA",
    ["primary name server", "compressedName"],
    ["contact", "compressedName"],
    ["serial", "u32"],
    ["refresh", "ttl"],
    ["retry", "ttl"],
    ["expire", "ttl"],
    ["minimum", "ttl"],
  ),
  entry(12, "PTR", ["target", "compressedName"]), // RFC 1035 section 3.3.12
  entry(15, "MX", ["preference", "u16"], ["exchange", "compressedName"]), // RFC 1035 section 3.3.9
  entry(16, "TXT", ["text", "strings"]), // RFC 1035 section 3.3.14
  entry(28, "AAAA", ["address", "ipv6"]), // RFC 3596 section 2.2
  entry(33, "SRV", ["priority", "u16"], ["weight", "u16"], ["port", "u16"], ["target", "name"]), // RFC 2782
  // RFC 3403 section 4.1
  entry(
    35,
    "NAPTR",
    ["order", "u16"],
    ["preference", "u16"],
    ["flags", "string"],
    ["services", "string"],
    ["regexp", "string"],
    ["replacement", "name"],
  ),
  // RFC 4034 section 5.1
  entry(
    43,
    "DS",
    ["key tag", "u16"],
    ["algorithm", "algorithm"],
    ["digest type", "u8"],
    ["digest", "hex"],
  ),
  entry(44, "SSHFP", ["algorithm", "u8"], ["fingerprint type", "u8"], ["fingerprint", "hex"]), // RFC 4255 section 3.1
  // RFC 4034 section 3.1
  entry(
    46,
    "RRSIG",
    ["type covered", "type"],
    ["algorithm", "algorithm"],
    ["labels", "u8"],
    ["original ttl", "ttl"],
    ["expiration", "time"],
    ["inception", "time"],
    ["key tag", "u16"],
    ["signer", "name"],
    ["signature", "base64"],
  ),
  entry(47, "NSEC", ["next name", "name"], ["types", "typeBitmap"]), // RFC 4034 section 4.1
  // RFC 4034 section 2.1
  entry(
    48,
    "DNSKEY",
    ["flags", "u16"],
    ["protocol", "u8"],
    ["algorithm", "algorithm"],
    ["public key", "base64"],
  ),
  // RFC 5155 section 3.2
  entry(
    50,
    "NSEC3",
    ["hash algorithm", "u8"],
    ["flags", "u8"],
    ["iterations", "u16"],
    ["salt", "salt"],
    ["next hashed owner", "hash"],
    ["types", "typeBitmap"],
  ),
  // RFC 5155 section 4.2
  entry(
    51,
    "NSEC3PARAM",
    ["hash algorithm", "u8"],
    ["flags", "u8"],
    ["iterations", "u16"],
    ["salt", "salt"],
  ),
  // RFC 6698 section 2.1
  entry(
    52,
    "TLSA",
    ["usage", "u8"],
    ["selector", "u8"],
    ["matching type", "u8"],
    ["certificate association", "hex"],
  ),
  // RFC 9460 section 2.2
  entry(64, "SVCB", ["priority", "u16"], ["target", "name"], ["parameters", "serviceParameters"]),
  entry(65, "HTTPS", ["priority", "u16"], ["target", "name"], ["parameters", "serviceParameters"]),
  entry(257, "CAA", ["flags", "u8"], ["tag", "string"], ["value", "text"]), // RFC 8659 section 4.1
];

const byCode = new Map(entries.map((each) => [each.code, each]));
const byMnemonic = new Map(entries.map((each) => [each.mnemonic, each]));

/** Codes that the program itself speaks of, by mnemonic. OPT, TSIG and the QTYPEs hold no zone data. */
export const RRType = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  SRV: 33,
  NAPTR: 35,
  OPT: 41,
  DS: 43,
  RRSIG: 46,
  NSEC: 47,
  DNSKEY: 48,
  NSEC3: 50,
  SVCB: 64,
  HTTPS: 65,
  TSIG: 250,
  IXFR: 251,
  AXFR: 252,
  MAILB: 253,
  MAILA: 254,
  ANY: 255,
  CAA: 257,
} as const;

const queryTypes = new Map<string, number>([
  ["OPT", RRType.OPT],
  ["TSIG", RRType.TSIG],
  ["IXFR", RRType.IXFR],
  ["AXFR", RRType.AXFR],
  ["MAILB", RRType.MAILB],
  ["MAILA", RRType.MAILA],
  ["ANY", RRType.ANY],
]);
const queryTypeMnemonics = new Map([...queryTypes].map(([mnemonic, code]) => [code, mnemonic]));

/** The entry of a type code; codes without one are opaque and called `TYPE123` (RFC 3597 section 5). */
export function recordType(code: number): RecordType {
  const mnemonic = queryTypeMnemonics.get(code) ?? `TYPE${code}`;
  return byCode.get(code) ?? { code, mnemonic, layout: undefined };
}

/**
 * The code of a type written as mnemonic or as `TYPE123`, in any case; `undefined` if it is
 * neither. Includes the QTYPEs (ANY, AXFR, ...), which no record may have.
 */
export function typeCode(text: string): number | undefined {
  const upper = text.toUpperCase();
  const known = byMnemonic.get(upper)?.code ?? queryTypes.get(upper);
  if (known !== undefined) return known;
  const generic = /^TYPE(\d{1,5})$/.exec(upper);
  const code = generic ? Number(generic[1]) : Number.NaN;
  return code <= 0xffff ? code : undefined;
}

/** Whether a code is a question or a transport matter only (RFC 6895 section 3.1): never zone data. */
export function isMetaType(code: number): boolean {
  return code === RRType.OPT || (code >= 128 && code <= 255) || code === 0;
}
