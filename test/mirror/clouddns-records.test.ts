// How record sets of the Cloud DNS API become those of mirrors, and the way back.

import { expect } from "chai";
import fc from "fast-check";
import {
  type CloudDnsRecordSet,
  cloudDnsRecordSetOf,
  foldedName,
  recordSetOf,
  rrdataOctets,
} from "../../src/mirror/clouddns-records.ts";
import { MirrorError } from "../../src/mirror/provider.ts";
import type { RecordPart, RecordSet } from "../../src/mirror/record-set.ts";

const name = "web.shop.example.com.";

describe("record sets of Cloud DNS", () => {
  const read: { name: string; found: CloudDnsRecordSet; parts: readonly RecordPart[] }[] = [
    {
      name: "plain records are one part, values in their order",
      found: {
        kind: "dns#resourceRecordSet",
        name,
        type: "A",
        ttl: 30,
        rrdatas: ["192.0.2.9", "192.0.2.1"],
        signatureRrdatas: [],
      },
      parts: [{ ttlSeconds: 30, values: ["192.0.2.9", "192.0.2.1"] }],
    },
    {
      name: "a TTL that JSON left out is zero",
      found: { name, type: "A", rrdatas: ["192.0.2.1"] },
      parts: [{ ttlSeconds: 0, values: ["192.0.2.1"] }],
    },
    {
      name: "geo without fencing is a part for each location",
      found: {
        name,
        type: "A",
        ttl: 60,
        routingPolicy: {
          kind: "dns#rRSetRoutingPolicy",
          geo: {
            kind: "dns#rRSetRoutingPolicyGeoPolicy",
            enableFencing: false,
            items: [
              { kind: "x", location: "us-east1", rrdatas: ["192.0.2.1"], signatureRrdatas: [] },
              { location: "europe-west3", rrdatas: ["192.0.2.2", "192.0.2.3"] },
            ],
          },
        },
      },
      parts: [
        { ttlSeconds: 60, values: ["192.0.2.1"], routing: { kind: "geo", location: "us-east1" } },
        {
          ttlSeconds: 60,
          values: ["192.0.2.2", "192.0.2.3"],
          routing: { kind: "geo", location: "europe-west3" },
        },
      ],
    },
    {
      name: "wrr is a part for each weight, zero where JSON left it out",
      found: {
        name,
        type: "A",
        ttl: 60,
        routingPolicy: {
          wrr: { items: [{ weight: 0.5, rrdatas: ["192.0.2.1"] }, { rrdatas: ["192.0.2.2"] }] },
        },
      },
      parts: [
        { ttlSeconds: 60, values: ["192.0.2.1"], routing: { kind: "wrr", at: 0, weight: 0.5 } },
        { ttlSeconds: 60, values: ["192.0.2.2"], routing: { kind: "wrr", at: 1, weight: 0 } },
      ],
    },
  ];
  for (const row of read) {
    it(row.name, () => {
      expect(recordSetOf(row.found)).to.deep.equal({
        name,
        type: row.found.type,
        parts: row.parts,
      });
    });
  }

  const item = { location: "us-east1", rrdatas: ["192.0.2.1"] };
  const others: { text: string; found: CloudDnsRecordSet }[] = [
    {
      text: "geo routing with fencing",
      found: {
        name,
        type: "A",
        ttl: 5,
        routingPolicy: { geo: { enableFencing: true, items: [item] } },
      },
    },
    {
      text: "geo routing",
      found: {
        name,
        type: "A",
        ttl: 5,
        routingPolicy: {
          geo: { items: [{ ...item, healthCheckedTargets: { externalEndpoints: ["192.0.2.1"] } }] },
        },
      },
    },
    {
      text: "healthCheck and geo routing",
      found: {
        name,
        type: "A",
        ttl: 5,
        routingPolicy: { healthCheck: "hc", geo: { items: [item] } },
      },
    },
    {
      text: "primaryBackup routing",
      found: { name, type: "A", ttl: 5, routingPolicy: { primaryBackup: { trickleTraffic: 0.1 } } },
    },
    {
      text: "geo and wrr routing",
      found: {
        name,
        type: "A",
        ttl: 5,
        routingPolicy: { geo: { items: [item] }, wrr: { items: [{ rrdatas: ["192.0.2.1"] }] } },
      },
    },
    {
      text: "with signatureRrdatas",
      found: { name, type: "A", ttl: 5, rrdatas: ["192.0.2.1"], signatureRrdatas: ["A 8 3 ..."] },
    },
    { text: "without records", found: { name, type: "A", ttl: 5 } },
    {
      text: "with invention",
      found: { name, type: "A", ttl: 5, rrdatas: ["192.0.2.1"], invention: { of: "tomorrow" } },
    },
  ];
  for (const { text, found } of others) {
    it(`what mirrors cannot say (${text}, ${JSON.stringify(found).length} characters) is kept whole`, () => {
      const read = recordSetOf(found);
      expect(read.parts.map(({ routing }) => routing?.kind)).to.deep.equal(["other"]);
      expect(read.parts[0]?.routing).to.include({ text });
      expect(cloudDnsRecordSetOf(read)).to.deep.equal(found);
    });
  }

  it("what is written is read as the same", () => {
    const values = fc.uniqueArray(fc.ipV4(), { minLength: 1, maxLength: 4 });
    const ttl = fc.nat(604_800);
    const plain = fc.record({ ttlSeconds: ttl, values }).map((part) => [part]);
    const geo = fc
      .tuple(
        ttl,
        fc.uniqueArray(fc.constantFrom("us-east1", "us-west1", "asia-east1"), { minLength: 1 }),
        values,
      )
      .map(([ttlSeconds, locations, values]) =>
        locations.map((location) => ({
          ttlSeconds,
          values,
          routing: { kind: "geo" as const, location },
        })),
      );
    const wrr = fc
      .tuple(ttl, fc.array(fc.nat(1000), { minLength: 1, maxLength: 4 }), values)
      .map(([ttlSeconds, weights, values]) =>
        weights.map((weight, at) => ({
          ttlSeconds,
          values,
          routing: { kind: "wrr" as const, at, weight },
        })),
      );
    fc.assert(
      fc.property(fc.oneof(plain, geo, wrr), (parts) => {
        const wanted: RecordSet = { name, type: "A", parts };
        const sent: unknown = JSON.parse(JSON.stringify(cloudDnsRecordSetOf(wanted)));
        expect(sent).to.deep.equal(cloudDnsRecordSetOf(wanted));
        expect(recordSetOf(cloudDnsRecordSetOf(wanted))).to.deep.equal(wanted);
      }),
    );
  });

  it("items of wrr are sent by their place", () => {
    const parts = [1, 0].map((at) => ({
      ttlSeconds: 5,
      values: [`192.0.2.${at}`],
      routing: { kind: "wrr" as const, at, weight: 10 + at },
    }));
    expect(cloudDnsRecordSetOf({ name, type: "A", parts }).routingPolicy).to.deep.equal({
      wrr: {
        items: [
          { weight: 10, rrdatas: ["192.0.2.0"] },
          { weight: 11, rrdatas: ["192.0.2.1"] },
        ],
      },
    });
  });

  const values = ["192.0.2.1"];
  const geo = { kind: "geo", location: "us-east1" } as const;
  const refused: { parts: readonly RecordPart[]; message: string }[] = [
    { parts: [], message: "it has no records" },
    {
      parts: [
        { ttlSeconds: 5, values },
        { ttlSeconds: 5, values },
      ],
      message: "parts without routing are one",
    },
    {
      parts: [
        { ttlSeconds: 5, values, routing: geo },
        { ttlSeconds: 6, values, routing: { ...geo, location: "us-west1" } },
      ],
      message: "all parts of a record set have one TTL, got 5 and 6",
    },
    {
      parts: [
        { ttlSeconds: 5, values, routing: geo },
        { ttlSeconds: 5, values, routing: { kind: "latency", id: "x", region: "us-east-1" } },
      ],
      message: "it takes geo or wrr, got geo and latency",
    },
    {
      parts: [
        { ttlSeconds: 5, values, routing: geo },
        { ttlSeconds: 5, values },
      ],
      message: "it takes geo or wrr, got geo and no routing",
    },
  ];
  for (const { parts, message } of refused) {
    it(`refuses what Cloud DNS has no form for: ${message}`, () => {
      expect(() => cloudDnsRecordSetOf({ name, type: "A", parts }))
        .to.throw(MirrorError, `cannot write ${name} A to Cloud DNS: ${message}`)
        .with.property("code", "refused");
    });
  }

  it("counts the octets of rdata, also where only the raw object has it", () => {
    expect(rrdataOctets(recordSetOf({ name, type: "TXT", rrdatas: ['"é"', '"b"'] }))).to.equal(7);
    const routed = { primaryBackup: { primaryTargets: {}, backupGeoTargets: { items: [item] } } };
    expect(rrdataOctets(recordSetOf({ name, type: "A", ttl: 5, routingPolicy: routed }))).to.equal(
      9,
    );
  });

  const names: [found: string, folded: string][] = [
    ["WWW.Example.COM.", "www.example.com."],
    ["*.example.com.", "*.example.com."],
    ["\\042.example.com.", "*.example.com."],
    ["a/b.example.com.", "a\\047b.example.com."],
    ["a\\.b.example.com.", "a\\046b.example.com."],
    ["no-final-dot.example.com", "no-final-dot.example.com."],
  ];
  for (const [found, folded] of names) {
    it(`writes the name ${found} as ${folded}`, () => {
      expect(foldedName(found)).to.equal(folded);
    });
  }
});
