import { readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import fc from "fast-check";
import { parseBase32Hex } from "../../src/dns/base32hex.ts";
import { parseDuration } from "../../src/dns/duration-text.ts";
import { parseName } from "../../src/dns/name.ts";
import { formatRdata, parseRdata } from "../../src/dns/rdata-text.ts";
import { RRType, recordType, typeCode } from "../../src/dns/record-types.ts";
import { readEntries } from "../../src/zone/tokens.ts";
import { anyOctets, knownTypes, rdatas, seed } from "./arbitraries.ts";

interface Vectors {
  readonly valid: { name: string; text: string; wire: string; canonical: string }[];
  readonly invalid: { name: string; text: string; token: number; reason: string }[];
}
const svcb: Vectors = JSON.parse(
  readFileSync(path.resolve(import.meta.dirname, "../cases/dns/rfc9460-vectors.json"), "utf8"),
);

/** Text of rdata, its octets in hex, and the canonical text where it differs. */
const forms = [
  { type: "A", text: "192.0.2.1", wire: "c0000201" },
  {
    type: "AAAA",
    text: "2001:DB8:0:0:0:0:0:1",
    wire: "20010db8000000000000000000000001",
    canonical: "2001:db8::1",
  },
  { type: "NS", text: "a", wire: "0161 076578616d706c65 00", canonical: "a.example." },
  { type: "NS", text: "@", wire: "076578616d706c65 00", canonical: "example." },
  { type: "NS", text: "\\@", wire: "0140 076578616d706c65 00", canonical: "\\@.example." },
  { type: "MX", text: "10 a.", wire: "000a 0161 00" },
  {
    type: "SOA",
    text: "a. b. 4294967295 1h 1m 1w 0",
    wire: "0161 00 0162 00 ffffffff 00000e10 0000003c 00093a80 00000000",
    canonical: "a. b. 4294967295 3600 60 604800 0",
  },
  { type: "TXT", text: 'a "b c" ""', wire: "0161 03622063 00", canonical: '"a" "b c" ""' },
  { type: "TXT", text: '"\\"\\\\\\000\\255;"', wire: "05225c00ff3b" },
  { type: "TXT", text: '"\\#" 0', wire: "0123 0130", canonical: '"#" "0"' },
  { type: "SRV", text: "1 2 65535 .", wire: "0001 0002 ffff 00" },
  {
    type: "NAPTR",
    text: '100 10 u "" "!^.*$!x!" .',
    wire: "0064 000a 0175 00 08215e2e2a24217821 00",
    canonical: '100 10 "u" "" "!^.*$!x!" .',
  },
  {
    type: "DS",
    text: "1 RSASHA256 2 ab CD ef",
    wire: "0001 08 02 abcdef",
    canonical: "1 8 2 ABCDEF",
  },
  { type: "DS", text: "1 ecdsap256sha256 2 ab", wire: "0001 0d 02 ab", canonical: "1 13 2 AB" },
  { type: "SSHFP", text: "4 2 ab", wire: "04 02 ab", canonical: "4 2 AB" },
  {
    type: "DNSKEY",
    text: "257 3 13 AAEC Aw ==",
    wire: "0101 03 0d 00010203",
    canonical: "257 3 13 AAECAw==",
  },
  {
    type: "RRSIG",
    text: "TYPE1 8 2 1h 20380119031408 0 1 a. AA==",
    wire: "0001 08 02 00000e10 80000000 00000000 0001 0161 00 00",
    canonical: "A 8 2 3600 20380119031408 19700101000000 1 a. AA==",
  },
  {
    type: "RRSIG",
    text: "TYPE666 8 2 0 21060207062815 4294967295 1 . AA==",
    wire: "029a 08 02 00000000 ffffffff ffffffff 0001 00 00",
    canonical: "TYPE666 8 2 0 21060207062815 21060207062815 1 . AA==",
  },
  {
    type: "NSEC", // RFC 4034 section 4.3
    text: "host.example.com. A MX RRSIG NSEC TYPE1234",
    wire: "04686f7374076578616d706c6503636f6d00 0006400100000003 041b000000000000000000000000000000000000000000000000000020",
  },
  { type: "NSEC", text: "a. txt a A", wire: "0161 00 0003400080", canonical: "a. A TXT" },
  {
    type: "NSEC3",
    text: "1 1 12 aabb 2t7b4g4v",
    wire: "01 01 000c 02aabb 05174eb2409f",
    canonical: "1 1 12 AABB 2T7B4G4V",
  },
  { type: "NSEC3PARAM", text: "1 0 0 -", wire: "01 00 0000 00" },
  { type: "TLSA", text: "3 1 1 AB", wire: "03 01 01 ab" },
  { type: "CAA", text: "0 issue a", wire: "00 056973737565 61", canonical: '0 issue "a"' },
  { type: "CAA", text: '128 Tag1 ""', wire: "80 0454616731" },
  { type: "HTTPS", text: "1 . key65534", wire: "0001 00 fffe 0000" },
  {
    type: "HTTPS",
    text: "1 . key1=\\002h2 key2",
    wire: "0001 00 0001 0003 026832 0002 0000",
    canonical: '1 . alpn="h2" no-default-alpn',
  },
  {
    type: "HTTPS",
    text: '1 . port=  "53"',
    wire: "0001 00 0003 0002 0035",
    canonical: "1 . port=53",
  },
  {
    type: "HTTPS",
    text: "1 . ohttp ech=AAE= dohpath=/q{?dns}",
    wire: "0001 00 0005 0002 0001 0007 0008 2f717b3f646e737d 0008 0000",
    canonical: '1 . ech=AAE= dohpath="/q{?dns}" ohttp',
  },
  { type: "TYPE65280", text: "\\# 3 ab cd ( ef )", wire: "abcdef", canonical: "\\# 3 ABCDEF" },
  { type: "TYPE65280", text: "\\# 0", wire: "" },
  { type: "A", text: "\\# 4 c0000201", wire: "c0000201", canonical: "192.0.2.1" },
];

const refusals = [
  {
    type: "HTTPS",
    text: "1 . alpn=h2,,h3",
    token: 2,
    reason: "not a value of alpn (protocols with commas between), got h2,,h3",
  },
  {
    type: "HTTPS",
    text: "1 . alpn=h\\\\2",
    token: 2,
    reason: "not a value of alpn (protocols with commas between), got h\\\\2",
  },
  {
    type: "HTTPS",
    text: `1 . alpn=${"h".repeat(256)}`,
    token: 2,
    reason: `not a value of alpn (protocols with commas between), got ${"h".repeat(60)}...`,
  },
  {
    type: "HTTPS",
    text: "1 . no-default-alpn",
    token: 2,
    reason: "alpn is missing beside it, got no-default-alpn",
  },
  {
    type: "HTTPS",
    text: "1 . port=65536",
    token: 2,
    reason: "not a value of port (a number from 0 to 65535), got 65536",
  },
  { type: "HTTPS", text: "1 . ech=AAE", token: 2, reason: "not a value of ech (base64), got AAE" },
  {
    type: "HTTPS",
    text: "1 . dohpath=/q",
    token: 2,
    reason:
      "not a value of dohpath (a path with the variable dns, such as /dns-query{?dns}), got /q",
  },
  {
    type: "HTTPS",
    text: "1 . key3=x",
    token: 2,
    reason: "not a value of key3 (a number from 0 to 65535), got x",
  },
  { type: "HTTPS", text: "1 . key01=x", token: 2, reason: "not a known parameter, got key01" },
  { type: "HTTPS", text: "1 . key65536", token: 2, reason: "not a known parameter, got key65536" },
  {
    type: "HTTPS",
    text: "1 . Port=1",
    token: 2,
    reason: "not a known parameter (did you mean port?), got Port",
  },
  {
    type: "HTTPS",
    text: '1 . "port=1"',
    token: 2,
    reason: "not a parameter but a quoted string, got port=1",
  },
  {
    type: "HTTPS",
    text: "1 . port=\\1",
    token: 2,
    reason: "an escape is not \\X or \\000 to \\255, got port=\\1",
  },
  {
    type: "HTTPS",
    text: "1 . ipv4hint=::1",
    token: 2,
    reason: "not a value of ipv4hint (IPv4 addresses with commas between), got ::1",
  },
  {
    type: "HTTPS",
    text: "1",
    token: 1,
    reason: "the target is missing, got the end of the record",
  },
  {
    type: "TXT",
    text: "x ".repeat(40_000),
    token: 0,
    reason: "longer than 65535 octets, got 80000",
  },
  {
    type: "LOC",
    text: "52 22 23.000 N",
    token: 0,
    reason: "TYPE29 is written as \\# length hex, got 52",
  },
  {
    type: "TYPE65280",
    text: "",
    token: 0,
    reason: "TYPE65280 is written as \\# length hex, got the end of the record",
  },
  {
    type: "TYPE65280",
    text: "\\# 65536 00",
    token: 1,
    reason: "not a length from 0 to 65535, got 65536",
  },
  {
    type: "TXT",
    text: "\\# 2 0561",
    token: 2,
    reason: "the octets do not fit the type: cannot read 5 octets: the end is nearer, got 1",
  },
];

const durations = [
  { text: "0", expected: 0 },
  { text: "4294967295", expected: 4_294_967_295 },
  { text: "4294967296", expected: undefined },
  { text: "1w2d3h4m5s", expected: 788_645 },
  { text: "1H1h", expected: 7200 },
  { text: "7102w", expected: undefined },
  { text: "99999999999999999999", expected: undefined },
  { text: "1h30", expected: undefined },
  { text: "h", expected: undefined },
  { text: "", expected: undefined },
  { text: "-1", expected: undefined },
  { text: "1.5h", expected: undefined },
];

const hashes = [
  { text: "", expected: "" },
  { text: "CO", expected: "66" },
  { text: "cpnmuoj1e8", expected: "666f6f626172" }, // RFC 4648 section 10
  { text: "C", expected: undefined },
  { text: "CP", expected: undefined }, // bits past the last octet
  { text: "CW", expected: undefined },
];

describe("rdata as text", () => {
  for (const { type, text, wire, canonical } of forms) {
    it(`is read and written: ${type} ${text}`, () => {
      expect(parsed(type, text)).to.equal(wire.replaceAll(" ", ""));
      expect(formatted(type, wire)).to.equal(canonical ?? text);
      expect(parsed(type, canonical ?? text)).to.equal(wire.replaceAll(" ", ""));
    });
  }

  for (const { type, text, token, reason } of refusals) {
    it(`is refused: ${type} ${text.slice(0, 50)}`, () => {
      const code = type === "LOC" ? 29 : (typeCode(type) ?? 0);
      expect(parseRdata(code, tokens(text), origin)).to.deep.equal({ ok: false, token, reason });
    });
  }

  it("is written in the form of RFC 3597 where it does not fit its type", () => {
    expect(formatRdata(RRType.A, Uint8Array.of(1, 2, 3))).to.equal("\\# 3 010203");
    expect(formatRdata(RRType.A, new Uint8Array(0))).to.equal("\\# 0");
  });

  describe("of SVCB and HTTPS, by RFC 9460", () => {
    for (const { name, text, wire, canonical } of svcb.valid) {
      it(`reads and writes: ${name}`, () => {
        for (const type of ["SVCB", "HTTPS"]) {
          expect(parsed(type, text)).to.equal(wire.replaceAll(" ", ""));
          expect(formatted(type, wire)).to.equal(canonical);
          expect(parsed(type, canonical)).to.equal(wire.replaceAll(" ", ""));
        }
      });
    }
    for (const { name, text, token, reason } of svcb.invalid) {
      it(`refuses: ${name}`, () => {
        const result = parseRdata(RRType.SVCB, tokens(text), origin);
        expect(result).to.deep.equal({ ok: false, token, reason });
      });
    }
  });

  for (const type of [...knownTypes, 65280]) {
    const { mnemonic } = recordType(type);
    it(`comes back from its own text, in both forms: ${mnemonic}`, () => {
      fc.assert(
        fc.property(rdatas(type, anyOctets).filter(isConsistent(type)), (rdata) => {
          const text = formatRdata(type, rdata);
          expect(text).to.match(/^[\x20-\x7e]*$/);
          expect(parsed(mnemonic, text)).to.equal(hex(rdata));
          const generic = `\\# ${rdata.length} ${hex(rdata)}`;
          expect(parsed(mnemonic, generic)).to.equal(hex(rdata));
        }),
        { seed, numRuns: 300 },
      );
    });
  }

  it("has no text that makes reading throw, of whatever type", () => {
    const word = fc.oneof(
      fc.string({ maxLength: 12, unit: "binary-ascii" }),
      fc.constantFrom(
        "\\#",
        "0",
        "1",
        "4",
        "a.",
        "-",
        "AA==",
        "ab",
        "A",
        "alpn=",
        "port=1",
        "mandatory=alpn",
      ),
    );
    const token = fc.record({ text: word, isQuoted: fc.boolean() });
    fc.assert(
      fc.property(
        fc.constantFrom(...knownTypes),
        fc.array(token, { maxLength: 12 }),
        (type, list) => {
          const result = parseRdata(type, list, origin);
          if (result.ok)
            expect(parsed(recordType(type).mnemonic, formatRdata(type, result.rdata))).to.equal(
              hex(result.rdata),
            );
          else expect(result.token).to.be.within(0, list.length);
        },
      ),
      { seed, numRuns: 5000 },
    );
  });
});

describe("parseDuration", () => {
  for (const { text, expected } of durations) {
    it(`gives ${expected} for "${text}"`, () => expect(parseDuration(text)).to.equal(expected));
  }
});

describe("parseBase32Hex", () => {
  for (const { text, expected } of hashes) {
    it(`gives ${expected} for "${text}"`, () => {
      const octets = parseBase32Hex(text);
      expect(octets && hex(octets)).to.equal(expected);
    });
  }
});

const origin = nameOf("example.");

function nameOf(text: string): Uint8Array {
  const result = parseName(text);
  if (!result.ok) throw new Error(result.reason);
  return result.name;
}

function tokens(text: string) {
  return (
    [...readEntries(` ${text}`)][0]?.tokens.map(({ text: word, isQuoted }) => ({
      text: word,
      isQuoted,
    })) ?? []
  );
}

/** The octets of the text in hex, or why there are none. */
function parsed(type: string, text: string): string {
  const result = parseRdata(typeCode(type) ?? 0, tokens(text), origin);
  return result.ok ? hex(result.rdata) : result.reason;
}

function formatted(type: string, wire: string): string {
  return formatRdata(typeCode(type) ?? 0, Buffer.from(wire.replaceAll(" ", ""), "hex"));
}

function hex(octets: Uint8Array): string {
  return Buffer.from(octets).toString("hex");
}

/** Text refuses SVCB records that are at odds with themselves (RFC 9460 section 2.4.3), octets may hold them. */
function isConsistent(type: number): (rdata: Uint8Array) => boolean {
  if (type !== RRType.SVCB && type !== RRType.HTTPS) return () => true;
  return (rdata) => {
    const text = formatRdata(type, rdata);
    const has = (key: string) => new RegExp(` ${key}(=|$| )`).test(text);
    return (
      (!has("mandatory") || (has("alpn") && has("port"))) &&
      (!has("no-default-alpn") || has("alpn"))
    );
  };
}
