// What ChangeResourceRecordSets does with a batch: all of its changes in their order, or none and a
// word on each that cannot be. It knows zones and limits; it must not know requests.
// https://docs.aws.amazon.com/Route53/latest/APIReference/API_ChangeResourceRecordSets.html

import { isDeepStrictEqual } from "node:util";
import type { ResourceRecordSet } from "@aws-sdk/client-route-53";
import type { SentChange } from "./change.ts";
import { type HostedZone, isSamePlace } from "./hosted-zone.ts";
import { parseName } from "./names.ts";
import { Refusal } from "./refusal.ts";
import { neighbourProblems, setProblems } from "./set-rules.ts";

/** Developer Guide, Quotas, "Maximums on API requests". */
export const mostElements = 1000;
export const mostCharacters = 32_000;

/** What one zone may hold. */
export interface ZoneLimits {
  readonly mostRecordSets: number;
  /** Of one weighted or latency record set. */
  readonly mostRoutedValues: number;
}

/** How large a batch is as the limits count it: of an UPSERT, everything twice. */
export interface BatchSize {
  readonly changes: number;
  /** ResourceRecord elements. */
  readonly values: number;
  /** Characters of all Value elements. */
  readonly valueCharacters: number;
}

export function batchSize(changes: readonly SentChange[]): BatchSize {
  let values = 0;
  let valueCharacters = 0;
  for (const { action, set } of changes) {
    const times = action === "UPSERT" ? 2 : 1;
    for (const { Value = "" } of set.ResourceRecords ?? []) {
      values += times;
      valueCharacters += times * Value.length;
    }
  }
  return { changes: changes.length, values, valueCharacters };
}

/**
 * Makes all changes. Throws Refusal with InvalidChangeBatch if any cannot be made: then none is.
 */
export function applyBatch(
  zone: HostedZone,
  changes: readonly SentChange[],
  zoneLimits: ZoneLimits,
): void {
  const { values, valueCharacters } = batchSize(changes);
  const limits: string[] = [];
  if (values > mostElements) limits.push(`Number of records limit of ${mostElements} exceeded.`);
  if (changes.length > mostElements) {
    limits.push(`Number of changes limit of ${mostElements} exceeded.`);
  }
  if (valueCharacters > mostCharacters) {
    limits.push(`RDATA character limit of ${mostCharacters} exceeded.`);
  }
  refuse(limits);

  const draft = new Draft(zone, zoneLimits.mostRoutedValues);
  const problems = repeatedChanges(changes);
  refuse(problems.length > 0 ? problems : changes.flatMap((change) => draft.make(change)));
  refuse(draft.apexProblems());
  if (draft.count > zoneLimits.mostRecordSets) {
    refuse([`Exceeded limit MAX_RRSETS_BY_ZONE for zone: ${zone.id}`]);
  }
  draft.commit();
}

/** The zone as it would be after some of the changes of a batch. */
class Draft {
  readonly #zone: HostedZone;
  readonly #mostRoutedValues: number;
  /** The names touched so far. */
  readonly #names = new Map<string, readonly ResourceRecordSet[]>();

  constructor(zone: HostedZone, mostRoutedValues: number) {
    this.#zone = zone;
    this.#mostRoutedValues = mostRoutedValues;
  }

  /** Makes a change, or says what stands against it. */
  make({ action, set: sent }: SentChange): readonly string[] {
    const parsed = parseName(sent.Name ?? "");
    if (parsed.kind === "problem") return [parsed.problem];
    const set = { ...sent, Name: parsed.name };
    const atName = this.#at(parsed.name);
    const existing = atName.find((other) => isSamePlace(other, set));
    const rest = atName.filter((other) => other !== existing);
    if (action === "DELETE") {
      const problem = deletionProblem(set, existing);
      if (problem === undefined) this.#names.set(parsed.name, rest);
      return problem === undefined ? [] : [problem];
    }
    if (action === "CREATE" && existing !== undefined) {
      return [`Tried to create resource record set ${label(set)} but it already exists`];
    }
    const problems = [
      ...setProblems(set, this.#zone.name, this.#mostRoutedValues),
      ...neighbourProblems(set, atName, this.#zone.name),
    ];
    if (problems.length === 0) this.#names.set(parsed.name, [...rest, set]);
    return problems;
  }

  /** What the zone's own name would lack. */
  apexProblems(): readonly string[] {
    const types = new Set(this.#at(this.#zone.name).map((set) => set.Type));
    const problems: string[] = [];
    if (!types.has("SOA")) problems.push("A HostedZone must contain exactly one SOA record.");
    if (!types.has("NS")) {
      problems.push("A HostedZone must contain at least one NS record for the zone itself.");
    }
    return problems;
  }

  /** The record sets that the zone would hold. */
  get count(): number {
    let count = this.#zone.count;
    for (const [name, sets] of this.#names) count += sets.length - this.#zone.at(name).length;
    return count;
  }

  commit(): void {
    for (const [name, sets] of this.#names) this.#zone.replace(name, sets);
  }

  #at(name: string): readonly ResourceRecordSet[] {
    return this.#names.get(name) ?? this.#zone.at(name);
  }
}

function refuse(problems: readonly string[]): void {
  if (problems.length > 0) throw new Refusal(400, "InvalidChangeBatch", ...problems);
}

/** A record set may be deleted and then written in one batch; any other two changes of it may not. */
function repeatedChanges(changes: readonly SentChange[]): string[] {
  const before = new Map<string, string>();
  const problems: string[] = [];
  for (const { action, set } of changes) {
    const parsed = parseName(set.Name ?? "");
    if (parsed.kind === "problem") continue;
    const key = `${parsed.name} ${set.Type} ${set.SetIdentifier ?? ""}`;
    const former = before.get(key);
    if (former !== undefined && !(former === "DELETE" && action !== "DELETE")) {
      problems.push(
        `The request contains an invalid set of changes for a resource record set '${set.Type} ${parsed.name}'`,
      );
    }
    before.set(key, action);
  }
  return problems;
}

function deletionProblem(
  set: ResourceRecordSet,
  existing: ResourceRecordSet | undefined,
): string | undefined {
  const what = `Tried to delete resource record set ${label(set)}`;
  if (existing === undefined) return `${what} but it was not found`;
  if (isDeepStrictEqual(comparable(set), comparable(existing))) return undefined;
  return `${what} but the values provided do not match the current values`;
}

/** What a deletion must give exactly; values may stand in any order, a bias of 0 is none. */
function comparable(set: ResourceRecordSet): unknown {
  const near = set.GeoProximityLocation;
  const given = Object.entries({
    ...set,
    GeoProximityLocation: near === undefined ? undefined : { ...near, Bias: near.Bias ?? 0 },
    ResourceRecords: set.ResourceRecords?.map(({ Value }) => Value).sort(),
  });
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

function label({ Name, Type, SetIdentifier }: ResourceRecordSet): string {
  const identifier = SetIdentifier === undefined ? "" : `, set-identifier='${SetIdentifier}'`;
  return `[name='${Name}', type='${Type}'${identifier}]`;
}
