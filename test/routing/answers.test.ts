// Whole routes (semantics 3 to 5): the order of the answer, what is left of it when endpoints fail,
// its TTL, and what it depended on.

import { expect } from "chai";
import type { ClusterSketch, PlacedSketch, ServiceSketch } from "../kit/federation.ts";
import { type AskSketch, ask, orderOf, serviceInAll } from "./ask.ts";

interface Row extends AskSketch {
  readonly name: string;
  readonly clusters?: Readonly<Record<string, ClusterSketch>>;
  readonly placed?: Readonly<Record<string, PlacedSketch>>;
  readonly policy?: Omit<ServiceSketch, "in">;
  readonly outcome?: "answer" | "nodata" | "servfail";
  readonly isFailOpen?: boolean;
  readonly ttlSeconds?: number;
  /** The clusters with their ranks, `a0 b1`. */
  readonly expected: string;
}

const near = { at: [0, 0] } as const;
const inside = { inside: "a" };
/** On the equator, in this order from `near`. */
const three = { a: { at: [0, 1] }, b: { at: [0, 20] }, c: { at: [0, 40] } } as const;
const allDown = { "192.0.2.1": 0, "192.0.2.2": 0, "192.0.2.3": 0 };
const notReady = { endpoints: [["10.9.0.1", false]] } as const;
const noPods = { endpoints: [] };
const ttl = { max: 100, min: 7 };

const ordered: Row[] = [
  { name: "the client's level first, then the others outward", client: near, expected: "a0 b1 c2" },
  { name: "the client's own cluster first", client: { inside: "c" }, expected: "c0 b1 a2" },
  {
    name: "nearest gives the client's level alone",
    client: near,
    policy: { mode: "nearest" },
    expected: "a0",
  },
  {
    name: "nearest gives the whole level",
    clusters: { ...three, c: { ...three.c, routing: { localPreference: false, weight: 0 } } },
    client: near,
    policy: { mode: "nearest" },
    expected: "a0 c0",
  },
  {
    name: "a sick cluster is not given",
    client: near,
    health: { "192.0.2.2": 0 },
    expected: "a0 c1",
  },
  {
    name: "a sick home is passed over",
    client: near,
    health: { "192.0.2.1": 0 },
    expected: "b0 c1",
  },
  {
    name: "a sick home is passed over with nearest",
    client: near,
    health: { "192.0.2.1": 0 },
    policy: { mode: "nearest" },
    expected: "b0",
  },
  {
    name: "no more clusters than addresses",
    client: near,
    policy: { maxAddresses: 2 },
    expected: "a0 b1",
  },
  {
    name: "weight 0 stands behind all others of its level",
    clusters: {
      a: { at: [0, 1], routing: { weight: 0 } },
      b: { at: [0, 20], routing: { localPreference: false, weight: 1 } },
      c: three.c,
    },
    client: near,
    expected: "b0 a0 c1",
  },
  {
    name: "weight 0 is used if nothing else is left",
    clusters: { a: { routing: { weight: 0 } }, b: {} },
    health: { "192.0.2.2": 0 },
    expected: "a0",
  },
  {
    name: "a client that spills has its own level first, home's after it",
    client: near,
    placed: {
      a: {
        endpoints: [
          ["10.9.0.1", true],
          ["10.9.0.2", false],
          ["10.9.0.3", false],
        ],
      },
    },
    prefix: "198.51.100.0",
    expected: "b0 a1 c2",
  },
  {
    name: "a client that an endpoint which ramps up cannot carry yet has it behind its own level's",
    client: near,
    health: { "192.0.2.1": 0.2 },
    prefix: "198.51.100.0",
    expected: "b0 a1 c2",
  },
  {
    name: "the one healthy endpoint takes all while it ramps up",
    client: near,
    health: { "192.0.2.1": 0, "192.0.2.2": 0.01, "192.0.2.3": 0 },
    expected: "b0",
  },
  {
    name: "a client that does not spill stays at home",
    client: near,
    placed: {
      a: {
        endpoints: [
          ["10.9.0.1", true],
          ["10.9.0.2", false],
          ["10.9.0.3", false],
        ],
      },
    },
    prefix: "192.0.2.0",
    expected: "a0 b1 c2",
  },
];

const down: Row[] = [
  {
    name: "with nothing healthy the answer is as if all were",
    client: near,
    health: allDown,
    isFailOpen: true,
    ttlSeconds: 7,
    expected: "a0 b1 c2",
  },
  {
    name: "with nothing healthy nearest gives home",
    client: near,
    health: allDown,
    policy: { mode: "nearest" },
    isFailOpen: true,
    ttlSeconds: 7,
    expected: "a0",
  },
  {
    name: "onAllDown empty gives nothing",
    health: allDown,
    policy: { onAllDown: "empty" },
    outcome: "nodata",
    expected: "",
  },
  {
    name: "onAllDown servfail fails",
    health: allDown,
    policy: { onAllDown: "servfail" },
    outcome: "servfail",
    expected: "",
  },
  {
    name: "onAllDown is nothing to a service that has one healthy endpoint",
    client: near,
    health: { "192.0.2.1": 0, "192.0.2.2": 0 },
    policy: { onAllDown: "servfail" },
    expected: "c0",
  },
  {
    name: "endpoints that are all not ready are all down",
    client: near,
    placed: { a: notReady, b: notReady, c: notReady },
    isFailOpen: true,
    ttlSeconds: 7,
    expected: "a0 b1 c2",
  },
  {
    name: "endpoints that are all not ready are all down for a client inside",
    client: inside,
    placed: { a: notReady, b: notReady, c: notReady },
    isFailOpen: true,
    ttlSeconds: 7,
    expected: "a0 b1 c2",
  },
  {
    name: "fail-open leaves out a cluster without any endpoint",
    client: near,
    placed: { a: noPods, b: notReady, c: notReady },
    isFailOpen: true,
    ttlSeconds: 7,
    expected: "b0 c1",
  },
  {
    name: "a service without any endpoint has no data",
    placed: { a: noPods, b: noPods, c: noPods },
    outcome: "nodata",
    expected: "",
  },
  {
    name: "a service without any endpoint has no data, whatever onAllDown says",
    placed: { a: noPods, b: noPods, c: noPods },
    policy: { onAllDown: "servfail" },
    outcome: "nodata",
    expected: "",
  },
  {
    name: "a service without any address has no data",
    placed: { a: { external: [] }, b: { external: [] }, c: { external: [] } },
    outcome: "nodata",
    expected: "",
  },
  {
    name: "a service whose clusters are all disabled has no data",
    clusters: { a: { routing: { enabled: false } } },
    outcome: "nodata",
    expected: "",
  },
  {
    name: "disabled clusters are no help when the others are down",
    clusters: { ...three, b: { ...three.b, routing: { enabled: false } } },
    client: near,
    health: { "192.0.2.1": 0, "192.0.2.3": 0 },
    isFailOpen: true,
    ttlSeconds: 7,
    expected: "a0 c1",
  },
];

for (const [title, rows] of Object.entries({
  order: ordered,
  "order when endpoints are down": down,
})) {
  describe(`the ${title} of a route`, () => {
    for (const row of rows) {
      it(row.name, () => {
        const sketch = serviceInAll(row.clusters ?? three, row.placed, { ttl, ...row.policy });
        const route = ask(sketch, row);
        const order = route.order.map(({ candidate, rank }) => `${candidate.cluster.name}${rank}`);
        expect(order.join(" ")).to.equal(row.expected);
        expect(route.outcome).to.equal(row.outcome ?? "answer");
        expect(route.isFailOpen).to.equal(row.isFailOpen ?? false);
        expect(route.ttlSeconds).to.equal(row.ttlSeconds ?? 100);
      });
    }
  });
}

describe("the levels of a route", () => {
  it("list clusters without a healthy endpoint last, behind those of weight 0 too", () => {
    const clusters = { a: {}, b: { routing: { weight: 0 } }, c: {}, d: {} };
    const sketch = serviceInAll(clusters);
    for (let site = 0; site < 20; site++) {
      const health = { "192.0.2.1": 0, "192.0.2.3": 0 };
      const [level] = ask(sketch, { health, prefix: `203.0.${site}.0` }).levels;
      const names = level?.candidates.map(({ cluster }) => cluster.name) ?? [];
      expect(names.slice(0, 2)).to.deep.equal(["d", "b"]);
    }
  });
});

interface DependenceRow extends AskSketch {
  readonly name: string;
  readonly clusters: Readonly<Record<string, ClusterSketch>>;
  readonly placed?: Readonly<Record<string, PlacedSketch>>;
  readonly policy?: Omit<ServiceSketch, "in">;
  readonly expected: { place: boolean; prefix: boolean };
}

const front = { localPreference: false };
const oneOfThree = {
  endpoints: [
    ["10.9.0.1", true],
    ["10.9.0.2", false],
    ["10.9.0.3", false],
  ],
} as const;

const dependences: DependenceRow[] = [
  { name: "one cluster: nothing", clusters: { a: {} }, expected: { place: false, prefix: false } },
  {
    name: "one cluster that serves its own alone: where the client is",
    clusters: { a: { at: [0, 0], routing: { allowCrossClusterTraffic: false } } },
    client: near,
    expected: { place: true, prefix: false },
  },
  {
    name: "levels of one cluster: where the client is",
    clusters: three,
    client: near,
    expected: { place: true, prefix: false },
  },
  {
    name: "a level of two: the draw too",
    clusters: { a: {}, b: {} },
    expected: { place: true, prefix: true },
  },
  {
    name: "a level of two of which one is down: no draw",
    clusters: { a: {}, b: {} },
    health: { "192.0.2.1": 0 },
    expected: { place: true, prefix: false },
  },
  {
    name: "a level of two of which one has weight 0: no draw",
    clusters: { a: { routing: { weight: 0 } }, b: {} },
    expected: { place: true, prefix: false },
  },
  {
    name: "a far level of two: the draw, for its order is in the answer",
    clusters: { a: { at: [0, 0] }, b: { at: [0, 20] }, c: { at: [0, -20.1] } },
    client: near,
    expected: { place: true, prefix: true },
  },
  {
    name: "a far level of two with nearest: no draw",
    clusters: { a: { at: [0, 0] }, b: { at: [0, 20] }, c: { at: [0, -20.1] } },
    client: near,
    policy: { mode: "nearest" },
    expected: { place: true, prefix: false },
  },
  {
    name: "a far level of two past the last address: no draw",
    clusters: { a: { at: [0, 0] }, b: { at: [0, 20] }, c: { at: [0, -20.1] } },
    client: near,
    policy: { maxAddresses: 1 },
    expected: { place: true, prefix: false },
  },
  {
    name: "a far level of two of which one finds room: the draw",
    clusters: { a: { at: [0, 0] }, b: { at: [0, 20] }, c: { at: [0, -20.1] } },
    client: near,
    policy: { maxAddresses: 2 },
    expected: { place: true, prefix: true },
  },
  {
    name: "two of weight 0 behind the last address: no draw",
    clusters: { a: {}, b: { routing: { weight: 0 } }, c: { routing: { weight: 0 } } },
    policy: { maxAddresses: 1 },
    expected: { place: true, prefix: false },
  },
  {
    name: "a spill: the client's own number",
    clusters: three,
    placed: { a: oneOfThree },
    client: near,
    expected: { place: true, prefix: true },
  },
  {
    name: "a sick level that nobody is left for: no spill",
    clusters: three,
    placed: { b: oneOfThree },
    client: near,
    expected: { place: true, prefix: false },
  },
  {
    name: "one cluster's own name: nothing",
    clusters: { a: { routing: front }, b: { routing: front } },
    demand: { cluster: "a" },
    expected: { place: false, prefix: false },
  },
];

describe("what a route depends on", () => {
  for (const { name, clusters, placed, policy, expected, ...asking } of dependences) {
    it(name, () => {
      const route = ask(serviceInAll(clusters, placed, policy), asking);
      expect(route.dependsOn).to.deep.equal(expected);
      expect(orderOf(route)).not.to.deep.equal([]);
    });
  }
});
