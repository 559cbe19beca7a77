// A zone of a cloud DNS service in memory, which several mirrors may share: it takes exactly the
// changes whose record sets are as they say, all of a batch or none, and answers after a virtual
// time. It must not know plans; whose records are is only looked at to say where that is broken.

import { canonicalText } from "../../src/mirror/canonical.ts";
import { mirroredTypes, ownedBy, ownershipName } from "../../src/mirror/ownership.ts";
import {
  type Change,
  type ChangeGroup,
  MirrorError,
  type MirrorErrorCode,
  type Provider,
} from "../../src/mirror/provider.ts";
import { type RecordSet, recordKey } from "../../src/mirror/record-set.ts";
import type { VirtualTime } from "./virtual-time.ts";

type Operation = "open" | "list" | "read" | "apply";

/** What goes wrong with one call; `after`: the changes were made all the same. */
export type Fault = MirrorErrorCode | "unavailable-after";

/** One batch that was applied. */
export interface AppliedBatch {
  readonly atMs: number;
  readonly by: string;
  readonly groups: readonly ChangeGroup[];
}

export interface MemoryZoneOptions {
  readonly time: VirtualTime;
  /** Of each call; half of it before it is carried out. */
  readonly latencyMs?: number;
  readonly pageSize?: number;
  /** Changes in one batch. */
  readonly batchSize?: number;
}

/** The zone `mydomain.com.`. */
export class MemoryZone {
  /** By name and type. */
  readonly sets = new Map<string, RecordSet>();
  readonly batches: AppliedBatch[] = [];
  readonly calls: Record<Operation, number> = { open: 0, list: 0, read: 0, apply: 0 };
  /** Groups that this service never takes. */
  refuses: (group: ChangeGroup) => boolean = () => false;
  /** Called before a call is carried out: another writer can be quicker there. */
  beforeCall: (operation: Operation) => void = () => undefined;
  /** What was wrong after some batch: a record set without its ownership, or the other way round. */
  readonly broken: string[] = [];
  readonly #options: Required<MemoryZoneOptions>;
  readonly #faults: { operation: Operation; fault: Fault }[] = [];

  constructor(options: MemoryZoneOptions) {
    this.#options = { latencyMs: 0, pageSize: 100, batchSize: 1000, ...options };
  }

  /** The next calls of this operation fail so, one after the other. */
  fail(operation: Operation, ...faults: Fault[]): void {
    for (const fault of faults) this.#faults.push({ operation, fault });
  }

  /** Ends the failures that are still to come. */
  heal(): void {
    this.#faults.length = 0;
  }

  /** Somebody puts a record set there by hand. */
  put(set: RecordSet): void {
    this.sets.set(recordKey(set), set);
  }

  /** Somebody takes it away by hand. */
  remove(name: string, type: string): void {
    this.sets.delete(recordKey({ name, type }));
  }

  get(name: string, type: string): RecordSet | undefined {
    return this.sets.get(recordKey({ name, type }));
  }

  /** The values of a record set, sorted; none if it is not there. */
  values(name: string, type: string): string[] {
    return (this.get(name, type)?.parts ?? []).flatMap(({ values }) => [...values]).sort();
  }

  /** All that the zone holds, as text in a stable order. */
  text(): string[] {
    return Array.from(this.sets.values(), canonicalText).sort();
  }

  /** Everything that was changed, in its order. */
  changes(): Change[] {
    return this.batches.flatMap(({ groups }) => groups.flatMap(({ changes }) => [...changes]));
  }

  /** The zone as one of its writers sees it. */
  provider(by = "a"): Provider {
    const { pageSize } = this.#options;
    return {
      label: `memory ${by}`,
      open: async (signal) => {
        await this.#call("open", signal, () => undefined);
        return { domain: "mydomain.com.", mostValues: 400, mostParts: 100 };
      },
      list: (signal) => this.#list(pageSize, signal),
      read: (names, signal) =>
        this.#call("read", signal, () => {
          const wanted = new Set(names);
          return [...this.sets.values()].filter(({ name }) => wanted.has(name));
        }),
      batches: (groups) => this.#batchesOf(groups),
      apply: (groups, signal) => this.#call("apply", signal, () => this.#apply(by, groups)),
      waitUntilServed: async () => undefined,
    };
  }

  /** A page holds what is there when it is read, from where the one before it ended. */
  async *#list(pageSize: number, signal: AbortSignal): AsyncGenerator<readonly RecordSet[]> {
    let from = "";
    for (;;) {
      const page = await this.#call("list", signal, () =>
        [...this.sets.entries()]
          .filter(([key]) => key > from)
          .sort(([one], [other]) => (one < other ? -1 : 1))
          .slice(0, pageSize),
      );
      yield page.map(([, set]) => set);
      const last = page.at(-1);
      if (!last || page.length < pageSize) return;
      from = last[0];
    }
  }

  async #call<Value>(
    operation: Operation,
    signal: AbortSignal,
    carryOut: () => Value,
  ): Promise<Value> {
    const { time, latencyMs } = this.#options;
    signal.throwIfAborted();
    this.calls[operation]++;
    if (latencyMs > 0) await time.wait(latencyMs / 2, signal);
    this.beforeCall(operation);
    const at = this.#faults.findIndex((each) => each.operation === operation);
    const fault = at < 0 ? undefined : this.#faults.splice(at, 1)[0]?.fault;
    if (fault !== undefined && fault !== "unavailable-after") throw failure(operation, fault);
    const value = carryOut();
    if (latencyMs > 0) await time.wait(latencyMs / 2, signal);
    if (fault !== undefined) throw failure(operation, "unavailable");
    return value;
  }

  #batchesOf(groups: readonly ChangeGroup[]): ChangeGroup[][] {
    const batches: ChangeGroup[][] = [];
    let left = 0;
    for (const group of groups) {
      if (left < group.changes.length) {
        batches.push([]);
        left = this.#options.batchSize;
      }
      batches.at(-1)?.push(group);
      left -= group.changes.length;
    }
    return batches;
  }

  #apply(by: string, groups: readonly ChangeGroup[]): void {
    const after = new Map(this.sets);
    const changes = groups.flatMap((group) => [...group.changes]);
    for (const change of changes) {
      if (change.kind === "create") continue;
      const found = after.get(recordKey(change.before));
      if (!found || canonicalText(found) !== canonicalText(change.before)) {
        throw failure("apply", "refused");
      }
      after.delete(recordKey(change.before));
    }
    for (const change of changes) {
      if (change.kind === "delete") continue;
      const key = recordKey(change.after);
      if (after.has(key)) throw failure("apply", "refused");
      after.set(key, change.after);
    }
    if (groups.some((group) => this.refuses(group))) throw failure("apply", "refused");
    this.sets.clear();
    for (const [key, set] of after) this.sets.set(key, set);
    this.batches.push({ atMs: this.#options.time.now(), by, groups });
    for (const { name } of groups) this.#look(name);
  }

  /** Whether each of our types at a name, and its ownership, are both there or both not. */
  #look(changed: string): void {
    const name = ownedBy(changed)?.name ?? changed;
    for (const type of mirroredTypes) {
      const isThere = this.sets.has(recordKey({ name, type }));
      const isMarked = this.sets.has(recordKey({ name: ownershipName(name, type), type: "TXT" }));
      if (isThere !== isMarked) this.broken.push(`${type} ${name}`);
    }
  }
}

function failure(operation: Operation, code: MirrorErrorCode): MirrorError {
  return new MirrorError(code, `cannot ${operation}: it is ${code}`);
}
