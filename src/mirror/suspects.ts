// Differences between a zone and what it should hold that were not made here: somebody changed it by
// hand, or another instance knows something newer. They are put right if they stay. It must not know
// how they were found.

import { changesText } from "./apply-run.ts";
import type { PlannedGroup } from "./plan-types.ts";

/**
 * So long a difference must stay: other instances may have read newer files, or heard a verdict
 * earlier. Kubernetes takes up to about a minute to bring a ConfigMap to all nodes.
 */
const driftMs = 60_000;

interface Suspect {
  readonly service: string;
  /** What would put it right. */
  readonly changes: string;
  readonly sinceMs: number;
}

/** What is watched, by name. Times are milliseconds of one clock, which may be put back. */
export class Suspects {
  #byName = new Map<string, Suspect>();

  /** Whether this very difference is watched. */
  has(group: PlannedGroup): boolean {
    const known = this.#byName.get(group.name);
    return known !== undefined && known.changes === changesText(group);
  }

  /** Watches these and no others; gives the names of those that are new. */
  watch(groups: readonly PlannedGroup[], nowMs: number): string[] {
    const former = this.#byName;
    this.#byName = new Map();
    const found: string[] = [];
    for (const group of groups) {
      const { name, service } = group;
      const known = former.get(name);
      const changes = changesText(group);
      if (known?.changes === changes) {
        this.#byName.set(name, known);
      } else {
        this.#byName.set(name, { service, changes, sinceMs: nowMs });
        found.push(name);
      }
    }
    return found;
  }

  /** What does not differ any more as it did has not stayed, whatever comes later. */
  acquit(groups: readonly PlannedGroup[], services: ReadonlySet<string> | "all"): void {
    const stayed = new Set(groups.filter((group) => this.has(group)).map(({ name }) => name));
    for (const [name, { service }] of this.#byName) {
      const isPlanned = services === "all" || services.has(service);
      if (isPlanned && !stayed.has(name)) this.#byName.delete(name);
    }
  }

  /** The names that have differed for long enough, and their services. */
  ripe(nowMs: number): { names: ReadonlySet<string>; services: ReadonlySet<string> } {
    const found = [...this.#byName].filter(
      ([, { sinceMs }]) => Math.abs(nowMs - sinceMs) >= driftMs,
    );
    return {
      names: new Set(found.map(([name]) => name)),
      services: new Set(found.map(([, { service }]) => service)),
    };
  }

  forget(names: Iterable<string>): void {
    for (const name of names) this.#byName.delete(name);
  }

  /** How long until one of them has differed for long enough; `undefined` if there is none. */
  msUntilRipe(nowMs: number): number | undefined {
    if (this.#byName.size === 0) return undefined;
    let oldestMs = Number.POSITIVE_INFINITY;
    for (const { sinceMs } of this.#byName.values()) oldestMs = Math.min(oldestMs, sinceMs);
    return Math.min(driftMs, Math.max(0, oldestMs + driftMs - nowMs));
  }
}
