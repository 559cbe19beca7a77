// A mirror's plan as people who work with infrastructure read it: a line a change, what stands in
// the way, how many of what, and what the cloud cannot say. It must not know how plans are made,
// nor whether there is a terminal.

import type {
  Conflict,
  FidelityNote,
  MirrorPlan,
  Plan,
  PlannedChange,
  PlannedGroup,
} from "../mirror/plan-types.ts";
import { type ChangeRow, changeRows, recordSetOf } from "./mirror-change-text.ts";
import { type PlanSummary, planSummary } from "./mirror-plan-json.ts";
import { printable } from "./server-status.ts";
import { table } from "./text-layout.ts";

/** How a plan is printed. */
export interface PlanTextOptions {
  /** Whether signs are in colour (ANSI sequences). */
  readonly color: boolean;
  /** Sentences are broken at so many columns, 100 if left out; lines of records never are. */
  readonly width?: number;
}

/** A plan as lines: all of it, however long it is. */
export function planText(given: MirrorPlan, { color, width = 100 }: PlanTextOptions): string[] {
  const { mirror, domain, owner, plan, obstacles, fidelity } = given;
  const signed = (lines: readonly string[]): string[] =>
    color ? lines.map((line) => coloured(printable(line))) : lines.map(printable);
  const summary = [summaryText(mirror, planSummary(plan))];
  for (const each of obstacles) summary.push(...wrapped(`Would not be applied: ${each}`, width));
  const sections = [
    [printable(`Mirror ${mirror}: ${domain}, owner ${owner}`)],
    signed(recordLines(plan, owner)),
    signed(plan.conflicts.flatMap((each) => wrapped(conflictText(each), width))),
    summary.map(printable),
    fidelityLines(mirror, fidelity, width).map(printable),
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .flatMap((lines, at) => (at === 0 ? lines : ["", ...lines]));
}

/** A line a change, in columns, and how many ownership records change with these. */
function recordLines({ groups }: Plan, owner: string): string[] {
  const rows: ChangeRow[] = [];
  const along: PlannedChange[] = [];
  for (const group of groups) {
    const formerOwner = formerOwnerIn(group, owner);
    for (const change of group.changes) {
      if (change.isOwnership && comesAlong(change, group)) along.push(change);
      else rows.push(...changeRows(change, formerOwner));
    }
  }
  return [...table(rows), ...ownershipLines(along)];
}

function ownershipLines(along: readonly PlannedChange[]): string[] {
  if (along.length === 0) return [];
  const kinds = [
    ["create", "to create"],
    ["update", "to update"],
    ["delete", "to delete"],
  ] as const;
  const counts = kinds
    .map(([kind, word]) => [along.filter((each) => each.kind === kind).length, word] as const)
    .filter(([number]) => number > 0)
    .map(([number, word]) => `${number} ${word}`);
  return [`With these, ${count(along.length, "ownership record")} (TXT): ${counts.join(", ")}.`];
}

/** Whether the record set that an ownership record speaks of changes as well. */
function comesAlong(ownership: PlannedChange, { changes }: PlannedGroup): boolean {
  const owned = recordSetOf(ownership).name;
  const records = changes.filter((each) => !each.isOwnership);
  // Of other programs' ownership records the names are theirs to choose.
  if (!owned.startsWith("_meridian-")) return records.length > 0;
  return records.some((each) => {
    const { name, type } = recordSetOf(each);
    return owned === `_meridian-${type.toLowerCase()}.${name}`;
  });
}

/** Whose these records were before, as ownership records that change say: `external-dns/owner=X`. */
function formerOwnerIn({ changes }: PlannedGroup, owner: string): string | undefined {
  for (const change of changes) {
    if (!change.isOwnership || change.kind === "create") continue;
    const text = change.before.parts.flatMap((part) => part.values).join(" ");
    const found = /[\w.-]+\/owner=[^,"]+/.exec(text)?.[0];
    if (found !== undefined && found !== `meridian/owner=${owner}`) return found;
  }
  return undefined;
}

/** Name and type once: many messages begin with what cannot be done. */
function conflictText({ name, type, message }: Conflict): string {
  const opening = `cannot write ${type} ${name}: `;
  const what = message.startsWith(opening) ? message.slice(opening.length) : message;
  return `! ${name} ${type}: ${what}`;
}

function summaryText(mirror: string, summary: PlanSummary): string {
  const { drift, adopted, ownership, conflicts, unchanged } = summary;
  const changes = summary.create + summary.update + summary.delete;
  if (changes + ownership + conflicts === 0) return unchangedText(unchanged);
  const kinds = [
    ...(drift > 0 ? [`${drift} of them drift`] : []),
    ...(adopted > 0 ? [`${adopted} of them adopted`] : []),
  ];
  const parts = [
    `${summary.create} to create`,
    `${summary.update} to update`,
    `${summary.delete} to delete${kinds.length > 0 ? ` (${kinds.join(", ")})` : ""}`,
    ...(changes === 0 && ownership > 0
      ? [`${count(ownership, "ownership record")} to change`]
      : []),
    ...(conflicts > 0 ? [count(conflicts, "conflict")] : []),
  ];
  return `Plan for ${mirror}: ${parts.join(", ")}; ${unchanged} unchanged.`;
}

function unchangedText(unchanged: number): string {
  if (unchanged === 0) return "No changes: there are no records, and none should be there.";
  const are = unchanged === 1 ? "record is as it" : "records are as they";
  return `No changes: ${unchanged} ${are} should be.`;
}

function fidelityLines(mirror: string, notes: readonly FidelityNote[], width: number): string[] {
  if (notes.length === 0) return [];
  return [
    `What ${cloudOf(mirror)} cannot say that our own answers do:`,
    ...notes.flatMap(({ topic, message, services, examples }) => [
      `  ${topic}, ${count(services, "service")}: ${examples.join(", ")}${
        services > examples.length ? ", ..." : ""
      }`,
      ...wrapped(`    ${message}`, width),
    ]),
  ];
}

function cloudOf(mirror: string): string {
  if (mirror.startsWith("route53 ")) return "Route 53";
  return mirror.startsWith("clouddns ") ? "Cloud DNS" : "the cloud";
}

/** The sign alone: values are read, not looked at. */
function coloured(line: string): string {
  return line.replace(/^( *)([-+~!])(?= )/, (_all, indent: string, sign: string) => {
    return `${indent}\u001b[${colours[sign]}m${sign}\u001b[0m`;
  });
}

const colours: Readonly<Record<string, number>> = { "+": 32, "~": 33, "-": 31, "!": 31 };

/** Lines of at most `width` columns where words allow it, further ones indented by four. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = /^ */.exec(text)?.[0] ?? "";
  let isEmpty = true;
  for (const word of text.trim().split(" ")) {
    if (!isEmpty && line.length + 1 + word.length > width) {
      lines.push(line);
      line = "    ";
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line];
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
