// What a running mirror tells: its status, its metrics, what is worth a line in the log. It must not
// decide anything.

import type { Applied } from "./apply-run.ts";
import type { MirrorMeter } from "./mirror-meter.ts";
import type { MirrorStatus } from "./mirror-status.ts";
import type { Conflict, Plan, PlannedGroup } from "./plan-types.ts";
import type { ZoneMirror } from "./zone-mirror.ts";

/** What is worth a line in the log. */
export interface MirrorEvents {
  /** Something was changed, or would have been if this were no dry run. */
  readonly onChanged: (mirror: string, what: ChangeCounts, isDryRun: boolean) => void;
  /** Differences that nobody here made; they are put right if they stay. */
  readonly onDrift: (mirror: string, names: readonly string[]) => void;
  readonly onConflict: (mirror: string, conflict: Conflict) => void;
  /** So many more conflicts than were told one by one. */
  readonly onMoreConflicts: (mirror: string, count: number) => void;
  /** Something keeps the mirror from changing anything; told once until it changes. */
  readonly onHeld: (mirror: string, reason: string) => void;
  readonly onFailure: (mirror: string, error: unknown) => void;
}

export type ChangeCounts = Pick<Applied, "created" | "updated" | "deleted" | "drift">;

/** Conflicts that the status gives in words, and that the log has of one comparison. */
const mostExamples = 20;

/** One mirror as others see it. */
export class MirrorReport {
  readonly #mirror: ZoneMirror;
  readonly #isDryRun: boolean;
  readonly #meter: MirrorMeter;
  readonly #events: MirrorEvents;
  #conflicts = new Map<string, Conflict>();
  #waitingFor: string | undefined;
  #lastSuccessMs: number | undefined;
  #lastError: string | undefined;
  #counts: ChangeCounts = { created: 0, updated: 0, deleted: 0, drift: 0 };

  constructor(mirror: ZoneMirror, isDryRun: boolean, meter: MirrorMeter, events: MirrorEvents) {
    this.#mirror = mirror;
    this.#isDryRun = isDryRun;
    this.#meter = meter;
    this.#events = events;
  }

  /** @param waitingFor what hinders now, whether or not anything was to be done since it does */
  status(waitingFor: string | undefined): MirrorStatus {
    const found = [...this.#conflicts.values()];
    const at = this.#lastSuccessMs;
    return {
      mirror: this.#label,
      owner: this.#mirror.owner,
      dryRun: this.#isDryRun,
      waitingFor: waitingFor ?? null,
      lastSuccess: at === undefined ? null : new Date(at).toISOString(),
      lastError: this.#lastError ?? null,
      records: this.#mirror.zone?.count(this.#mirror.owner) ?? null,
      changes: { ...this.#counts },
      conflicts: {
        count: found.length,
        examples: found.slice(0, mostExamples).map(({ message }) => message),
      },
    };
  }

  /** What hinders, or `undefined`. */
  held(reason: string | undefined): void {
    if (reason !== undefined && reason !== this.#waitingFor) {
      this.#events.onHeld(this.#label, reason);
      this.#meter.ran(this.#label, "held");
    }
    this.#waitingFor = reason;
  }

  drifted(names: readonly string[]): void {
    if (names.length > 0) this.#events.onDrift(this.#label, names);
  }

  applied(applied: Applied): void {
    const { created, updated, deleted, drift } = applied;
    if (created + updated + deleted > 0) this.#changed({ created, updated, deleted, drift });
    for (const conflict of applied.conflicts) this.metConflict(conflict);
  }

  #changed({ created, updated, deleted, drift }: ChangeCounts): void {
    this.#counts = {
      created: this.#counts.created + created,
      updated: this.#counts.updated + updated,
      deleted: this.#counts.deleted + deleted,
      drift: this.#counts.drift + drift,
    };
    this.#meter.changed(this.#label, "create", created);
    this.#meter.changed(this.#label, "update", updated);
    this.#meter.changed(this.#label, "delete", deleted);
    this.#meter.drifted(this.#label, drift);
    this.#countRecords();
    this.#events.onChanged(this.#label, { created, updated, deleted, drift }, false);
  }

  /** What would have been applied, were this no dry run. */
  wouldApply(groups: readonly PlannedGroup[]): void {
    this.#events.onChanged(this.#label, countChanges(groups), true);
  }

  /**
   * A run of what changed ended.
   * @param isAllDone whether it made good all that failed before, and left nothing undone.
   */
  ran(isAllDone: boolean): void {
    this.#meter.ran(this.#label, "success");
    if (isAllDone) this.#lastError = undefined;
  }

  /** All was compared, and found or made right. */
  succeeded(nowMs: number): void {
    this.#lastSuccessMs = nowMs;
    this.#lastError = undefined;
    this.#meter.ran(this.#label, "success");
    this.#meter.succeeded(this.#label, Math.floor(nowMs / 1000));
    this.#countRecords();
  }

  #countRecords(): void {
    this.#meter.records(this.#label, this.#mirror.zone?.count(this.#mirror.owner) ?? 0);
  }

  failed(error: unknown): void {
    this.#lastError = error instanceof Error ? error.message : String(error);
    this.#events.onFailure(this.#label, error);
    this.#meter.ran(this.#label, "failure");
  }

  /** Something is left undone until a person says otherwise; told once. */
  withheld(error: Error): void {
    if (error.message !== this.#lastError) this.#events.onFailure(this.#label, error);
    this.#lastError = error.message;
  }

  /** A run ended well but for what is left undone. */
  ranWithheld(): void {
    this.#meter.ran(this.#label, "failure");
  }

  /** The names of which something could not be written at the last look. */
  conflictNames(): ReadonlySet<string> {
    return new Set([...this.#conflicts.values()].map(({ name }) => name));
  }

  /** The conflicts of these services. What the provider has refused stays until it is as it should be. */
  setConflicts(plan: Plan, services: ReadonlySet<string> | "all"): void {
    const former = this.#conflicts;
    const names = new Set(plan.groups.map(({ name }) => name));
    this.#conflicts = new Map(
      [...former].filter(
        ([, { service, reason, name }]) =>
          (services !== "all" && !services.has(service)) ||
          (reason === "refused" && names.has(name)),
      ),
    );
    const found = plan.conflicts.filter((each) => !former.has(conflictKey(each)));
    for (const each of found.slice(0, mostExamples)) this.#events.onConflict(this.#label, each);
    const more = found.length - mostExamples;
    if (more > 0) this.#events.onMoreConflicts(this.#label, more);
    for (const each of plan.conflicts) this.#conflicts.set(conflictKey(each), each);
    this.#meter.conflicts(this.#label, this.#conflicts.size);
  }

  /** One that was met only when something was to be written. */
  metConflict(conflict: Conflict): void {
    const key = conflictKey(conflict);
    if (!this.#conflicts.has(key)) this.#events.onConflict(this.#label, conflict);
    this.#conflicts.set(key, conflict);
    this.#meter.conflicts(this.#label, this.#conflicts.size);
  }

  get #label(): string {
    return this.#mirror.provider.label;
  }
}

function conflictKey({ name, type }: Pick<Conflict, "name" | "type">): string {
  return `${name} ${type}`;
}

/** What groups would change, record sets without their ownership. */
function countChanges(groups: readonly PlannedGroup[]): ChangeCounts {
  const changes = groups.flatMap((group) => group.changes).filter((each) => !each.isOwnership);
  const of = (kind: string): number => changes.filter((each) => each.kind === kind).length;
  return {
    created: of("create"),
    updated: of("update"),
    deleted: of("delete"),
    drift: changes.filter(({ reason }) => reason === "drift").length,
  };
}
