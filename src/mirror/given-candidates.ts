// Which of a service's candidates a mirror gives: their addresses, those nearest to a place, those
// that the cloud draws among. It must not know records.

import type { Address } from "../federation/model.ts";
import type { Candidate } from "../routing/candidates.ts";
import type { OrderedCluster, RankedLevel, Route } from "../routing/route.ts";

/** Of addresses: IPv4 or IPv6. */
export type Family = 4 | 6;

/** A cluster whose endpoints are all sick has no healthy address, whatever is said of the address. */
export function upAddresses(candidates: readonly Candidate[], family: Family): Address[] {
  return addressesOf(candidates.filter((each) => each.healthy > 0)).filter(isOf(family));
}

/** A cluster without any endpoint has none to fail open to (semantics 5). */
export function allAddresses(candidates: readonly Candidate[], family: Family): Address[] {
  return candidates
    .filter((each) => each.total > 0)
    .flatMap((each) => each.addresses.filter(isOf(family)));
}

/** Of all families, what is up. */
export function addressesOf(candidates: readonly Candidate[]): Address[] {
  return candidates.flatMap((each) => [...each.upAddresses]);
}

/** Whether an address is of a family. */
export function isOf(family: Family): (address: Address) => boolean {
  return (address) => address.length === (family === 4 ? 4 : 16);
}

/** The order of an answer whose client is of the level that most are of; the others as they stand. */
export function orderForMost({ levels }: Route): OrderedCluster[] {
  const first = levelOfMost(levels);
  const others = levels.filter((level) => level !== first);
  return [...(first ? [first] : []), ...others]
    .map((level) =>
      level.candidates.filter((each) => each.healthy > 0 && each.upAddresses.length > 0),
    )
    .filter((candidates) => candidates.length > 0)
    .flatMap((candidates, rank) => candidates.map((candidate) => ({ candidate, rank })));
}

function levelOfMost(levels: readonly RankedLevel[]): RankedLevel | undefined {
  const most = Math.max(...levels.map(({ share }) => share));
  return levels.find(({ share }) => share === most);
}

/** A cluster and how often it is drawn, beside the others. */
export interface Chance {
  readonly candidate: Candidate;
  readonly weight: number;
}

/**
 * The clusters that are first for some clients, with weights of 1 to 100 by how many these are: the
 * share of the level times the part of its draw (semantics 3 and 4). Within one level these are the
 * weights of the draw as they are.
 */
export function chancesOf(levels: readonly RankedLevel[]): Chance[] {
  const keeping = levels.filter(({ share }) => share > 0);
  const chances = keeping.flatMap(({ share, candidates }) => {
    const given = candidates.filter((each) => each.healthy > 0);
    const sum = given.reduce((total, each) => total + each.drawWeight, 0);
    return given
      .map((candidate) => {
        // Weight 0 is used where its level has nothing else.
        const part = sum > 0 ? candidate.drawWeight / sum : 1 / given.length;
        return { candidate, chance: share * part };
      })
      .filter(({ chance }) => chance > 0);
  });
  const most = Math.max(...chances.map(({ chance }) => chance));
  const weights = keeping.flatMap((level) => level.candidates.map((each) => each.drawWeight));
  const scale = keeping.length > 1 ? 100 : Math.max(1, ...weights);
  return chances.map(({ candidate, chance }) => ({
    candidate,
    weight: Math.max(1, Math.round((chance / most) * scale)),
  }));
}

/**
 * The addresses of the level that most clients of a place are given. Clusters of weight 0 stand in
 * for others only.
 */
export function nearestOf({ levels }: Route): Candidate[] {
  const up = (levelOfMost(levels)?.candidates ?? []).filter((each) => each.healthy > 0);
  const weighty = up.filter((each) => each.cluster.routing.weight > 0);
  return weighty.length > 0 ? weighty : up;
}
