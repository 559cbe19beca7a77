// What a plain mirror should hold at the names of a whole service, as a table.

import { expect } from "chai";
import {
  both,
  desired,
  dual,
  eu,
  euOne,
  global,
  linesAt,
  ofOne,
  one,
  port,
  type Row,
  routed,
  short,
  two,
  us,
} from "./desired-sketch.ts";
import { linesOf } from "./record-sketch.ts";

const rows: readonly Row[] = [
  {
    name: "all that is healthy, the same at the short name",
    at: [global, short],
    sets: [`${global} A 180 192.0.2.1 | 192.0.2.2`, `${short} A 180 192.0.2.1 | 192.0.2.2`],
  },
  {
    name: "what is voted down is left out",
    down: ["192.0.2.1"],
    sets: [`${global} A 180 192.0.2.2`],
  },
  {
    name: "what ramps up is up",
    down: { "192.0.2.1": 0.01 },
    sets: [`${global} A 180 192.0.2.1 | 192.0.2.2`],
  },
  ...(["open", "empty", "servfail"] as const).map(
    (onAllDown): Row => ({
      name: `with all down all is given, TTL min, whatever onAllDown says: ${onAllDown}`,
      policy: { onAllDown },
      down: ["192.0.2.1", "192.0.2.2"],
      sets: [`${global} A 30 192.0.2.1 | 192.0.2.2`],
    }),
  ),
  {
    name: "one family may be down while the other is not",
    placed: dual,
    down: ["2001:db8::1", "2001:db8::2", "192.0.2.1"],
    sets: [`${global} A 180 192.0.2.2`, `${global} AAAA 30 2001:db8::1 | 2001:db8::2`],
  },
  {
    name: "maxAddresses and nearest cut nothing",
    policy: { maxAddresses: 1, mode: "nearest" },
    sets: [`${global} A 180 192.0.2.1 | 192.0.2.2`],
  },
  {
    name: "the mirror's own TTL",
    ttlSeconds: 7,
    down: ["192.0.2.1", "192.0.2.2"],
    at: [global, eu],
    sets: [`${global} A 7 192.0.2.1 | 192.0.2.2`, `${eu} CNAME 7 ${global}`],
  },
  { name: "a drained cluster is left out", drained: ["one"], sets: [`${global} A 180 192.0.2.2`] },
  {
    name: "and its region leads on",
    drained: ["one"],
    at: [eu, euOne],
    sets: [`${eu} CNAME 180 ${global}`, `${euOne} CNAME 180 ${eu}`],
  },
  { name: "drained it has none even where it is alone", drained: ["one", "two"], sets: [] },
  {
    name: "a disabled cluster is left out",
    clusters: routed({ enabled: false }),
    sets: [`${global} A 180 192.0.2.2`],
  },
  {
    name: "a cluster whose filter leaves the service out is left out",
    clusters: routed({ endpoints: { excludeNamespaces: ["a"] } }),
    sets: [`${global} A 180 192.0.2.2`],
  },
  {
    name: "a drained cluster is not asked when all others are down",
    drained: ["one"],
    down: ["192.0.2.2"],
    sets: [`${global} A 30 192.0.2.2`],
  },
  {
    name: "all priorities and weights are given",
    clusters: routed({ priority: 500, weight: 0, localPreference: false }),
    sets: [`${global} A 180 192.0.2.1 | 192.0.2.2`],
  },
  {
    name: "allowCrossClusterTraffic: false is left out beside others",
    clusters: routed({ allowCrossClusterTraffic: false }),
    at: [global, eu],
    sets: [`${global} A 180 192.0.2.2`, `${eu} CNAME 180 ${global}`],
  },
  {
    name: "and beside others that are down",
    clusters: routed({ allowCrossClusterTraffic: false }),
    down: ["192.0.2.2"],
    sets: [`${global} A 30 192.0.2.2`],
  },
  {
    name: "alone it is given: all clients are its own then",
    clusters: routed({ allowCrossClusterTraffic: false }),
    placed: { one: { external: ["192.0.2.1"] } },
    at: [global, eu, us, port],
    sets: [
      `${global} A 180 192.0.2.1`,
      `${eu} A 180 192.0.2.1`,
      `${us} CNAME 180 ${global}`,
      `${port} SRV 180 0 65535 80 ${ofOne}`,
    ],
  },
  {
    name: "of several such clusters none is everybody's",
    clusters: {
      one: { ...one, routing: { allowCrossClusterTraffic: false } },
      two: { ...two, routing: { allowCrossClusterTraffic: false } },
    },
    at: [global, port, eu],
    sets: [`${eu} CNAME 180 ${global}`],
  },
  {
    name: "endpoints that are not ready make their cluster sick",
    placed: { ...both, one: { external: ["192.0.2.1"], endpoints: [["10.0.0.1", false]] } },
    sets: [`${global} A 180 192.0.2.2`],
  },
  {
    name: "one that is ready is enough",
    placed: {
      ...both,
      one: {
        external: ["192.0.2.1"],
        endpoints: [
          ["10.0.0.1", false],
          ["10.0.0.2", true],
        ],
      },
    },
    sets: [`${global} A 180 192.0.2.1 | 192.0.2.2`],
  },
  {
    name: "none ready anywhere is all down",
    placed: { one: { external: ["192.0.2.1"], endpoints: [["10.0.0.1", false]] } },
    sets: [`${global} A 30 192.0.2.1`],
  },
  {
    name: "no endpoint at all has no data, as there is nothing to fail open to",
    placed: { one: { external: ["192.0.2.1"], endpoints: [] } },
    at: [global, port, ofOne, eu],
    sets: [`${eu} CNAME 180 ${global}`],
  },
  {
    name: "names are in lower case",
    clusters: { one: { ...one, region: "EU", zones: ["Z1"] }, two },
    at: [eu, euOne],
    sets: [`${eu} A 180 192.0.2.1`, `${euOne} A 180 192.0.2.1`],
  },
  {
    name: "the same address of two clusters is there once",
    placed: { ...both, two: { external: ["192.0.2.1"] } },
    sets: [`${global} A 180 192.0.2.1`],
  },
  {
    name: "no more values than the provider takes",
    mostValues: 1,
    sets: [`${global} A 180 192.0.2.1`],
  },
];

describe("what a plain mirror should hold", () => {
  for (const row of rows) {
    it(row.name, () => {
      expect(linesAt(row)).to.deep.equal([...row.sets].sort());
    });
  }

  it("says where it cut values, and where it borrowed a family", () => {
    const factsOf = (row: Partial<Row>) => desired({ ...row }).facts;
    expect(factsOf({})).to.deep.equal({ hasBorrowedFamily: false, isCut: false });
    expect(factsOf({ mostValues: 1 })).to.deep.equal({ hasBorrowedFamily: false, isCut: true });
    expect(factsOf({ placed: dual, down: ["192.0.2.1"] })).to.deep.equal({
      ...{ hasBorrowedFamily: true, isCut: false },
    });
  });

  it("has nothing for a service that no cluster runs but names that lead on", () => {
    const types = desired({ placed: {} }).sets.map(({ type }) => type);
    expect(new Set(types)).to.deep.equal(new Set(["CNAME"]));
  });

  it("does not fail open in a mirror where this server still has an answer", () => {
    // One address of eight up: all others stay out, however few clients it can carry.
    const many = Array.from({ length: 8 }, (_, at) => `192.0.2.${at + 1}`);
    const { sets } = desired({ placed: { one: { external: many } }, down: many.slice(1) });
    const lines = sets.filter(({ name }) => name === global).flatMap(linesOf);
    expect(lines).to.deep.equal([`${global} A 180 192.0.2.1`]);
  });
});
