// The records of a federated service at its global, regional and zonal names
// (test/cases/federation-names.json) through one real server, whose files are rewritten for each
// case and each step. A second server is the resolver of load balancer hostnames.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { expect } from "chai";
import { formatAddress } from "../../src/dns/address.ts";
import { Rcode } from "../../src/dns/codes.ts";
import type { Message } from "../../src/dns/message.ts";
import { formatName, type Name, namesEqual } from "../../src/dns/name.ts";
import { nameIn } from "../../src/dns/rdata.ts";
import { RRType } from "../../src/dns/record-types.ts";
import table from "../cases/federation-names.json" with { type: "json" };
import { query, wireName } from "../kit/dns-client.ts";
import { type FederationSketch, filesOf } from "../kit/federation.ts";
import { type RunningServer, startServer } from "../kit/server.ts";

type Case = (typeof table.cases)[number];
type Clusters = Case["clusters"] & object;
type Ingress = Readonly<Record<string, readonly string[]>>;

/** How soon a changed file is in the answers. */
const soonMs = 1000;
const ttlSeconds = 180;
const service = `${table.service.namespace}/${table.service.name}`;
const bothRecords =
  table.cases.find(({ name }) => name === "both clusters have an address")?.records ?? [];

describe("the records of a federated service", () => {
  let resolver: RunningServer;
  let server: RunningServer;
  let files: Record<string, string> = filesOf(sketchOf(table.clusters, undefined));

  before(async () => {
    const geoip = { databases: [] };
    const hosts = table.cases.flatMap((each) => Object.entries(each.resolver ?? {}));
    const zone = { "zones/amazonaws.com.zone": zoneText(hosts) };
    const nothing = filesOf({ clusters: {}, services: {} });
    resolver = await startServer({ files: { ...nothing, ...zone }, serverSpec: { geoip } });
    const resolvers = [`${resolver.address}:${resolver.port}`];
    server = await startServer({ files, serverSpec: { geoip, resolvers } });
  });
  after(() => Promise.all([server, resolver].map((each) => each?.stop())));

  for (const each of table.cases) {
    it(`are as listed, and no others, within a second: ${each.name}`, async () => {
      const clusters = each.clusters ?? table.clusters;
      const ingress: Ingress = each.ingress;
      change(sketchOf(clusters, ingress));
      await expectSoon(server, each.then === undefined ? each.records : bothRecords);
      if (each.then === undefined) return;
      const isDeleted = typeof each.then === "string";
      const next = typeof each.then === "string" ? undefined : { ...ingress, ...each.then.ingress };
      change(sketchOf(clusters, next));
      await expectSoon(server, each.records, each.untouchedBySecondStep);
      if (isDeleted) await expectNoNames(server);
    });
  }

  /** Writes the files that differ and removes those that are no more. */
  function change(sketch: FederationSketch): void {
    const next = filesOf(sketch);
    for (const file of Object.keys(files)) {
      if (next[file] === undefined) rmSync(path.join(server.folder, file));
    }
    for (const [file, text] of Object.entries(next)) {
      const whole = path.join(server.folder, file);
      mkdirSync(path.dirname(whole), { recursive: true });
      if (files[file] !== text) writeFileSync(whole, text);
    }
    files = next;
  }
});

/** Asks for all names until the answers are as expected; what is untouched must always be so. */
async function expectSoon(
  server: RunningServer,
  records: readonly string[],
  untouched: readonly string[] = [],
): Promise<void> {
  const expected = records.map(expandRecord).sort();
  const names = new Set([...Object.values(table.names), ...expected.map(ownerOf)]);
  const steady = (all: readonly string[]): string[] =>
    all.filter((record) => untouched.map(fullName).includes(ownerOf(record)));
  const deadline = performance.now() + soonMs;
  let found: string[];
  do {
    found = (await Promise.all([...names].map((name) => recordsAt(server, name)))).flat().sort();
    expect(steady(found)).to.deep.equal(steady(expected));
  } while (!isDeepStrictEqual(found, expected) && performance.now() < deadline);
  expect(found).to.deep.equal(expected);
  await expectWholeChains(server, expected);
}

/** The records at a name as `NAME TYPE DATA`; a TTL other than it should be is told. */
async function recordsAt(server: RunningServer, name: string): Promise<string[]> {
  const found = new Set<string>();
  for (const type of ["A", "AAAA", "CNAME", "SRV", "TXT"]) {
    const { answers } = await query(server, name, type);
    const own = answers.filter((record) => namesEqual(record.name, wireName(name)));
    if (own.length === 0) continue;
    const data = own.map(dataOf).sort().join();
    const isTtlRight = answers.every((record) => record.ttlSeconds === ttlSeconds);
    const isAlias = own[0]?.type === RRType.CNAME;
    found.add(
      `${name} ${isAlias ? "CNAME" : type} ${data}${isTtlRight ? "" : " with another TTL"}`,
    );
  }
  return [...found];
}

/** A CNAME is answered with all that it leads to, up to the addresses at the global name. */
async function expectWholeChains(server: RunningServer, records: readonly string[]): Promise<void> {
  const parts = new Map(records.map((record) => [ownerOf(record), record.split(" ")]));
  for (const owner of parts.keys()) {
    const expected: string[] = [];
    for (let name: string | undefined = owner; name !== undefined; ) {
      const [, type = "", data = ""]: string[] = parts.get(name) ?? [];
      for (const each of data.split(",")) expected.push(`${name} ${type} ${each}`);
      name = type === "CNAME" && parts.has(data) ? data : undefined;
    }
    const { answers } = await query(server, owner, "A");
    const found = answers.map((record) => {
      const type = record.type === RRType.CNAME ? "CNAME" : "A";
      return `${plainName(record.name)} ${type} ${dataOf(record)}`;
    });
    expect(ownerOf(found[0] ?? "")).to.equal(owner);
    expect(found).to.have.members(expected);
  }
}

/** Nothing is left of a service that was deleted, not even an empty name. */
async function expectNoNames(server: RunningServer): Promise<void> {
  for (const name of Object.values(table.names)) {
    const { rcode, authorities } = await query(server, name, "A");
    expect(rcode, name).to.equal(Rcode.NXDOMAIN);
    expect(authorities.map((record) => record.type)).to.deep.equal([RRType.SOA]);
  }
}

/** The federation of the table; without ingress there is no service. */
function sketchOf(clusters: Clusters, ingress: Ingress | undefined): FederationSketch {
  const placed = Object.entries(ingress ?? {}).map(([cluster, external]) => [
    cluster,
    { external },
  ]);
  return {
    ...table.federation,
    ttl: { max: table.federation.ttl, min: 30 },
    clusters: Object.fromEntries(clusters.map(({ name, ...cluster }) => [name, cluster])),
    services: ingress ? { [service]: { in: Object.fromEntries(placed) } } : {},
  };
}

/** A zone `amazonaws.com` with these hosts. */
function zoneText(hosts: readonly (readonly [string, readonly string[]])[]): string {
  const records = hosts.flatMap(([host, addresses]) =>
    addresses.map((address) => `${host}. 60 IN A ${address}`),
  );
  return [
    "$ORIGIN amazonaws.com.",
    "@ 60 IN SOA ns.example. hostmaster.example. 1 3600 600 604800 60",
    "@ 60 IN NS ns.example.",
    ...records,
    "",
  ].join("\n");
}

/** `FR CNAME G` with the names in full, the addresses sorted. */
function expandRecord(record: string): string {
  const [owner = "", type = "", data = ""] = record.split(" ");
  const value = type === "CNAME" ? fullName(data) : data.split(",").sort().join();
  return `${fullName(owner)} ${type} ${value}`;
}

function fullName(name: string): string {
  return new Map(Object.entries(table.names)).get(name) ?? name;
}

function ownerOf(record: string): string {
  return record.split(" ")[0] ?? "";
}

function dataOf({ type, rdata }: Message["answers"][number]): string {
  if (type !== RRType.CNAME) return formatAddress(rdata);
  return plainName(nameIn(rdata, type));
}

function plainName(name: Name): string {
  return formatName(name).replace(/\.$/, "");
}
