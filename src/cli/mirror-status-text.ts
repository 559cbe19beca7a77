// A mirror's status as text for the person on call. It is given text that is printable already. It
// must not decide anything, nor know the clock or the terminal.

import type { MirrorStatus } from "../mirror/mirror-status.ts";
import { agoOf, count, wrapped } from "./status-layout.ts";

/** What is not well, for the first line of a status. */
export function mirrorTroubles({ mirror, lastError, conflicts }: MirrorStatus): string[] {
  const troubles = lastError === null ? [] : ["failing"];
  if (conflicts.count > 0) troubles.push(count(conflicts.count, "conflict"));
  return troubles.length > 0 ? [`mirror ${mirror}: ${troubles.join(", ")}`] : [];
}

/** What is worth knowing and no trouble of the mirror's own, for the first line of a status. */
export function mirrorNotes({ mirror, waitingFor }: MirrorStatus): string[] {
  return waitingFor === null ? [] : [`mirror ${mirror}: waiting`];
}

/** All of one mirror, a block of lines. `nowMs`: milliseconds since 1970. */
export function mirrorLines(status: MirrorStatus, nowMs: number): string[] {
  const { mirror, owner, dryRun, waitingFor, lastError } = status;
  const lines = [`mirror ${mirror} (owner ${owner}): ${stateText(status, nowMs)}`];
  if (dryRun) lines.push("  dry run: nothing is changed there");
  if (waitingFor !== null) lines.push(...sentence("  waiting: ", waitingFor));
  if (lastError !== null) lines.push(...sentence("  failing: ", lastError));
  return [...lines, `  since the start: ${changesText(status.changes)}`, ...conflictLines(status)];
}

function stateText({ records, lastSuccess }: MirrorStatus, nowMs: number): string {
  if (records === null) return "not read yet";
  const compared =
    lastSuccess === null ? "not made right yet" : `all compared ${agoOf(lastSuccess, nowMs)}`;
  return `${count(records, "record")}, ${compared}`;
}

function changesText({ created, updated, deleted, drift }: MirrorStatus["changes"]): string {
  if (created + updated + deleted === 0) return "no changes";
  const putBack = drift > 0 ? ` (${drift} of them drift)` : "";
  return `${created} created, ${updated} updated, ${deleted} deleted${putBack}`;
}

function conflictLines({ conflicts }: MirrorStatus): string[] {
  if (conflicts.count === 0) return [];
  const more = conflicts.count - conflicts.examples.length;
  const lines = conflicts.examples.flatMap((each) => sentence("    ", each));
  if (more > 0) lines.push(`    and ${more} more`);
  return [`  ${count(conflicts.count, "conflict")}:`, ...lines];
}

function sentence(start: string, text: string): string[] {
  return wrapped(start, text.split("; "));
}
