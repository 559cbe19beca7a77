// One zone of a cloud DNS service, as this mirror knows it and changes it: it lists, plans against
// what it knows, and applies batch by batch, so that a run that is cut short leaves what the next one
// completes. It must not know how records are wanted, nor when it is time.

import { type Applied, type ApplyOptions, ApplyRun } from "./apply-run.ts";
import { canonicalText } from "./canonical.ts";
import type { Adoption } from "./ownership.ts";
import { mirroredTypes, ownershipName } from "./ownership.ts";
import { PlanMaker } from "./plan.ts";
import type { PlannedGroup } from "./plan-types.ts";
import { MirrorError, type Provider, type ZoneInfo } from "./provider.ts";
import type { WrittenRecords } from "./written-records.ts";
import { ZoneRecords } from "./zone-records.ts";

/** A zone and what is known of it. */
export class ZoneMirror {
  readonly provider: Provider;
  readonly owner: string;
  readonly written: WrittenRecords;
  #zone: ZoneRecords | undefined;
  /** Names of which it is not known whether they were changed. */
  readonly #doubtful = new Set<string>();
  #listing: Listing | undefined;

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

  /**
   * Reads all of the zone, one listing at a time. Changes may be made meanwhile: what they made stays
   * known. Gives whether a name was known otherwise before: somebody else has changed it.
   */
  async list(signal: AbortSignal): Promise<(name: string) => boolean> {
    if (this.#listing) throw new Error("cannot list a zone that is being listed");
    const listed = new ZoneRecords();
    const listing: Listing = { fresher: new Set(), doubted: new Set() };
    this.#listing = listing;
    try {
      for await (const page of this.provider.list(signal)) for (const set of page) listed.add(set);
    } finally {
      this.#listing = undefined;
    }
    const former = this.#zone;
    for (const name of listing.fresher) {
      listed.forget(name);
      for (const set of former?.at(name)?.values() ?? []) listed.put(set);
    }
    for (const name of this.#doubtful) {
      if (!listing.doubted.has(name)) this.#doubtful.delete(name);
    }
    this.#zone = listed;
    await this.reread(this.#halves(), signal);
    return (name) => former !== undefined && textAt(former, name) !== textAt(listed, name);
  }

  /** Reads again what a failure has left in doubt, as `reread` does. */
  async settle(signal: AbortSignal): Promise<ReadonlySet<string>> {
    return this.#doubtful.size > 0 ? this.reread([...this.#doubtful], signal) : new Set();
  }

  /** Reads these names and their ownership anew; gives those that were known otherwise. */
  async reread(names: readonly string[], signal: AbortSignal): Promise<ReadonlySet<string>> {
    const others = await this.#read(names, signal);
    const halves = names.filter((name) => this.#isHalf(name));
    for (const name of await this.#read(halves, signal)) others.add(name);
    return others;
  }

  async #read(names: readonly string[], signal: AbortSignal): Promise<Set<string>> {
    if (names.length === 0) return new Set();
    const all = names.flatMap((name) => [
      name,
      ...mirroredTypes.map((type) => ownershipName(name, type)),
    ]);
    const read = new ZoneRecords();
    for (const set of await this.provider.read(all, signal)) read.add(set);
    // Only now: a listing that has ended meanwhile has put another zone in place.
    const zone = this.#known();
    const others = names.filter((name) => textAt(zone, name) !== textAt(read, name));
    for (const name of all) {
      zone.forget(name);
      for (const set of read.at(name)?.values() ?? []) zone.put(set);
      this.#listing?.fresher.add(name);
    }
    for (const name of names) this.#doubtful.delete(name);
    return new Set(others);
  }

  #halves(): string[] {
    const zone = this.#known();
    const { owner } = this;
    const names = [...zone.servicesOf(owner)].flatMap((service) => [
      ...zone.namesOf({ owner, service }),
    ]);
    return names.filter((name) => this.#isHalf(name));
  }

  /**
   * Whether ownership is known here without its record set. Somebody may have deleted it, or changed
   * both between the pages of a listing: a change that rests on that could part the two for good, as
   * it would create the one without the other.
   */
  #isHalf(name: string): boolean {
    const { sets, ownerships } = this.#known().standing(name);
    return [...ownerships].some(([type, { owner }]) => owner === this.owner && !sets.has(type));
  }

  /** A plan to be made against what is known now. */
  plan(adoption?: Adoption): PlanMaker {
    const { digest } = this.written;
    return new PlanMaker({ zone: this.#known(), owner: this.owner, adoption, written: digest });
  }

  /** Makes the changes of these groups. */
  async apply(groups: readonly PlannedGroup[], options: ApplyOptions): Promise<Applied> {
    const run = new ApplyRun(this, options);
    try {
      await run.apply(groups, 1);
    } finally {
      options.onApplied?.(run);
    }
    return run;
  }

  /** Makes the changes of these groups at once, or none of them. */
  async change(groups: readonly PlannedGroup[], signal: AbortSignal): Promise<void> {
    try {
      await this.provider.apply(groups, signal);
    } catch (error) {
      // Only a refusal says that nothing was done.
      const isUndone = error instanceof MirrorError && error.code !== "unavailable";
      for (const { name } of isUndone ? [] : groups) {
        this.#doubtful.add(name);
        this.#listing?.doubted.add(name);
      }
      throw error;
    }
    for (const { changes } of groups) {
      this.#known().apply(changes);
      this.written.apply(changes);
      for (const change of changes) {
        this.#listing?.fresher.add(
          change.kind === "delete" ? change.before.name : change.after.name,
        );
      }
    }
  }

  #known(): ZoneRecords {
    if (!this.#zone) throw new Error("cannot plan for a zone that was not listed");
    return this.#zone;
  }
}

/** What happens while a listing goes on: it may have seen these names before that. */
interface Listing {
  /** Changed or read. */
  readonly fresher: Set<string>;
  /** Changed or not, nobody knows. */
  readonly doubted: Set<string>;
}

/** All that stands at a name, in any spelling and order. */
function textAt(zone: ZoneRecords, name: string): string {
  const texts = Array.from(zone.at(name)?.values() ?? [], canonicalText);
  return texts.sort().join("\n\n");
}
