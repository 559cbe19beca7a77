// The TTL of a route by vote (semantics 7, last paragraph): the least interval × checks over the
// verdicts that could change it, within the service's range.

import { expect } from "chai";
import { formatAddress } from "../../src/dns/address.ts";
import type { TtlBy } from "../../src/routing/ttl.ts";
import type { ClusterSketch, PlacedSketch, ServiceSketch } from "../kit/federation.ts";
import { type AskSketch, ask, candidatesOf, serviceInAll } from "./ask.ts";

interface Row extends AskSketch {
  readonly name: string;
  readonly clusters?: Readonly<Record<string, ClusterSketch>>;
  readonly placed?: Readonly<Record<string, PlacedSketch>>;
  readonly policy?: Omit<ServiceSketch, "in">;
  readonly ttlSeconds: number;
  /** `ADDRESS CHECKS x INTERVAL`, with the end of the range that it was clamped to; or the kind. */
  readonly by: string;
}

const inside = { inside: "a" };
const three = { a: { at: [0, 1] }, b: { at: [0, 20] }, c: { at: [0, 40] } } as const;
/** Calm is 3 × 10 s. */
const policy = { ttl: { max: 100, min: 7 }, healthCheck: { intervalSeconds: 10, fall: 3 } };
const two = { a: { external: ["192.0.2.1", "192.0.2.11", "2001:db8::1"] } };
const pods = [["10.9.0.1", true]] as const;

const rows: Row[] = [
  { name: "interval × fall where all is well", ttlSeconds: 30, by: "192.0.2.1 3 x 10" },
  {
    name: "clamped to max where fall is far",
    policy: { healthCheck: { intervalSeconds: 10, fall: 11 } },
    ttlSeconds: 100,
    by: "192.0.2.1 11 x 10, max",
  },
  {
    name: "just max without a clamp",
    policy: { healthCheck: { intervalSeconds: 10, fall: 10 } },
    ttlSeconds: 100,
    by: "192.0.2.1 10 x 10",
  },
  {
    name: "shorter while one that is up fails",
    checks: { "192.0.2.2": 1, "192.0.2.3": 2 },
    ttlSeconds: 10,
    by: "192.0.2.2 1 x 10",
  },
  {
    name: "shorter while one that is down recovers, though it is not in the answer",
    health: { "192.0.2.3": 0 },
    checks: { "192.0.2.3": 2 },
    ttlSeconds: 20,
    by: "192.0.2.3 2 x 10",
  },
  {
    name: "of the others where one that is down is far from rising",
    health: { "192.0.2.3": 0 },
    checks: { "192.0.2.3": 50 },
    ttlSeconds: 30,
    by: "192.0.2.1 3 x 10",
  },
  {
    name: "clamped to min where a verdict could flip at once",
    checks: { "192.0.2.1": 0 },
    ttlSeconds: 7,
    by: "192.0.2.1 0 x 10, min",
  },
  {
    name: "clamped to min where the next check could flip it",
    policy: { healthCheck: { intervalSeconds: 5 } },
    checks: { "192.0.2.1": 1 },
    ttlSeconds: 7,
    by: "192.0.2.1 1 x 5, min",
  },
  {
    name: "0 where min allows it",
    policy: { ttl: { max: 100, min: 0 } },
    checks: { "192.0.2.1": 0 },
    ttlSeconds: 0,
    by: "192.0.2.1 0 x 10",
  },
  { name: "max without votes", hasVotes: false, ttlSeconds: 100, by: "no-vote" },
  {
    name: "max without votes whatever was held before",
    hasVotes: false,
    health: { "192.0.2.1": 0 },
    checks: { "192.0.2.1": 0 },
    ttlSeconds: 100,
    by: "no-vote",
  },
  {
    name: "min where it fails open",
    health: { "192.0.2.1": 0, "192.0.2.2": 0, "192.0.2.3": 0 },
    checks: { "192.0.2.1": 9, "192.0.2.2": 9, "192.0.2.3": 9 },
    ttlSeconds: 7,
    by: "fail-open",
  },
  {
    name: "min where it fails open without votes",
    hasVotes: false,
    health: { "192.0.2.1": 0, "192.0.2.2": 0, "192.0.2.3": 0 },
    ttlSeconds: 7,
    by: "fail-open",
  },
  {
    name: "by the clusterIP of a client inside, not by the external addresses there",
    client: inside,
    checks: { "10.0.0.1": 2, "192.0.2.1": 1 },
    ttlSeconds: 20,
    by: "10.0.0.1 2 x 10",
  },
  {
    name: "calm by a clusterIP that nobody votes on",
    client: inside,
    checks: { "192.0.2.1": 1, "10.0.0.2": 0, "10.0.0.3": 0 },
    ttlSeconds: 30,
    by: "10.0.0.1 3 x 10",
  },
  {
    name: "by the external addresses of the other clusters for a client inside",
    client: inside,
    checks: { "192.0.2.3": 1 },
    ttlSeconds: 10,
    by: "192.0.2.3 1 x 10",
  },
  {
    name: "by the other clusters for a client inside that is given pods",
    client: inside,
    placed: { a: { isHeadless: true, clusterIps: [], endpoints: pods } },
    checks: { "10.9.0.1": 0 },
    ttlSeconds: 30,
    by: "192.0.2.2 3 x 10",
  },
  {
    name: "max where a client inside is given pods alone",
    client: inside,
    clusters: { a: {} },
    placed: { a: { isHeadless: true, clusterIps: [], endpoints: pods } },
    checks: { "10.9.0.1": 0 },
    ttlSeconds: 100,
    by: "no-vote",
  },
  {
    name: "by external addresses where slices say what is healthy",
    placed: { a: { endpoints: pods } },
    checks: { "192.0.2.1": 2 },
    ttlSeconds: 20,
    by: "192.0.2.1 2 x 10",
  },
  {
    name: "by addresses of the asked family alone",
    placed: two,
    checks: { "192.0.2.11": 1, "2001:db8::1": 2 },
    demand: { family: 6 },
    ttlSeconds: 20,
    by: "2001:db8::1 2 x 10",
  },
  {
    name: "by addresses of both families where none is asked (SRV)",
    placed: two,
    checks: { "192.0.2.11": 2, "2001:db8::1": 1 },
    demand: { family: undefined, port: { name: "web", protocol: "tcp" } },
    ttlSeconds: 10,
    by: "2001:db8::1 1 x 10",
  },
  {
    name: "by the clusters that have the port (SRV)",
    placed: { b: { ports: [] } },
    checks: { "192.0.2.2": 0, "192.0.2.3": 2 },
    demand: { family: undefined, port: { name: "web", protocol: "tcp" } },
    ttlSeconds: 20,
    by: "192.0.2.3 2 x 10",
  },
  {
    name: "by the named cluster alone",
    checks: { "192.0.2.1": 0, "192.0.2.2": 2 },
    demand: { cluster: "b" },
    ttlSeconds: 20,
    by: "192.0.2.2 2 x 10",
  },
  {
    name: "by the named cluster though it is drained, and by others not",
    drained: ["b"],
    checks: { "192.0.2.1": 0, "192.0.2.2": 2 },
    demand: { cluster: "b" },
    ttlSeconds: 20,
    by: "192.0.2.2 2 x 10",
  },
  {
    name: "by clusters of the region alone",
    clusters: { a: { region: "r1" }, b: { region: "r2" } },
    checks: { "192.0.2.1": 0, "192.0.2.2": 2 },
    demand: { within: { region: "r2" } },
    ttlSeconds: 20,
    by: "192.0.2.2 2 x 10",
  },
  {
    name: "not by a cluster that is drained, disabled or filtered",
    clusters: {
      a: { routing: { enabled: false } },
      b: {},
      c: { routing: { endpoints: { excludeNamespaces: ["shop"] } } },
      d: {},
    },
    drained: ["b"],
    checks: { "192.0.2.1": 0, "192.0.2.2": 0, "192.0.2.3": 0 },
    ttlSeconds: 30,
    by: "192.0.2.4 3 x 10",
  },
  {
    name: "by a cluster of the least priority, which may be needed",
    clusters: { a: {}, b: { routing: { priority: 900 } } },
    checks: { "192.0.2.2": 1 },
    ttlSeconds: 10,
    by: "192.0.2.2 1 x 10",
  },
  {
    name: "max where there is no address to give",
    placed: { a: { external: [] }, b: { external: [] }, c: { external: [] } },
    ttlSeconds: 100,
    by: "no-vote",
  },
  {
    name: "by the vote too where a part of a healthy one is counted",
    health: { "192.0.2.1": 0.2 },
    checks: { "192.0.2.1": 2 },
    ttlSeconds: 20,
    by: "192.0.2.1 2 x 10",
  },
];

describe("the TTL of a route", () => {
  for (const { name, clusters = three, placed, policy: own, ttlSeconds, by, ...asking } of rows) {
    it(`is ${name}`, () => {
      const route = ask(serviceInAll(clusters, placed, { ...policy, ...own }), asking);
      const { ttlBy } = route;
      expect(route.ttlSeconds).to.equal(ttlSeconds);
      expect(textOf(ttlBy)).to.equal(by);
      if (ttlBy.kind === "verdict") expect(candidatesOf(route)).to.include(ttlBy.cluster);
    });
  }

  it("is max without a health check", () => {
    const { healthCheck: _, ...unchecked } = policy;
    const checks = { "192.0.2.1": 0 };
    expect(ask(serviceInAll(three, {}, unchecked), { checks })).to.deep.include({
      ttlSeconds: 100,
      ttlBy: { kind: "no-vote" },
    });
  });
});

function textOf(by: TtlBy): string {
  if (by.kind !== "verdict") return by.kind;
  const end = by.clampedTo ? `, ${by.clampedTo}` : "";
  return `${formatAddress(by.address)} ${by.checks} x ${by.intervalSeconds}${end}`;
}
