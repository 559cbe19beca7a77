// What a mirror does that is worth a line in the log: changes, drift, conflicts, what holds it,
// failures. It must not know how any of it is found out, and never writes a provider's errors or
// answers as they are: these may hold credentials.

import type { EventLog } from "../control/event-log.ts";
import type { MirrorMeter } from "../mirror/mirror-meter.ts";
import type { ChangeCounts, MirrorEvents } from "../mirror/mirror-report.ts";
import type { Conflict } from "../mirror/plan-types.ts";
import { MirrorError } from "../mirror/provider.ts";
import type { Logger } from "./log.ts";
import { printable } from "./server-status.ts";

/** So many names stand in one line at most. */
const mostNames = 20;

/** Writes one line an event. Names and sentences of others are made printable. */
export function mirrorLog(log: Pick<Logger, "info" | "warn" | "error">): MirrorEvents {
  return {
    onChanged: (mirror, what, isDryRun) =>
      log.info(changeFields(mirror, what, isDryRun), changeSentence(mirror, what, isDryRun)),
    onDrift: (mirror, names) =>
      log.warn(driftFields(mirror, names), `${mirror}: ${driftSentence(names.length)}`),
    onConflict: (mirror, conflict) =>
      log.warn(
        conflictFields(mirror, conflict),
        `${mirror}: conflict: ${printable(conflict.message)}`,
      ),
    onMoreConflicts: (mirror, count) =>
      log.warn(
        { event: "mirror-conflicts", mirror, count },
        `${mirror}: ${count} more conflicts: meridian mirror plan has all`,
      ),
    onHeld: (mirror, reason) =>
      log.warn(
        { event: "mirror-held", mirror, reason: printable(reason) },
        `${mirror}: nothing is changed for now: ${printable(reason)}`,
      ),
    onFailure: (mirror, error) =>
      log.error(failureFields(mirror, error), `${mirror}: failed: ${messageOf(error)}`),
  };
}

/** A meter that tells `events` of each run that changed something, and of the first of those that failed. */
export function tellingMeter(meter: MirrorMeter, events: Pick<EventLog, "add">): MirrorMeter {
  const done = { create: "created", update: "updated", delete: "deleted" } as const;
  const changes = new Map<string, Map<string, number>>();
  const failing = new Set<string>();
  return {
    ...meter,
    changed: (mirror, kind, count) => {
      meter.changed(mirror, kind, count);
      const sums = changes.get(mirror) ?? new Map<string, number>();
      changes.set(mirror, sums.set(done[kind], (sums.get(done[kind]) ?? 0) + count));
    },
    ran: (mirror, outcome) => {
      meter.ran(mirror, outcome);
      const counts = [...(changes.get(mirror) ?? [])].filter(([, count]) => count > 0);
      changes.delete(mirror);
      if (counts.length > 0) {
        const message = counts.map(([what, count]) => `${count} ${what}`).join(", ");
        events.add({ kind: "mirror", mirror, outcome: "changed", message });
      }
      if (outcome === "success") failing.delete(mirror);
      if (outcome !== "failure" || failing.has(mirror)) return;
      failing.add(mirror);
      const message = "it failed, and is tried again: the status of the mirror says why";
      events.add({ kind: "mirror", mirror, outcome: "failed", message });
    },
  };
}

function changeFields(mirror: string, what: ChangeCounts, dryRun: boolean): object {
  const { created, updated, deleted, drift } = what;
  return { event: "mirror-changed", mirror, created, updated, deleted, drift, dryRun };
}

function changeSentence(mirror: string, what: ChangeCounts, isDryRun: boolean): string {
  const { created, updated, deleted, drift } = what;
  const putBack = drift > 0 ? `, ${drift} of them drift` : "";
  const counts = `${created} created, ${updated} updated, ${deleted} deleted${putBack}`;
  return isDryRun ? `${mirror}: without dryRun it would be ${counts}` : `${mirror}: ${counts}`;
}

function driftFields(mirror: string, names: readonly string[]): object {
  const shown = names.slice(0, mostNames).map(printable);
  return { event: "mirror-drift", mirror, count: names.length, names: shown };
}

function driftSentence(count: number): string {
  const names = count === 1 ? "1 name differs" : `${count} names differ`;
  return `${names} by no change of this server: put back if that stays so`;
}

function conflictFields(mirror: string, { name, type, service, reason }: Conflict): object {
  return { event: "mirror-conflict", mirror, name: printable(name), type, service, reason };
}

function failureFields(mirror: string, error: unknown): object {
  const code = error instanceof MirrorError ? error.code : "unexpected";
  return { event: "mirror-failed", mirror, code, error: messageOf(error) };
}

/** The message alone: an SDK's error holds requests and their headers as well. */
function messageOf(error: unknown): string {
  return error instanceof Error ? printable(error.message) : "no reason was given";
}
