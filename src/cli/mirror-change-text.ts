// One change of a plan as rows of a table: what it is, and of what changes only the difference, as
// old → new. It must not know plans, colours or widths.

import type { PlannedChange } from "../mirror/plan-types.ts";
import type { RecordPart, RecordSet, Routing } from "../mirror/record-set.ts";

/** Sign and type, name or routing, TTL, values and remarks. */
export type ChangeRow = readonly [string, string, string, string];

/** The sign of a change. */
export const signs: Readonly<Record<PlannedChange["kind"], string>> = {
  create: "+",
  update: "~",
  delete: "-",
};

/** The record set that a change is about: as it will be, or as it was. */
export function recordSetOf(change: PlannedChange): RecordSet {
  return change.kind === "delete" ? change.before : change.after;
}

/**
 * One row, and one more for each part of a record set that the cloud chooses from.
 * @param formerOwner whose it was, for a change by which it is adopted; `undefined`: not known.
 */
export function changeRows(change: PlannedChange, formerOwner?: string): ChangeRow[] {
  const { name, type } = recordSetOf(change);
  const before = change.kind === "create" ? [] : change.before.parts;
  const after = change.kind === "delete" ? [] : change.after.parts;
  const heading = `${signs[change.kind]} ${type}`;
  const remark = remarkOn(change, formerOwner);
  if (isPlain(before) && isPlain(after)) {
    const [ttl, values] = differenceTexts(before[0], after[0]);
    return [[heading, name, ttl, joined(values, remark)]];
  }
  const pairs = pairsOf(before, after);
  const changed = pairs.filter(([old, now]) => !old || !now || !isSamePart(old, now));
  const same = pairs.length - changed.length;
  const rest = same > 0 ? `(${same} other ${same === 1 ? "part" : "parts"} as before)` : "";
  return [[heading, name, "", joined(rest, remark)], ...changed.map(partRow)];
}

/** How the cloud chooses a part, in words. */
export function routingText(routing: Routing | undefined): string {
  const [label, choice] = routingWords(routing);
  return label === "" ? choice : `${label}: ${choice}`;
}

type Pair = readonly [before: RecordPart | undefined, after: RecordPart | undefined];

/** Parts of the same label before and after: the former ones first, in their order. */
function pairsOf(before: readonly RecordPart[], after: readonly RecordPart[]): Pair[] {
  const left = new Map(after.map((part) => [partKey(part), part]));
  const pairs = before.map((part): Pair => {
    const key = partKey(part);
    const now = left.get(key);
    left.delete(key);
    return [part, now];
  });
  return [...pairs, ...[...left.values()].map((part): Pair => [undefined, part])];
}

/** What tells a part apart from the others of its record set. */
function partKey({ routing }: RecordPart): string {
  if (!routing) return "";
  if (routing.kind === "geo") return `location ${routing.location}`;
  return routing.kind === "wrr" ? `at ${routing.at}` : `id ${routing.id}`;
}

function partRow([before, after]: Pair): ChangeRow {
  const sign = before && after ? "~" : after ? "+" : "-";
  const [ttl, values] = differenceTexts(before, after);
  const [old, now] = [before, after].map((part) => part && routingText(part.routing));
  const choice =
    old !== undefined && now !== undefined && old !== now
      ? `${old} → ${routingWords(after?.routing)[1]}`
      : (now ?? old ?? "");
  return ["", `  ${sign} ${choice}`, ttl, values];
}

/** TTL and values; where both sides are there, what differs as old → new. */
function differenceTexts(
  before: RecordPart | undefined,
  after: RecordPart | undefined,
): [ttl: string, values: string] {
  if (!before || !after) {
    const part = before ?? after;
    return part ? [`${part.ttlSeconds}`, valuesText(part.values)] : ["", ""];
  }
  const ttl =
    before.ttlSeconds === after.ttlSeconds
      ? `${after.ttlSeconds}`
      : `${before.ttlSeconds} → ${after.ttlSeconds}`;
  return [ttl, valuesDifference(before.values, after.values)];
}

function valuesDifference(before: readonly string[], after: readonly string[]): string {
  const [old, now] = [new Set(before), new Set(after)];
  const gone = before.filter((value) => !now.has(value));
  const come = after.filter((value) => !old.has(value));
  if (gone.length === 0 && come.length === 0) return valuesText(after);
  const same = now.size - new Set(come).size;
  const rest = same > 0 ? `(${same} as before)` : "";
  const difference =
    gone.length > 0 && come.length > 0
      ? `${valuesText(gone)} → ${valuesText(come)}`
      : come.length > 0
        ? `and now ${valuesText(come)}`
        : `no longer ${valuesText(gone)}`;
  return joined(difference, rest);
}

function valuesText(values: readonly string[]): string {
  return [...values].sort().join(", ");
}

/** Label and choice. */
function routingWords(routing: Routing | undefined): [label: string, choice: string] {
  switch (routing?.kind) {
    case undefined:
      return ["", "everybody"];
    case "geoproximity":
      return [routing.id, `nearest to ${routing.latitude}, ${routing.longitude}`];
    case "latency":
      return [routing.id, `quickest from ${routing.region}`];
    case "geolocation":
      return [routing.id, placeText(routing.place)];
    case "weighted":
      return [routing.id, `weight ${routing.weight}`];
    case "geo":
      return ["", `nearest to ${routing.location}`];
    case "wrr":
      return [`item ${routing.at + 1}`, `weight ${routing.weight}`];
    case "other":
      return [routing.id, routing.text];
  }
}

function placeText(place: string): string {
  if (place === "*") return "everywhere else";
  const [continent, code] = place.split(":");
  return code === undefined ? `country ${place}` : `${continent} ${code}`;
}

/** Why, where the sign does not say it. */
function remarkOn({ kind, reason }: PlannedChange, formerOwner = "another owner"): string {
  switch (reason) {
    case "wanted":
      return "";
    case "unwanted":
      return "(no longer wanted)";
    case "drift":
      return `(drift: ${kind === "create" ? "deleted" : "changed"} by somebody else)`;
    case "adopted":
      return `(adopted from ${formerOwner})`;
  }
}

function isPlain(parts: readonly RecordPart[]): boolean {
  return parts.length <= 1 && parts.every((part) => !part.routing);
}

function isSamePart(a: RecordPart, b: RecordPart): boolean {
  return (
    a.ttlSeconds === b.ttlSeconds &&
    valuesText(a.values) === valuesText(b.values) &&
    routingText(a.routing) === routingText(b.routing)
  );
}

function joined(...texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join("  ");
}
