// From addresses to places, as compact tables that all threads share: networks that
// routing cannot tell apart are one range, so the ECS scope is as short as truth allows
// (semantics 1.4). It must not know services, names or health.

import type { Cluster } from "../federation/model.ts";
import type { LocationMap } from "../geo/locations.ts";
import { findRange, mapValues, type RangeTable, scopeOf } from "../geo/range-table.ts";
import { insidePlace, outsidePlace, type Place, placeKey } from "../routing/place.ts";

/** Tables by family; a value is an index into the list of places beside them, -1 for none. */
export interface Views {
  readonly inside: FamilyTables;
  readonly insidePlaces: readonly Place[];
  readonly outside: FamilyTables;
  readonly outsidePlaces: readonly Place[];
}

export interface FamilyTables {
  readonly 4: RangeTable;
  readonly 6: RangeTable;
}

/** Compiles the tables; locations that routing treats alike become one. */
export function compileViews(map: LocationMap, clusters: ReadonlyMap<string, Cluster>): Views {
  const all = [...clusters.values()];
  const outsidePlaces: Place[] = [];
  const byKey = new Map<string, number>();
  const placeOfLocation = map.locations.map((location) => {
    const place = outsidePlace(location, all);
    const key = placeKey(place, all);
    const known = byKey.get(key) ?? outsidePlaces.push(place) - 1;
    byKey.set(key, known);
    return known;
  });
  const toPlace = (location: number): number => placeOfLocation[location] ?? 0;
  return {
    inside: map.inside,
    insidePlaces: map.clusters.map((name) => {
      const cluster = clusters.get(name);
      if (!cluster) throw new Error(`cannot compile views: unknown cluster, got ${name}`);
      return insidePlace(cluster, all);
    }),
    outside: { 4: mapValues(map.outside[4], toPlace), 6: mapValues(map.outside[6], toPlace) },
    outsidePlaces,
  };
}

/** The cluster whose networks an address lies in, if any. */
export function clusterOf(views: Views, family: 4 | 6, address: Uint8Array): string | undefined {
  return views.insidePlaces[lookUp(views.inside[family], address).value]?.inside;
}

/** The value of an address, and the scope within which all addresses have it. */
export function lookUp(table: RangeTable, address: Uint8Array): { value: number; scope: number } {
  const range = findRange(table, address);
  return { value: table.values[range] ?? -1, scope: scopeOf(table, range, address) };
}
