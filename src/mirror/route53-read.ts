// Reads the record sets at some names with few listings. It knows the order of Route 53's listings;
// it must not know how a listing is asked for.

import {
  byRoute53Order,
  fromRoute53Name,
  isListedBetween,
  toRoute53Name,
} from "./route53-names.ts";
import type { Route53RecordSet } from "./route53-records.ts";

/** Where a listing begins: at a name, a type of it, a part of that. */
export interface ListingPlace {
  readonly name: string;
  readonly type?: string | undefined;
  readonly identifier?: string | undefined;
}

/** Some of a listing, in its order. */
export interface ListingPage {
  readonly sets: readonly Route53RecordSet[];
  /** Where it goes on, as the service says it; `undefined`: it is at its end. */
  readonly next: ListingPlace | undefined;
}

/** Asks for a page from a place on, or from the zone's beginning. */
export type ReadPage = (from: ListingPlace | undefined, mostSets: number) => Promise<ListingPage>;

/**
 * The most of one page.
 * https://docs.aws.amazon.com/Route53/latest/APIReference/API_ListResourceRecordSets.html
 */
export const mostListed = 300;
/** For a few names: all that one name may have of one type. */
const fewListed = 100;

/**
 * All that stands at these names and nothing else. Each page begins at a name that is wanted, so
 * there are never more of them than a listing of the whole zone would have, nor than there are
 * names, unless one name fills more than a page.
 */
export async function readNames(
  names: readonly string[],
  readPage: ReadPage,
): Promise<Route53RecordSet[]> {
  const found = new Map<string, Route53RecordSet>();
  const wanted = new Set(names);
  let left = [...wanted].sort(byRoute53Order);
  let next: ListingPlace | undefined;
  for (let [first] = left; first !== undefined; [first] = left) {
    const goesOn = next && fromRoute53Name(next.name) === first ? next : undefined;
    const from = goesOn ?? { name: toRoute53Name(first) };
    const page = await readPage(from, left.length < 10 ? fewListed : mostListed);
    for (const set of page.sets) {
      if (wanted.has(fromRoute53Name(set.Name ?? ""))) found.set(partKey(set), set);
    }
    next = page.next;
    const end = next && fromRoute53Name(next.name);
    // Its own name is settled if the page went beyond it; others if they must have been shown.
    const others = left.slice(1);
    const behind = others.findIndex((name) => end !== undefined && byRoute53Order(name, end) >= 0);
    const passed = behind < 0 ? others : others.slice(0, behind);
    const open = passed.filter((name) => !isListedBetween(first, end, name));
    if (end === first) open.unshift(first);
    for (const name of [first, ...passed]) wanted.delete(name);
    for (const name of open) wanted.add(name);
    left = behind < 0 ? open : [...open, ...others.slice(behind)];
  }
  return [...found.values()];
}

function partKey({ Name, Type, SetIdentifier }: Route53RecordSet): string {
  return JSON.stringify([Name, Type, SetIdentifier]);
}
