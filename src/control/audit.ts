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
/** Lines on writes of nobody that were refused: so many at once, and so many more each second. */
const burst = 20;
const perSecond = 1;

/** Writes the audit of one app; a flood of what nobody may do does not fill the log. */
export class Audit {
  readonly #log: ControlLog;
  readonly #now: () => number;
  #left = burst;
  #atMs: number;
  #unwritten = 0;

  /** @param now milliseconds that only go forward. Default: those of the process. */
  constructor(log: ControlLog, now: () => number = () => performance.now()) {
    this.#log = log;
    this.#now = now;
    this.#atMs = now();
  }

  /** Writes who asked from where for what, what was before and after it, and what came of it. */
  tell({ who, request, answer }: AuditedWrite): void {
    const { status, body, change } = answer;
    if (who.by !== "socket" && who.by !== "token" && !this.#mayWrite()) {
      this.#unwritten++;
      return;
    }
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
      ...(this.#unwritten > 0 && { unwritten: this.#unwritten }),
    };
    this.#unwritten = 0;
    const message = `${who.name} asked for ${what}: ${outcome}`;
    if (status < 300) this.#log.info(fields, message);
    else this.#log.warn(fields, message);
  }

  #mayWrite(): boolean {
    const nowMs = this.#now();
    this.#left = Math.min(burst, this.#left + ((nowMs - this.#atMs) / 1000) * perSecond);
    this.#atMs = nowMs;
    if (this.#left < 1) return false;
    this.#left--;
    return true;
  }
}

function messageOf(body: Answer["body"]): string {
  return typeof body === "object" && "message" in body ? String(body.message) : "refused";
}
