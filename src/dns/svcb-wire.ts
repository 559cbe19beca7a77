// The SvcParams of SVCB and HTTPS as octets: their order, their bounds and the form of each
// value that RFC 9460 defines. It must not know their text form, nor what a client does with them.

import type { WireReader } from "./wire-reader.ts";

/** Parameters that are defined (IANA "Service Parameter Keys"). */
export const SvcParamKey = {
  MANDATORY: 0,
  ALPN: 1,
  NO_DEFAULT_ALPN: 2,
  PORT: 3,
  IPV4HINT: 4,
  ECH: 5,
  IPV6HINT: 6,
  DOHPATH: 7,
  OHTTP: 8,
} as const;

/**
 * Reads past the parameters up to the reader's end. Makes the reader fail on what RFC 9460
 * section 2.2 calls malformed: keys that do not ascend strictly, a value that is cut short or not
 * of its key's form. That an RR is at odds with itself (section 2.4.3) is no matter of form.
 */
export function skipServiceParameters(reader: WireReader): void {
  let previous = -1;
  while (reader.remaining > 0) {
    const start = reader.offset;
    const key = reader.u16();
    if (key <= previous) refuse(reader, `keys do not ascend, got ${key} after ${previous}`, start);
    previous = key;
    const former = reader.narrow(reader.u16());
    if (!reader.failure) skipValue(reader, key);
    reader.widen(former);
  }
}

function skipValue(reader: WireReader, key: number): void {
  const start = reader.offset;
  const length = reader.remaining;
  const problem = valueProblem(reader, key);
  if (problem) refuse(reader, `${problem}, got ${length} octets`, start);
  reader.skip(reader.remaining);
}

/** What is wrong with the value that fills the reader; it may leave octets unread. */
function valueProblem(reader: WireReader, key: number): string | undefined {
  const length = reader.remaining;
  switch (key) {
    case SvcParamKey.MANDATORY:
      return mandatoryProblem(reader);
    case SvcParamKey.ALPN:
      return alpnProblem(reader);
    case SvcParamKey.NO_DEFAULT_ALPN: // RFC 9460 section 7.1.1
    case SvcParamKey.OHTTP: // RFC 9540 section 4
      return length === 0 ? undefined : `key ${key} has no value`;
    case SvcParamKey.PORT: // RFC 9460 section 7.2
      return length === 2 ? undefined : "a port has 2 octets";
    case SvcParamKey.IPV4HINT: // RFC 9460 section 7.3
      return length > 0 && length % 4 === 0 ? undefined : "ipv4hint is not whole addresses";
    case SvcParamKey.IPV6HINT:
      return length > 0 && length % 16 === 0 ? undefined : "ipv6hint is not whole addresses";
    default:
      return undefined;
  }
}

/** RFC 9460 section 8: at least one key, ascending, never `mandatory` itself. */
function mandatoryProblem(reader: WireReader): string | undefined {
  if (reader.remaining === 0 || reader.remaining % 2 !== 0) return "mandatory is not whole keys";
  let previous = 0;
  while (reader.remaining > 0) {
    const key = reader.u16();
    if (key <= previous) return "the keys of mandatory do not ascend from 1";
    previous = key;
  }
  return undefined;
}

/** RFC 9460 section 7.1.1: one or more protocol ids, each of 1 to 255 octets. */
function alpnProblem(reader: WireReader): string | undefined {
  if (reader.remaining === 0) return "alpn has no protocol";
  while (reader.remaining > 0) {
    const length = reader.u8();
    if (length === 0) return "alpn has an empty protocol";
    if (length > reader.remaining) return "alpn has a protocol that runs past its end";
    reader.skip(length);
  }
  return undefined;
}

function refuse(reader: WireReader, problem: string, offset: number): void {
  reader.fail(`cannot read service parameters: ${problem}`, offset);
}
