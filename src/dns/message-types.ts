// A DNS message as plain data: what decoding yields and encoding takes. It knows nothing of
// octets on the wire; OPT and TSIG stand apart from the other additional records.

import type { Edns } from "./edns.ts";
import type { Name } from "./name.ts";

/** The fields of a message header without the counts (RFC 1035 section 4.1.1, RFC 4035 section 3.1.6). */
export interface HeaderFields {
  /** 0–65535. */
  readonly id: number;
  /** QR: a response, not a query. */
  readonly isResponse: boolean;
  /** 0–15, see `Opcode`. */
  readonly opcode: number;
  /** AA. */
  readonly isAuthoritative: boolean;
  /** TC. */
  readonly isTruncated: boolean;
  /** RD. */
  readonly recursionDesired: boolean;
  /** RA. */
  readonly recursionAvailable: boolean;
  /** The reserved bit. */
  readonly z: boolean;
  /** AD. */
  readonly authenticData: boolean;
  /** CD. */
  readonly checkingDisabled: boolean;
  /** See `Rcode`. 0–15 in a header alone, 0–4095 in a message with EDNS (RFC 6891 section 6.1.3). */
  readonly rcode: number;
}

/** The twelve octets before the first question. */
export interface Header extends HeaderFields {
  readonly questionCount: number;
  readonly answerCount: number;
  readonly authorityCount: number;
  readonly additionalCount: number;
}

/** What is asked (RFC 1035 section 4.1.2). */
export interface Question {
  readonly name: Name;
  readonly type: number;
  readonly class: number;
}

/** One record; `rdata` is uncompressed wire octets. */
export interface ResourceRecord {
  readonly name: Name;
  readonly type: number;
  readonly class: number;
  /** 0–4294967295 as received; zone data keeps to 31 bits (RFC 2181 section 8). */
  readonly ttlSeconds: number;
  readonly rdata: Uint8Array;
}

/** A TSIG record, read but not verified (RFC 8945 section 4.2). */
export interface Tsig {
  /** The key's name. */
  readonly name: Name;
  readonly algorithm: Name;
  /** Seconds since 1970, 48 bits. */
  readonly timeSigned: number;
  /** Seconds that the clocks may differ, 16 bits. */
  readonly fudgeSeconds: number;
  /** Empty where the error forbids signing (RFC 8945 section 5.3.2). */
  readonly mac: Uint8Array;
  readonly originalId: number;
  /** See `Rcode`: BADSIG, BADKEY, BADTIME, BADTRUNC or 0. */
  readonly error: number;
  readonly other: Uint8Array;
}

/** A whole message. */
export interface Message extends HeaderFields {
  readonly questions: readonly Question[];
  readonly answers: readonly ResourceRecord[];
  readonly authorities: readonly ResourceRecord[];
  /** Without OPT and TSIG. */
  readonly additionals: readonly ResourceRecord[];
  readonly edns?: Edns | undefined;
  readonly tsig?: Tsig | undefined;
}

/**
 * A decoded message, or what is wrong with the octets and where. A refusal bears as much as
 * could be read, so that it can be answered: the header if there were twelve octets, the first
 * question if it is whole, and whether an OPT record was met.
 */
export type DecodeResult =
  | { ok: true; message: Message }
  | {
      ok: false;
      reason: string;
      offset: number;
      header?: Header;
      question?: Question;
      hasOpt?: boolean;
    };
