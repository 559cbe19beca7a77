// How a query is told in the log: who asked and where that was taken to be, by the same rules as for
// the answer.

import { expect } from "chai";
import { originOf } from "../../src/answer/answer-note.ts";
import { otherCluster } from "../../src/answer/cluster-numbers.ts";
import { type QueryPlaces, queryLine, seenQuery } from "../../src/cli/query-seen.ts";
import type { QueryRecord } from "../../src/server/query-record.ts";
import { address } from "../geo/addresses.ts";
import { compileWorld } from "../kit/compile-world.ts";
import { ecsOption, wireName } from "../kit/dns-client.ts";
import { filesOf } from "../kit/federation.ts";

const { snapshot, locations } = compileWorld({
  files: filesOf({
    clusters: {
      c1: { networks: ["10.1.0.0/16"], region: "us-central1", at: [41.3, -95.9] },
      c2: { networks: ["10.2.0.0/16"], at: [48.8, 2.3] },
    },
    services: {},
  }),
  overrides: [
    { network: "203.0.113.0/25", latitude: -17.7, longitude: 178, country: "FJ" },
    { network: "203.0.113.128/25", country: "FR" },
    { network: "198.51.100.0/25", region: "europe-west2" },
    { network: "198.51.100.128/25", latitude: 1.25, longitude: -2 },
    { network: "2001:db8:77::/48", country: "JP" },
  ],
  trustedResolvers: ["192.0.2.53/32"],
});
const places: QueryPlaces = {
  views: snapshot.views,
  locations,
  trustedResolvers: snapshot.settings.trustedResolvers,
  clusters: snapshot.model.clusters,
};
const names = {
  listener: (index: number) => `127.0.0.1:530${index}`,
  clusters: () => ["c1", "c2"],
};

const record: QueryRecord = {
  timeMs: Date.UTC(2026, 10, 21, 13, 40, 0, 123),
  listener: 1,
  transport: "udp",
  source: address("203.0.113.7"),
  ecs: undefined,
  question: { name: wireName("My-Service.example.com"), type: 28, class: 1 },
  answers: 3,
  octets: 140,
  isTruncated: false,
  note: { origin: originOf(2, "distance"), path: 0, rcode: 0 },
};

const clients = [
  { name: "a country's", source: "203.0.113.200", client: "203.0.113.200", label: "FR" },
  { name: "a country's with a place", source: "203.0.113.7", client: "203.0.113.7", label: "FJ" },
  { name: "a region's", source: "198.51.100.1", client: "198.51.100.1", label: "europe-west2" },
  { name: "a place's", source: "198.51.100.200", client: "198.51.100.200", label: "1.3,-2.0" },
  { name: "a cluster's", source: "10.2.0.9", client: "10.2.0.9", label: "inside c2" },
  { name: "nobody knows whose", source: "192.0.2.1", client: "192.0.2.1", label: "unknown" },
  { name: "an IPv6 one", source: "2001:db8:77::1", client: "2001:db8:77::1", label: "JP" },
  {
    name: "a resolver's for a prefix",
    source: "192.0.2.1",
    subnet: "203.0.113.0/26",
    client: "203.0.113.0/26",
    resolver: "192.0.2.1",
    label: "FJ",
  },
  {
    name: "a trusted resolver's for a prefix inside",
    source: "192.0.2.53",
    subnet: "10.1.7.0/24",
    client: "10.1.7.0/24",
    resolver: "192.0.2.53",
    label: "inside c1",
  },
  {
    name: "anybody's for a prefix inside, which is not believed",
    source: "192.0.2.1",
    subnet: "10.1.7.0/24",
    client: "10.1.7.0/24",
    resolver: "192.0.2.1",
    label: "us-central1",
  },
  {
    name: "a resolver's that wants an answer for itself",
    source: "203.0.113.200",
    subnet: "0.0.0.0/0",
    client: "203.0.113.200",
    label: "FR",
  },
];

describe("a query in the words of its log", () => {
  for (const { name, source, subnet, client, resolver = null, label } of clients) {
    it(`names the client and its place where the address is ${name}`, () => {
      const ecs = subnet === undefined ? undefined : ecsOption(subnet);
      const seen = seenQuery({ ...record, source: address(source), ecs }, places, names);
      expect({
        client: seen.client,
        resolver: seen.resolver,
        label: seen.view.label,
      }).to.deep.equal({
        client,
        resolver,
        label,
      });
    });
  }

  it("knows where countries, regions and clusters are", () => {
    const placeOf = (source: string) =>
      seenQuery({ ...record, source: address(source) }, places, names).view.coordinates;
    expect(placeOf("203.0.113.7")).to.deep.equal({ latitude: -17.7, longitude: 178 });
    expect(placeOf("203.0.113.200")?.latitude).to.be.within(42, 51);
    expect(placeOf("10.2.0.9")).to.deep.equal({ latitude: 48.8, longitude: 2.3 });
    expect(placeOf("192.0.2.1")).to.equal(undefined);
  });

  it("is one line of JSON with all that is known", () => {
    const line = queryLine(seenQuery(record, places, names));
    expect(line).not.to.contain("\n");
    expect(JSON.parse(line)).to.deep.equal({
      time: "2026-11-21T13:40:00.123Z",
      client: "203.0.113.7",
      resolver: null,
      name: "My-Service.example.com.",
      type: "AAAA",
      rcode: "NOERROR",
      cluster: "c2",
      level: "distance",
      view: "FJ",
      truncated: false,
      class: "IN",
      listener: "127.0.0.1:5301",
      transport: "udp",
      answers: 3,
      octets: 140,
      path: "plan",
    });
  });

  it("says null for what there is not, and `(other)` for clusters that are not told apart", () => {
    const unread = { ...record, question: undefined, note: { origin: 0, path: 3, rcode: 1 } };
    expect(JSON.parse(queryLine(seenQuery(unread, places, names)))).to.include({
      name: null,
      type: null,
      class: null,
      cluster: null,
      level: null,
      rcode: "FORMERR",
      path: "full",
    });
    const note = { ...record.note, origin: originOf(otherCluster, "front") };
    const seen = seenQuery({ ...record, note }, places, names);
    expect([seen.cluster, seen.level]).to.deep.equal(["(other)", "front"]);
  });

  it("stays one line whatever octets a name has", () => {
    const name = Uint8Array.of(4, 0x0a, 0x22, 0x5c, 0xff, 0);
    const seen = seenQuery({ ...record, question: { name, type: 1, class: 3 } }, places, names);
    const line = queryLine(seen);
    expect(line).to.match(/^[\x20-\x7e]+$/);
    expect(JSON.parse(line)).to.include({ name: '\\010\\"\\\\\\255.', class: "CH" });
  });
});
