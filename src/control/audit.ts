// The audit: one line in the log for each write, allowed or refused. It must not know what is allowed.

import type { Asker } from "./access.ts";
import type { ControlLog } from "./control-backend.ts";
import type { Answer } from "./operation.ts";

/** A write as the audit tells it. */
export interface AuditedWrite {
  readonly who: Asker;
  readonly request: { readonly method: string; readonly path: string; readonly source: string };
  readonly answer: Answer;
}

/** Longer paths are cut. */
const mostPath = 300;

/** Writes who asked from where for what, what was before and after it, and what came of it. */
export function audit(log: ControlLog, { who, request, answer }: AuditedWrite): void {
  const { status, body, change } = answer;
  const outcome = status < 300 ? "done" : messageOf(body);
  const what = `${request.method} ${request.path.slice(0, mostPath)}`;
  const fields = {
    event: "audit",
    who: who.name,
    by: who.by,
    from: who.by === "socket" ? "socket" : request.source,
    what,
    status,
    outcome,
    before: change?.before ?? null,
    after: change?.after ?? null,
  };
  const message = `${who.name} asked for ${what}: ${outcome}`;
  if (status < 300) log.info(fields, message);
  else log.warn(fields, message);
}

function messageOf(body: Answer["body"]): string {
  return typeof body === "object" && "message" in body ? String(body.message) : "refused";
}
