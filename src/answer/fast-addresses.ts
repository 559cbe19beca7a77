// The address records of an answer on the fast path, copied from the service to the message. It
// must not know why they stand in this order.

import { DnsClass } from "../dns/codes.ts";
import { RRType } from "../dns/record-types.ts";
import { isLittleEndian } from "../memory/key-words.ts";
import type { PackedMap, RecordRef } from "../memory/packed-map.ts";
import type { PlanWalk } from "./plan-walk.ts";

/** Octets of one record whose owner is a pointer. */
export function addressRecordOctets(type: number): number {
  return type === RRType.A ? 16 : 28;
}

/**
 * Writes the addresses that `walk` found, as records whose owner is the question (RFC 1035 section
 * 4.1.4).
 * @param map and `record` hold the service.
 * @param turn how far each cluster's addresses are rotated.
 */
export function writeAddresses(
  view: DataView,
  start: number,
  type: number,
  ttlSeconds: number,
  walk: PlanWalk,
  map: PackedMap,
  record: RecordRef,
  turn: number,
): void {
  const words = map.wordsOf(record);
  const value = map.valueWordAt(record);
  const addressWords = type === RRType.A ? 1 : 4;
  const nameAndType = (0xc00c << 16) | type;
  const classAndTtl = (DnsClass.IN << 16) | (ttlSeconds >>> 16);
  const ttlAndLength = ((ttlSeconds & 0xffff) << 16) | (addressWords * 4);
  const { clusters, given, count } = walk;
  let to = start;
  for (let each = 0; each < count; each++) {
    const offsets = clusters[each]?.offsets;
    if (!offsets) continue;
    const total = offsets.length;
    let next = total > 1 ? turn % total : 0;
    for (let left = given[each] ?? 0; left > 0; left--) {
      view.setInt32(to, nameAndType);
      view.setInt32(to + 4, classAndTtl);
      view.setInt32(to + 8, ttlAndLength);
      to += 12;
      const from = value + ((offsets[next] ?? 0) >> 2);
      for (let word = 0; word < addressWords; word++, to += 4) {
        view.setInt32(to, words[from + word] ?? 0, isLittleEndian);
      }
      next = next + 1 === total ? 0 : next + 1;
    }
  }
}
