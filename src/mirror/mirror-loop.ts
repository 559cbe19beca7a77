// The life of one mirror in a running server: what changed is written soon, all is compared from
// time to time, and what somebody else changed is put back once it has stayed so. Several instances
// may do this for one zone: who finds that another was quicker looks again later instead of writing
// what it knew. Time comes in as functions; it must not know clocks, files or how votes are counted.

import { deleteRefusal } from "./delete-guard.ts";
import type { MirrorMeter } from "./mirror-meter.ts";
import { type MirrorEvents, MirrorReport } from "./mirror-report.ts";
import type { MirrorSource } from "./mirror-source.ts";
import type { MirrorStatus } from "./mirror-status.ts";
import { NamedTimers, type Schedule } from "./named-timers.ts";
import { OutpacedNames, outpacedMs } from "./outpaced-names.ts";
import type { Plan, PlannedGroup } from "./plan-types.ts";
import { MirrorError, type ZoneInfo } from "./provider.ts";
import { Suspects } from "./suspects.ts";
import { unresolvedRefusal } from "./unresolved.ts";
import type { ZoneMirror } from "./zone-mirror.ts";

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
  /** Has what is new told by `changed` now, if it is told now and then only. */
  readonly hear: () => void;
  readonly schedule: Schedule;
  /** Lets others have the thread. */
  readonly pause: () => Promise<void>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Changes that come together are written together. */
const debounceMs = 2000;
/** What hinders is looked at again. */
const heldMs = 5000;
/** Between tries after failures; doubled each time. */
const [firstRetryMs, lastRetryMs] = [5000, 300_000];
/**
 * So long after the start nothing is taken away from services with load balancer hostnames that were
 * never resolved: what stands in the zone may be their addresses. After that they count as having none.
 */
const unresolvedMs = 600_000;
/** Services that are planned before others have the thread. */
const servicesAtOnce = 25;

/** Why a run ends that has only to wait. */
class Hindered extends Error {}

/** One mirror, kept up to date until it is stopped. */
export class MirrorLoop {
  readonly #options: MirrorLoopOptions;
  readonly #report: MirrorReport;
  readonly #timers: NamedTimers;
  readonly #abort = new AbortController();
  readonly #startedMs: number;
  #dirty: Set<string> | "all" = new Set();
  #info: ZoneInfo | undefined;
  /** One run at a time changes the zone. */
  #last: Promise<void> = Promise.resolve();
  #checking: Promise<void> | undefined;
  #isCompared = false;
  readonly #failures = { check: 0, changes: 0 };
  readonly #suspects = new Suspects();
  readonly #outpacedNames = new OutpacedNames();
  /** Services that wait until what outpaced them is known here. */
  readonly #outpaced = new Set<string>();
  /** Services that would lose too much. */
  readonly #withheld = new Set<string>();

  constructor(options: MirrorLoopOptions) {
    const { mirror, dryRun, meter, events, schedule } = options;
    this.#options = options;
    this.#report = new MirrorReport(mirror, dryRun, meter, events);
    this.#timers = new NamedTimers(schedule);
    this.#startedMs = options.now();
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
    return this.#report.status(this.#options.hindrance());
  }

  /** Ends what goes on; what was written stays. */
  async stop(): Promise<void> {
    this.#abort.abort();
    this.#timers.stop();
    await this.#checking;
    await this.#last;
  }

  async #check(): Promise<void> {
    this.#timers.cancel("check");
    if (this.#isHeld()) {
      this.#timers.later("check", heldMs, () => this.check());
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
    this.#options.hear();
    await this.#withDirty(async (dirty) => {
      const plan = await this.#planAll();
      // What is new since the beginning may be in the plan already, and is nobody else's work.
      this.#options.hear();
      this.#outpace(plan.groups.flatMap(({ name }) => (isOthers(name) ? [name] : [])));
      const isMine = this.#ownDifferences(dirty);
      const mine = new Set(
        plan.groups.filter((group) => isMine(group) && !this.#suspects.has(group)),
      );
      const others = plan.groups.filter((group) => !mine.has(group));
      this.#report.drifted(this.#suspects.watch(others, this.#options.now()));
      this.#lookAtSuspects();
      this.#report.setConflicts(plan, "all");
      this.#withheld.clear();
      await this.#apply([...mine], signal);
    });
    this.#isCompared = true;
    if (this.#withheld.size === 0) this.#report.succeeded(this.#options.now());
    else this.#report.ranWithheld();
    this.#writeSoon();
  }

  /** Whether a group puts right what came to be different here, and not by somebody else. */
  #ownDifferences(dirty: ReadonlySet<string> | "all"): (group: PlannedGroup) => boolean {
    const isNew = this.#dirty;
    const isAll = dirty === "all" || isNew === "all";
    if (this.#options.dryRun || !this.#isCompared || isAll) return () => true;
    const freed = this.#report.conflictNames();
    return ({ name, service }) =>
      dirty.has(service) ||
      isNew.has(service) ||
      this.#outpaced.has(service) ||
      this.#withheld.has(service) ||
      freed.has(name);
  }

  #lookAtSuspects(): void {
    const delayMs = this.#suspects.msUntilRipe(this.#options.now());
    if (delayMs !== undefined) this.#timers.later("suspects", delayMs, () => this.#runSuspects());
  }

  /** Puts back what differed a while ago and still differs in the same way. */
  async #runSuspects(): Promise<void> {
    if (this.#isHeld()) {
      this.#timers.later("suspects", heldMs, () => this.#runSuspects());
      return;
    }
    await this.#guarded("check", (signal) =>
      this.#alone(async () => {
        const { mirror, now } = this.#options;
        const { names, services } = this.#suspects.ripe(now());
        await mirror.reread([...names], signal);
        const plan = await this.#plan(services);
        const stayed = plan.groups.filter(
          (group) => names.has(group.name) && this.#suspects.has(group),
        );
        await this.#apply(stayed, signal);
        this.#suspects.forget(names);
        this.#lookAtSuspects();
        this.#report.ran(false);
      }),
    );
  }

  async #runChanges(): Promise<void> {
    if (!this.#isCompared) return;
    if (this.#isHeld()) {
      this.#timers.later("changes", heldMs, () => this.#runChanges());
      return;
    }
    await this.#guarded("changes", (signal) =>
      this.#alone(async () => {
        if (!this.#hasDirt()) return;
        this.#outpace(await this.#options.mirror.settle(signal));
        await this.#withDirty(async (dirty) => {
          const plan = dirty === "all" ? await this.#planAll() : await this.#plan(dirty);
          this.#report.setConflicts(plan, dirty);
          this.#suspects.acquit(plan.groups, dirty);
          await this.#apply(
            plan.groups.filter((group) => !this.#suspects.has(group)),
            signal,
          );
        });
        this.#report.ran(this.#failures.check === 0 && this.#withheld.size === 0);
      }),
    );
  }

  /** Makes the changes of these groups, but for what is to wait. */
  async #apply(groups: readonly PlannedGroup[], signal: AbortSignal): Promise<void> {
    const { mirror, dryRun } = this.#options;
    const allowed = this.#withhold(groups.filter((group) => !this.#isOutpaced(group)));
    const ready = this.#leaveUnresolved(allowed);
    this.#postpone(groups.filter((group) => this.#isOutpaced(group)));
    if (ready.length === 0) return;
    if (dryRun) {
      this.#report.wouldApply(ready);
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
          this.#report.applied(applied);
          this.#outpace(applied.outpaced.map(({ name }) => name));
          this.#postpone(applied.outpaced);
        },
      });
    } catch (error) {
      this.#mark(ready.map(({ service }) => service));
      throw error;
    }
  }

  /** Leaves out what takes addresses away for hostnames that were never resolved, and tries it later. */
  #leaveUnresolved(groups: readonly PlannedGroup[]): readonly PlannedGroup[] {
    const { mirror, now } = this.#options;
    if (Math.abs(now() - this.#startedMs) >= unresolvedMs) return groups;
    const source = this.#source();
    const refusalOf = (some: readonly PlannedGroup[]): string | undefined =>
      unresolvedRefusal({ groups: some }, (service) => source.service(service));
    const left = new Set(groups.filter((group) => refusalOf([group]) !== undefined));
    if (left.size === 0) return groups;
    const message = `cannot change ${mirror.provider.label}: ${refusalOf([...left])}`;
    this.#report.withheld(new MirrorError("unavailable", message));
    for (const { service } of left) this.#withheld.add(service);
    this.#postpone([...left]);
    return groups.filter((group) => !left.has(group));
  }

  /** Leaves out what takes records away, where all of it is more than may go at once. */
  #withhold(groups: readonly PlannedGroup[]): readonly PlannedGroup[] {
    const { mirror, maxDeletePercent } = this.#options;
    const owned = mirror.zone?.count(mirror.owner) ?? 0;
    for (const { service } of groups) this.#withheld.delete(service);
    const lost = groups.reduce((sum, group) => sum + group.lost, 0);
    const refusal = deleteRefusal(lost, owned, maxDeletePercent);
    if (refusal === undefined) return groups;
    for (const group of groups) if (group.lost > 0) this.#withheld.add(group.service);
    const { label } = mirror.provider;
    const message = `cannot change ${label}: ${refusal}; meridian mirror apply --force does it`;
    this.#report.withheld(new MirrorError("quota", message));
    return groups.filter((group) => group.lost === 0);
  }

  /** Somebody else was seen to have changed these names. */
  #outpace(names: Iterable<string>): void {
    this.#outpacedNames.note(names, this.#options.now());
  }

  #isOutpaced({ name }: PlannedGroup): boolean {
    return this.#outpacedNames.has(name, this.#options.now());
  }

  #postpone(groups: readonly PlannedGroup[]): void {
    for (const { service } of groups) this.#outpaced.add(service);
    if (groups.length === 0) return;
    this.#timers.later("outpaced", outpacedMs, () => {
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
    const { groups, conflicts } = maker.finish();
    for (const each of conflicts) if (each.name === name) this.#report.metConflict(each);
    return groups.find((group) => group.name === name);
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
      this.#report.failed(error);
      this.#again(what, Math.min(lastRetryMs, firstRetryMs * 2 ** this.#failures[what]++));
    }
  }

  #again(what: "check" | "changes", delayMs: number): void {
    const run = () => (what === "check" ? this.check() : this.#runChanges());
    this.#timers.again(what, delayMs, run);
  }

  /** Runs after whatever runs now. */
  #alone(run: () => Promise<void>): Promise<void> {
    const next = this.#last.then(run);
    this.#last = next.catch(() => undefined);
    return next;
  }

  #isHeld(): boolean {
    const reason = this.#options.hindrance();
    this.#report.held(reason);
    return reason !== undefined;
  }

  #hasDirt(): boolean {
    return this.#dirty === "all" || this.#dirty.size > 0;
  }

  #writeSoon(): void {
    if (this.#hasDirt()) this.#timers.later("changes", debounceMs, () => this.#runChanges());
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
}
