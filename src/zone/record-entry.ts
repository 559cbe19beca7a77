// Reads the part of a master-file entry behind the owner: TTL and class in either order, the
// type, the rdata (RFC 1035 section 5.1). It knows one record; owners and origins are given.

import { shown } from "../dns/character-string.ts";
import { DnsClass } from "../dns/codes.ts";
import { parseDuration } from "../dns/duration-text.ts";
import type { Name } from "../dns/name.ts";
import { readSoa } from "../dns/rdata.ts";
import { parseRdata } from "../dns/rdata-text.ts";
import { isMetaType, RRType, recordType, typeCode } from "../dns/record-types.ts";
import { unknownType } from "../dns/unknown-word.ts";
import type { ZoneRecord } from "./located-record.ts";
import type { Token } from "./tokens.ts";

/** The most seconds that a TTL may have (RFC 2181 section 8). */
const maxTtlSeconds = 0x7fff_ffff;

/** What a record without a TTL takes: `$TTL` first (RFC 2308 section 4), else the TTL before it (RFC 1035). */
export interface TtlDefaults {
  fromDirectiveSeconds: number | undefined;
  fromPreviousSeconds: number | undefined;
}

/** A record, or what is wrong with the token of that index; one past the last means that something is missing. */
export type RecordResult =
  | { ok: true; record: ZoneRecord }
  | { ok: false; token: number; message: string };

/**
 * Reads a record of class IN; `tokens` begin behind the owner. Keeps the TTL in `defaults` for
 * the records that follow. A SOA without any TTL takes its own minimum, as do then the records
 * behind it (as in BIND).
 */
export function readRecord(
  tokens: readonly Token[],
  owner: Name,
  origin: Name,
  defaults: TtlDefaults,
): RecordResult {
  let explicitTtl: number | undefined;
  let hasClass = false;
  let next = 0;
  for (; ; next++) {
    const word = tokens[next]?.isQuoted ? "" : (tokens[next]?.text ?? "");
    if (explicitTtl === undefined && /^\d/.test(word)) {
      explicitTtl = parseTtl(word);
      if (explicitTtl === undefined) return refused(next, ttlProblem(word));
      defaults.fromPreviousSeconds = explicitTtl;
    } else if (!hasClass && classPattern.test(word)) {
      hasClass = true;
      if (!classInPattern.test(word)) return refused(next, `only class IN is served, got ${word}`);
    } else {
      break;
    }
  }
  const typeToken = tokens[next];
  if (!typeToken) return refused(next, "the type is missing, got the end of the record");
  if (typeToken.isQuoted) {
    return refused(next, `the type stands in quotes, got ${shown(typeToken.text)}`);
  }
  const type = typeCode(typeToken.text);
  if (type === undefined) return refused(next, unknownType(typeToken.text));
  const { mnemonic } = recordType(type);
  if (isMetaType(type)) return refused(next, `no record may have this type, got ${mnemonic}`);
  const parsed = parseRdata(type, tokens.slice(next + 1), origin);
  if (!parsed.ok) {
    const message = `cannot read ${mnemonic} record: ${parsed.reason}`;
    return { ok: false, token: next + 1 + parsed.token, message };
  }
  if (explicitTtl === undefined && type === RRType.SOA && lacksDefault(defaults)) {
    defaults.fromDirectiveSeconds = Math.min(readSoa(parsed.rdata).minimum, maxTtlSeconds);
  }
  const ttlSeconds = explicitTtl ?? defaults.fromDirectiveSeconds ?? defaults.fromPreviousSeconds;
  if (ttlSeconds === undefined) {
    return refused(next, `no TTL here, before it or by $TTL, got ${mnemonic}`);
  }
  return {
    ok: true,
    record: { name: owner, type, class: DnsClass.IN, ttlSeconds, rdata: parsed.rdata },
  };
}

/** Seconds of a TTL; `undefined` if the text is none or too large. */
export function parseTtl(text: string): number | undefined {
  const seconds = parseDuration(text);
  return seconds !== undefined && seconds <= maxTtlSeconds ? seconds : undefined;
}

/** Why `parseTtl` refuses a text. */
export function ttlProblem(text: string): string {
  return `not a TTL such as 3600 or 1h30m, at most ${maxTtlSeconds} s, got ${shown(text)}`;
}

const classInPattern = /^(IN|CLASS0*1)$/i;
const classPattern = /^(IN|CS|CH|HS|NONE|CLASS\d+)$/i;

function lacksDefault(defaults: TtlDefaults): boolean {
  return defaults.fromDirectiveSeconds === undefined && defaults.fromPreviousSeconds === undefined;
}

function refused(token: number, problem: string): RecordResult {
  return { ok: false, token, message: `cannot read record: ${problem}` };
}
