// Short ways to write record sets and changes of the zone example.com, as the SDK takes them. It must
// not know what is done with them.

import type { Change, ResourceRecordSet, RRType } from "@aws-sdk/client-route-53";

/** A record set at a name below example.com, or at the apex for an empty name; TTL 60. */
export function recordSet(
  name: string,
  type: RRType,
  values: readonly string[],
  routing: Partial<ResourceRecordSet> = {},
): ResourceRecordSet {
  return {
    Name: name === "" ? "example.com." : `${name}.example.com.`,
    Type: type,
    TTL: 60,
    ResourceRecords: values.map((value) => ({ Value: value })),
    ...routing,
  };
}

export function created(...sets: readonly ResourceRecordSet[]): Change[] {
  return sets.map((set) => ({ Action: "CREATE", ResourceRecordSet: set }));
}

export function deleted(...sets: readonly ResourceRecordSet[]): Change[] {
  return sets.map((set) => ({ Action: "DELETE", ResourceRecordSet: set }));
}

export function upserted(...sets: readonly ResourceRecordSet[]): Change[] {
  return sets.map((set) => ({ Action: "UPSERT", ResourceRecordSet: set }));
}

/** So many addresses, all different. */
export function addresses(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `10.0.${at >> 8}.${at & 255}`);
}
