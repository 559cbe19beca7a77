// The record sets of a zone as they were last seen, with whose they are. It must not know what they
// should be, nor where they were read.

import { type Owned, type Ownership, ownedBy, readOwnership } from "./ownership.ts";
import type { Change } from "./provider.ts";
import type { RecordSet } from "./record-set.ts";

/** What stands at one name, and the records beside it that say whose that is. */
interface Node {
  readonly sets: Map<string, RecordSet>;
  /** By the type that they are about: what stands at the ownership name, by its own type. */
  readonly marks: Map<string, Map<string, RecordSet>>;
  readonly ownerships: Map<string, Ownership>;
}

/** What is known of a zone. */
export class ZoneRecords {
  readonly #nodes = new Map<string, Node>();
  /** By owner and service: the names that it has. */
  readonly #owned = new Map<string, Set<string>>();

  /** Adds what was listed; parts of one record set may come one after the other. */
  add(set: RecordSet): void {
    const known = this.at(set.name)?.get(set.type);
    this.put(known ? { ...set, parts: [...known.parts, ...set.parts] } : set);
  }

  /** Puts a record set in place of the former one of its name and type. */
  put(set: RecordSet): void {
    const about = ownedBy(set.name);
    const name = about?.name ?? set.name;
    const node = this.#nodes.get(name) ?? {
      sets: new Map(),
      marks: new Map(),
      ownerships: new Map(),
    };
    this.#nodes.set(name, node);
    if (!about) {
      node.sets.set(set.type, set);
      return;
    }
    const marks = node.marks.get(about.type) ?? new Map<string, RecordSet>();
    node.marks.set(about.type, marks.set(set.type, set));
    if (set.type === "TXT") this.#own(node, about, readOwnership(set));
  }

  remove(name: string, type: string): void {
    const about = ownedBy(name);
    const key = about?.name ?? name;
    const node = this.#nodes.get(key);
    const sets = about ? node?.marks.get(about.type) : node?.sets;
    if (!node || !sets?.delete(type)) return;
    if (about && type === "TXT") this.#own(node, about, undefined);
    if (about && sets.size === 0) node.marks.delete(about.type);
    if (node.sets.size === 0 && node.marks.size === 0) this.#nodes.delete(key);
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
    const about = ownedBy(name);
    if (about) return this.#nodes.get(about.name)?.marks.get(about.type);
    return this.#nodes.get(name)?.sets;
  }

  /** All that says whose the record sets of a name are, and what it says. */
  standing(name: string): Standing {
    return this.#nodes.get(name) ?? nothing;
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
    for (const { sets, ownerships } of this.#nodes.values()) {
      for (const [type, ownership] of ownerships) {
        if (ownership.owner === owner && sets.has(type)) count++;
      }
    }
    return count;
  }

  #own(node: Node, { name, type }: Owned, ownership: Ownership | undefined): void {
    const former = node.ownerships.get(type);
    if (ownership) node.ownerships.set(type, ownership);
    else node.ownerships.delete(type);
    for (const each of [former, ownership]) if (each) this.#index(node, name, each);
  }

  /** Sets whether a service has the name by what its types say now. */
  #index({ ownerships }: Node, name: string, { owner, service }: Ownership): void {
    const key = `${owner} ${service}`;
    const names = this.#owned.get(key) ?? new Set<string>();
    const has = [...ownerships.values()].some(
      (each) => each.owner === owner && each.service === service,
    );
    if (has) names.add(name);
    else names.delete(name);
    if (names.size > 0) this.#owned.set(key, names);
    else this.#owned.delete(key);
  }
}

/** What stands at a name, and whose it is said to be, all by type. */
export interface Standing {
  readonly sets: ReadonlyMap<string, RecordSet>;
  readonly marks: ReadonlyMap<string, ReadonlyMap<string, RecordSet>>;
  readonly ownerships: ReadonlyMap<string, Ownership>;
}

const nothing: Standing = { sets: new Map(), marks: new Map(), ownerships: new Map() };
const none: ReadonlySet<string> = new Set();
