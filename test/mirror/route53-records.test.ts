// Record sets of Route 53 in both directions, and what is sent for a change.

import { expect } from "chai";
import type { Change } from "../../src/mirror/provider.ts";
import type { RecordPart, RecordSet, Routing } from "../../src/mirror/record-set.ts";
import { sizeOf, toRoute53Changes } from "../../src/mirror/route53-changes.ts";
import {
  type Route53RecordSet,
  toRecordSets,
  toResourceRecordSet,
} from "../../src/mirror/route53-records.ts";

const plain = {
  Name: "www.example.com.",
  Type: "A",
  TTL: 60,
  ResourceRecords: [{ Value: "192.0.2.1" }, { Value: "192.0.2.2" }],
};
const part = { ttlSeconds: 60, values: ["192.0.2.1", "192.0.2.2"] };
const coordinates = { Latitude: "49.22", Longitude: "-74.01" };

const bothWays: { name: string; fields: Route53RecordSet; routing: Routing }[] = [
  {
    name: "coordinates",
    fields: { SetIdentifier: "a", GeoProximityLocation: { Coordinates: coordinates } },
    routing: { kind: "geoproximity", id: "a", latitude: "49.22", longitude: "-74.01" },
  },
  {
    name: "a region",
    fields: { SetIdentifier: "a", Region: "eu-west-1" },
    routing: { kind: "latency", id: "a", region: "eu-west-1" },
  },
  {
    name: "a continent",
    fields: { SetIdentifier: "a", GeoLocation: { ContinentCode: "EU" } },
    routing: { kind: "geolocation", id: "a", place: "continent:EU" },
  },
  {
    name: "a country",
    fields: { SetIdentifier: "a", GeoLocation: { CountryCode: "US" } },
    routing: { kind: "geolocation", id: "a", place: "US" },
  },
  {
    name: "everywhere else",
    fields: { SetIdentifier: "a", GeoLocation: { CountryCode: "*" } },
    routing: { kind: "geolocation", id: "a", place: "*" },
  },
  {
    name: "a weight",
    fields: { SetIdentifier: "a", Weight: 0 },
    routing: { kind: "weighted", id: "a", weight: 0 },
  },
];

const alias = {
  Name: "www.example.com.",
  Type: "A",
  AliasTarget: { HostedZoneId: "Z9", DNSName: "lb.example.net.", EvaluateTargetHealth: false },
};

/** What we never write, and what people are told of it. */
const others: { name: string; set: Route53RecordSet; text: string }[] = [
  { name: "an alias", set: alias, text: "alias of lb.example.net." },
  {
    name: "an alias with a weight",
    set: { ...alias, SetIdentifier: "a", Weight: 7 },
    text: "alias of lb.example.net., weight 7",
  },
  {
    name: "a health check",
    set: { ...plain, SetIdentifier: "a", Weight: 7, HealthCheckId: "h-1" },
    text: "weight 7, health check h-1",
  },
  {
    name: "a health check of a plain set",
    set: { ...plain, HealthCheckId: "h-1" },
    text: "health check h-1",
  },
  {
    name: "a failover",
    set: { ...plain, SetIdentifier: "a", Failover: "PRIMARY" },
    text: "failover primary",
  },
  {
    name: "a multivalue answer",
    set: { ...plain, SetIdentifier: "a", MultiValueAnswer: true },
    text: "multivalue answer",
  },
  {
    name: "client networks",
    set: { ...plain, SetIdentifier: "a", CidrRoutingConfig: { LocationName: "office" } },
    text: "client networks office",
  },
  {
    name: "a traffic policy",
    set: { ...plain, TrafficPolicyInstanceId: "t-1" },
    text: "traffic policy t-1",
  },
  {
    name: "a bias",
    set: {
      ...plain,
      SetIdentifier: "a",
      GeoProximityLocation: { Coordinates: coordinates, Bias: 10 },
    },
    text: "geoproximity 49.22 -74.01 10",
  },
  {
    name: "a region in place of coordinates",
    set: { ...plain, SetIdentifier: "a", GeoProximityLocation: { AWSRegion: "eu-west-1" } },
    text: "geoproximity eu-west-1",
  },
  {
    name: "a part of a country",
    set: {
      ...plain,
      SetIdentifier: "a",
      GeoLocation: { CountryCode: "US", SubdivisionCode: "NY" },
    },
    text: "geolocation US NY",
  },
  {
    name: "something of a later day",
    set: Object.assign({ ...plain, SetIdentifier: "a" }, { Tide: "high" }),
    text: "unknown routing",
  },
];

describe("record sets of Route 53", () => {
  it("are plain without an identifier", () => {
    const set = { name: "www.example.com.", type: "A", parts: [part] };
    expect(toRecordSets([plain])).to.deep.equal([set]);
    expect(toResourceRecordSet(set, part)).to.deep.equal(plain);
  });

  for (const { name, fields, routing } of bothWays) {
    it(`with ${name} are read and written`, () => {
      const routed = { ...part, routing };
      const set = { name: "www.example.com.", type: "A", parts: [routed] };
      expect(toRecordSets([{ ...plain, ...fields }])).to.deep.equal([set]);
      expect(toResourceRecordSet(set, routed)).to.deep.equal({ ...plain, ...fields });
    });
  }

  for (const { name, set, text } of others) {
    it(`with ${name} are told as "${text}" and written as they came`, () => {
      const [read] = toRecordSets([set]);
      const [only] = read?.parts ?? [];
      expect(only?.routing).to.deep.equal({
        kind: "other",
        id: set.SetIdentifier ?? "",
        text,
        raw: set,
      });
      expect(read && only && toResourceRecordSet(read, only)).to.equal(set);
    });
  }

  it("take a bias of zero for none, as the SDK gives what it does not find as undefined", () => {
    const [read] = toRecordSets([
      {
        ...plain,
        SetIdentifier: "a",
        Weight: undefined,
        GeoProximityLocation: { Coordinates: coordinates, Bias: 0, AWSRegion: undefined },
      },
    ]);
    expect(read?.parts[0]?.routing?.kind).to.equal("geoproximity");
  });

  it("are one of ours for each name and type, in order of appearance", () => {
    const read = toRecordSets([
      { ...plain, SetIdentifier: "b", Weight: 1 },
      { ...plain, Name: "\\052.example.com.", Type: "TXT" },
      { ...plain, SetIdentifier: "a", Weight: 2 },
    ]);
    expect(read.map(({ name, type, parts }) => [name, type, parts.length])).to.deep.equal([
      ["www.example.com.", "A", 2],
      ["*.example.com.", "TXT", 1],
    ]);
  });

  it("have no routing of another provider", () => {
    const routed: RecordPart = { ...part, routing: { kind: "geo", location: "europe-west1" } };
    expect(() => toResourceRecordSet({ name: "a.", type: "A" }, routed)).to.throw(
      "cannot write routing to Route 53: it has no such kind, got geo",
    );
  });
});

describe("a group of changes for Route 53", () => {
  const weighted = (id: string, weight: number, ...values: string[]): RecordPart => ({
    ttlSeconds: 60,
    values,
    routing: { kind: "weighted", id, weight },
  });
  const set = (type: string, ...parts: RecordPart[]): RecordSet => ({
    name: "www.example.com.",
    type,
    parts,
  });
  const cname = set("CNAME", { ttlSeconds: 60, values: ["a.example.com."] });
  const address = set("A", part);

  const cases: { name: string; changes: Change[]; sent: string[] }[] = [
    {
      name: "deletes before it creates, whatever comes first",
      changes: [
        { kind: "create", after: address },
        { kind: "delete", before: cname },
      ],
      sent: ["DELETE CNAME a.example.com.", "CREATE A 192.0.2.1 192.0.2.2"],
    },
    {
      name: "leaves alone the parts that stay",
      changes: [
        {
          kind: "update",
          before: set("A", weighted("a", 1, "192.0.2.1"), weighted("b", 1, "192.0.2.2")),
          after: set("A", weighted("b", 1, "192.0.2.2"), weighted("c", 1, "192.0.2.1")),
        },
      ],
      sent: ["DELETE A 192.0.2.1 a", "CREATE A 192.0.2.1 c"],
    },
    {
      name: "sends nothing for values in another order",
      changes: [
        {
          kind: "update",
          before: address,
          after: set("A", { ttlSeconds: 60, values: ["192.0.2.2", "192.0.2.1"] }),
        },
      ],
      sent: [],
    },
    {
      name: "sends a part anew whose TTL differs",
      changes: [{ kind: "update", before: address, after: set("A", { ...part, ttlSeconds: 61 }) }],
      sent: ["DELETE A 192.0.2.1 192.0.2.2", "CREATE A 192.0.2.1 192.0.2.2"],
    },
    {
      name: "deletes all deletions of several changes first",
      changes: [
        { kind: "update", before: address, after: set("A", { ...part, ttlSeconds: 61 }) },
        { kind: "delete", before: set("TXT", { ttlSeconds: 60, values: ['"x"'] }) },
      ],
      sent: ["DELETE A 192.0.2.1 192.0.2.2", 'DELETE TXT "x"', "CREATE A 192.0.2.1 192.0.2.2"],
    },
  ];
  for (const { name, changes, sent } of cases) {
    it(name, () => {
      const texts = toRoute53Changes(changes).map(({ Action, ResourceRecordSet: one }) =>
        [
          Action,
          one.Type,
          ...(one.ResourceRecords ?? []).map(({ Value }) => Value),
          ...(one.SetIdentifier ? [one.SetIdentifier] : []),
        ].join(" "),
      );
      expect(texts).to.deep.equal(sent);
    });
  }

  it("is as large as what it sends: changes, values, and their characters", () => {
    const changes: Change[] = [
      { kind: "delete", before: address },
      { kind: "create", after: set("TXT", { ttlSeconds: 60, values: ['"heritage=x"'] }) },
    ];
    expect(sizeOf(changes)).to.deep.equal({ changes: 2, values: 3, valueCharacters: 30 });
  });
});
