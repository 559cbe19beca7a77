// Which clusters may serve a client, and which rule leaves out each other one (semantics 3).

import { expect } from "chai";
import type { Demand } from "../../src/routing/candidates.ts";
import type { ClusterSketch, PlacedSketch, RoutingSketch } from "../kit/federation.ts";
import { ask, type ClientSketch, candidatesOf, leftOutOf, serviceInAll } from "./ask.ts";

interface Row {
  readonly name: string;
  readonly clusters?: Record<string, ClusterSketch>;
  readonly placed?: Record<string, PlacedSketch>;
  readonly client?: ClientSketch;
  readonly demand?: Partial<Demand>;
  readonly drained?: string[];
  readonly expected: string[];
  readonly leftOut?: Record<string, string>;
}

const near: ClientSketch = { at: [0, 0] };
/** On the equator, in this order from `near`. */
const three = { a: { at: [0, 1] }, b: { at: [0, 20] }, c: { at: [0, 40] } } as const;

const rows: Row[] = [
  { name: "every cluster with an address is a candidate", expected: ["a", "b", "c"] },
  {
    name: "one without an external address is none for clients outside",
    placed: { a: { external: [] } },
    expected: ["b", "c"],
    leftOut: { a: "no-address" },
  },
  {
    name: "one with a clusterIP alone is one for clients inside",
    placed: { a: { external: [] } },
    client: { inside: "a" },
    expected: ["a", "b", "c"],
  },
  {
    name: "one with external addresses alone is none for clients inside",
    placed: { a: { clusterIps: [] } },
    client: { inside: "a" },
    expected: ["b", "c"],
    leftOut: { a: "no-address" },
  },
  {
    name: "the address must be of the asked family",
    placed: { b: { external: ["2001:db8::b"] } },
    expected: ["a", "c"],
    leftOut: { b: "no-address" },
  },
  {
    name: "the address must be of the asked family, IPv6",
    placed: { b: { external: ["2001:db8::b"] } },
    demand: { family: 6 },
    expected: ["b"],
    leftOut: { a: "no-address", c: "no-address" },
  },
  {
    name: "where no family is asked, either will do",
    placed: { b: { external: ["2001:db8::b"] } },
    demand: { family: undefined },
    expected: ["a", "b", "c"],
  },
  {
    name: "a clusterIP of the other family does not serve a client inside",
    placed: { a: { clusterIps: ["fd00::1"] } },
    client: { inside: "a" },
    expected: ["b", "c"],
    leftOut: { a: "no-address" },
  },
  {
    name: "a headless service has its ready endpoints' addresses for clients inside",
    placed: { a: { isHeadless: true, clusterIps: [], endpoints: [["10.9.0.1", true]] } },
    client: { inside: "a" },
    expected: ["a", "b", "c"],
  },
  {
    name: "a headless service without endpoints has no address for clients inside",
    placed: { a: { isHeadless: true, clusterIps: [] } },
    client: { inside: "a" },
    expected: ["b", "c"],
    leftOut: { a: "no-address" },
  },
  {
    name: "a disabled cluster is left out",
    clusters: { ...three, a: { at: [0, 1], routing: { enabled: false } } },
    expected: ["b", "c"],
    leftOut: { a: "disabled" },
  },
  {
    name: "a disabled cluster is left out for clients inside too",
    clusters: { ...three, a: { at: [0, 1], routing: { enabled: false } } },
    client: { inside: "a" },
    expected: ["b", "c"],
    leftOut: { a: "disabled" },
  },
  {
    name: "a drained cluster is left out",
    drained: ["b"],
    expected: ["a", "c"],
    leftOut: { b: "drained" },
  },
  {
    name: "a drained cluster is left out for clients inside too",
    drained: ["b"],
    client: { inside: "b" },
    expected: ["a", "c"],
    leftOut: { b: "drained" },
  },
  {
    name: "a disabled cluster answers its own name",
    clusters: { ...three, a: { at: [0, 1], routing: { enabled: false } } },
    demand: { cluster: "a" },
    expected: ["a"],
    leftOut: { b: "other-cluster", c: "other-cluster" },
  },
  {
    name: "a drained cluster answers its own name",
    drained: ["a"],
    demand: { cluster: "a" },
    expected: ["a"],
    leftOut: { b: "other-cluster", c: "other-cluster" },
  },
  {
    name: "another cluster's name leaves a disabled one disabled",
    clusters: { ...three, a: { at: [0, 1], routing: { enabled: false } } },
    demand: { cluster: "b" },
    expected: ["b"],
    leftOut: { a: "disabled", c: "other-cluster" },
  },
  {
    name: "a regional name has that region's clusters only",
    clusters: { a: { region: "r1" }, b: { region: "r2" }, c: { region: "r2" } },
    demand: { within: { region: "r2" } },
    expected: ["b", "c"],
    leftOut: { a: "other-region" },
  },
  {
    name: "a zonal name has that zone's clusters only",
    clusters: {
      a: { region: "r1", zones: ["z1"] },
      b: { region: "r1", zones: ["z2", "z1"] },
      c: { region: "r1", zones: ["Z1"] },
    },
    demand: { within: { region: "r1", zone: "z1" } },
    expected: ["a", "b"],
    leftOut: { c: "other-zone" },
  },
  {
    name: "SRV has clusters with that port only",
    placed: { b: { ports: [{ name: "web", port: 80, protocol: "udp" }] } },
    demand: { family: undefined, port: { name: "web", protocol: "tcp" } },
    expected: ["a", "c"],
    leftOut: { b: "no-port" },
  },
  ...closedRows(),
];

/** Cluster b allows no traffic from other clusters. */
function closedRows(): Row[] {
  const closed = { allowCrossClusterTraffic: false };
  const clusters = { ...three, b: { at: [0, 20], routing: closed } } as const;
  const leftOut = { b: "not-home" };
  const rows: (Partial<Row> & Pick<Row, "name">)[] = [
    { name: "a closed cluster is left out where another is home", client: near, leftOut },
    { name: "a closed cluster serves clients whose home it is", client: { at: [0, 21] } },
    { name: "a closed cluster is home to clients inside", client: { inside: "b" } },
    {
      name: "a closed cluster is left out for clients inside another",
      client: { inside: "a" },
      leftOut,
    },
    { name: "a closed cluster is left out for clients nowhere", leftOut },
    {
      name: "a closed cluster is left out for clients inside a disabled one, however near",
      clusters: { ...clusters, a: { at: [0, 19], routing: { enabled: false } } },
      client: { inside: "a" },
      expected: ["c"],
      leftOut: { a: "disabled", ...leftOut },
    },
    {
      name: "a closed cluster is home where the nearer one is drained",
      client: near,
      drained: ["a"],
      expected: ["b", "c"],
      leftOut: { a: "drained" },
    },
    {
      name: "a closed cluster stays left out of its own name",
      client: near,
      demand: { cluster: "b" },
      expected: [],
      leftOut: { a: "other-cluster", b: "not-home", c: "other-cluster" },
    },
    {
      name: "who is home does not depend on what the name leaves out",
      clusters: {
        a: { ...clusters.a, region: "r1" },
        b: { ...clusters.b, region: "r2" },
        c: { ...clusters.c, region: "r2" },
      },
      client: near,
      demand: { within: { region: "r2" } },
      expected: ["c"],
      leftOut: { a: "other-region", b: "not-home" },
    },
  ];
  return rows.map((row) => ({
    clusters,
    expected: row.leftOut ? ["a", "c"] : ["a", "b", "c"],
    ...row,
  }));
}

describe("candidates", () => {
  for (const { name, clusters = three, placed, expected, leftOut = {}, ...asking } of rows) {
    it(name, () => {
      const route = ask(serviceInAll(clusters, placed), asking);
      expect(candidatesOf(route)).to.deep.equal(expected);
      expect(leftOutOf(route)).to.deep.equal(leftOut);
    });
  }

  it("are no clusters that do not run the service", () => {
    const { services } = serviceInAll({ a: {} });
    const route = ask({ clusters: { a: {}, b: {} }, services });
    expect(candidatesOf(route)).to.deep.equal(["a"]);
    expect(leftOutOf(route)).to.deep.equal({});
  });
});

interface FilterRow {
  readonly name: string;
  readonly filter: RoutingSketch["endpoints"];
  readonly isLetThrough: boolean;
}

/** The service is shop/web with labels app=web, tier=front. */
const filters: FilterRow[] = [
  { name: "no filter", filter: {}, isLetThrough: true },
  { name: "its namespace is given", filter: { namespaces: ["shop", "x"] }, isLetThrough: true },
  { name: "other namespaces are given", filter: { namespaces: ["x"] }, isLetThrough: false },
  {
    name: "its namespace is excluded",
    filter: { excludeNamespaces: ["shop"] },
    isLetThrough: false,
  },
  {
    name: "another namespace is excluded",
    filter: { excludeNamespaces: ["x"] },
    isLetThrough: true,
  },
  {
    name: "its namespace is given and excluded",
    filter: { namespaces: ["shop"], excludeNamespaces: ["shop"] },
    isLetThrough: false,
  },
  { name: "a label matches", filter: { matchLabels: { app: "web" } }, isLetThrough: true },
  {
    name: "a label has another value",
    filter: { matchLabels: { app: "db" } },
    isLetThrough: false,
  },
  { name: "a label is missing", filter: { matchLabels: { team: "x" } }, isLetThrough: false },
  {
    name: "one of two labels matches",
    filter: { matchLabels: { app: "web", tier: "back" } },
    isLetThrough: false,
  },
  { name: "In holds its value", ...expression("In", "app", ["db", "web"]), isLetThrough: true },
  { name: "In holds other values", ...expression("In", "app", ["db"]), isLetThrough: false },
  { name: "In of a missing label", ...expression("In", "team", ["x"]), isLetThrough: false },
  { name: "NotIn holds its value", ...expression("NotIn", "app", ["web"]), isLetThrough: false },
  { name: "NotIn holds other values", ...expression("NotIn", "app", ["db"]), isLetThrough: true },
  { name: "NotIn of a missing label", ...expression("NotIn", "team", ["x"]), isLetThrough: true },
  { name: "Exists of its label", ...expression("Exists", "app", []), isLetThrough: true },
  { name: "Exists of a missing label", ...expression("Exists", "team", []), isLetThrough: false },
  {
    name: "DoesNotExist of its label",
    ...expression("DoesNotExist", "app", []),
    isLetThrough: false,
  },
  {
    name: "DoesNotExist of a missing one",
    ...expression("DoesNotExist", "team", []),
    isLetThrough: true,
  },
  {
    name: "a label matches and an expression does not",
    filter: { matchLabels: { app: "web" }, ...expression("Exists", "team", []).filter },
    isLetThrough: false,
  },
  {
    name: "all three kinds hold",
    filter: {
      namespaces: ["shop"],
      matchLabels: { app: "web" },
      ...expression("In", "tier", ["front"]).filter,
    },
    isLetThrough: true,
  },
];

function expression(
  operator: "In" | "NotIn" | "Exists" | "DoesNotExist",
  key: string,
  values: string[],
) {
  return { filter: { matchExpressions: [{ key, operator, values }] } };
}

describe("endpoint filters", () => {
  for (const { name, filter, isLetThrough } of filters) {
    const sketch = serviceInAll(
      { a: { routing: { endpoints: filter ?? {} } }, b: {} },
      { a: { labels: { app: "web", tier: "front" } } },
    );
    it(`${isLetThrough ? "let through" : "leave out"}: ${name}`, () => {
      const route = ask(sketch);
      expect(candidatesOf(route)).to.deep.equal(isLetThrough ? ["a", "b"] : ["b"]);
      expect(leftOutOf(route)).to.deep.equal(isLetThrough ? {} : { a: "filtered" });
    });

    it(`do not hold for clients inside that cluster: ${name}`, () => {
      expect(candidatesOf(ask(sketch, { client: { inside: "a" } }))).to.deep.equal(["a", "b"]);
    });

    it(`hold for clients inside another cluster: ${name}`, () => {
      const route = ask(sketch, { client: { inside: "b" } });
      expect(candidatesOf(route)).to.deep.equal(isLetThrough ? ["a", "b"] : ["b"]);
    });

    it(`hold for the cluster's own name: ${name}`, () => {
      const route = ask(sketch, { demand: { cluster: "a" } });
      expect(candidatesOf(route)).to.deep.equal(isLetThrough ? ["a"] : []);
    });
  }
});
