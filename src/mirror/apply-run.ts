// One run that makes the changes of a plan, batch by batch, and finds its way where some are refused.
// It must not know how a zone is listed or planned.

import { canonicalText } from "./canonical.ts";
import { ownedBy } from "./ownership.ts";
import type { Conflict, PlannedChange, PlannedGroup } from "./plan-types.ts";
import { MirrorError, type Provider } from "./provider.ts";

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
  /** Called before each batch; what it throws ends the run. */
  readonly beforeBatch?: () => void;
  /** Told at the end, also of what a run had done before it failed. */
  readonly onApplied?: (applied: Applied) => void;
}

/** What a run does to a zone. */
export interface ChangeableZone {
  readonly provider: Pick<Provider, "batches">;
  /** Makes the changes of these groups at once, or none of them. */
  change(groups: readonly PlannedGroup[], signal: AbortSignal): Promise<void>;
  /** Reads these names and their ownership anew. */
  reread(names: readonly string[], signal: AbortSignal): Promise<unknown>;
}

/** How often a group is planned again in one run. */
const mostAttempts = 5;
/** After so many changes that the provider will not take, a run ends. */
const mostConflicts = 20;

/** One run over groups, with what came of it. */
export class ApplyRun implements Applied {
  created = 0;
  updated = 0;
  deleted = 0;
  drift = 0;
  readonly outpaced: PlannedGroup[] = [];
  readonly conflicts: Conflict[] = [];
  readonly #zone: ChangeableZone;
  readonly #options: ApplyOptions;

  constructor(zone: ChangeableZone, options: ApplyOptions) {
    this.#zone = zone;
    this.#options = options;
  }

  async apply(groups: readonly PlannedGroup[], attempt: number): Promise<void> {
    const byName = new Map(groups.map((group) => [group.name, group]));
    for (const batch of this.#zone.provider.batches(groups)) {
      await this.#applyBatch(
        batch.flatMap(({ name }) => byName.get(name) ?? []),
        attempt,
      );
    }
  }

  async #applyBatch(groups: readonly PlannedGroup[], attempt: number): Promise<void> {
    const { signal, beforeBatch } = this.#options;
    signal.throwIfAborted();
    beforeBatch?.();
    try {
      await this.#zone.change(groups, signal);
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
    await this.#zone.reread(namesOf(groups), signal);
    const asThought: PlannedGroup[] = [];
    const again: PlannedGroup[] = [];
    let isOutpaced = false;
    for (const group of groups) {
      const next = replan(group);
      if (next && changesText(group) === changesText(next)) {
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
      // Where everything is refused, each further change costs a dozen requests to no avail.
      if (this.conflicts.length >= mostConflicts) throw refusal;
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

/** What groups share that change the same in the same way, for whatever reason. */
export function changesText({ changes }: PlannedGroup): string {
  return changes.map(changeText).join("\n\n");
}

function changeText(change: PlannedChange): string {
  const before = change.kind === "create" ? "" : canonicalText(change.before);
  const after = change.kind === "delete" ? "" : canonicalText(change.after);
  return `${change.kind}\n${before}\n${after}`;
}

/** The names that groups change, those of our ownership records left out, which are read with them. */
function namesOf(groups: readonly PlannedGroup[]): string[] {
  const names = groups.flatMap(({ name, changes }) => [
    name,
    ...changes.map((each) => (each.kind === "delete" ? each.before.name : each.after.name)),
  ]);
  return [...new Set(names)].filter((name) => !ownedBy(name));
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
