// Where each address of the Internet is, compiled from the clusters' networks, the overrides and
// the databases into tables (first hit wins). It knows places; it must not know what is answered.

import { formatNetwork, type Network } from "../dns/address.ts";
import { cloudRegion } from "./cloud-regions.ts";
import { continentCentroid } from "./continent-centroids.ts";
import { countryCentroid } from "./country-centroids.ts";
import type { Coordinates } from "./distance.ts";
import type { GeoRecord } from "./geo-record.ts";
import type { Database } from "./mmdb.ts";
import type { Override } from "./overrides.ts";
import {
  type FamilyTables,
  fromNetworks,
  mapValues,
  type NetworkValue,
  overlay,
  type RangeTable,
} from "./range-table.ts";

/** The tables of all addresses; plain data that threads can share. */
export interface LocationMap {
  /** Names, in the order given. */
  readonly clusters: readonly string[];
  /** The cluster that an address is inside of: an index into `clusters`, or -1. */
  readonly inside: FamilyTables;
  /** Where an address is, for a client that is not believed to be inside: index into `locations`. */
  readonly outside: FamilyTables;
  /** The first is unknown. */
  readonly locations: readonly Location[];
}

/** What is known of where a client is. */
export interface Location {
  readonly by: LocationSource;
  /** The cluster that the client is inside of. Never set in a `LocationMap`: see `inside`. */
  readonly cluster?: string;
  readonly zones?: readonly string[];
  readonly region?: string;
  readonly country?: string;
  readonly continent?: string;
  /** Without them the client is nowhere in particular, and nothing is near. */
  readonly coordinates?: Coordinates;
}

/** What a location was learned from: `network` is in CIDR form, `place` is `file:line:column`. */
export type LocationSource =
  | { readonly kind: "network"; readonly cluster: string; readonly network: string }
  | { readonly kind: "override"; readonly network: string; readonly place: string }
  | { readonly kind: "database"; readonly name: string }
  | { readonly kind: "unknown" };

/** What geography needs of a cluster. */
export interface LocatedCluster {
  readonly name: string;
  readonly region: string;
  readonly zones: readonly string[];
  readonly location: Coordinates | undefined;
  readonly networks: readonly Network[];
}

/** All databases as one layer: the tables' values are indexes into `locations`. */
export interface CompiledDatabases {
  readonly tables: FamilyTables;
  /** The first is unknown, for addresses that no database has an answer for. */
  readonly locations: readonly Location[];
}

/**
 * The tables for these clusters, overrides and databases, in this order of precedence. Only the
 * longest prefix within each of the first two counts. An override that names a cluster puts its
 * clients inside, unless a cluster's own networks say otherwise; a longer one without a cluster
 * takes them out again.
 */
export function compileLocations(
  clusters: readonly LocatedCluster[],
  overrides: readonly Override[],
  databases: CompiledDatabases,
): LocationMap {
  const byName = new Map(clusters.map((cluster, index) => [cluster.name, { cluster, index }]));
  const networks = clusters.flatMap((cluster, index) =>
    cluster.networks.map((network) => ({ cluster, index, network })),
  );
  const insideNetworks = networks.map(({ index, network }) => ({ network, value: index }));
  const insideOverrides = overrides.map(({ network, cluster }) => ({
    network,
    value: byName.get(cluster ?? "")?.index ?? -1,
  }));

  const locations = [...databases.locations];
  const place = (network: Network, location: Location): NetworkValue => ({
    network,
    value: locations.push(location) - 1,
  });
  const outsideNetworks = networks.map(({ cluster, network }) =>
    place(network, locationOfNetwork(cluster, network)),
  );
  const outsideOverrides = overrides.map((override) =>
    place(
      override.network,
      locationOfOverride(override, byName.get(override.cluster ?? "")?.cluster, clusters),
    ),
  );

  const insideOf = (family: 4 | 6): RangeTable =>
    overlay(fromNetworks(family, insideNetworks), fromNetworks(family, insideOverrides));
  const outsideOf = (family: 4 | 6): RangeTable => {
    const given = overlay(
      fromNetworks(family, outsideNetworks),
      fromNetworks(family, outsideOverrides),
    );
    return overlay(given, databases.tables[family]);
  };
  return {
    clusters: clusters.map(({ name }) => name),
    inside: { 4: insideOf(4), 6: insideOf(6) },
    outside: { 4: outsideOf(4), 6: outsideOf(6) },
    locations,
  };
}

/**
 * The databases as one layer, the first with an answer winning; a record that names no place that
 * is known is no answer. This is the slow part, and it depends on the databases alone, so callers
 * keep it while clusters and overrides change.
 */
export function compileDatabases(databases: readonly Database[]): CompiledDatabases {
  const locations: Location[] = [{ by: { kind: "unknown" } }];
  const indexes = new Map<string, number>();
  const intern = (record: GeoRecord, name: string): number => {
    const location = locationOfRecord(record, name);
    if (!location) return -1;
    const key = JSON.stringify(location);
    const index = indexes.get(key) ?? locations.push(location) - 1;
    indexes.set(key, index);
    return index;
  };
  let tables: FamilyTables = { 4: fromNetworks(4, []), 6: fromNetworks(6, []) };
  for (const { name, records, ipv4, ipv6 } of databases) {
    const byRecord = records.map((record) => intern(record, name));
    const located = (table: RangeTable): RangeTable =>
      mapValues(table, (record) => byRecord[record] ?? -1);
    tables = { 4: overlay(tables[4], located(ipv4)), 6: overlay(tables[6], located(ipv6)) };
  }
  const orUnknown = (table: RangeTable): RangeTable =>
    mapValues(table, (location) => Math.max(location, 0));
  return { tables: { 4: orUnknown(tables[4]), 6: orUnknown(tables[6]) }, locations };
}

function locationOfNetwork(cluster: LocatedCluster, network: Network): Location {
  return {
    by: { kind: "network", cluster: cluster.name, network: formatNetwork(network) },
    ...placeOfCluster(cluster),
  };
}

/** What the override gives, over the place of the cluster that it names. */
function locationOfOverride(
  override: Override,
  cluster: LocatedCluster | undefined,
  clusters: readonly LocatedCluster[],
): Location {
  const { zone, region, country, continent, place } = override;
  const coordinates =
    override.coordinates ??
    cluster?.location ??
    (region === undefined ? undefined : locationOfRegion(region, clusters)) ??
    centroidOf(override);
  return {
    by: { kind: "override", network: formatNetwork(override.network), place },
    ...(cluster && placeOfCluster(cluster)),
    ...(region !== undefined && { region }),
    ...(zone !== undefined && { zones: [zone] }),
    ...(country !== undefined && { country }),
    ...(continent !== undefined && { continent }),
    ...(coordinates && { coordinates }),
  };
}

/** Where a cloud's region is, else the first cluster that says where it is and is in that region. */
function locationOfRegion(
  region: string,
  clusters: readonly LocatedCluster[],
): Coordinates | undefined {
  const isIn = (each: LocatedCluster): boolean => each.region === region && !!each.location;
  return cloudRegion(region) ?? clusters.find(isIn)?.location;
}

/** A record's location; `undefined` if it names no place that is known, which is no answer. */
function locationOfRecord(record: GeoRecord, name: string): Location | undefined {
  const coordinates = record.coordinates ?? centroidOf(record);
  return coordinates && { by: { kind: "database", name }, ...record, coordinates };
}

function placeOfCluster(cluster: LocatedCluster): Omit<Location, "by"> {
  return {
    region: cluster.region,
    zones: cluster.zones,
    ...(cluster.location && { coordinates: cluster.location }),
  };
}

function centroidOf(place: { country?: string; continent?: string }): Coordinates | undefined {
  return (
    (place.country === undefined ? undefined : countryCentroid(place.country)) ??
    (place.continent === undefined ? undefined : continentCentroid(place.continent))
  );
}
