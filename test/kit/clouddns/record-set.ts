// What can be said of record sets that were read: their key, whether two are the same, and how much of
// a quota they take. It must not know zones.

import type { ApiQuota, ApiRecordSet } from "./api-types.ts";

/** Where a record set stands among those of a zone; sorts by name as text, then by type. */
export function recordKey({ name, type }: Pick<ApiRecordSet, "name" | "type">): string {
  return `${name.toLowerCase()} ${type}`;
}

/** Whether a deletion names this very record set. Values and places have no order, weights have. */
export function isSameRecordSet(left: ApiRecordSet, right: ApiRecordSet): boolean {
  return canonical(left) === canonical(right);
}

/** The limits that a change would break, in the service's words, with the record sets that are there. */
export function exceededLimits(
  additions: readonly ApiRecordSet[],
  deletions: readonly ApiRecordSet[],
  present: number,
  quota: ApiQuota,
): readonly string[] {
  const bytes = [...additions, ...deletions].reduce((sum, record) => sum + rdataBytes(record), 0);
  const limits: readonly (readonly [string, number, number])[] = [
    ["additions per change", additions.length, quota.rrsetAdditionsPerChange],
    ["deletions per change", deletions.length, quota.rrsetDeletionsPerChange],
    ["total rrdata size per change", bytes, quota.totalRrdataSizePerChange],
    [
      "resource record sets per managed zone",
      additions.length > deletions.length ? present + additions.length - deletions.length : 0,
      quota.rrsetsPerManagedZone,
    ],
  ];
  return limits.filter(([, found, most]) => found > most).map(([what]) => what);
}

/** Bytes of all rdata texts of a record set, those of a policy's items too. */
export function rdataBytes(record: ApiRecordSet): number {
  const { rrdatas = [], routingPolicy } = record;
  const items = [...(routingPolicy?.geo?.items ?? []), ...(routingPolicy?.wrr?.items ?? [])];
  return [...rrdatas, ...items.flatMap((item) => item.rrdatas)].reduce(
    (sum, text) => sum + Buffer.byteLength(text),
    0,
  );
}

function canonical({ ttl, rrdatas, routingPolicy }: ApiRecordSet): string {
  return JSON.stringify([
    ttl,
    rrdatas?.toSorted(),
    routingPolicy?.geo?.enableFencing === true,
    routingPolicy?.geo?.items
      .map((item) => [item.location, item.rrdatas.toSorted()] as const)
      .toSorted(([left], [right]) => (left < right ? -1 : 1)),
    routingPolicy?.wrr?.items.map((item) => [item.weight, item.rrdatas.toSorted()]),
  ]);
}
