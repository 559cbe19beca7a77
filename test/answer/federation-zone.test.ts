// The federation's zone: its apex, its names as clusters and services come and go, and what must
// not stand beside them.

import { expect } from "chai";
import { compileFederationZone } from "../../src/answer/federation-zone.ts";
import { formatProblem } from "../../src/config/problem.ts";
import { formatName, type Name, nameKey } from "../../src/dns/name.ts";
import { formatRdata } from "../../src/dns/rdata-text.ts";
import { recordType } from "../../src/dns/record-types.ts";
import type { FederatedName } from "../../src/federation/names.ts";
import type { BuiltZone } from "../../src/zone/build.ts";
import { lookup } from "../../src/zone/lookup.ts";
import { parseMasterFile } from "../../src/zone/master-file.ts";
import type { DynamicNames } from "../../src/zone/zone.ts";
import { federatedNames } from "../kit/federated-names.ts";
import { type FederationSketch, modelOf } from "../kit/federation.ts";
import { wireNameOf } from "../kit/generated-queries.ts";

const ports = [
  { name: "http", port: 80 },
  { name: "dns", port: 53, protocol: "udp" as const },
  { name: "link", port: 9, protocol: "sctp" as const },
  { name: "", port: 7 },
];
const sketch: FederationSketch = {
  name: "fed",
  domain: "example.org",
  clusters: {
    c1: { region: "us", zones: ["us1", "us2"] },
    c2: { region: "eu", zones: ["eu1"] },
    c3: { zones: ["lost"] },
  },
  services: { "a/web": { in: { c1: { ports }, c3: { ports: [] } } } },
};

describe("the federation's zone", () => {
  it("has each name of the design, and the empty ones between", () => {
    const { zone, problems } = compile(sketch);
    expect(problems).to.deep.equal([]);
    expect(namesIn(zone, federatedIn(sketch))).to.deep.equal(
      [
        "example.org. SOA NS",
        "ns1.example.org. A",
        "fed.example.org.",
        "a.fed.example.org.",
        "web.a.fed.example.org. service",
        "_tcp.web.a.fed.example.org.",
        "_http._tcp.web.a.fed.example.org. port",
        "_udp.web.a.fed.example.org.",
        "_dns._udp.web.a.fed.example.org. port",
        "c1.web.a.fed.example.org. cluster",
        "c3.web.a.fed.example.org. cluster",
        "svc.example.org.",
        "fed.svc.example.org.",
        "a.fed.svc.example.org.",
        "web.a.fed.svc.example.org. service",
        "_tcp.web.a.fed.svc.example.org.",
        "_http._tcp.web.a.fed.svc.example.org. port",
        "_udp.web.a.fed.svc.example.org.",
        "_dns._udp.web.a.fed.svc.example.org. port",
        ...["us.", "us1.us.", "us2.us.", "eu.", "eu1.eu."].flatMap((place) => [
          `${place}example.org.`,
          `svc.${place}example.org.`,
          `fed.svc.${place}example.org.`,
          `a.fed.svc.${place}example.org.`,
          `web.a.fed.svc.${place}example.org. local`,
        ]),
      ].sort(),
    );
  });

  it("has an SOA, whose serial is put in when somebody asks, and NS of the Federation", () => {
    const { zone } = compile(sketch);
    const apex = zone.nodes.get("\x07example\x03org\x00");
    const texts = [...(apex?.rrsets.values() ?? [])].map(
      ({ type, ttlSeconds, rdatas }) =>
        `${ttlSeconds} ${recordType(type).mnemonic} ${rdatas.map((each) => formatRdata(type, each)).join(", ")}`,
    );
    expect(texts).to.deep.equal([
      "180 SOA ns1.example.org. hostmaster.example.org. 0 3600 600 604800 60",
      "180 NS ns1.example.org.",
    ]);
  });

  it("keeps no name of a service that is gone", () => {
    const names = federatedIn(sketch);
    const { zone } = compile({ ...sketch, services: { "b/other": { in: {} } } });
    expect(names.length).to.be.above(10);
    for (const name of names) {
      expect(lookup(zone, name, 1).kind, formatName(name)).to.be.oneOf(["nxdomain", "nodata"]);
      expect(zone.names?.find(name), formatName(name)).to.be.oneOf([undefined, "empty"]);
    }
    const left = namesIn(zone, names);
    expect(left).to.include("fed.example.org.");
    expect(left.filter((name) => name.includes("web"))).to.deep.equal([]);
    expect(left.filter((name) => name.includes("a.fed"))).to.deep.equal([]);
  });

  const clashes = [
    {
      name: "an address at a service's name",
      text: "ok A 192.0.2.1\nweb.a.fed A 192.0.2.1\n",
      expected: [
        "x.zone:2:1: cannot add record: the name is published by a federated service, got web.a.fed.example.org.",
      ],
    },
    {
      name: "the name in other case",
      text: "C1.Web.A.Fed TXT x\n",
      expected: [
        "x.zone:1:1: cannot add record: the name is published by a federated service, got C1.Web.A.Fed.example.org.",
      ],
    },
    {
      name: "an alias at a zonal name",
      text: "\n\nweb.a.fed.svc.us1.us CNAME elsewhere.test.\n",
      expected: [
        "x.zone:3:1: cannot add record: the name is published by a federated service, got web.a.fed.svc.us1.us.example.org.",
      ],
    },
    {
      name: "name servers at a service's name",
      text: "web.a.fed NS ns.elsewhere.test.\n",
      expected: [
        "x.zone:1:1: cannot add record: the name is published by a federated service, got web.a.fed.example.org.",
      ],
    },
    {
      name: "a delegation above federated names",
      text: "fed NS ns.elsewhere.test.\n",
      expected: [
        "x.zone:1:1: cannot add NS record: it delegates names of federated services, got fed.example.org.",
      ],
    },
    {
      name: "records at empty names between",
      text: "fed TXT x\na.fed.svc.us A 192.0.2.1\n*.web.a.fed A 192.0.2.1\n_tcp.web.a.fed TXT x\n",
      expected: [],
    },
    { name: "a delegation beside them", text: "b.fed NS ns.elsewhere.test.\n", expected: [] },
  ];
  for (const { name, text, expected } of clashes) {
    it(`${expected.length > 0 ? "refuses, with the place," : "takes"} ${name}`, () => {
      expect(compile(sketch, `$TTL 60\n${text}`).problems).to.deep.equal(
        expected.map((each) =>
          each.replace(/:(\d+):/, (_, line: string) => `:${Number(line) + 1}:`),
        ),
      );
    });
  }
});

function compile(from: FederationSketch, text = ""): { zone: CompiledZone; problems: string[] } {
  const { records } = parseMasterFile({
    file: "x.zone",
    text: Buffer.from(text),
    origin: wireNameOf("example.org"),
    include: () => ({ reason: "there is none" }),
  });
  const { zone, problems } = compileFederationZone(modelOf(from), records);
  return { zone, problems: problems.map(formatProblem) };
}

type CompiledZone = BuiltZone & { readonly names: DynamicNames<FederatedName> };

function federatedIn(from: FederationSketch): Name[] {
  return [...federatedNames(modelOf(from))].map(([name]) => name);
}

/** Each name of the zone, of those listed and of all above them, with its types or the kind that it is of. */
function namesIn({ apex, nodes, names }: CompiledZone, listed: readonly Name[]): string[] {
  const all = [...nodes.values()].map(({ name }) => name);
  for (const name of listed) {
    for (let at = 0; at < name.length - apex.length; at += (name[at] ?? 0) + 1) {
      all.push(name.subarray(at));
    }
  }
  const told = all.flatMap((name) => {
    const node = nodes.get(nameKey(name));
    const found = names.find(name);
    if (!node && found === undefined) return [];
    const types = [...(node?.rrsets.keys() ?? [])].map((type) => recordType(type).mnemonic);
    const kinds = found === undefined || found === "empty" ? [] : [found.kind];
    return [[formatName(name), ...types, ...kinds].join(" ")];
  });
  return [...new Set(told)].sort();
}
