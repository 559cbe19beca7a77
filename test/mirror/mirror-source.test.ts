// The records of a federated service at its global, regional and zonal names
// (test/cases/federation-names.json) in a mirror's zone, step by step; and which services a mirror
// keeps.

import { expect } from "chai";
import type { CloudDnsConfig } from "../../src/config/mirror-config.ts";
import { MirrorSource } from "../../src/mirror/mirror-source.ts";
import type { PlannedGroup } from "../../src/mirror/plan-types.ts";
import type { ZoneRecords } from "../../src/mirror/zone-records.ts";
import table from "../cases/federation-names.json" with { type: "json" };
import { type FederationSketch, modelOf } from "../kit/federation.ts";
import { linesOf, makePlan, recordSet, zoneOf } from "./record-sketch.ts";

type Case = (typeof table.cases)[number];
type Ingress = Readonly<Record<string, readonly string[]>>;

const service = `${table.service.namespace}/${table.service.name}`;
const short = "nginx.test.ufp.example.com.";
const zoneInfo = { domain: "example.com.", mostValues: 100, mostParts: 100 };
const nothing = { namespaces: [], names: [] };
const settings: CloudDnsConfig = {
  provider: "clouddns",
  project: "p",
  managedZone: "z",
  keyFile: undefined,
  baseUrl: undefined,
  policy: "geo",
  owner: undefined,
  strategy: "plain",
  ttlSeconds: undefined,
  include: nothing,
  exclude: nothing,
  maxDeletePercent: 25,
  schedule: "*/5 * * * *",
  dryRun: false,
};

describe("a mirror of a federated service", () => {
  for (const each of table.cases) {
    it(`holds the records that are listed, and no others: ${each.name}`, () => {
      const zone = zoneOf([recordSet("example.com. SOA 60 a b 1 2 3 4 5")]);
      apply(zone, each, each.ingress);
      if (each.then !== undefined) {
        const isDeleted = typeof each.then === "string";
        const next =
          typeof each.then === "string" ? undefined : { ...each.ingress, ...each.then.ingress };
        const changed = apply(zone, each, isDeleted ? undefined : next).map((group) => group.name);
        expect(changed.length, "the second step changes something").to.be.above(0);
        for (const name of each.untouchedBySecondStep ?? []) {
          expect(changed).to.not.include(fullName(name));
        }
      }
      expectRecords(zone, each.records);
      // All is right now: the same again changes nothing.
      const last = each.then === undefined ? each.ingress : undefined;
      if (last) expect(apply(zone, each, last)).to.deep.equal([]);
    });
  }

  it("leaves nothing of a service that is deleted, no TXT and no empty name", () => {
    const zone = zoneOf([]);
    const [first] = table.cases;
    if (!first) throw new Error("cannot find a case");
    apply(zone, first, first.ingress);
    expect([...zone.servicesOf("ufp")]).to.deep.equal([service]);
    const names = [...zone.namesOf({ owner: "ufp", service })];
    expect(names).to.have.members([
      short,
      ...Object.values(table.names).map((name) => `${name}.`),
      ...ports,
    ]);
    apply(zone, first, undefined);
    expect([...zone.servicesOf("ufp")]).to.deep.equal([]);
    for (const name of names) {
      const { sets, marks } = zone.standing(name);
      expect([sets.size, marks.size]).to.deep.equal([0, 0]);
    }
  });
});

const ports = [
  "_web._tcp.nginx.test.ufp.example.com.",
  "_web._tcp.nginx.test.ufp.svc.example.com.",
  "c1.nginx.test.ufp.example.com.",
];

describe("the services of a mirror", () => {
  const sketch: FederationSketch = {
    clusters: { c1: { region: "r", at: [1, 2] }, c2: { region: "s", at: [50, 2] } },
    services: Object.fromEntries(
      ["shop/web", "shop/db", "ops/web"].map((key) => [
        key,
        { in: { c1: { external: ["192.0.2.1"] }, c2: { external: ["192.0.2.2"] } } },
      ]),
    ),
  };
  const sourceOf = (changed: Partial<CloudDnsConfig> = {}) =>
    new MirrorSource(
      { model: modelOf(sketch), health: () => 1, drained: new Set(), hasVotes: false },
      { ...settings, ...changed },
      zoneInfo,
    );
  const wantedBy = (source: MirrorSource) =>
    [...source.keys([])].filter((key) => source.wanted(key).sets.length > 0).sort();

  it("are all, and those of which the zone still has names", () => {
    expect([...sourceOf().keys(["shop/web", "old/gone"])].sort()).to.deep.equal([
      ...["old/gone", "ops/web", "shop/db", "shop/web"],
    ]);
  });

  it("want something if they are there", () => {
    expect(wantedBy(sourceOf())).to.deep.equal(["ops/web", "shop/db", "shop/web"]);
    expect(sourceOf().wanted("old/gone")).to.deep.equal({ service: "old/gone", sets: [] });
  });

  it("want nothing where they are not included, or excluded", () => {
    const shop = { namespaces: ["shop"], names: [] };
    expect(wantedBy(sourceOf({ include: shop }))).to.deep.equal(["shop/db", "shop/web"]);
    expect(wantedBy(sourceOf({ exclude: shop }))).to.deep.equal(["ops/web"]);
  });

  it("are chosen by place only with strategy geo", () => {
    const kinds = (strategy: "plain" | "geo") =>
      sourceOf({ strategy })
        .wanted("shop/web")
        .sets.flatMap(({ parts }) => parts.map(({ routing }) => routing?.kind))
        .filter((kind) => kind !== undefined);
    expect(kinds("plain")).to.deep.equal([]);
    expect(new Set(kinds("geo"))).to.deep.equal(new Set(["geo"]));
  });

  it("have the TTL of the mirror", () => {
    const { sets } = sourceOf({ ttlSeconds: 7 }).wanted("shop/web");
    const ttls = sets.flatMap(({ parts }) => parts.map((part) => part.ttlSeconds));
    expect(new Set(ttls)).to.deep.equal(new Set([7]));
  });

  it("hold what the zone takes, and it is said what that leaves out", () => {
    const model = modelOf(sketch);
    const source = new MirrorSource(
      { model, health: () => 1, drained: new Set(), hasVotes: false },
      settings,
      { ...zoneInfo, mostValues: 1 },
    );
    const { sets } = source.wanted("shop/web");
    expect(
      Math.max(...sets.flatMap(({ parts }) => parts.map(({ values }) => values.length))),
    ).to.equal(1);
    const notes = source.fidelity().filter(({ topic }) => topic === "max-addresses");
    expect(notes.map(({ examples }) => examples)).to.deep.equal([["shop/web"]]);
  });
});

/** Plans and applies what the federation is with this ingress, or without the service. */
function apply(
  zone: ZoneRecords,
  each: Case,
  ingress: Ingress | undefined,
): readonly PlannedGroup[] {
  const model = modelOf(sketchOf(each, ingress));
  const federated = { model, health: () => 1, drained: new Set<string>(), hasVotes: false };
  const source = new MirrorSource(federated, settings, zoneInfo);
  const owner = table.federation.name;
  const wanted = [...source.keys(zone.servicesOf(owner))].map((key) => source.wanted(key));
  const { groups, conflicts } = makePlan({ zone, owner, written: () => undefined }, wanted);
  expect(conflicts).to.deep.equal([]);
  for (const group of groups) zone.apply(group.changes);
  return groups;
}

function sketchOf(each: Case, ingress: Ingress | undefined): FederationSketch {
  const clusters = each.clusters ?? table.clusters;
  const resolver = new Map(Object.entries(each.resolver ?? {}));
  const placed = Object.entries(ingress ?? {}).map(([cluster, found]) => [
    cluster,
    {
      external: found.flatMap((text) =>
        text.startsWith("host:") ? (resolver.get(text.slice("host:".length)) ?? []) : [text],
      ),
    },
  ]);
  return {
    ...table.federation,
    ttl: { max: table.federation.ttl, min: 30 },
    clusters: Object.fromEntries(clusters.map(({ name, ...cluster }) => [name, cluster])),
    services: ingress ? { [service]: { in: Object.fromEntries(placed) } } : {},
  };
}

/** Holds all A, AAAA and CNAME of the zone, but for names of clusters, to the records of a case. */
function expectRecords(zone: ZoneRecords, records: readonly string[]): void {
  const expected = records.map((record) => {
    const [owner = "", type = "", data = ""] = record.split(" ");
    const found = type === "CNAME" ? fullName(data) : data.split(",").sort().join(" | ");
    return `${fullName(owner)} ${type} ${table.federation.ttl} ${found}`;
  });
  const global = fullName("G");
  const atShort = expected
    .filter((line) => line.startsWith(`${global} `))
    .map((line) => line.replace(global, short));
  const names = zone.namesOf({ owner: table.federation.name, service });
  const found = [...names]
    .filter((name) => !/^c\d\./.test(name))
    .flatMap((name) => [...(zone.at(name)?.values() ?? [])])
    .filter(({ type }) => type !== "SRV")
    .flatMap(linesOf);
  expect(found.sort()).to.deep.equal([...expected, ...atShort].sort());
}

function fullName(name: string): string {
  return `${new Map(Object.entries(table.names)).get(name) ?? name}.`;
}
