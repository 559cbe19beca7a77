// Which services each topic of fidelity concerns, as a table over all modes. It must not know how they
// are found.

import type { FidelityContext, MirroredFacts } from "../../src/mirror/fidelity.ts";
import type { FidelityTopic } from "../../src/mirror/plan-types.ts";
import type { ClusterSketch, PlacedSketch, PolicySketch } from "../kit/federation.ts";

export type Mode = FidelityContext["mode"];

export interface Row {
  readonly name: string;
  readonly topic: FidelityTopic;
  /** London and Tokyo unless it says otherwise. */
  readonly clusters?: Record<string, ClusterSketch>;
  /** What differs from a service with one IPv4 address and port `web` in each cluster. */
  readonly placed?: Record<string, PlacedSketch>;
  readonly policy?: PolicySketch;
  readonly facts?: MirroredFacts;
  readonly context?: Partial<Omit<FidelityContext, "clusters">>;
  /** In all other modes it is the other way round. */
  readonly concernedIn: readonly Mode[];
}

export const modes: readonly Mode[] = [
  "plain",
  "geoproximity",
  "latency",
  "geolocation",
  "geo",
  "weighted",
  "wrr",
];
const byPlace: readonly Mode[] = ["geoproximity", "latency", "geolocation", "geo"];
const byChance: readonly Mode[] = ["weighted", "wrr"];

const london: ClusterSketch = { region: "eu-west", at: [51.51, -0.13] };
const tokyo: ClusterSketch = { region: "asia", at: [35.68, 139.69] };
export const one = { london };
export const two = { london, tokyo };
export const voted: PolicySketch = { healthCheck: {} };
const unvoted = { hasVotes: false };
const slices: PlacedSketch = {
  external: ["192.0.2.1"],
  endpoints: [["10.1.0.1", true]],
};

export const rows: readonly Row[] = [
  { name: "two places", topic: "nearest", concernedIn: ["plain", ...byChance] },
  { name: "one cluster", topic: "nearest", clusters: one, concernedIn: [] },
  {
    name: "two clusters at one place",
    topic: "nearest",
    clusters: { london, west: london },
    concernedIn: [],
  },
  {
    name: "two zones of one region",
    topic: "nearest",
    clusters: { a: { region: "eu", zones: ["1"] }, b: { region: "eu", zones: ["2"] } },
    concernedIn: ["plain", ...byChance],
  },
  {
    name: "a second cluster that is disabled",
    topic: "nearest",
    clusters: { london, tokyo: { ...tokyo, routing: { enabled: false } } },
    concernedIn: [],
  },
  {
    name: "a second cluster that is drained",
    topic: "nearest",
    context: { drained: new Set(["tokyo"]) },
    concernedIn: [],
  },
  {
    name: "a second cluster that a filter leaves out",
    topic: "nearest",
    clusters: { london, tokyo: { ...tokyo, routing: { endpoints: { excludeNamespaces: ["n"] } } } },
    concernedIn: [],
  },
  {
    name: "a second cluster without an external address",
    topic: "nearest",
    placed: { tokyo: { clusterIps: ["10.0.0.1"] } },
    concernedIn: [],
  },
  {
    name: "a second cluster that the records leave out",
    topic: "nearest",
    facts: { published: ["london"] },
    concernedIn: [],
  },

  { name: "two clusters, ordered", topic: "address-order", concernedIn: modes },
  {
    name: "two clusters, nearest only",
    topic: "address-order",
    policy: { mode: "nearest" },
    concernedIn: ["plain"],
  },
  { name: "one cluster", topic: "address-order", clusters: one, concernedIn: [] },

  { name: "no clusterIP", topic: "inside", concernedIn: [] },
  {
    name: "a clusterIP",
    topic: "inside",
    placed: { london: { external: ["192.0.2.1"], clusterIps: ["10.0.0.1"] } },
    concernedIn: modes,
  },
  {
    name: "a headless service",
    topic: "inside",
    placed: { london: { external: ["192.0.2.1"], isHeadless: true } },
    concernedIn: modes,
  },
  {
    name: "a clusterIP in a cluster that is not published",
    topic: "inside",
    placed: { tokyo: { clusterIps: ["10.0.0.1"] } },
    concernedIn: modes,
  },
  {
    name: "a clusterIP in a drained cluster",
    topic: "inside",
    placed: { tokyo: { clusterIps: ["10.0.0.1"] } },
    context: { drained: new Set(["tokyo"]) },
    concernedIn: [],
  },

  { name: "equal priorities", topic: "priority", concernedIn: [] },
  {
    name: "different priorities",
    topic: "priority",
    clusters: { london, tokyo: { ...tokyo, routing: { priority: 200 } } },
    concernedIn: ["plain"],
  },

  { name: "equal weights", topic: "weight", concernedIn: [] },
  {
    name: "different weights",
    topic: "weight",
    clusters: { london, tokyo: { ...tokyo, routing: { weight: 30 } } },
    concernedIn: ["plain"],
  },
  { name: "equal weights", topic: "geo-and-weight", concernedIn: [] },
  {
    name: "different weights",
    topic: "geo-and-weight",
    clusters: { london, tokyo: { ...tokyo, routing: { weight: 30 } } },
    concernedIn: byPlace,
  },
  {
    name: "equal weights over any distance",
    topic: "geo-and-weight",
    clusters: { london, tokyo: { ...tokyo, routing: { localPreference: false } } },
    concernedIn: byPlace,
  },
  {
    name: "one cluster that does not yield",
    topic: "geo-and-weight",
    clusters: { london: { ...london, routing: { localPreference: false } } },
    concernedIn: [],
  },

  {
    name: "two clusters with votes",
    topic: "overflow",
    policy: voted,
    concernedIn: ["plain", ...byPlace],
  },
  {
    name: "two clusters with slices",
    topic: "overflow",
    placed: { london: slices },
    context: unvoted,
    concernedIn: ["plain", ...byPlace],
  },
  { name: "nothing that can be sick", topic: "overflow", concernedIn: [] },
  {
    name: "a health check that nobody votes on",
    topic: "overflow",
    policy: voted,
    context: unvoted,
    concernedIn: [],
  },
  { name: "one cluster", topic: "overflow", clusters: one, policy: voted, concernedIn: [] },
  {
    name: "a threshold of 0",
    topic: "overflow",
    policy: { ...voted, minHealthyPercent: 0 },
    concernedIn: [],
  },

  {
    name: "a ramp",
    topic: "ramp",
    policy: { healthCheck: { rampSeconds: 60 } },
    concernedIn: modes,
  },
  { name: "no ramp", topic: "ramp", policy: voted, concernedIn: [] },
  {
    name: "a ramp in one cluster",
    topic: "ramp",
    clusters: one,
    policy: { healthCheck: { rampSeconds: 60 } },
    concernedIn: [],
  },
  {
    name: "a ramp that nobody votes on",
    topic: "ramp",
    policy: { healthCheck: { rampSeconds: 60 } },
    context: unvoted,
    concernedIn: [],
  },

  { name: "fail-open", topic: "all-down", policy: voted, concernedIn: [] },
  {
    name: "NODATA",
    topic: "all-down",
    clusters: one,
    policy: { ...voted, onAllDown: "empty" },
    concernedIn: modes,
  },
  {
    name: "SERVFAIL",
    topic: "all-down",
    placed: { london: slices },
    policy: { onAllDown: "servfail" },
    context: unvoted,
    concernedIn: modes,
  },
  {
    name: "NODATA, and nothing that can be sick",
    topic: "all-down",
    policy: { onAllDown: "empty" },
    concernedIn: [],
  },

  { name: "votes", topic: "ttl", policy: voted, clusters: one, concernedIn: modes },
  { name: "no health check", topic: "ttl", concernedIn: [] },
  { name: "no votes", topic: "ttl", policy: voted, context: unvoted, concernedIn: [] },
  {
    name: "a TTL of the mirror's own",
    topic: "ttl",
    policy: voted,
    context: { ttlSeconds: 60 },
    concernedIn: [],
  },
  {
    name: "a range of one TTL",
    topic: "ttl",
    policy: { ...voted, ttl: { min: 60, max: 60 } },
    concernedIn: [],
  },

  {
    name: "as many as may be",
    topic: "max-addresses",
    policy: { maxAddresses: 2 },
    concernedIn: [],
  },
  {
    name: "more in all clusters than may be",
    topic: "max-addresses",
    policy: { maxAddresses: 1 },
    concernedIn: ["plain", "geolocation"],
  },
  {
    name: "more in a region than may be",
    topic: "max-addresses",
    clusters: { london, west: london },
    policy: { maxAddresses: 1 },
    concernedIn: modes,
  },
  {
    name: "one each in clusters without a region",
    topic: "max-addresses",
    clusters: { a: {}, b: {} },
    policy: { maxAddresses: 1 },
    concernedIn: ["plain", "geolocation"],
  },
  {
    name: "more than the provider takes",
    topic: "max-addresses",
    facts: { isCut: true },
    concernedIn: modes,
  },
  {
    name: "more in one cluster than may be",
    topic: "max-addresses",
    placed: { london: { external: ["192.0.2.1", "192.0.2.2"] } },
    policy: { maxAddresses: 1 },
    concernedIn: modes,
  },
  {
    name: "more only with both families counted",
    topic: "max-addresses",
    placed: { london: { external: ["192.0.2.1"] }, tokyo: { external: ["2001:db8::1"] } },
    policy: { maxAddresses: 1 },
    concernedIn: [],
  },

  { name: "traffic from anywhere", topic: "cross-cluster", concernedIn: [] },
  {
    name: "a cluster of its own clients alone",
    topic: "cross-cluster",
    clusters: { london, tokyo: { ...tokyo, routing: { allowCrossClusterTraffic: false } } },
    concernedIn: modes,
  },
  {
    name: "nothing but such a cluster",
    topic: "cross-cluster",
    clusters: { london: { ...london, routing: { allowCrossClusterTraffic: false } } },
    concernedIn: modes,
  },
  {
    name: "such a cluster, disabled",
    topic: "cross-cluster",
    clusters: {
      london,
      tokyo: { ...tokyo, routing: { allowCrossClusterTraffic: false, enabled: false } },
    },
    concernedIn: [],
  },
  {
    name: "a second cluster of its own clients alone",
    topic: "address-order",
    clusters: { london, tokyo: { ...tokyo, routing: { allowCrossClusterTraffic: false } } },
    concernedIn: byPlace,
  },

  { name: "a named port in two clusters", topic: "srv-order", concernedIn: modes },
  { name: "a named port in one cluster", topic: "srv-order", clusters: one, concernedIn: [] },
  {
    name: "ports of other names",
    topic: "srv-order",
    placed: { london: { external: ["192.0.2.1"], ports: [{ name: "admin", port: 80 }] } },
    concernedIn: [],
  },
  {
    name: "one name for two protocols",
    topic: "srv-order",
    placed: {
      london: { external: ["192.0.2.1"], ports: [{ name: "web", port: 80, protocol: "udp" }] },
    },
    concernedIn: [],
  },
  {
    name: "ports without names",
    topic: "srv-order",
    placed: {
      london: { external: ["192.0.2.1"], ports: [{ name: "", port: 80 }] },
      tokyo: { external: ["192.0.2.2"], ports: [{ name: "", port: 80 }] },
    },
    concernedIn: [],
  },

  { name: "nothing said", topic: "local-family", concernedIn: [] },
  {
    name: "a regional name with one family",
    topic: "local-family",
    facts: { lacksLocalFamily: true },
    concernedIn: modes,
  },

  { name: "locations everywhere", topic: "location", concernedIn: [] },
  {
    name: "a cluster without a location",
    topic: "location",
    clusters: { london, lab: {} },
    concernedIn: byPlace,
  },
  {
    name: "a cluster that the cloud found a place for all the same",
    topic: "location",
    clusters: { london, lab: {} },
    facts: { unplaced: [] },
    concernedIn: [],
  },
  {
    name: "a location that the cloud has no place for",
    topic: "location",
    facts: { unplaced: ["tokyo"] },
    concernedIn: byPlace,
  },
];
