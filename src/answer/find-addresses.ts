// Looks for clusterIPs and external addresses among all services, octet by octet, as there may be a
// million of them. It stops at each `yield`; services may change meanwhile. It must not know what is
// looked for.

import { formatAddress } from "../dns/address.ts";
import type { Address } from "../federation/model.ts";
import { isService, type ServiceReader } from "../federation/service-reader.ts";
import type { FamilyCounts } from "../federation/service-shape.ts";
import type { RecordRef } from "../memory/packed-map.ts";

/** Those of the addresses that no service has. */
export function* addressesMissing(
  services: ServiceReader,
  addresses: readonly Address[],
): Generator<void, Address[]> {
  const missing = new Map(addresses.map((each) => [keyOf(each, 0, each.length), each]));
  const mayBe = new Uint8Array(0x10000);
  for (const each of addresses) mayBe[lastTwo(each, 0, each.length)] = 1;
  for (const ref of serviceRefs(services)) {
    if (missing.size === 0) break;
    if (ref === "pause") {
      yield;
      continue;
    }
    visitAddresses(services, ref, (octets, at, length) => {
      if (mayBe[lastTwo(octets, at, length)] === 1) missing.delete(keyOf(octets, at, length));
    });
  }
  return [...missing.values()];
}

/** Most addresses differ from the wanted ones in these already. */
function lastTwo(octets: Uint8Array, at: number, length: number): number {
  return ((octets[at + length - 2] ?? 0) << 8) | (octets[at + length - 1] ?? 0);
}

function keyOf(octets: Uint8Array, at: number, length: number): string {
  return Buffer.from(octets.subarray(at, at + length)).toString("latin1");
}

/** The texts of some addresses, all of them if there are at most so many. */
export function* someAddresses(services: ServiceReader, most: number): Generator<void, string[]> {
  const found = new Set<string>();
  for (const ref of serviceRefs(services)) {
    if (found.size >= most) break;
    if (ref === "pause") {
      yield;
      continue;
    }
    visitAddresses(services, ref, (octets, at, length) => {
      found.add(formatAddress(new Uint8Array(octets.subarray(at, at + length))));
    });
  }
  return [...found];
}

/**
 * The records of all services, a pause after every thousand. A service that is put while the walk
 * goes on may be seen or not, and is seen twice where the index grew: then the walk begins anew.
 */
function* serviceRefs({ map }: ServiceReader): Generator<RecordRef | "pause"> {
  const indexNow = (): Int32Array => map.image().index;
  for (let index: Int32Array | undefined; index !== indexNow(); ) {
    index = indexNow();
    let count = 0;
    for (const ref of map.refs()) {
      if (isService(map.tagOf(ref))) yield ref;
      if (++count % 1000 !== 0) continue;
      yield "pause";
      // What the former index leads to may be another record by now.
      if (index !== indexNow()) break;
    }
  }
}

type Visit = (octets: Uint8Array, at: number, length: 4 | 16) => void;

/** Shows each address of a service where it lies: the octets, where it begins, how long it is. */
function visitAddresses(services: ServiceReader, ref: RecordRef, visit: Visit): void {
  const shape = services.shapeAt(ref);
  if (!shape) return;
  const octets = services.map.octetsOf(ref);
  const valueAt = services.map.valueAt(ref);
  for (let index = 0; index < shape.entries.length; index++) {
    const entry = shape.entries[index];
    if (!entry) continue;
    const at = valueAt + (shape.addressOffsets[index] ?? 0);
    visitList(octets, visitList(octets, at, entry.clusterIps, visit), entry.external, visit);
  }
}

/** IPv4 stands first in every list; where the list ends. */
function visitList(octets: Uint8Array, start: number, counts: FamilyCounts, visit: Visit): number {
  let at = start;
  for (let count = counts[4]; count > 0; count--, at += 4) visit(octets, at, 4);
  for (let count = counts[6]; count > 0; count--, at += 16) visit(octets, at, 16);
  return at;
}
