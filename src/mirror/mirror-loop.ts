// The life of one mirror in a running server: what changed is written soon, all is compared from
// time to time, and what somebody else changed is put back once it has stayed so. Several instances
// may do this for one zone: who finds that another was quicker looks again later instead of writing
// what it knew. Time comes in as functions; it must not know clocks, files or how votes are counted.

import { deleteRefusal } from "./delete-guard.ts";
import type { MirrorMeter } from "./mirror-meter.ts";
import type { MirrorSource } from "./mirror-source.ts";
import type { MirrorStatus } from "./mirror-status.ts";
import { mirroredTypes } from "./ownership.ts";
import type { Conflict, Plan, PlannedGroup } from "./plan-types.ts";
import { MirrorError, type ZoneInfo } from "./provider.ts";
import { type Applied, changesText, type ZoneMirror } from "./zone-mirror.ts";

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
/**
 * What somebody else was seen to have changed is left alone for so long: what another instance knew
 * will be known here by then, and writing sooner might undo it.
 */
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

/** A difference that was not made here. */
interface Suspect {
  readonly service: string;
  /** What would put it right. */
  readonly changes: string;
  readonly sinceMs: number;
}

/** Why a run ends that has only to wait. */
class Hindered extends Error {}

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
  readonly #failures = { check: 0, changes: 0 };
  /** By name. */
  #suspects = new Map<string, Suspect>();
  #conflicts = new Map<string, Conflict>();
  /** When names were last seen to have been changed by somebody else. */
  readonly #outpacedAtMs = new Map<string, number>();
  /** Services that wait for that to be known here. */
  readonly #outpaced = new Set<string>();
  /** Services that would lose too much. */
  readonly #withheld = new Set<string>();
  #waitingFor: string | undefined;
  #lastSuccessMs: number | undefined;
  #lastError: string | undefined;
  #counts: ChangeCounts = { created: 0, updated: 0, deleted: 0, drift: 0 };

  constructor(options: MirrorLoopOptions) {
    this.#options = options;
  }

  /** These services may need other records now. */
  changed(services: Iterable<string> | "all"): void {
    this.#mark(services);
    this.#writeSoon();
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
    this.#cancel("check");
    if (this.#isHeld()) {
      this.#later("check", heldMs, () => this.check());
      return;
    }
    await this.#guarded("check", async (signal) => {
      const { mirror, domain } = this.#options;
      this.#info = await mirror.open(domain, signal);
      const isOthers = await mirror.list(signal);
      await this.#alone(() => this.#compare(isOthers, signal));
    });
  }

  /** Plans all against a zone that was just listed. */
  async #compare(isOthers: (name: string) => boolean, signal: AbortSignal): Promise<void> {
    await this.#withDirty(async (dirty) => {
      const plan = await this.#planAll();
      this.#outpace(plan.groups.flatMap(({ name }) => (isOthers(name) ? [name] : [])));
      const mine = plan.groups.filter(
        (group) => this.#isMine(group, dirty) && !this.#isSuspect(group),
      );
      const isMine = new Set(mine);
      this.#suspect(plan.groups.filter((group) => !isMine.has(group)));
      this.#setConflicts(plan, "all");
      this.#withheld.clear();
      await this.#apply(mine, signal);
    });
    this.#isCompared = true;
    if (this.#withheld.size === 0) this.#succeed();
    else this.#options.meter.ran(this.#label, "failure");
    this.#writeSoon();
  }

  /** Whether a group puts right what came to be different here, and not by somebody else. */
  #isMine({ name, service }: PlannedGroup, dirty: ReadonlySet<string> | "all"): boolean {
    if (this.#options.dryRun || !this.#isCompared || dirty === "all") return true;
    return (
      dirty.has(service) ||
      this.#outpaced.has(service) ||
      this.#withheld.has(service) ||
      mirroredTypes.some((type) => this.#conflicts.has(conflictKey({ name, type })))
    );
  }

  #isSuspect(group: PlannedGroup): boolean {
    const known = this.#suspects.get(group.name);
    return known !== undefined && known.changes === changesText(group);
  }

  /** Waits with these to see whether they stay. */
  #suspect(groups: readonly PlannedGroup[]): void {
    const { now, events } = this.#options;
    const former = this.#suspects;
    this.#suspects = new Map();
    for (const group of groups) {
      const { name, service } = group;
      const known = former.get(name);
      const changes = changesText(group);
      const suspect = known?.changes === changes ? known : { service, changes, sinceMs: now() };
      this.#suspects.set(name, suspect);
    }
    const found = [...this.#suspects].filter(([name, each]) => former.get(name) !== each);
    if (found.length > 0) events.onDrift(this.#label, [...new Map(found).keys()]);
    this.#lookAtSuspects();
  }

  /** What does not differ any more in the way in which it did has not stayed, whatever comes later. */
  #acquit(plan: Plan, services: ReadonlySet<string> | "all"): void {
    const stayed = new Set(
      plan.groups.filter((group) => this.#isSuspect(group)).map(({ name }) => name),
    );
    for (const [name, { service }] of this.#suspects) {
      const isPlanned = services === "all" || services.has(service);
      if (isPlanned && !stayed.has(name)) this.#suspects.delete(name);
    }
  }

  #lookAtSuspects(): void {
    let oldestMs = Number.POSITIVE_INFINITY;
    for (const { sinceMs } of this.#suspects.values()) oldestMs = Math.min(oldestMs, sinceMs);
    const leftMs = oldestMs + driftMs - this.#options.now();
    const delayMs = Math.min(driftMs, Math.max(0, leftMs));
    if (this.#suspects.size > 0) this.#later("suspects", delayMs, () => this.#runSuspects());
  }

  /** Puts back what differed a while ago and still differs in the same way. */
  async #runSuspects(): Promise<void> {
    if (this.#isHeld()) {
      this.#later("suspects", heldMs, () => this.#runSuspects());
      return;
    }
    await this.#guarded("check", (signal) =>
      this.#alone(async () => {
        const { mirror, now, meter } = this.#options;
        const ripe = [...this.#suspects].filter(
          ([, { sinceMs }]) => Math.abs(now() - sinceMs) >= driftMs,
        );
        await mirror.reread(
          ripe.map(([name]) => name),
          signal,
        );
        const plan = await this.#plan(new Set(ripe.map(([, { service }]) => service)));
        const names = new Set(ripe.map(([name]) => name));
        const stayed = plan.groups.filter(
          (group) => names.has(group.name) && this.#isSuspect(group),
        );
        await this.#apply(stayed, signal);
        for (const name of names) this.#suspects.delete(name);
        this.#lookAtSuspects();
        meter.ran(this.#label, "success");
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
        if (!this.#hasDirt()) return;
        this.#outpace(await this.#options.mirror.settle(signal));
        await this.#withDirty(async (dirty) => {
          const plan = dirty === "all" ? await this.#planAll() : await this.#plan(dirty);
          this.#setConflicts(plan, dirty);
          this.#acquit(plan, dirty);
          await this.#apply(
            plan.groups.filter((group) => !this.#isSuspect(group)),
            signal,
          );
        });
        this.#options.meter.ran(this.#label, "success");
      }),
    );
  }

  /** Makes the changes of these groups, but for what is to wait. */
  async #apply(groups: readonly PlannedGroup[], signal: AbortSignal): Promise<void> {
    const { mirror, dryRun, events } = this.#options;
    const ready = this.#withhold(groups.filter((group) => !this.#isOutpaced(group)));
    this.#postpone(groups.filter((group) => this.#isOutpaced(group)));
    if (ready.length === 0) return;
    if (dryRun) {
      events.onChanged(this.#label, countChanges(ready), true);
      return;
    }
    try {
      await mirror.apply(ready, {
        signal,
        replan: (group) => this.#replan(group),
        whenOutpaced: "later",
        beforeBatch: () => {
          if (this.#isHeld()) throw new Hindered();
        },
        onApplied: (applied) => {
          this.#count(applied);
          for (const conflict of applied.conflicts) this.#addConflict(conflict);
          this.#outpace(applied.outpaced.map(({ name }) => name));
          this.#postpone(applied.outpaced);
        },
      });
    } catch (error) {
      this.#mark(ready.map(({ service }) => service));
      throw error;
    }
  }

  /** Leaves out what takes records away, where all of it is more than may go at once. */
  #withhold(groups: readonly PlannedGroup[]): readonly PlannedGroup[] {
    const { mirror, maxDeletePercent, events } = this.#options;
    const owned = mirror.zone?.count(mirror.owner) ?? 0;
    for (const { service } of groups) this.#withheld.delete(service);
    const refusal = deleteRefusal(countLost(groups), owned, maxDeletePercent);
    if (refusal === undefined) return groups;
    for (const group of groups) if (countLost([group]) > 0) this.#withheld.add(group.service);
    const message = `cannot change ${this.#label}: ${refusal}; meridian mirror apply --force does it`;
    if (message !== this.#lastError) {
      events.onFailure(this.#label, new MirrorError("quota", message));
    }
    this.#lastError = message;
    return groups.filter((group) => countLost([group]) === 0);
  }

  /** Somebody else was seen to have changed these names. */
  #outpace(names: Iterable<string>): void {
    const nowMs = this.#options.now();
    for (const [name, atMs] of this.#outpacedAtMs) {
      if (nowMs - atMs >= outpacedMs) this.#outpacedAtMs.delete(name);
    }
    for (const name of names) this.#outpacedAtMs.set(name, nowMs);
  }

  #isOutpaced({ name }: PlannedGroup): boolean {
    const atMs = this.#outpacedAtMs.get(name);
    if (atMs === undefined) return false;
    // A clock that was put back must not make it wait for hours.
    return Math.abs(this.#options.now() - atMs) < outpacedMs;
  }

  #postpone(groups: readonly PlannedGroup[]): void {
    for (const { service } of groups) this.#outpaced.add(service);
    if (groups.length === 0) return;
    this.#later("outpaced", outpacedMs, () => {
      const services = [...this.#outpaced];
      this.#outpaced.clear();
      this.changed(services);
    });
  }

  #replan({ name, service }: PlannedGroup): PlannedGroup | undefined {
    const { mirror } = this.#options;
    const maker = mirror.plan();
    maker.add(this.#source().wanted(service));
    mirror.written.know(maker.right);
    return maker.finish().groups.find((group) => group.name === name);
  }

  #planAll(): Promise<Plan> {
    const { mirror } = this.#options;
    return this.#plan(this.#source().keys(mirror.zone?.servicesOf(mirror.owner) ?? []));
  }

  async #plan(services: Iterable<string>): Promise<Plan> {
    const { mirror, pause } = this.#options;
    const source = this.#source();
    const maker = mirror.plan();
    let count = 0;
    let known = 0;
    const know = (): void => {
      mirror.written.know(maker.right.slice(known));
      known = maker.right.length;
    };
    for (const service of services) {
      maker.add(source.wanted(service));
      if (++count % servicesAtOnce === 0) {
        know();
        await pause();
        this.#abort.signal.throwIfAborted();
      }
    }
    know();
    return maker.finish();
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
      this.#failures[what] = 0;
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Hindered) {
        this.#again(what, heldMs);
        return;
      }
      const { events, meter } = this.#options;
      this.#lastError = error instanceof Error ? error.message : String(error);
      events.onFailure(this.#label, error);
      meter.ran(this.#label, "failure");
      this.#again(what, Math.min(lastRetryMs, firstRetryMs * 2 ** this.#failures[what]++));
    }
  }

  /** Calls back after a time, and not before, whatever was asked for. */
  #again(what: "check" | "changes", delayMs: number): void {
    this.#cancel(what);
    this.#later(what, delayMs, () => (what === "check" ? this.check() : this.#runChanges()));
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

  #cancel(what: string): void {
    this.#cancels.get(what)?.();
    this.#cancels.delete(what);
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

  /** What the provider has refused stays until it is as it should be. */
  #setConflicts(plan: Plan, services: ReadonlySet<string> | "all"): void {
    const former = this.#conflicts;
    const names = new Set(plan.groups.map(({ name }) => name));
    this.#conflicts = new Map(
      [...former].filter(
        ([, { service, reason, name }]) =>
          (services !== "all" && !services.has(service)) ||
          (reason === "refused" && names.has(name)),
      ),
    );
    for (const each of plan.conflicts) this.#addConflict(each, former.has(conflictKey(each)));
    this.#options.meter.conflicts(this.#label, this.#conflicts.size);
  }

  #addConflict(conflict: Conflict, isKnown = this.#conflicts.has(conflictKey(conflict))): void {
    if (!isKnown) this.#options.events.onConflict(this.#label, conflict);
    this.#conflicts.set(conflictKey(conflict), conflict);
    this.#options.meter.conflicts(this.#label, this.#conflicts.size);
  }

  #hasDirt(): boolean {
    return this.#dirty === "all" || this.#dirty.size > 0;
  }

  #writeSoon(): void {
    if (this.#hasDirt()) this.#later("changes", debounceMs, () => this.#runChanges());
  }

  /** Runs for what may have changed; after a failure it may still have. */
  async #withDirty(run: (dirty: ReadonlySet<string> | "all") => Promise<void>): Promise<void> {
    const dirty = this.#dirty;
    this.#dirty = new Set();
    try {
      await run(dirty);
    } catch (error) {
      this.#mark(dirty);
      throw error;
    }
  }

  #mark(services: Iterable<string> | "all"): void {
    if (services === "all" || this.#dirty === "all") this.#dirty = "all";
    else for (const each of services) this.#dirty.add(each);
  }

  get #label(): string {
    return this.#options.mirror.provider.label;
  }
}

function conflictKey({ name, type }: Pick<Conflict, "name" | "type">): string {
  return `${name} ${type}`;
}

/** Record sets that go while nothing of ours takes their place, as plans count them. */
function countLost(groups: readonly PlannedGroup[]): number {
  return groups.reduce((sum, { changes }) => {
    const added = changes.flatMap((each) =>
      each.kind === "create" && !each.isOwnership ? [each.after.type] : [],
    );
    const lost = changes.filter(
      (each) =>
        each.kind === "delete" &&
        !each.isOwnership &&
        each.reason === "unwanted" &&
        !(each.before.type === "CNAME" ? added.length > 0 : added.includes("CNAME")),
    );
    return sum + lost.length;
  }, 0);
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
