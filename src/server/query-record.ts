// One query and what it was answered, as a record in a ring: written by the thread that answered it
// from the response's octets, read by the control plane. It must not know what becomes of it.

import type { AnswerNote } from "../answer/answer-note.ts";
import { OptionCode } from "../dns/edns.ts";
import type { Name } from "../dns/name.ts";
import { RRType } from "../dns/record-types.ts";
import type { RingWriter } from "./query-ring.ts";

/** What the thread that answered knows of the answer beside its octets. */
export type QueryNote = Pick<AnswerNote, "origin" | "path" | "rcode">;

/** A query and what it was answered. */
export interface QueryRecord {
  /** Milliseconds since 1970. */
  readonly timeMs: number;
  /** The place of the listener in the data plane's addresses. */
  readonly listener: number;
  readonly transport: "udp" | "tcp";
  /** 4 or 16 octets. */
  readonly source: Uint8Array;
  /** The option of the query; `undefined` where it had none that was read. */
  readonly ecs: RecordedEcs | undefined;
  /** `undefined` where the response has none, as that to what cannot be read. */
  readonly question:
    | { readonly name: Name; readonly type: number; readonly class: number }
    | undefined;
  /** Records in the answer section. */
  readonly answers: number;
  /** Of the response. */
  readonly octets: number;
  readonly isTruncated: boolean;
  readonly note: QueryNote;
}

/** An ECS option: 4 or 16 octets, zero past the source length. */
export interface RecordedEcs {
  readonly address: Uint8Array;
  readonly sourceLength: number;
}

/** Where each field stands in a record, in octets; behind them the source, the prefix and the name. */
const Field = {
  TIME: 0,
  OCTETS: 8,
  ANSWERS: 10,
  RCODE: 12,
  ORIGIN: 14,
  LISTENER: 16,
  PATH: 18,
  FLAGS: 19,
  TYPE: 20,
  CLASS: 22,
  ECS_LENGTH: 24,
  END: 25,
} as const;

const Flag = { TCP: 1, IPV6: 2, TRUNCATED: 4, ECS: 8, ECS_IPV6: 16, QUESTION: 32 } as const;

const headerOctets = 12;
/** A response has not near as many options. */
const mostOptions = 16;

/**
 * Writes the response of `length` octets at `octets[at]` as a record, if there is room for it.
 * @param sourceAt where the sender's address of 4 or 16 octets stands in `source`.
 */
export function writeRecord(
  ring: RingWriter,
  octets: Uint8Array,
  at: number,
  length: number,
  source: Uint8Array,
  sourceAt: number,
  family: 4 | 6,
  listener: number,
  transport: "udp" | "tcp",
  note: QueryNote,
  timeMs: number,
): void {
  const end = at + length;
  const nameLength = questionNameLength(octets, at, end);
  const ecsAt = nameLength > 0 ? findEcs(octets, at, at + headerOctets + nameLength + 4, end) : 0;
  const ecsIpv6 = ecsAt > 0 && octets[ecsAt + 1] === 2;
  const ecsBits = ecsAt > 0 ? (octets[ecsAt + 2] ?? 0) : 0;
  const sourceOctets = family === 4 ? 4 : 16;
  const ecsOctets = (ecsBits + 7) >> 3;
  const place = ring.reserve(Field.END + sourceOctets + ecsOctets + nameLength);
  if (place < 0) return;
  const { view, octets: out } = ring;
  view.setFloat64(place + Field.TIME, timeMs);
  view.setUint16(place + Field.OCTETS, length);
  view.setUint16(place + Field.ANSWERS, u16(octets, at + 6));
  view.setUint16(place + Field.RCODE, note.rcode);
  view.setUint16(place + Field.ORIGIN, note.origin);
  view.setUint16(place + Field.LISTENER, listener);
  view.setUint8(place + Field.PATH, note.path);
  view.setUint8(
    place + Field.FLAGS,
    (transport === "tcp" ? Flag.TCP : 0) |
      (family === 6 ? Flag.IPV6 : 0) |
      (((octets[at + 2] ?? 0) & 0x02) !== 0 ? Flag.TRUNCATED : 0) |
      (ecsAt > 0 ? Flag.ECS : 0) |
      (ecsIpv6 ? Flag.ECS_IPV6 : 0) |
      (nameLength > 0 ? Flag.QUESTION : 0),
  );
  view.setUint8(place + Field.ECS_LENGTH, ecsBits);
  const afterName = at + headerOctets + nameLength;
  view.setUint16(place + Field.TYPE, nameLength > 0 ? u16(octets, afterName) : 0);
  view.setUint16(place + Field.CLASS, nameLength > 0 ? u16(octets, afterName + 2) : 0);
  let next = copy(out, place + Field.END, source, sourceAt, sourceOctets);
  next = copy(out, next, octets, ecsAt + 4, ecsOctets);
  copy(out, next, octets, at + headerOctets, nameLength);
  ring.commit();
}

/** The record that was written; nothing in it is shared. */
export function readRecord(view: DataView, at: number, length: number): QueryRecord {
  const flags = view.getUint8(at + Field.FLAGS);
  const has = (flag: number): boolean => (flags & flag) !== 0;
  const slice = (from: number, octets: number): Uint8Array =>
    Uint8Array.from(new Uint8Array(view.buffer, view.byteOffset + from, octets));
  const sourceAt = at + Field.END;
  const ecsAt = sourceAt + (has(Flag.IPV6) ? 16 : 4);
  const sourceLength = view.getUint8(at + Field.ECS_LENGTH);
  const ecsOctets = (sourceLength + 7) >> 3;
  const nameAt = ecsAt + ecsOctets;
  const ecsAddress = new Uint8Array(has(Flag.ECS_IPV6) ? 16 : 4);
  ecsAddress.set(slice(ecsAt, ecsOctets));
  return {
    timeMs: view.getFloat64(at + Field.TIME),
    listener: view.getUint16(at + Field.LISTENER),
    transport: has(Flag.TCP) ? "tcp" : "udp",
    source: slice(sourceAt, ecsAt - sourceAt),
    ecs: has(Flag.ECS) ? { address: ecsAddress, sourceLength } : undefined,
    question: has(Flag.QUESTION)
      ? {
          name: slice(nameAt, at + length - nameAt),
          type: view.getUint16(at + Field.TYPE),
          class: view.getUint16(at + Field.CLASS),
        }
      : undefined,
    answers: view.getUint16(at + Field.ANSWERS),
    octets: view.getUint16(at + Field.OCTETS),
    isTruncated: has(Flag.TRUNCATED),
    note: {
      origin: view.getUint16(at + Field.ORIGIN),
      path: view.getUint8(at + Field.PATH),
      rcode: view.getUint16(at + Field.RCODE),
    },
  };
}

/** Octets of the name of the only question, the root's counted; 0: there is none to read. */
function questionNameLength(octets: Uint8Array, at: number, end: number): number {
  if (end - at < headerOctets || u16(octets, at + 4) !== 1) return 0;
  const start = at + headerOctets;
  let next = start;
  for (let label = octets[next] ?? 0; label !== 0; label = octets[next] ?? 0) {
    next += label + 1;
    if (label > 63 || next - start > 254) return 0;
  }
  const length = next - start + 1;
  return start + length + 4 <= end ? length : 0;
}

/** Where the data of the ECS option in the response's OPT begins; 0: there is none of a known form. */
function findEcs(octets: Uint8Array, at: number, start: number, end: number): number {
  const records = u16(octets, at + 6) + u16(octets, at + 8) + u16(octets, at + 10);
  let next = start;
  for (let count = 0; count < records; count++) {
    const isRoot = octets[next] === 0;
    next = afterName(octets, next, end);
    const dataAt = next + 10;
    if (dataAt > end) return 0;
    const dataEnd = dataAt + u16(octets, next + 8);
    if (dataEnd > end) return 0;
    if (isRoot && u16(octets, next) === RRType.OPT) return ecsIn(octets, dataAt, dataEnd);
    next = dataEnd;
  }
  return 0;
}

function ecsIn(octets: Uint8Array, start: number, end: number): number {
  let next = start;
  for (let count = 0; count < mostOptions && next + 4 <= end; count++) {
    const code = u16(octets, next);
    const length = u16(octets, next + 2);
    next += 4;
    if (code === OptionCode.ECS && next + length <= end) {
      const family = u16(octets, next);
      const bits = octets[next + 2] ?? 0;
      const isKnown = family === 1 ? bits <= 32 : family === 2 && bits <= 128;
      return isKnown && length === 4 + ((bits + 7) >> 3) ? next : 0;
    }
    next += length;
  }
  return 0;
}

/** Past a name that may be compressed (RFC 1035 section 4.1.4). */
function afterName(octets: Uint8Array, at: number, end: number): number {
  let next = at;
  while (next < end) {
    const label = octets[next] ?? 0;
    if (label >= 0xc0) return next + 2;
    next += label + 1;
    if (label === 0) break;
  }
  return next;
}

/** Copies some octets; the place behind them. So few are copied faster one by one. */
function copy(to: Uint8Array, toAt: number, from: Uint8Array, at: number, count: number): number {
  for (let index = 0; index < count; index++) to[toAt + index] = from[at + index] ?? 0;
  return toAt + count;
}

function u16(octets: Uint8Array, at: number): number {
  return ((octets[at] ?? 0) << 8) | (octets[at + 1] ?? 0);
}
