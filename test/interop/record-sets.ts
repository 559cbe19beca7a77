// Short ways to write record sets and changes in the words of providers, to make them, and to look
// at what came of it. It must not know servers.

import {
  type Change,
  type ChangeGroup,
  MirrorError,
  type Provider,
} from "../../src/mirror/provider.ts";
import type { RecordPart, RecordSet } from "../../src/mirror/record-set.ts";

const { signal } = new AbortController();

export function set(name: string, type: string, ...parts: RecordPart[]): RecordSet {
  return { name, type, parts };
}

/** What everybody gets, for 60 seconds. */
export function plain(...values: string[]): RecordPart {
  return { ttlSeconds: 60, values };
}

export function creations(...sets: readonly RecordSet[]): Change[] {
  return sets.map((after) => ({ kind: "create", after }));
}

export function deletions(...sets: readonly RecordSet[]): Change[] {
  return sets.map((before) => ({ kind: "delete", before }));
}

/** Changes that are made together, called by the first one's name. */
export function group(...changes: readonly Change[]): ChangeGroup {
  const [first] = changes;
  const name = first?.kind === "create" ? first.after.name : (first?.before.name ?? "");
  return { name, changes };
}

export function apply(zone: Provider, ...changes: readonly Change[]): Promise<void> {
  return zone.apply([group(...changes)], signal);
}

/** All of a zone but its apex. */
export async function listed(zone: Provider, apex = "example.com."): Promise<RecordSet[]> {
  const sets: RecordSet[] = [];
  for await (const page of zone.list(signal)) sets.push(...page);
  return sets.filter(({ name }) => name !== apex);
}

/** What a provider failed with. Rejects if it did not, or with anything else. */
export async function failureOf(action: Promise<unknown>): Promise<MirrorError> {
  const error: unknown = await action.catch((reason: unknown) => reason);
  if (error instanceof MirrorError) return error;
  throw new Error("cannot look at a failure: there is none", { cause: error });
}
