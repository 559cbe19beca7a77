// Record sets as the service lists them, as short texts and back. It must not know what is right.

import type { ResourceRecordSet } from "@aws-sdk/client-route-53";

export function recordAt(
  name: string,
  type: "A" | "TXT",
  ...values: readonly string[]
): ResourceRecordSet {
  const records = values.map((value) => ({ Value: value }));
  return { Name: name, Type: type, TTL: 60, ResourceRecords: records };
}

export function valuesAt(sets: readonly ResourceRecordSet[], name: string, type: string): string[] {
  return sets.flatMap((set) => (set.Name === name && set.Type === type ? valuesOf(set) : []));
}

export function valuesOf({ ResourceRecords = [] }: ResourceRecordSet): string[] {
  return ResourceRecords.map(({ Value = "" }) => Value).sort();
}

/** A record set as one text that equal ones share. */
export function text(set: ResourceRecordSet): string {
  return JSON.stringify({ ...set, ResourceRecords: valuesOf(set) });
}

export function sameText(one: ResourceRecordSet, other: ResourceRecordSet): boolean {
  return text(one) === text(other);
}
