// One hosted zone: its record sets, in the order in which Route 53 lists them. It takes whatever it
// is given; it must not know what may be written.

import type { ResourceRecordSet, RRType } from "@aws-sdk/client-route-53";
import { canonicalName, type NameOrder, nameOrder } from "./names.ts";

/** Where a listing begins; a part that is not given begins with the first there is. */
export interface ListingStart {
  readonly name?: string | undefined;
  readonly type?: string | undefined;
  readonly identifier?: string | undefined;
}

/** Record sets are written as the SDK has them, names in canonical form. */
export class HostedZone {
  readonly id: string;
  /** In canonical form. */
  readonly name: string;
  readonly #nameOrder: NameOrder;
  readonly #byName = new Map<string, readonly ResourceRecordSet[]>();
  readonly #byPlace = new Map<string, ResourceRecordSet>();
  /** Places in order; may hold some that are gone, and lacks those of `#newPlaces`. */
  #order: readonly string[] = [];
  #newPlaces = new Set<string>();
  #isOrdered = true;

  constructor(id: string, name: string, order: NameOrder = "octets") {
    this.id = id;
    this.#nameOrder = order;
    this.name = canonicalName(name);
    this.put({ Name: this.name, Type: "NS", TTL: 172800, ResourceRecords: nameServers.map(value) });
    const soa = `${nameServers[0]} awsdns-hostmaster.amazon.com. 1 7200 900 1209600 86400`;
    this.put({ Name: this.name, Type: "SOA", TTL: 900, ResourceRecords: [value(soa)] });
  }

  get count(): number {
    return this.#byPlace.size;
  }

  /** The record sets at a name in canonical form. */
  at(name: string): readonly ResourceRecordSet[] {
    return this.#byName.get(name) ?? [];
  }

  /** All record sets, in order. */
  all(): readonly ResourceRecordSet[] {
    return this.list({}, Number.POSITIVE_INFINITY);
  }

  /** Record sets from a place on, at most so many. */
  list(start: ListingStart, most: number): readonly ResourceRecordSet[] {
    const order = this.#sortedPlaces();
    const first = firstAtOrAfter(order, this.#startPlace(start));
    return order.slice(first, first + most).flatMap((place) => this.#byPlace.get(place) ?? []);
  }

  /** Writes a record set as somebody does by hand, in place of the one that is there; unchecked. */
  put(set: ResourceRecordSet): void {
    const name = canonicalName(set.Name ?? "");
    const written = { ...set, Name: name };
    const others = this.at(name).filter((other) => !isSamePlace(other, written));
    this.replace(name, [...others, written]);
  }

  /** Takes a record set away as somebody does by hand. Throws if it is not there. */
  remove(name: string, type: RRType, identifier?: string): void {
    const canonical = canonicalName(name);
    const gone = { Name: canonical, Type: type, SetIdentifier: identifier };
    const rest = this.at(canonical).filter((set) => !isSamePlace(set, gone));
    if (rest.length === this.at(canonical).length) {
      throw new Error(`cannot remove a record set: it is not there, got ${name} ${type}`);
    }
    this.replace(canonical, rest);
  }

  /** Puts these record sets in the place of all that are at a name. */
  replace(name: string, sets: readonly ResourceRecordSet[]): void {
    this.#isOrdered = false;
    for (const set of this.at(name)) this.#byPlace.delete(this.#placeOf(set));
    for (const set of sets) {
      const place = this.#placeOf(set);
      this.#byPlace.set(place, set);
      this.#newPlaces.add(place);
    }
    if (sets.length === 0) this.#byName.delete(name);
    else this.#byName.set(name, sets);
  }

  /** A text that sorts as record sets do: by name, type, SetIdentifier. */
  #placeOf({ Name: name = "", Type: type, SetIdentifier: identifier = "" }: ResourceRecordSet) {
    // The name once more: as octets, an escaped dot looks like the end of a label.
    return [nameOrder(name, this.#nameOrder), name, type, identifier].join("\0");
  }

  #startPlace({ name, type = "", identifier = "" }: ListingStart): string {
    if (name === undefined) return "";
    const canonical = canonicalName(name);
    return [nameOrder(canonical, this.#nameOrder), canonical, type, identifier].join("\0");
  }

  #sortedPlaces(): readonly string[] {
    if (this.#isOrdered) return this.#order;
    const kept = this.#order.filter((place) => this.#byPlace.has(place));
    const added = [...this.#newPlaces].filter((place) => this.#byPlace.has(place)).sort();
    this.#newPlaces = new Set();
    this.#order = merge(kept, added);
    this.#isOrdered = true;
    return this.#order;
  }
}

/** Whether two record sets have name, type and SetIdentifier in common. */
export function isSamePlace(one: ResourceRecordSet, other: ResourceRecordSet): boolean {
  return (
    one.Name === other.Name && one.Type === other.Type && one.SetIdentifier === other.SetIdentifier
  );
}

/** The name servers of every zone here. */
export const nameServers: readonly string[] = ["ns-1.awsdns-01.org.", "ns-2.awsdns-02.co.uk."];

function value(text: string): { readonly Value: string } {
  return { Value: text };
}

function firstAtOrAfter(order: readonly string[], place: string): number {
  let low = 0;
  let high = order.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((order[middle] ?? "") < place) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Two sorted lists as one, what is in both once. */
function merge(one: readonly string[], other: readonly string[]): readonly string[] {
  if (other.length === 0) return one;
  const merged: string[] = [];
  let next = 0;
  for (const place of one) {
    while (next < other.length && (other[next] ?? "") < place) merged.push(other[next++] ?? "");
    if (other[next] === place) next++;
    merged.push(place);
  }
  return [...merged, ...other.slice(next)];
}
