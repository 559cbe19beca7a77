// Records that say themselves whether they are whole: a number, and octets that follow from it. It
// must not know when they are written or read.

import type { QueryRing, RingWriter } from "../../src/server/query-ring.ts";

/** What the writing thread is started with. */
export interface WriterStart {
  readonly ring: QueryRing;
  readonly signals: Int32Array;
}

/** Words of memory that both threads share: whether to stop, and how many records were offered. */
export const WriterSignal = { STOP: 0, OFFERED: 1 } as const;

/** Writes a record of the number and so many octets behind it; whether there was room. */
export function writeNumbered(writer: RingWriter, number: number, length: number): boolean {
  const at = writer.reserve(4 + length);
  if (at < 0) return false;
  writer.view.setUint32(at, number);
  for (let index = 0; index < length; index++) {
    writer.octets[at + 4 + index] = octetOf(number, index);
  }
  writer.commit();
  return true;
}

/** Whether all octets follow from the number in front. */
export function isWholeRecord(view: DataView, at: number, length: number): boolean {
  const number = view.getUint32(at);
  for (let index = 0; index < length - 4; index++) {
    if (view.getUint8(at + 4 + index) !== octetOf(number, index)) return false;
  }
  return true;
}

function octetOf(number: number, index: number): number {
  return (Math.imul(number, 31) + index * 7) & 0xff;
}
