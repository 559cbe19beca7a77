// Groups, home and levels (semantics 3): candidates in, one list of levels out, from the client
// outward. It must not know of health: a home is home, sick or not.

import type { Candidate } from "./candidates.ts";
import {
  compareDistance,
  compareNearness,
  isLocated,
  type Place,
  sharesZone,
  stepRatio,
} from "./place.ts";

/** Why the clusters of a level are equally good. */
export type LevelKind = "front" | "zone" | "region" | "distance" | "everywhere";

/** Clusters that are equally good for a client. */
export interface Level {
  readonly kind: LevelKind;
  /** The place of its group in the list of groups. */
  readonly group: number;
  readonly candidates: readonly Candidate[];
}

/** Candidates of equal priority. */
export interface Group {
  readonly priority: number;
  readonly home: string | undefined;
}

/** The groups and the levels of all of them, one group after the other. */
export function findLevels(
  place: Place,
  candidates: readonly Candidate[],
): { groups: Group[]; levels: Level[] } {
  const groups: Group[] = [];
  const levels: Level[] = [];
  for (const [priority, members] of byPriority(place, candidates)) {
    const home = homeOf(place, members);
    for (const level of levelsOf(place, members, home))
      levels.push({ ...level, group: groups.length });
    groups.push({ priority, home: home?.cluster.name });
  }
  return { groups, levels };
}

/**
 * Groups by priority, lowest first; the cluster that the client is inside of comes with the
 * first, whatever its own priority, if its `localPreference` says so.
 */
function byPriority(place: Place, candidates: readonly Candidate[]): [number, Candidate[]][] {
  const isPreferred = (each: Candidate): boolean =>
    each.cluster.name === place.inside && each.cluster.routing.localPreference;
  const first = Math.min(...candidates.map((each) => each.cluster.routing.priority));
  const groups = new Map<number, Candidate[]>();
  for (const each of candidates) {
    const priority = isPreferred(each) ? first : each.cluster.routing.priority;
    groups.set(priority, [...(groups.get(priority) ?? []), each]);
  }
  return [...groups].sort(([a], [b]) => a - b);
}

function homeOf(place: Place, members: readonly Candidate[]): Candidate | undefined {
  return (
    members.find((each) => each.cluster.name === place.inside) ??
    members
      .filter((each) => isLocated(place, each.cluster))
      .sort((a, b) => compareNearness(place, a.cluster, b.cluster))[0]
  );
}

function levelsOf(
  place: Place,
  members: readonly Candidate[],
  home: Candidate | undefined,
): Omit<Level, "group">[] {
  if (!home) return [{ kind: "everywhere", candidates: members }];
  let rest = [...members];
  const take = (belongs: (each: Candidate) => boolean): Candidate[] => {
    const taken = rest.filter(belongs);
    rest = rest.filter((each) => !belongs(each));
    return taken;
  };
  const { region, zones } = home.cluster;
  const near: Omit<Level, "group">[] = [
    {
      kind: "front",
      candidates: take((each) => each === home || !each.cluster.routing.localPreference),
    },
    { kind: "zone", candidates: take((each) => sharesZone(zones, each.cluster.zones)) },
    { kind: "region", candidates: take((each) => region !== "" && each.cluster.region === region) },
  ];
  const far = steps(place, rest).map((step) => ({ kind: "distance" as const, candidates: step }));
  return [...near, ...far].filter((level) => level.candidates.length > 0);
}

/** Walks outward: a cluster at most 5 % farther than the first of its step is in that step. */
function steps(place: Place, members: readonly Candidate[]): Candidate[][] {
  const sorted = [...members].sort((a, b) => compareDistance(place, a.cluster, b.cluster));
  const found: Candidate[][] = [];
  let limitKm = Number.NEGATIVE_INFINITY;
  for (const each of sorted) {
    const km = place.distancesKm.get(each.cluster.name) ?? Number.POSITIVE_INFINITY;
    if (km <= limitKm) {
      found.at(-1)?.push(each);
    } else {
      found.push([each]);
      limitKm = km * stepRatio;
    }
  }
  return found;
}
