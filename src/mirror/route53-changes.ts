// Groups of changes as Route 53 takes them: deletions with the exact content of what is there, and
// creations. It knows what is sent; it must not know how, nor why.

import { isDeepStrictEqual } from "node:util";
import type { Change } from "./provider.ts";
import type { RecordPart, RecordSet } from "./record-set.ts";
import type { Route53RecordSet } from "./route53-records.ts";
import { toResourceRecordSet } from "./route53-records.ts";

/** A Change of Route 53's API. */
export interface Route53Change {
  readonly Action: "CREATE" | "DELETE";
  readonly ResourceRecordSet: Route53RecordSet;
}

/**
 * The changes of one group: all deletions, then all creations, so that a CNAME may give way to an
 * address. Never UPSERT, which would overwrite what somebody else has written meanwhile. Parts that
 * stay as they are are left alone.
 */
export function toRoute53Changes(changes: readonly Change[]): Route53Change[] {
  const deleted = changes.flatMap((change) => {
    if (change.kind === "create") return [];
    return without(change.before, change.kind === "update" ? change.after : undefined);
  });
  const created = changes.flatMap((change) => {
    if (change.kind === "delete") return [];
    return without(change.after, change.kind === "update" ? change.before : undefined);
  });
  return [
    ...deleted.map((set): Route53Change => ({ Action: "DELETE", ResourceRecordSet: set })),
    ...created.map((set): Route53Change => ({ Action: "CREATE", ResourceRecordSet: set })),
  ];
}

/** What a request may have, and what a group has of it. */
export interface ChangeSize {
  readonly changes: number;
  /** `ResourceRecord` elements. */
  readonly values: number;
  /** Characters of all `Value` elements, spaces too. */
  readonly valueCharacters: number;
}

/** As the service counts a group; nothing of ours counts twice, as only UPSERT does. */
export function sizeOf(changes: readonly Change[]): ChangeSize {
  const sent = toRoute53Changes(changes);
  const values = sent.flatMap((change) => change.ResourceRecordSet.ResourceRecords ?? []);
  let valueCharacters = 0;
  // Octets are never fewer than characters, by any way of counting those.
  for (const { Value } of values) valueCharacters += Buffer.byteLength(Value ?? "");
  return { changes: sent.length, values: values.length, valueCharacters };
}

/** The parts of one set that another does not have just so. */
function without(set: RecordSet, other: RecordSet | undefined): Route53RecordSet[] {
  return set.parts
    .filter((part) => !other?.parts.some((candidate) => isSame(part, candidate)))
    .map((part) => toResourceRecordSet(set, part));
}

/** Whether two parts are one to Route 53, to which the order of values means nothing. */
function isSame(one: RecordPart, other: RecordPart): boolean {
  return (
    one.ttlSeconds === other.ttlSeconds &&
    isDeepStrictEqual([...one.values].sort(), [...other.values].sort()) &&
    isDeepStrictEqual(one.routing, other.routing)
  );
}
