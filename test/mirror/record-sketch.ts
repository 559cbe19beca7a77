// Record sets as lines of text and back, and what a sketched federation wants of a cloud. It must
// not know what is right.

import { formatAddress } from "../../src/dns/address.ts";
import { type Service, serviceKey } from "../../src/federation/model.ts";
import { type Desired, type DesiredInput, DesiredRecords } from "../../src/mirror/desired.ts";
import { type Ownership, ownershipRecord } from "../../src/mirror/ownership.ts";
import { type PlanInput, PlanMaker, type WantedService } from "../../src/mirror/plan.ts";
import type { Plan, PlannedChange } from "../../src/mirror/plan-types.ts";
import type { RecordPart, RecordSet } from "../../src/mirror/record-set.ts";
import { ZoneRecords } from "../../src/mirror/zone-records.ts";
import { type FederationSketch, modelOf } from "../kit/federation.ts";

/** The record set of `NAME TYPE TTL VALUE | VALUE`. */
export function recordSet(line: string): RecordSet {
  const match = /^(\S+) (\S+) (\d+) (.+)$/.exec(line);
  if (!match) throw new Error(`cannot read a record set, got ${line}`);
  const [, name = "", type = "", ttl = "", values = ""] = match;
  return { name, type, parts: [{ ttlSeconds: Number(ttl), values: values.split(" | ") }] };
}

/** A line for each part, values in order. */
export function linesOf({ name, type, parts }: RecordSet): string[] {
  return parts.map((part) => `${name} ${type} ${partText(part)}`);
}

/** `[ROUTING] TTL VALUE | VALUE`. */
export function partText({ ttlSeconds, values, routing }: RecordPart): string {
  const chosen = routing ? `[${Object.values(routing).join(" ")}] ` : "";
  return `${chosen}${ttlSeconds} ${[...values].sort().join(" | ")}`;
}

/** All record sets of a zone. */
export function zoneOf(sets: Iterable<RecordSet>): ZoneRecords {
  const zone = new ZoneRecords();
  for (const set of sets) zone.add(set);
  return zone;
}

/** These record sets, each with the record that says whose it is. */
export function owned(ownership: Ownership, ...sets: readonly RecordSet[]): RecordSet[] {
  return sets.flatMap((set) => [set, ownershipRecord(set.name, set.type, ownership)]);
}

/** `+` with the new record set, `-` with the former, `~` with both, and the reason behind. */
export function changeText(change: PlannedChange): string {
  const before = change.kind === "create" ? "" : linesOf(change.before).join(" & ");
  const after = change.kind === "delete" ? "" : linesOf(change.after).join(" & ");
  switch (change.kind) {
    case "create":
      return `+ ${after} (${change.reason})`;
    case "update":
      return `~ ${before} -> ${after} (${change.reason})`;
    case "delete":
      return `- ${before} (${change.reason})`;
  }
}

/** What differs from a plain mirror of a federation in which all is well. */
export interface MirrorSketch
  extends Partial<Omit<DesiredInput, "health" | "drained" | "clusters" | "federation">> {
  /** Addresses that are down, or by address how much they count as. */
  readonly down?: readonly string[] | Readonly<Record<string, number>>;
  readonly drained?: readonly string[];
}

/** What the services of a sketch should have, by service. */
export function desiredOf(
  sketch: FederationSketch,
  { down = [], drained = [], ...rest }: MirrorSketch = {},
): ReadonlyMap<string, Desired> {
  const { federation, clusters, services } = modelOf(sketch);
  const healths = new Map(
    Array.isArray(down) ? down.map((each) => [each, 0]) : Object.entries(down),
  );
  const records = new DesiredRecords({
    federation,
    clusters,
    health: (_service, _cluster, address) => healths.get(formatAddress(address)) ?? 1,
    drained: new Set(drained),
    mode: "plain",
    ttlSeconds: undefined,
    mostValues: 400,
    mostParts: 100,
    ...rest,
  });
  return new Map(
    [...services.values()].map((each: Service) => [serviceKey(each), records.of(each)]),
  );
}

/** Plans all that these services need. Services that are not named keep what they have. */
export function makePlan(input: PlanInput, services: Iterable<WantedService>): Plan {
  const plan = new PlanMaker(input);
  for (const each of services) plan.add(each);
  return plan.finish();
}
