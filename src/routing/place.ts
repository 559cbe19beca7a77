// Where a client is, as far as routing cares: inside which cluster, and how far from each. Two
// places that routing cannot tell apart have equal place keys. It must not know addresses,
// networks or how the place was found.

import type { Cluster } from "../federation/model.ts";
import { type Coordinates, distanceKm } from "../geo/distance.ts";

/** A client's place. `zones` and `region` are set only where they say more than the distances. */
export interface Place {
  /** The cluster whose internal addresses the client may be given. */
  readonly inside: string | undefined;
  readonly zones: readonly string[];
  readonly region: string;
  /** By cluster, great-circle kilometres; clusters whose distance is unknown are missing. */
  readonly distancesKm: ReadonlyMap<string, number>;
}

/** What is known of an outside client's whereabouts; a geo `Location` fits. */
export interface Whereabouts {
  readonly zones?: readonly string[];
  readonly region?: string;
  readonly coordinates?: Coordinates;
}

/** A cluster is in a step while it is at most this many times as far as the step's first (semantics 3). */
export const stepRatio = 1.05;

/** The place of a client that is inside a cluster: that cluster's own, `clusters` included. */
export function insidePlace(cluster: Cluster, clusters: Iterable<Cluster>): Place {
  const outside = outsidePlace(
    cluster.location
      ? { coordinates: cluster.location }
      : { zones: cluster.zones, region: cluster.region },
    clusters,
  );
  return { ...outside, inside: cluster.name };
}

/** The place of a client outside all clusters, or of one that is not believed to be inside. */
export function outsidePlace(whereabouts: Whereabouts, clusters: Iterable<Cluster>): Place {
  const distancesKm = new Map<string, number>();
  const { coordinates } = whereabouts;
  if (coordinates) {
    for (const cluster of clusters) {
      if (cluster.location)
        distancesKm.set(cluster.name, distanceKm(coordinates, cluster.location));
    }
  }
  return {
    inside: undefined,
    zones: whereabouts.zones ?? [],
    region: whereabouts.region ?? "",
    distancesKm,
  };
}

/**
 * Orders clusters from a place: those in the place's zone, then in its region, then by distance,
 * unknown distance last, then by name.
 */
export function compareNearness(place: Place, a: Cluster, b: Cluster): number {
  return (
    Number(isInZone(place, b)) - Number(isInZone(place, a)) ||
    Number(isInRegion(place, b)) - Number(isInRegion(place, a)) ||
    compareDistance(place, a, b)
  );
}

/** Orders clusters by distance from the place, unknown last, then by name. */
export function compareDistance(place: Place, a: Cluster, b: Cluster): number {
  const kmA = place.distancesKm.get(a.name) ?? Number.POSITIVE_INFINITY;
  const kmB = place.distancesKm.get(b.name) ?? Number.POSITIVE_INFINITY;
  if (kmA !== kmB) return kmA - kmB;
  return a.name < b.name ? -1 : Number(a.name > b.name);
}

/** Whether anything is known of how near the cluster is to the place. */
export function isLocated(place: Place, cluster: Cluster): boolean {
  return (
    place.distancesKm.has(cluster.name) || isInZone(place, cluster) || isInRegion(place, cluster)
  );
}

/**
 * A text that is equal for two outside places exactly if routing treats them alike, whatever
 * clusters a service runs in: the order by distance, and for each cluster how many of the next
 * ones are in a step that it begins.
 */
export function placeKey(place: Place, clusters: Iterable<Cluster>): string {
  const sorted = [...clusters].sort((a, b) => compareDistance(place, a, b));
  const steps = sorted.map((first, at) => {
    const limit = (place.distancesKm.get(first.name) ?? Number.POSITIVE_INFINITY) * stepRatio;
    const beyond = sorted.findIndex(
      (each, index) => index > at && (place.distancesKm.get(each.name) ?? Infinity) > limit,
    );
    const known = place.distancesKm.has(first.name) ? "" : "?";
    return `${first.name}${known} ${beyond < 0 ? sorted.length - at : beyond - at}`;
  });
  return JSON.stringify([place.zones, place.region, steps]);
}

function isInZone(place: Place, cluster: Cluster): boolean {
  return sharesZone(place.zones, cluster.zones);
}

function isInRegion(place: Place, cluster: Cluster): boolean {
  return place.region !== "" && place.region === cluster.region;
}

/** Whether two lists of zones have one in common: equal strings, case-sensitive, empty never equal. */
export function sharesZone(a: readonly string[], b: readonly string[]): boolean {
  return a.some((zone) => zone !== "" && b.includes(zone));
}
