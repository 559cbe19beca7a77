// From addresses to places, as compact tables that all threads share: networks that
// routing cannot tell apart are one range, so the ECS scope is as short as truth allows
// (semantics 1.4). It must not know services, names or health.

import type { Cluster } from "../federation/model.ts";
import { carrierNetworks } from "../geo/client-prefix.ts";
import type { LocationMap } from "../geo/locations.ts";
import {
  type FamilyTables,
  findRange,
  fromNetworks,
  mapValues,
  overlay,
  type RangeTable,
  scopeOf,
} from "../geo/range-table.ts";
import { insidePlace, outsidePlace, type Place, placeKey } from "../routing/place.ts";

/** Where clients are; a value of a table is an index into the list of places beside them, or past it for none. */
export interface Views {
  readonly inside: FamilyTables;
  readonly insidePlaces: readonly Place[];
  readonly outside: FamilyTables;
  readonly outsidePlaces: readonly Place[];
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
  const outside = mapTables(map.outside, toPlace);
  const insidePlaces = map.clusters.map((name) => {
    const cluster = clusters.get(name);
    if (!cluster) throw new Error(`cannot compile views: unknown cluster, got ${name}`);
    return insidePlace(cluster, all);
  });
  const nobody = insidePlaces.length;
  const inside = mapTables(map.inside, (value) => (value < 0 ? nobody : value));
  const elsewhere = outsidePlaces.push(outsidePlace({}, all)) - 1;
  return {
    inside: withCarriers(inside, nobody + 1),
    insidePlaces,
    outside: withCarriers(outside, elsewhere),
    outsidePlaces,
  };
}

/** Whether every address of both families has the same value. */
export function isUniform(tables: FamilyTables): boolean {
  return tables[4].values.length === 1 && tables[6].values.length === 1;
}

/** The cluster whose networks an address lies in, if any. */
export function clusterOf(views: Views, family: 4 | 6, address: Uint8Array): string | undefined {
  return views.insidePlaces[lookUp(views.inside[family], address).value]?.inside;
}

/**
 * The tables with a value of its own for the IPv6 networks that carry IPv4 addresses. Clients
 * there are looked up by the IPv4 table, so no scope outside may reach into these networks:
 * only where IPv4 has one value is that theirs, too.
 */
function withCarriers(tables: FamilyTables, own: number): FamilyTables {
  const isOneValue = tables[4].values.length === 1;
  const value = isOneValue ? (tables[4].values[0] ?? own) : own;
  const carriers = carrierNetworks.map((network) => ({ network, value }));
  return { 4: tables[4], 6: overlay(fromNetworks(6, carriers), tables[6]) };
}

function mapTables(tables: FamilyTables, f: (value: number) => number): FamilyTables {
  return { 4: mapValues(tables[4], f), 6: mapValues(tables[6], f) };
}

/** The value of an address, and the scope within which all addresses have it. */
export function lookUp(table: RangeTable, address: Uint8Array): { value: number; scope: number } {
  const range = findRange(table, address);
  return { value: table.values[range] ?? -1, scope: scopeOf(table, range, address) };
}
