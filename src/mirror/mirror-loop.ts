// The life of one mirror in a running server: what changed is written soon, all is compared from
// time to time, and what somebody else changed is put back once it has stayed so. Several instances
// may do this for one zone: who finds that another was quicker looks again later instead of writing
// what it knew. Time comes in as functions; it must not know clocks, files or how votes are counted.

import { deleteRefusal } from "./delete-guard.ts";
import type { MirrorMeter } from "./mirror-meter.ts";
import type { MirrorSource } from "./mirror-source.ts";
import type { MirrorStatus } from "./mirror-status.ts";
import type { PlanMaker } from "./plan.ts";
import type { Conflict, Plan, PlannedGroup } from "./plan-types.ts";
import { MirrorError, type ZoneInfo } from "./provider.ts";
import type { Applied, ZoneMirror } from "./zone-mirror.ts";

/** What a mirror's life depends on. */
export interface MirrorLoopOptions {
  readonly mirror: ZoneMirror;
  /** The federation's domain, written like the names of record sets. */
  readonly domain: string;
  readonly maxDeletePercent: number;
  readonly dryRun: boolean;
  /** The federation as it is now. */
  readonly source: (zone: ZoneInfo) => MirrorSource;
  /** Why nothing may be changed now, in one sentence; `undefined`: it may. */
  readonly hindrance: () => string | undefined;
  readonly meter: MirrorMeter;
  readonly events: MirrorEvents;
  /** Calls back after a time; gives the function that cancels it. */
  readonly schedule: (callback: () => void, delayMs: number) => () => void;
  /** Lets others have the thread. */
  readonly pause: () => Promise<void>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** What is worth a line in the log. */
export interface MirrorEvents {
  /** Something was changed, or would have been if this were no dry run. */
  readonly onChanged: (mirror: string, what: ChangeCounts, isDryRun: boolean) => void;
  /** Differences that nobody here made; they are put right if they stay. */
  readonly onDrift: (mirror: string, names: readonly string[]) => void;
  readonly onConflict: (mirror: string, conflict: Conflict) => void;
  /** Something keeps the mirror from changing anything; told once until it changes. */
  readonly onHeld: (mirror: string, reason: string) => void;
  readonly onFailure: (mirror: string, error: unknown) => void;
}

export type ChangeCounts = Pick<Applied, "created" | "updated" | "deleted" | "drift">;

/** Changes that come together are written together. */
const debounceMs = 2000;
/** What hinders is looked at again. */
const heldMs = 5000;
/** Where another instance was quicker, what it knew will be known here by then. */
const outpacedMs = 10_000;
/**
 * So long a difference that was not made here must stay before it is put back: other instances may
 * have read newer files, or heard a verdict earlier. Kubernetes takes up to about a minute to bring
 * a ConfigMap to all nodes.
 */
const driftMs = 60_000;
/** Between tries after failures; doubled each time. */
const [firstRetryMs, lastRetryMs] = [5000, 300_000];
/** Services that are planned before others have the thread. */
const servicesAtOnce = 25;
/** More names than this are read by one listing. */
const mostRereads = 200;

/** One mirror, kept up to date until it is stopped. */
export class MirrorLoop {
  readonly #options: MirrorLoopOptions;
  readonly #abort = new AbortController();
  readonly #cancels = new Map<string, () => void>();
  #dirty: Set<string> | "all" = new Set();
  #info: ZoneInfo | undefined;
  /** One run at a time changes the zone. */
  #last: Promise<void> = Promise.resolve();
  #checking: Promise<void> | undefined;
  #isCompared = false;
  #failures = 0;
  #suspects = new Map<string, string>();
  #conflicts = new Map<string, Conflict>();
  #waitingFor: string | undefined;
  #lastSuccessMs: number | undefined;
  #lastError: string | undefined;
  #counts: ChangeCounts = { created: 0, updated: 0, deleted: 0, drift: 0 };

  constructor(options: MirrorLoopOptions) {
    this.#options = options;
  }

  /** These services may need other records now. */
  changed(services: Iterable<string> | "all"): void {
    if (services === "all" || this.#dirty === "all") this.#dirty = "all";
    else for (const each of services) this.#dirty.add(each);
    if (this.#hasDirt()) this.#later("changes", debounceMs, () => this.#runChanges());
  }

  /** Compares all; ends when that is done. While one comparison goes on, no other begins. */
  check(): Promise<void> {
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  status(): MirrorStatus {
    const { mirror, dryRun } = this.#options;
    const { created, updated, deleted, drift } = this.#counts;
    const found = [...this.#conflicts.values()];
    const at = this.#lastSuccessMs;
    return {
      mirror: mirror.provider.label,
      owner: mirror.owner,
      dryRun,
      waitingFor: this.#waitingFor ?? null,
      lastSuccess: at === undefined ? null : new Date(at).toISOString(),
      lastError: this.#lastError ?? null,
      records: mirror.zone?.count(mirror.owner) ?? null,
      changes: { created, updated, deleted, drift },
      conflicts: {
        count: found.length,
        examples: found.slice(0, 20).map(({ message }) => message),
      },
    };
  }

  /** Ends what goes on; what was written stays. */
  async stop(): Promise<void> {
    this.#abort.abort();
    for (const cancel of this.#cancels.values()) cancel();
    this.#cancels.clear();
    await this.#checking;
    await this.#last;
  }

  async #check(): Promise<void> {
    if (this.#isHeld()) {
      if (!this.#isCompared) this.#later("check", heldMs, () => this.check());
      return;
    }
    await this.#guarded("check", async (signal) => {
      const { mirror, domain } = this.#options;
      this.#info = await mirror.open(domain, signal);
      await mirror.list(signal);
      await this.#alone(() => this.#compare(signal));
    });
  }

  /** Plans all against a zone that was just listed. */
  async #compare(signal: AbortSignal): Promise<void> {
    const dirty = this.#takeDirty();
    const { plan, right } = await this.#planAll();
    this.#options.mirror.written.know(right);
    this.#setConflicts(plan.conflicts, "all");
    const isMine = ({ service }: PlannedGroup): boolean =>
      !this.#isCompared || dirty === "all" || dirty.has(service);
    await this.#apply(plan, plan.groups.filter(isMine), signal);
    const suspects = plan.groups.filter((group) => !isMine(group));
    this.#suspects = new Map(suspects.map((group) => [group.name, fingerprint(group)]));
    if (suspects.length > 0) {
      const names = suspects.map(({ name }) => name);
      this.#options.events.onDrift(this.#label, names);
      this.#later("suspects", driftMs, () => this.#runSuspects());
    }
    this.#isCompared = true;
    this.#succeed();
  }

  /** Puts back what differed a while ago and still differs in the same way. */
  async #runSuspects(): Promise<void> {
    if (this.#isHeld()) return;
    await this.#guarded("check", (signal) =>
      this.#alone(async () => {
        const { mirror } = this.#options;
        const suspects = this.#suspects;
        this.#suspects = new Map();
        if (suspects.size > mostRereads) await mirror.list(signal);
        else await mirror.reread([...suspects.keys()], signal);
        const { plan } = await this.#planAll();
        const stayed = plan.groups.filter(
          (group) => suspects.get(group.name) === fingerprint(group),
        );
        await this.#apply(plan, stayed, signal);
        this.#succeed();
      }),
    );
  }

  async #runChanges(): Promise<void> {
    if (!this.#isCompared) return;
    if (this.#isHeld()) {
      this.#later("changes", heldMs, () => this.#runChanges());
      return;
    }
    await this.#guarded("changes", (signal) =>
      this.#alone(async () => {
        const { mirror } = this.#options;
        await mirror.settle(signal);
        const dirty = this.#takeDirty();
        try {
          const { plan } = dirty === "all" ? await this.#planAll() : await this.#plan(dirty);
          this.#setConflicts(plan.conflicts, dirty);
          await this.#apply(plan, plan.groups, signal);
        } catch (error) {
          this.#mark(dirty);
          throw error;
        }
        this.#options.meter.ran(this.#label, "success");
      }),
    );
  }

  async #apply(plan: Plan, groups: readonly PlannedGroup[], signal: AbortSignal): Promise<void> {
    const { mirror, dryRun, maxDeletePercent, events } = this.#options;
    if (groups.length === 0) return;
    const refusal = deleteRefusal(
      plan.lost,
      mirror.zone?.count(mirror.owner) ?? 0,
      maxDeletePercent,
    );
    if (refusal !== undefined) {
      const message = `cannot change ${this.#label}: ${refusal}; meridian mirror apply --force does it`;
      throw new MirrorError("quota", message);
    }
    if (dryRun) {
      events.onChanged(this.#label, countChanges(groups), true);
      return;
    }
    const applied = await mirror.apply(groups, {
      signal,
      replan: (group) => this.#replan(group),
      whenOutpaced: "later",
    });
    this.#count(applied);
    for (const conflict of applied.conflicts) this.#addConflict(conflict);
    if (applied.outpaced.length > 0) {
      const services = applied.outpaced.map(({ service }) => service);
      this.#later("outpaced", outpacedMs, () => this.changed(services));
    }
  }

  #replan({ name, service }: PlannedGroup): PlannedGroup | undefined {
    const maker = this.#options.mirror.plan();
    maker.add(this.#source().wanted(service));
    return maker.finish().groups.find((group) => group.name === name);
  }

  #planAll(): Promise<{ plan: Plan; right: PlanMaker["right"] }> {
    const { mirror } = this.#options;
    return this.#plan(this.#source().keys(mirror.zone?.servicesOf(mirror.owner) ?? []));
  }

  async #plan(services: Iterable<string>): Promise<{ plan: Plan; right: PlanMaker["right"] }> {
    const { mirror, pause } = this.#options;
    const source = this.#source();
    const maker = mirror.plan();
    let count = 0;
    for (const service of services) {
      maker.add(source.wanted(service));
      if (++count % servicesAtOnce === 0) await pause();
    }
    return { plan: maker.finish(), right: maker.right };
  }

  #source(): MirrorSource {
    if (!this.#info) throw new Error("cannot plan for a zone that was not looked up");
    return this.#options.source(this.#info);
  }

  /** Runs what can fail; after a failure `what` is tried again, later each time. */
  async #guarded(
    what: "check" | "changes",
    run: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const { signal } = this.#abort;
    if (signal.aborted) return;
    try {
      await run(signal);
      this.#failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      const { events, meter } = this.#options;
      this.#lastError = error instanceof Error ? error.message : String(error);
      events.onFailure(this.#label, error);
      meter.ran(this.#label, "failure");
      const delayMs = Math.min(lastRetryMs, firstRetryMs * 2 ** this.#failures++);
      if (what === "check") this.#later("check", delayMs, () => this.check());
      else this.#later("changes", delayMs, () => this.#runChanges());
    }
  }

  /** Runs after whatever runs now. */
  #alone(run: () => Promise<void>): Promise<void> {
    const next = this.#last.then(run);
    this.#last = next.catch(() => undefined);
    return next;
  }

  /** Calls back once, at the time that was asked for first. */
  #later(what: string, delayMs: number, callback: () => void | Promise<void>): void {
    if (this.#abort.signal.aborted || this.#cancels.has(what)) return;
    const cancel = this.#options.schedule(() => {
      this.#cancels.delete(what);
      void callback();
    }, delayMs);
    this.#cancels.set(what, cancel);
  }

  #isHeld(): boolean {
    const reason = this.#options.hindrance();
    if (reason !== undefined && reason !== this.#waitingFor) {
      this.#options.events.onHeld(this.#label, reason);
      this.#options.meter.ran(this.#label, "held");
    }
    this.#waitingFor = reason;
    return reason !== undefined;
  }

  #succeed(): void {
    const { now, meter, mirror } = this.#options;
    this.#lastSuccessMs = now();
    this.#lastError = undefined;
    meter.ran(this.#label, "success");
    meter.succeeded(this.#label, Math.floor(now() / 1000));
    meter.records(this.#label, mirror.zone?.count(mirror.owner) ?? 0);
  }

  #count(applied: Applied): void {
    const { events, meter } = this.#options;
    const { created, updated, deleted, drift } = applied;
    if (created + updated + deleted === 0) return;
    this.#counts = {
      created: this.#counts.created + created,
      updated: this.#counts.updated + updated,
      deleted: this.#counts.deleted + deleted,
      drift: this.#counts.drift + drift,
    };
    meter.changed(this.#label, "create", created);
    meter.changed(this.#label, "update", updated);
    meter.changed(this.#label, "delete", deleted);
    meter.drifted(this.#label, drift);
    events.onChanged(this.#label, { created, updated, deleted, drift }, false);
  }

  #setConflicts(found: readonly Conflict[], services: ReadonlySet<string> | "all"): void {
    const former = this.#conflicts;
    this.#conflicts = new Map(
      services === "all" ? [] : [...former].filter(([, { service }]) => !services.has(service)),
    );
    for (const conflict of found) {
      this.#addConflict(conflict, former.has(conflictKey(conflict)));
    }
    this.#options.meter.conflicts(this.#label, this.#conflicts.size);
  }

  #addConflict(conflict: Conflict, isKnown = false): void {
    if (!isKnown) this.#options.events.onConflict(this.#label, conflict);
    this.#conflicts.set(conflictKey(conflict), conflict);
    this.#options.meter.conflicts(this.#label, this.#conflicts.size);
  }

  #hasDirt(): boolean {
    return this.#dirty === "all" || this.#dirty.size > 0;
  }

  #takeDirty(): ReadonlySet<string> | "all" {
    const dirty = this.#dirty;
    this.#dirty = new Set();
    return dirty;
  }

  #mark(services: ReadonlySet<string> | "all"): void {
    if (services === "all" || this.#dirty === "all") this.#dirty = "all";
    else for (const each of services) this.#dirty.add(each);
  }

  get #label(): string {
    return this.#options.mirror.provider.label;
  }
}

function conflictKey({ name, type }: Conflict): string {
  return `${name} ${type}`;
}

/** What a group would change, whyever. */
function fingerprint({ changes }: PlannedGroup): string {
  return JSON.stringify(changes.map(({ reason, ...change }) => change));
}

/** What groups would change, record sets without their ownership. */
export function countChanges(groups: readonly PlannedGroup[]): ChangeCounts {
  const changes = groups.flatMap((group) => group.changes).filter((each) => !each.isOwnership);
  const of = (kind: string): number => changes.filter((each) => each.kind === kind).length;
  return {
    created: of("create"),
    updated: of("update"),
    deleted: of("delete"),
    drift: changes.filter(({ reason }) => reason === "drift").length,
  };
}
