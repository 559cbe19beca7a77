// Generators of names, rdata, EDNS options and whole messages for the laws of src/dns. Rdata
// follows the layouts of the record type table, so a new type is generated as soon as it is there.

import fc from "fast-check";
import type { Edns, EdnsOption } from "../../src/dns/edns.ts";
import type { Message, Question, ResourceRecord, Tsig } from "../../src/dns/message.ts";
import { maxNameLength, type Name, nameOf, rootName } from "../../src/dns/name.ts";
import { type Field, RRType, recordType } from "../../src/dns/record-types.ts";
import { writeTypeBitmap } from "../../src/dns/type-bitmap.ts";

/** All laws run from this seed. */
export const seed = 20261121;

/** Every type that has a layout. */
export const knownTypes: readonly number[] = Array.from({ length: 300 }, (_, code) => code).filter(
  (code) => recordType(code).layout !== undefined,
);
const opaqueTypes = [10, 666, 65280];

/** What names and character-strings are made of. */
export interface Alphabet {
  readonly label: fc.Arbitrary<Uint8Array>;
  readonly string: fc.Arbitrary<Uint8Array>;
}

export const anyOctets: Alphabet = {
  label: fc.oneof(
    { weight: 3, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 12 }) },
    { weight: 1, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 63, size: "max" }) },
  ),
  string: fc.uint8Array({ maxLength: 255 }),
};

/** What programs that handle names as dotted strings can bear. */
export const plainText: Alphabet = {
  label: ascii(/^[a-zA-Z0-9_-]{1,12}$/),
  string: ascii(/^[ -~]{0,40}$/),
};

function ascii(pattern: RegExp): fc.Arbitrary<Uint8Array> {
  return fc.stringMatching(pattern).map((text) => new TextEncoder().encode(text));
}

/** Names of any length, often with a suffix in common. */
export function names(alphabet: Alphabet): fc.Arbitrary<Name> {
  const suffixes = [rootName, nameOf(["example", "com"], rootName), nameOf(["Com"], rootName)];
  return fc
    .tuple(fc.array(alphabet.label, { maxLength: 6 }), fc.constantFrom(...suffixes))
    .map(([labels, suffix]) => {
      let name = suffix;
      for (const label of labels) {
        if (name.length + label.length + 1 <= maxNameLength) name = nameOf([label], name);
      }
      return name;
    });
}

export function rdatas(type: number, alphabet: Alphabet): fc.Arbitrary<Uint8Array> {
  const { layout } = recordType(type);
  if (!layout) return fc.uint8Array({ maxLength: 40 });
  const fields = layout.map((field) =>
    type === RRType.CAA && field.name === "tag"
      ? ascii(/^[a-zA-Z0-9]{1,15}$/).map(counted)
      : fieldOctets(field, alphabet),
  );
  return fc.tuple(...fields).map(joined);
}

export function records(
  types: readonly number[],
  alphabet: Alphabet,
): fc.Arbitrary<ResourceRecord> {
  return fc
    .record({
      name: names(alphabet),
      type: fc.constantFrom(...types),
      class: fc.constant(1),
      ttlSeconds: fc.nat(0x7fffffff),
    })
    .chain((start) => rdatas(start.type, alphabet).map((rdata) => ({ ...start, rdata })));
}

/** Sections in which some records stand together as an RRset. */
function sections(alphabet: Alphabet): fc.Arbitrary<ResourceRecord[]> {
  const rrset = records([...knownTypes, ...opaqueTypes], alphabet).chain((first) =>
    fc
      .array(rdatas(first.type, alphabet), { maxLength: 2 })
      .map((more) => [first, ...more.map((rdata) => ({ ...first, rdata }))]),
  );
  return fc.array(rrset, { maxLength: 4 }).map((rrsets) => rrsets.flat());
}

export function ednsOptions(isResponse: boolean): fc.Arbitrary<EdnsOption> {
  return fc.oneof(
    ecs(1, 32, isResponse),
    ecs(2, 128, isResponse),
    fc.record({ kind: fc.constant("nsid" as const), id: fc.uint8Array({ maxLength: 20 }) }),
    fc.record({
      kind: fc.constant("cookie" as const),
      client: octets(8),
      server: fc.oneof(octets(0), fc.uint8Array({ minLength: 8, maxLength: 32 })),
    }),
    fc.record({
      kind: fc.constant("keepalive" as const),
      timeout: fc.option(fc.nat(0xffff), { nil: undefined }),
    }),
    fc.record({
      kind: fc.constant("ede" as const),
      code: fc.nat(0xffff),
      text: fc.string({ unit: "grapheme", maxLength: 20 }),
    }),
    fc.record({ kind: fc.constant("padding" as const), length: fc.nat(60) }),
    fc.record({
      kind: fc.constant("unknown" as const),
      code: fc.constantFrom(0, 1, 9, 100, 26946, 65535),
      data: fc.uint8Array({ maxLength: 20 }),
    }),
  );
}

function ecs(family: 1 | 2, bits: number, isResponse: boolean): fc.Arbitrary<EdnsOption> {
  return fc
    .tuple(fc.nat(bits), isResponse ? fc.nat(bits) : fc.constant(0), octets(bits / 8))
    .map(([sourceLength, scopeLength, address]) => {
      const masked = address.map((octet, at) => {
        const kept = Math.min(8, Math.max(0, sourceLength - at * 8));
        return octet & (0xff00 >> kept) & 0xff;
      });
      return { kind: "ecs", family, sourceLength, scopeLength, address: masked };
    });
}

function ednsOf(isResponse: boolean): fc.Arbitrary<Edns> {
  const edns = fc.record({
    udpSize: fc.nat(0xffff),
    version: fc.nat(0xff),
    dnssecOk: fc.boolean(),
    flags: fc.nat(0x7fff),
    options: fc.constant([]),
  });
  const withOptions = fc.array(ednsOptions(isResponse), { maxLength: 4 });
  const versionZero = fc
    .tuple(edns, withOptions)
    .map(([each, options]) => ({ ...each, version: 0, options }));
  return fc.oneof({ arbitrary: versionZero, weight: 4 }, { arbitrary: edns, weight: 1 });
}

function tsigs(alphabet: Alphabet): fc.Arbitrary<Tsig> {
  return fc.record({
    name: names(alphabet),
    algorithm: names(alphabet),
    timeSigned: fc.nat(2 ** 48 - 1),
    fudgeSeconds: fc.nat(0xffff),
    mac: fc.uint8Array({ maxLength: 40 }),
    originalId: fc.nat(0xffff),
    error: fc.nat(0xffff),
    other: fc.uint8Array({ maxLength: 8 }),
  });
}

function questionsOf(alphabet: Alphabet): fc.Arbitrary<Question[]> {
  const question = fc.record({
    name: names(alphabet),
    type: fc.nat(0xffff),
    class: fc.constantFrom(1, 3, 255),
  });
  return fc.array(question, { maxLength: 2 });
}

export function messages(alphabet: Alphabet): fc.Arbitrary<Message> {
  return fc.boolean().chain((isResponse) =>
    fc
      .record({
        id: fc.nat(0xffff),
        isResponse: fc.constant(isResponse),
        opcode: fc.nat(15),
        isAuthoritative: fc.boolean(),
        isTruncated: fc.boolean(),
        recursionDesired: fc.boolean(),
        recursionAvailable: fc.boolean(),
        z: fc.boolean(),
        authenticData: fc.boolean(),
        checkingDisabled: fc.boolean(),
        rcode: fc.nat(0xfff),
        questions: questionsOf(alphabet),
        answers: sections(alphabet),
        authorities: sections(alphabet),
        additionals: sections(alphabet),
        edns: fc.option(ednsOf(isResponse), { nil: undefined }),
        tsig: fc.option(tsigs(alphabet), { nil: undefined, freq: 2 }),
      })
      .map(({ edns, tsig, ...message }) => ({
        ...message,
        rcode: edns ? message.rcode : message.rcode & 0xf,
        ...(edns && { edns }),
        ...(tsig && { tsig }),
      })),
  );
}

function fieldOctets(field: Field, alphabet: Alphabet): fc.Arbitrary<Uint8Array> {
  switch (field.kind) {
    case "u8":
    case "algorithm":
      return octets(1);
    case "u16":
    case "type":
      return octets(2);
    case "u32":
    case "ttl":
    case "time":
    case "ipv4":
      return octets(4);
    case "ipv6":
      return octets(16);
    case "compressedName":
    case "name":
      return names(alphabet);
    case "string":
      return alphabet.string.map(counted);
    case "strings":
      return fc
        .array(alphabet.string, { minLength: 1, maxLength: 3 })
        .map((strings) => joined(strings.map(counted)));
    case "text":
      return alphabet.string;
    case "hex":
    case "base64":
      return fc.uint8Array({ minLength: 1, maxLength: 64 });
    case "salt":
      return fc.uint8Array({ maxLength: 20 }).map(counted);
    case "hash":
      return fc.uint8Array({ minLength: 1, maxLength: 20 }).map(counted);
    case "u16Base64":
      return fc
        .uint8Array({ maxLength: 20 })
        .map((data) => joined([Uint8Array.of(0, data.length), data]));
    case "typeBitmap":
      return fc.array(fc.nat(0xffff), { maxLength: 6 }).map(writeTypeBitmap);
    case "serviceParameters":
      return serviceParameters();
  }
}

/** SvcParams in which each key that has a form has a value of that form. */
function serviceParameters(): fc.Arbitrary<Uint8Array> {
  const strings = fc.array(fc.uint8Array({ minLength: 1, maxLength: 9 }), {
    minLength: 1,
    maxLength: 3,
  });
  const values: readonly [number, fc.Arbitrary<Uint8Array>][] = [
    [0, fc.constant(Uint8Array.of(0, 1, 0, 3))],
    [1, strings.map((ids) => joined(ids.map(counted)))],
    [2, octets(0)],
    [3, octets(2)],
    [4, octets(8)],
    [5, fc.uint8Array({ maxLength: 30 })],
    [6, octets(16)],
    [7, fc.uint8Array({ maxLength: 30 })],
    [8, octets(0)],
    [667, fc.uint8Array({ maxLength: 30 })],
  ];
  const parameters = values.map(([key, value]) =>
    value.map((data) => joined([Uint8Array.of(key >> 8, key & 0xff, 0, data.length), data])),
  );
  return fc
    .tuple(fc.array(fc.boolean(), { minLength: 10, maxLength: 10 }), fc.tuple(...parameters))
    .map(([isGiven, all]) => joined(all.filter((_, at) => isGiven[at])));
}

function octets(length: number): fc.Arbitrary<Uint8Array> {
  return fc.uint8Array({ minLength: length, maxLength: length });
}

function counted(octetsOfString: Uint8Array): Uint8Array {
  return joined([Uint8Array.of(octetsOfString.length), octetsOfString]);
}

export function joined(parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

/**
 * The same with names in lower case wherever compression may have given them the spelling of a
 * name before them: owners, and the rdata of types whose names are compressed, numbers and all.
 */
export function spelledAlike<Value>(value: Value): Value;
export function spelledAlike(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => spelledAlike(each));
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  const alike = Object.entries(value).map(([key, part]) => [key, spelledAlike(part)]);
  if (!("name" in value && "type" in value && value.name instanceof Uint8Array)) {
    return Object.fromEntries(alike);
  }
  const isCompressed = recordType(Number(value.type)).layout?.some(
    ({ kind }) => kind === "compressedName",
  );
  return {
    ...value,
    name: inLowerCase(value.name),
    ...("rdata" in value &&
      value.rdata instanceof Uint8Array &&
      isCompressed && { rdata: inLowerCase(value.rdata) }),
  };
}

function inLowerCase(octets: Uint8Array): Uint8Array {
  return octets.map((octet) => (octet >= 0x41 && octet <= 0x5a ? octet + 0x20 : octet));
}

/** A value as text that shows octets in hex: two values are equal if their texts are. */
export function shown(value: unknown): string {
  return JSON.stringify(
    value,
    (_, part) => (part instanceof Uint8Array ? Buffer.from(part).toString("hex") : part),
    1,
  );
}
