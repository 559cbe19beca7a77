// One zone of a cloud DNS service, as this mirror knows it and changes it: it lists, plans against
// what it knows, and applies batch by batch, so that a run that is cut short leaves what the next one
// completes. It must not know how records are wanted, nor when it is time.

import type { Adoption } from "./ownership.ts";
import { mirroredTypes, ownershipName } from "./ownership.ts";
import { PlanMaker } from "./plan.ts";
import type { Conflict, PlannedGroup } from "./plan-types.ts";
import { MirrorError, type Provider, type ZoneInfo } from "./provider.ts";
import type { WrittenRecords } from "./written-records.ts";
import { ZoneRecords } from "./zone-records.ts";

/** What applying came to; record sets are counted without their ownership. */
export interface Applied {
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
  /** Of these, the ones that put right what somebody else had changed. */
  readonly drift: number;
  /** Groups that were not as was thought when they were to be changed, and were left. */
  readonly outpaced: readonly PlannedGroup[];
  /** What the provider refused although all was as was thought. */
  readonly conflicts: readonly Conflict[];
}

export interface ApplyOptions {
  readonly signal: AbortSignal;
  /** The group of this name by what is known now; `undefined`: nothing is to be changed any more. */
  readonly replan: (group: PlannedGroup) => PlannedGroup | undefined;
  /**
   * Where somebody else was quicker: plan again and go on, or leave it to a later run, as another
   * instance that has just written may know more.
   */
  readonly whenOutpaced: "again" | "later";
}

/** How often a group is planned again in one run. */
const mostAttempts = 5;

/** A zone and what is known of it. */
export class ZoneMirror {
  readonly provider: Provider;
  readonly owner: string;
  readonly written: WrittenRecords;
  #zone: ZoneRecords | undefined;
  /** Names of which it is not known whether they were changed. */
  readonly #doubtful = new Set<string>();
  /** Names that were changed or read while a listing goes on: it may have seen them before. */
  #fresher: Set<string> | undefined;

  constructor(provider: Provider, owner: string, written: WrittenRecords) {
    this.provider = provider;
    this.owner = owner;
    this.written = written;
  }

  /** What is known of the zone; `undefined` before the first listing. */
  get zone(): ZoneRecords | undefined {
    return this.#zone;
  }

  /**
   * Looks the zone up, and whether the federation's domain lies in it.
   * @throws MirrorError
   */
  async open(domain: string, signal: AbortSignal): Promise<ZoneInfo> {
    const info = await this.provider.open(signal);
    if (domain !== info.domain && !domain.endsWith(`.${info.domain}`)) {
      const message = `cannot mirror to ${this.provider.label}: its zone is ${info.domain}, and ${domain} is not in it`;
      throw new MirrorError("no-zone", message);
    }
    return info;
  }

  /** Reads all of the zone. Changes may be made meanwhile: what they made stays known. */
  async list(signal: AbortSignal): Promise<void> {
    const listed = new ZoneRecords();
    const fresher = new Set<string>();
    this.#fresher = fresher;
    try {
      for await (const page of this.provider.list(signal)) for (const set of page) listed.add(set);
    } finally {
      this.#fresher = undefined;
    }
    for (const name of fresher) {
      listed.forget(name);
      for (const set of this.#zone?.at(name)?.values() ?? []) listed.put(set);
    }
    for (const name of [...this.#doubtful]) if (!fresher.has(name)) this.#doubtful.delete(name);
    this.#zone = listed;
  }

  /** Reads again what a failure has left in doubt. */
  async settle(signal: AbortSignal): Promise<void> {
    if (this.#doubtful.size > 0) await this.reread([...this.#doubtful], signal);
  }

  /** Reads these names and their ownership anew. */
  async reread(names: readonly string[], signal: AbortSignal): Promise<void> {
    const zone = this.#known();
    const all = names.flatMap((name) => [
      name,
      ...mirroredTypes.map((type) => ownershipName(name, type)),
    ]);
    const found = await this.provider.read(all, signal);
    for (const name of all) {
      zone.forget(name);
      this.#fresher?.add(name);
    }
    for (const set of found) zone.add(set);
    for (const name of names) this.#doubtful.delete(name);
  }

  /** A plan to be made against what is known now. */
  plan(adoption?: Adoption): PlanMaker {
    const { digest } = this.written;
    return new PlanMaker({ zone: this.#known(), owner: this.owner, adoption, written: digest });
  }

  /** Makes the changes of these groups. */
  async apply(groups: readonly PlannedGroup[], options: ApplyOptions): Promise<Applied> {
    const run = new ApplyRun(this, options);
    await run.apply(groups, 1);
    return run;
  }

  /** Makes the changes of these groups at once, or none of them. */
  async change(groups: readonly PlannedGroup[], signal: AbortSignal): Promise<void> {
    try {
      await this.provider.apply(groups, signal);
    } catch (error) {
      // Only a refusal says that nothing was done.
      const isUndone = error instanceof MirrorError && error.code !== "unavailable";
      if (!isUndone) for (const { name } of groups) this.#doubtful.add(name);
      throw error;
    }
    for (const { changes } of groups) {
      this.#known().apply(changes);
      this.written.apply(changes);
      for (const change of changes) {
        this.#fresher?.add(change.kind === "delete" ? change.before.name : change.after.name);
      }
    }
  }

  #known(): ZoneRecords {
    if (!this.#zone) throw new Error("cannot plan for a zone that was not listed");
    return this.#zone;
  }
}

/** One run over groups, with what came of it. */
class ApplyRun implements Applied {
  created = 0;
  updated = 0;
  deleted = 0;
  drift = 0;
  readonly outpaced: PlannedGroup[] = [];
  readonly conflicts: Conflict[] = [];
  readonly #mirror: ZoneMirror;
  readonly #options: ApplyOptions;

  constructor(mirror: ZoneMirror, options: ApplyOptions) {
    this.#mirror = mirror;
    this.#options = options;
  }

  async apply(groups: readonly PlannedGroup[], attempt: number): Promise<void> {
    const byName = new Map(groups.map((group) => [group.name, group]));
    for (const batch of this.#mirror.provider.batches(groups)) {
      await this.#applyBatch(
        batch.flatMap(({ name }) => byName.get(name) ?? []),
        attempt,
      );
    }
  }

  async #applyBatch(groups: readonly PlannedGroup[], attempt: number): Promise<void> {
    const { signal } = this.#options;
    try {
      await this.#mirror.change(groups, signal);
      for (const { changes } of groups) for (const each of changes) this.#count(each);
    } catch (error) {
      if (!(error instanceof MirrorError) || error.code !== "refused") throw error;
      await this.#afterRefusal(groups, attempt, error);
    }
  }

  /**
   * One refused change refuses its whole batch. What is not there as was thought is planned again,
   * or left; the rest is applied; if all was as thought, halves tell the refused from the others.
   */
  async #afterRefusal(
    groups: readonly PlannedGroup[],
    attempt: number,
    refusal: MirrorError,
  ): Promise<void> {
    const { signal, replan, whenOutpaced } = this.#options;
    await this.#mirror.reread(
      groups.map(({ name }) => name),
      signal,
    );
    const asThought: PlannedGroup[] = [];
    const again: PlannedGroup[] = [];
    let isOutpaced = false;
    for (const group of groups) {
      const next = replan(group);
      if (next && isSameGroup(group, next)) {
        asThought.push(next);
        continue;
      }
      isOutpaced = true;
      if (!next) continue;
      if (whenOutpaced === "later" || attempt >= mostAttempts) this.outpaced.push(next);
      else again.push(next);
    }
    if (isOutpaced) {
      await this.apply(asThought, attempt);
      await this.apply(again, attempt + 1);
      return;
    }
    const [first] = asThought;
    if (asThought.length === 1 && first) {
      this.conflicts.push(...conflictsOf(first, refusal));
      return;
    }
    const middle = Math.ceil(asThought.length / 2);
    for (const half of [asThought.slice(0, middle), asThought.slice(middle)]) {
      await this.#applyBatch(half, attempt);
    }
  }

  #count({ kind, isOwnership, reason }: PlannedGroup["changes"][number]): void {
    if (isOwnership) return;
    if (kind === "create") this.created++;
    else if (kind === "update") this.updated++;
    else this.deleted++;
    if (reason === "drift") this.drift++;
  }
}

function isSameGroup(one: PlannedGroup, other: PlannedGroup): boolean {
  return JSON.stringify(one.changes) === JSON.stringify(other.changes);
}

/** A conflict for each record set of a group that the provider will not take. */
function conflictsOf({ name, service, changes }: PlannedGroup, refusal: MirrorError): Conflict[] {
  return changes.flatMap((change): Conflict[] => {
    if (change.isOwnership) return [];
    const set = change.kind === "delete" ? change.before : change.after;
    return [
      {
        name,
        type: set.type,
        service,
        reason: "refused",
        message: `cannot ${change.kind} ${set.type} ${name}: ${refusal.message}`,
        wanted: set,
        found: change.kind === "create" ? [] : [change.before],
      },
    ];
  });
}
