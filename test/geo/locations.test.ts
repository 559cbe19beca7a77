// Where clients are: the order of networks, overrides and databases, who is inside, and the same
// found plainly by trying every network.

import { readFileSync } from "node:fs";
import { expect } from "chai";
import fc from "fast-check";
import { testDatabases } from "../../geoip/test-databases.ts";
import { type MmdbContents, writeMmdb } from "../../geoip/write-mmdb.ts";
import { formatNetwork } from "../../src/dns/address.ts";
import {
  compileDatabases,
  compileLocations,
  type LocatedCluster,
  type Location,
  type LocationMap,
} from "../../src/geo/locations.ts";
import { type Database, readDatabase } from "../../src/geo/mmdb.ts";
import type { Override } from "../../src/geo/overrides.ts";
import { findRange, fromNetworks, scopeOf, valueAt } from "../../src/geo/range-table.ts";
import { address, network } from "./addresses.ts";
import { addressesOf, families, networksOf } from "./arbitraries.ts";
import { embeddedDatabaseFile } from "./embedded-database.ts";
import { naiveValue } from "./naive-lookup.ts";

const iowa = { latitude: 41.26, longitude: -95.86 };
const suva = { latitude: -18.1, longitude: 178.4 };

const clusters: LocatedCluster[] = [
  {
    name: "cluster-1",
    region: "us-central1",
    zones: ["us-central1-a"],
    location: iowa,
    networks: [network("10.0.0.0/14"), network("198.51.100.0/25")],
  },
  {
    name: "cluster-2",
    region: "europe-west1",
    zones: ["europe-west1-b", "europe-west1-c"],
    location: undefined,
    networks: [network("10.2.0.0/16"), network("2001:db8:2::/48")],
  },
];

const overrides: Override[] = [
  override("10.0.0.0/8", { country: "CH" }),
  override("192.0.2.0/25", { coordinates: suva, country: "FJ" }),
  override("192.0.2.64/26", { region: "asia-northeast1", zone: "asia-northeast1-a" }),
  override("172.16.0.0/16", { cluster: "cluster-1" }),
  override("172.16.8.0/24", { country: "NZ" }),
  override("172.16.9.0/24", { cluster: "cluster-2" }),
  override("172.16.10.0/24", { cluster: "cluster-1", coordinates: suva }),
  override("172.16.11.0/24", { cluster: "no-such-cluster" }),
  override("198.51.100.0/24", { cluster: "cluster-2" }),
  override("233.252.0.0/25", { continent: "AF" }),
  override("233.252.0.128/25", { region: "my-own-rack" }),
  override("2001:db8:77::/48", { cluster: "cluster-1" }),
];

describe("locations", () => {
  const databases = compileDatabases([database("test-city.mmdb"), database("test-flat.mmdb")]);
  const map = compileLocations(clusters, overrides, databases);

  it("place an override with a region of one's own where a cluster of that region is", () => {
    const rack = { region: "rack", zones: [], networks: [] };
    const clusters = [
      { ...rack, name: "nowhere", location: undefined },
      { ...rack, name: "iowa", location: iowa },
      { ...rack, name: "suva", location: suva },
    ];
    const known = compileLocations(
      clusters,
      [override("192.0.2.0/24", { region: "rack" })],
      databases,
    );
    const found = known.locations[valueAt(known.outside[4], address("192.0.2.9"))];
    expect(found?.coordinates).to.deep.equal(iowa);
  });
  const inIowa = { region: "us-central1", zones: ["us-central1-a"], coordinates: iowa };
  const inEurope = { region: "europe-west1", zones: ["europe-west1-b", "europe-west1-c"] };

  const places = [
    {
      name: "a cluster's network",
      of: "10.1.2.3",
      inside: "cluster-1",
      expected: {
        by: { kind: "network", cluster: "cluster-1", network: "10.0.0.0/14" },
        ...inIowa,
      },
    },
    {
      name: "a cluster's network inside another's",
      of: "10.2.2.3",
      inside: "cluster-2",
      expected: {
        by: { kind: "network", cluster: "cluster-2", network: "10.2.0.0/16" },
        ...inEurope,
      },
    },
    {
      name: "a cluster's IPv6 network, which a database knows too",
      of: "2001:db8:2::1",
      inside: "cluster-2",
      expected: {
        by: { kind: "network", cluster: "cluster-2", network: "2001:db8:2::/48" },
        ...inEurope,
      },
    },
    {
      name: "a cluster's network against an override for another cluster",
      of: "198.51.100.1",
      inside: "cluster-1",
      expected: {
        by: { kind: "network", cluster: "cluster-1", network: "198.51.100.0/25" },
        ...inIowa,
      },
    },
    {
      name: "that override beside the network",
      of: "198.51.100.200",
      inside: "cluster-2",
      expected: { by: overrideSource("198.51.100.0/24"), ...inEurope },
    },
    {
      name: "an override with a country",
      of: "10.9.9.9",
      expected: {
        by: overrideSource("10.0.0.0/8"),
        country: "CH",
        coordinates: { latitude: 47.1, longitude: 8 },
      },
    },
    {
      name: "an override with coordinates and a country",
      of: "192.0.2.1",
      expected: { by: overrideSource("192.0.2.0/25"), country: "FJ", coordinates: suva },
    },
    {
      name: "an override with a cloud's region",
      of: "192.0.2.65",
      expected: {
        by: overrideSource("192.0.2.64/26"),
        region: "asia-northeast1",
        zones: ["asia-northeast1-a"],
        coordinates: { latitude: 35.68, longitude: 139.69 },
      },
    },
    {
      name: "an override with a region of one's own",
      of: "233.252.0.200",
      expected: { by: overrideSource("233.252.0.128/25"), region: "my-own-rack" },
    },
    {
      name: "an override with a continent",
      of: "233.252.0.1",
      expected: {
        by: overrideSource("233.252.0.0/25"),
        continent: "AF",
        coordinates: { latitude: 6, longitude: 20 },
      },
    },
    {
      name: "an override with a cluster",
      of: "172.16.1.1",
      inside: "cluster-1",
      expected: { by: overrideSource("172.16.0.0/16"), ...inIowa },
    },
    {
      name: "an IPv6 override with a cluster",
      of: "2001:db8:77::1",
      inside: "cluster-1",
      expected: { by: overrideSource("2001:db8:77::/48"), ...inIowa },
    },
    {
      name: "a longer override without a cluster, which takes out again",
      of: "172.16.8.1",
      expected: {
        by: overrideSource("172.16.8.0/24"),
        country: "NZ",
        coordinates: { latitude: -38.8, longitude: 174.9 },
      },
    },
    {
      name: "a longer override with another cluster",
      of: "172.16.9.1",
      inside: "cluster-2",
      expected: { by: overrideSource("172.16.9.0/24"), ...inEurope },
    },
    {
      name: "an override with a cluster and coordinates of its own",
      of: "172.16.10.1",
      inside: "cluster-1",
      expected: { by: overrideSource("172.16.10.0/24"), ...inIowa, coordinates: suva },
    },
    {
      name: "an override with a cluster that there is not",
      of: "172.16.11.1",
      expected: { by: overrideSource("172.16.11.0/24") },
    },
    {
      name: "the first database's coordinates",
      of: "192.0.2.200",
      expected: {
        by: { kind: "database", name: "test-city.mmdb" },
        country: "DE",
        continent: "EU",
        coordinates: { latitude: 50.1188, longitude: 8.6843 },
      },
    },
    {
      name: "the first database's country, though the second has coordinates",
      of: "203.0.113.1",
      expected: {
        by: { kind: "database", name: "test-city.mmdb" },
        country: "NZ",
        coordinates: { latitude: -38.8, longitude: 174.9 },
      },
    },
    {
      name: "the first database's continent",
      of: "203.0.113.200",
      expected: {
        by: { kind: "database", name: "test-city.mmdb" },
        continent: "AF",
        coordinates: { latitude: 6, longitude: 20 },
      },
    },
    { name: "an address that no one knows", of: "8.8.8.8", expected: { by: { kind: "unknown" } } },
    {
      name: "an IPv6 address that no one knows",
      of: "2003::1",
      expected: { by: { kind: "unknown" } },
    },
  ];
  for (const { name, of, inside, expected } of places) {
    it(`is right for: ${name}`, () => {
      expect(locationOf(map, of)).to.deep.equal(expected);
      expect(insideOf(map, of)).to.equal(inside);
    });
  }

  it("asks the second database where the first has a record without a place", () => {
    const both = compileLocations([], [], databases);
    expect(locationOf(both, "233.252.0.1")).to.deep.include({
      by: { kind: "database", name: "test-flat.mmdb" },
      country: "US",
    });
  });

  it("passes over a database's country that is none", () => {
    const nowhere = databaseOf("nowhere", [
      { network: "192.0.2.0/24", record: { country_code: "ZZ" } },
    ]);
    const both = compileDatabases([nowhere, database("test-ipv4.mmdb")]);
    expect(locationOf(compileLocations([], [], both), "192.0.2.1")).to.deep.include({
      country: "JP",
    });
  });

  it("knows nothing of IPv6 from an IPv4-only database", () => {
    const only = compileLocations([], [], compileDatabases([database("test-ipv4.mmdb")]));
    expect(locationOf(only, "2001:db8::1")).to.deep.equal({ by: { kind: "unknown" } });
  });

  it("knows nothing at all without anything, with scope 0", () => {
    const empty = compileLocations([], [], compileDatabases([]));
    for (const of of ["192.0.2.1", "2001:db8::1"]) {
      expect(locationOf(empty, of)).to.deep.equal({ by: { kind: "unknown" } });
      expect(insideOf(empty, of)).to.equal(undefined);
      expect(scopeOfClient(empty, of)).to.equal(0);
    }
  });

  it("gives unknown clients a scope too, since their neighbours may be known", () => {
    const scopes = [
      { of: "192.0.2.200", expected: 25 },
      { of: "192.0.3.1", expected: 24 },
      { of: "192.0.2.66", expected: 26 },
      { of: "10.1.2.3", expected: 15 },
      { of: "11.0.0.1", expected: 8 },
    ];
    for (const { of, expected } of scopes) expect(scopeOfClient(map, of), of).to.equal(expected);
  });

  it("holds equal places of a database once", () => {
    const twice = databaseOf("twice", [
      { network: "192.0.2.0/24", record: { country_code: "JP", extra: "a" } },
      { network: "198.51.100.0/24", record: { country_code: "JP", extra: "b" } },
    ]);
    expect(compileDatabases([twice]).locations).to.have.length(2);
  });

  it("leaves what it was given alone, so that it can be compiled with again", () => {
    const again = compileLocations(clusters, overrides, databases);
    expect(again.locations).to.deep.equal(map.locations);
    expect(again.outside[4]).to.deep.equal(map.outside[4]);
  });

  it("equals a search through networks, then overrides, then databases", () => {
    fc.assert(
      fc.property(families.chain(worlds), ({ family, nets, overs, base, clients }) => {
        const given = nets.map((each, index) => clusterOf(`c${index % 3}`, each));
        const some = overs.map(({ at, cluster }) =>
          override(formatNetwork(at), cluster === undefined ? {} : { cluster: `c${cluster}` }),
        );
        const records = [{ country: "JP" }, { country: "FJ" }];
        const table = fromNetworks(family, base);
        const empty = fromNetworks(family === 4 ? 6 : 4, []);
        const compiled = compileLocations(
          given,
          some,
          compileDatabases([
            {
              name: "db",
              buildEpoch: 0,
              records,
              ipv4: family === 4 ? table : empty,
              ipv6: family === 4 ? empty : table,
            },
          ]),
        );
        for (const client of clients) {
          const location = compiled.locations[valueAt(compiled.outside[family], client)];
          const inside = compiled.clusters[valueAt(compiled.inside[family], client)];
          const byNet = naiveValue(
            nets.map((at, value) => ({ network: at, value })),
            client,
          );
          const byOver = naiveValue(
            overs.map(({ at }, value) => ({ network: at, value })),
            client,
          );
          const byBase = naiveValue(base, client);
          const net = nets[byNet];
          const over = overs[byOver];
          if (net) {
            expect(location?.by).to.include({ kind: "network", network: formatNetwork(net) });
            expect(inside).to.equal(`c${byNet % 3}`);
          } else if (over) {
            expect(location?.by).to.include({ kind: "override", network: formatNetwork(over.at) });
            const isKnown =
              over.cluster !== undefined && given.some(({ name }) => name === `c${over.cluster}`);
            expect(inside).to.equal(isKnown ? `c${over.cluster}` : undefined);
          } else {
            expect(location?.by.kind).to.equal(byBase < 0 ? "unknown" : "database");
            expect(location?.country).to.equal(records[byBase]?.country);
            expect(inside).to.equal(undefined);
          }
        }
      }),
      { seed: 20261121, numRuns: 500 },
    );
  });

  it("puts clients of the embedded database in their countries, at their countries' places", () => {
    const result = readDatabase(readFileSync(embeddedDatabaseFile), "dbip-country.mmdb");
    if (!result.ok) throw new Error(result.reason);
    const real = compileDatabases([result.database]);
    expect(real.locations.length).to.be.below(260);
    const compiled = compileLocations(clusters, overrides, real);
    expect(locationOf(compiled, "8.8.8.8")).to.deep.equal({
      by: { kind: "database", name: "dbip-country.mmdb" },
      country: "US",
      coordinates: { latitude: 37.4, longitude: -92.3 },
    });
    expect(locationOf(compiled, "200.160.2.3")?.country).to.equal("BR");
    expect(locationOf(compiled, "10.1.2.3")?.by.kind).to.equal("network");
  });
});

function worlds(family: 4 | 6) {
  return fc.record({
    family: fc.constant(family),
    nets: fc.uniqueArray(networksOf(family), { maxLength: 4, selector: formatNetwork }),
    overs: fc.uniqueArray(
      fc.record({
        at: networksOf(family),
        cluster: fc.option(fc.nat(3), { nil: undefined }),
      }),
      { maxLength: 6, selector: ({ at }) => formatNetwork(at) },
    ),
    base: fc.array(fc.record({ network: networksOf(family), value: fc.nat(1) }), { maxLength: 6 }),
    clients: fc.array(addressesOf(family), { minLength: 1 }),
  });
}

function clusterOf(name: string, at: LocatedCluster["networks"][number]): LocatedCluster {
  return { name, region: "", zones: [], location: undefined, networks: [at] };
}

function override(text: string, known: Partial<Override>): Override {
  return { network: network(text), place: `overrides.yaml:${text}:1`, ...known };
}

function overrideSource(text: string) {
  return { kind: "override", network: text, place: `overrides.yaml:${text}:1` };
}

function database(file: keyof typeof testDatabases): Database {
  const contents = testDatabases[file];
  if (!contents) throw new Error(`cannot find a test database, got ${file}`);
  return databaseOf(file, contents.entries, contents);
}

function databaseOf(name: string, entries: MmdbContents["entries"], rest?: MmdbContents): Database {
  const octets = writeMmdb({ ipVersion: 6, recordSize: 24, ...rest, entries });
  const result = readDatabase(octets, name);
  if (!result.ok) throw new Error(`cannot read a database: ${result.reason}`);
  return result.database;
}

function tableOf(tables: LocationMap["outside"], client: Uint8Array) {
  return tables[client.length === 4 ? 4 : 6];
}

function locationOf(map: LocationMap, text: string): Location | undefined {
  return map.locations[valueAt(tableOf(map.outside, address(text)), address(text))];
}

function insideOf(map: LocationMap, text: string): string | undefined {
  return map.clusters[valueAt(tableOf(map.inside, address(text)), address(text))];
}

function scopeOfClient(map: LocationMap, text: string): number {
  const table = tableOf(map.outside, address(text));
  return scopeOf(table, findRange(table, address(text)), address(text));
}
