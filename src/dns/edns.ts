// EDNS options as typed values, and their octets. It checks what each option's RFC demands of
// its form; it must not know what a server does with an option.

import { formatAddress, maskAddress } from "./address.ts";
import type { WireReader } from "./wire-reader.ts";
import type { WireWriter } from "./wire-writer.ts";

/** What an OPT record says (RFC 6891 section 6.1), less the upper part of the rcode. */
export interface Edns {
  /** The largest UDP payload that the sender takes, in octets, as written: below 512 means 512. */
  readonly udpSize: number;
  /** 0–255; only 0 is defined. */
  readonly version: number;
  /** DO (RFC 3225). */
  readonly dnssecOk: boolean;
  /** The 15 reserved flags, as received and as sent. */
  readonly flags: number;
  /** None of a received OPT whose version is not 0: they are not read. */
  readonly options: readonly EdnsOption[];
}

export type EdnsOption =
  | EcsOption
  /** Name server identifier; empty in a query (RFC 5001). */
  | { readonly kind: "nsid"; readonly id: Uint8Array }
  /** Eight octets of the client, and of the server none or 8–32 (RFC 7873 section 4). */
  | { readonly kind: "cookie"; readonly client: Uint8Array; readonly server: Uint8Array }
  /** In units of 100 ms; `undefined` in a query (RFC 7828 section 3.1). */
  | { readonly kind: "keepalive"; readonly timeout: number | undefined }
  /** Extended error, see `EdeCode` (RFC 8914 section 2). */
  | { readonly kind: "ede"; readonly code: number; readonly text: string }
  /** `length` octets of 0 (RFC 7830 section 3). */
  | { readonly kind: "padding"; readonly length: number }
  | { readonly kind: "unknown"; readonly code: number; readonly data: Uint8Array };

/** The client's network (RFC 7871 section 6). */
export interface EcsOption {
  readonly kind: "ecs";
  /** 1 for IPv4, 2 for IPv6. */
  readonly family: 1 | 2;
  /** Leading bits of `address` that are given: 0 to 32 or 128. */
  readonly sourceLength: number;
  /** Leading bits that the answer holds for; 0 in a query. */
  readonly scopeLength: number;
  /** 4 or 16 octets, zero past `sourceLength`. */
  readonly address: Uint8Array;
}

/** The option codes that have a kind of their own (IANA "DNS EDNS0 Option Codes"). */
export const OptionCode = {
  NSID: 3,
  ECS: 8,
  COOKIE: 10,
  KEEPALIVE: 11,
  PADDING: 12,
  EDE: 15,
} as const;

/** Extended DNS errors that an authoritative server has a use for (RFC 8914 section 4). */
export const EdeCode = {
  OTHER: 0,
  STALE_ANSWER: 3,
  NOT_READY: 14,
  BLOCKED: 15,
  PROHIBITED: 18,
  NOT_AUTHORITATIVE: 20,
  NOT_SUPPORTED: 21,
  NETWORK_ERROR: 23,
  INVALID_DATA: 24,
} as const;

/** Options of one OPT. There are some twenty kinds; thousands of empty ones would be costly to read. */
const mostOptions = 64;

/**
 * Reads the options of an OPT record up to the reader's end. What is wrong is left in the
 * reader's `failure`. A scope length is an error in a query only (RFC 7871 section 6).
 */
export function readOptions(reader: WireReader, isResponse: boolean): EdnsOption[] {
  const options: EdnsOption[] = [];
  while (reader.remaining > 0) {
    if (options.length === mostOptions) {
      reader.fail(`cannot read OPT: it has more options than ${mostOptions}`);
      break;
    }
    const code = reader.u16();
    const former = reader.narrow(reader.u16());
    options.push(readOption(reader, code, isResponse));
    reader.widen(former);
  }
  return options;
}

/** Writes options in the order given. Throws a RangeError if a value does not fit its option. */
export function writeOptions(writer: WireWriter, options: readonly EdnsOption[]): void {
  for (const option of options) {
    writer.u16(optionCode(option));
    const lengthAt = writer.offset;
    writer.u16(0);
    writeOption(writer, option);
    writer.patchU16(lengthAt, writer.offset - lengthAt - 2);
  }
}

function readOption(reader: WireReader, code: number, isResponse: boolean): EdnsOption {
  switch (code) {
    case OptionCode.ECS:
      return readEcs(reader, isResponse);
    case OptionCode.NSID:
      return { kind: "nsid", id: reader.take(reader.remaining) };
    case OptionCode.COOKIE:
      return readCookie(reader);
    case OptionCode.KEEPALIVE: {
      const length = reader.remaining;
      if (length !== 0 && length !== 2) {
        reader.fail(`cannot read a keepalive: it has neither 0 nor 2 octets, got ${length}`);
      }
      return { kind: "keepalive", timeout: length === 0 ? undefined : reader.u16() };
    }
    case OptionCode.EDE: {
      const infoCode = reader.u16();
      return { kind: "ede", code: infoCode, text: readUtf8(reader) };
    }
    case OptionCode.PADDING: {
      const length = reader.remaining;
      reader.skip(length);
      return { kind: "padding", length };
    }
    default:
      return { kind: "unknown", code, data: reader.take(reader.remaining) };
  }
}

function readEcs(reader: WireReader, isResponse: boolean): EcsOption {
  const start = reader.offset;
  const refuse = (problem: string): void => reader.fail(`cannot read ECS: ${problem}`, start);
  const family = reader.u16();
  const sourceLength = reader.u8();
  const scopeLength = reader.u8();
  const bits = family === 1 ? 32 : 128;
  const address = new Uint8Array(bits / 8);
  const given = reader.take(reader.remaining);
  if (reader.failure) {
    // The four octets before the address are not there.
  } else if (family !== 1 && family !== 2) {
    refuse(`the family is neither 1 nor 2, got ${family}`);
  } else if (sourceLength > bits || scopeLength > bits) {
    refuse(`a prefix length is above ${bits}, got ${sourceLength} and scope ${scopeLength}`);
  } else if (given.length !== Math.ceil(sourceLength / 8)) {
    // RFC 7871 section 6: as many octets as the source length needs, padded with zero bits.
    refuse(`/${sourceLength} does not take the address octets given, got ${given.length}`);
  } else if (scopeLength !== 0 && !isResponse) {
    refuse(`the scope of a query is not 0, got ${scopeLength}`);
  } else {
    address.set(given);
    const masked = maskAddress(address, sourceLength);
    if (masked.some((octet, at) => octet !== address[at])) {
      refuse(`bits past the source length are set, got ${formatAddress(address)}/${sourceLength}`);
    }
  }
  return { kind: "ecs", family: family === 1 ? 1 : 2, sourceLength, scopeLength, address };
}

function readCookie(reader: WireReader): EdnsOption {
  const length = reader.remaining;
  if (length !== 8 && (length < 16 || length > 40)) {
    reader.fail(`cannot read a cookie: it has neither 8 nor 16 to 40 octets, got ${length}`);
  }
  const client = reader.take(8);
  return { kind: "cookie", client, server: reader.take(reader.remaining) };
}

/** RFC 8914 section 2: UTF-8 that is not null-terminated; what is malformed is replaced. */
function readUtf8(reader: WireReader): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(reader.take(reader.remaining));
}

function optionCode(option: EdnsOption): number {
  switch (option.kind) {
    case "ecs":
      return OptionCode.ECS;
    case "nsid":
      return OptionCode.NSID;
    case "cookie":
      return OptionCode.COOKIE;
    case "keepalive":
      return OptionCode.KEEPALIVE;
    case "ede":
      return OptionCode.EDE;
    case "padding":
      return OptionCode.PADDING;
    case "unknown":
      return option.code;
  }
}

function writeOption(writer: WireWriter, option: EdnsOption): void {
  switch (option.kind) {
    case "ecs":
      writer.u16(option.family);
      writer.u8(option.sourceLength);
      writer.u8(option.scopeLength);
      writer.octets(
        maskAddress(option.address, option.sourceLength).subarray(
          0,
          Math.ceil(option.sourceLength / 8),
        ),
      );
      return;
    case "nsid":
      writer.octets(option.id);
      return;
    case "cookie":
      writer.octets(option.client);
      writer.octets(option.server);
      return;
    case "keepalive":
      if (option.timeout !== undefined) writer.u16(option.timeout);
      return;
    case "ede":
      writer.u16(option.code);
      writer.octets(new TextEncoder().encode(option.text));
      return;
    case "padding":
      writer.octets(new Uint8Array(option.length));
      return;
    case "unknown":
      writer.octets(option.data);
  }
}
