// The record sets of a zone as they were last seen, with whose they are. It must not know what they
// should be, nor where they were read.

import { type Ownership, ownedBy, readOwnership } from "./ownership.ts";
import type { Change } from "./provider.ts";
import type { RecordSet } from "./record-set.ts";

/** What is known of a zone. */
export class ZoneRecords {
  readonly #names = new Map<string, Map<string, RecordSet>>();
  /** By name that is owned, then by type: what its ownership record says. */
  readonly #ownerships = new Map<string, Map<string, Ownership>>();
  /** By owner and service: the names that it has. */
  readonly #owned = new Map<string, Set<string>>();

  /** Adds what was listed; parts of one record set may come one after the other. */
  add(set: RecordSet): void {
    const known = this.at(set.name)?.get(set.type);
    this.put(known ? { ...set, parts: [...known.parts, ...set.parts] } : set);
  }

  /** Puts a record set in place of the former one of its name and type. */
  put(set: RecordSet): void {
    const types = this.#names.get(set.name) ?? new Map<string, RecordSet>();
    types.set(set.type, set);
    this.#names.set(set.name, types);
    if (set.type === "TXT") this.#own(set.name, readOwnership(set));
  }

  remove(name: string, type: string): void {
    const types = this.#names.get(name);
    if (!types?.delete(type)) return;
    if (types.size === 0) this.#names.delete(name);
    if (type === "TXT") this.#own(name, undefined);
  }

  /** What is known once these changes are made. */
  apply(changes: readonly Change[]): void {
    for (const change of changes) {
      if (change.kind === "delete") this.remove(change.before.name, change.before.type);
      else this.put(change.after);
    }
  }

  /** Forgets all of a name. */
  forget(name: string): void {
    for (const type of [...(this.at(name)?.keys() ?? [])]) this.remove(name, type);
  }

  /** By type. */
  at(name: string): ReadonlyMap<string, RecordSet> | undefined {
    return this.#names.get(name);
  }

  names(): Iterable<string> {
    return this.#names.keys();
  }

  ownership(name: string, type: string): Ownership | undefined {
    return this.#ownerships.get(name)?.get(type);
  }

  /** The types of a name that are said to be somebody's. */
  ownedTypes(name: string): Iterable<string> {
    return this.#ownerships.get(name)?.keys() ?? [];
  }

  /** The names that are said to be a service's, by this owner. */
  namesOf({ owner, service }: Ownership): ReadonlySet<string> {
    return this.#owned.get(`${owner} ${service}`) ?? none;
  }

  /** The services that this owner has names of, `namespace/name`. */
  *servicesOf(owner: string): Generator<string> {
    for (const key of this.#owned.keys()) {
      if (key.startsWith(`${owner} `)) yield key.slice(owner.length + 1);
    }
  }

  /** Record sets of this owner, ownership records not counted. */
  count(owner: string): number {
    let count = 0;
    for (const [name, types] of this.#ownerships) {
      for (const [type, ownership] of types) {
        if (ownership.owner === owner && this.at(name)?.has(type)) count++;
      }
    }
    return count;
  }

  #own(name: string, ownership: Ownership | undefined): void {
    const about = ownedBy(name);
    if (!about) return;
    const types = this.#ownerships.get(about.name) ?? new Map<string, Ownership>();
    const former = types.get(about.type);
    if (ownership) types.set(about.type, ownership);
    else types.delete(about.type);
    if (types.size > 0) this.#ownerships.set(about.name, types);
    else this.#ownerships.delete(about.name);
    for (const each of [former, ownership]) if (each) this.#index(about.name, each);
  }

  /** Sets whether a service has the name by what its types say now. */
  #index(name: string, { owner, service }: Ownership): void {
    const key = `${owner} ${service}`;
    const names = this.#owned.get(key) ?? new Set<string>();
    const has = [...(this.#ownerships.get(name)?.values() ?? [])].some(
      (each) => each.owner === owner && each.service === service,
    );
    if (has) names.add(name);
    else names.delete(name);
    if (names.size > 0) this.#owned.set(key, names);
    else this.#owned.delete(key);
  }
}

const none: ReadonlySet<string> = new Set();
