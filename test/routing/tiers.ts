// The table of eligible endpoints, test/cases/tiers.json, as one sketched federation: each case is
// a service in clusters of its own, so that one server holds them all.

import tiers from "../cases/tiers.json" with { type: "json" };
import type {
  ClusterSketch,
  FederationSketch,
  PlacedSketch,
  ServiceSketch,
} from "../kit/federation.ts";

/** A case of the table: who asks for which service, and which endpoints are eligible. */
export interface TierCase {
  readonly name: string;
  /** Service and namespace as labels: `case-3.tiers`. Answer mode `nearest`. */
  readonly service: string;
  /** The same service with answer mode `ordered`. */
  readonly orderedService: string;
  /** The cluster that the client is inside of; `undefined`: outside, without a location. */
  readonly inside: string | undefined;
  /** Any number gives another /24 that such a client may ask from, in 127.0.0.0/8. */
  readonly clientAddress: (site: number) => string;
  readonly isFailOpen: boolean;
  /** The clusters of the case by name, each with the address that this client is given for it. */
  readonly given: Readonly<Record<string, string>>;
  /** Endpoint address and cluster of all endpoints that are eligible. */
  readonly pool: readonly { readonly cluster: string; readonly endpoint: string }[];
  /** The clusters that have a healthy endpoint; with fail-open all. */
  readonly healthy: readonly string[];
}

interface CaseInput {
  readonly name: string;
  readonly percent: number | undefined;
  readonly isFailOpen: boolean;
  readonly isLocal: boolean;
  readonly endpoints: readonly EndpointInput[];
  readonly pool: readonly number[];
}

interface EndpointInput {
  readonly cluster: string;
  readonly zone?: string;
  readonly region?: string;
  readonly priority?: number;
  readonly isHealthy: boolean;
}

/** Clients inside the first case come from 127.16.0.0/16, and so on. */
const firstOctet = 16;

const locality = tiers.locality.map(
  (row): CaseInput => ({
    name: row.name,
    percent: row.minHealthyPercent,
    isFailOpen: row.failOpen ?? false,
    isLocal: true,
    endpoints: row.endpoints.map(([cluster, zone, region, isHealthy]) => ({
      cluster: String(cluster),
      zone: String(zone),
      region: String(region),
      isHealthy: isHealthy === true,
    })),
    pool: row.pool,
  }),
);

const priority = tiers.priority.cases.map((row): CaseInput => {
  const endpoints = row.clusters.flatMap(([priority, health], cluster) =>
    listOf(health).map((isHealthy, at) => ({ cluster, at, priority: Number(priority), isHealthy })),
  );
  return {
    name: row.name,
    percent: row.minHealthyPercent,
    isFailOpen: false,
    isLocal: false,
    endpoints: endpoints.map(({ cluster, priority, isHealthy }) => ({
      cluster: `p${cluster}`,
      priority,
      isHealthy,
    })),
    pool: row.pool.map(([cluster, at]) =>
      endpoints.findIndex((each) => each.cluster === cluster && each.at === at),
    ),
  };
});

const inputs = [...locality, ...priority];

/** All cases of the table, the locality ones first. */
export const tierCases: readonly TierCase[] = inputs.map((input, at): TierCase => {
  const clusters = clustersOf(input);
  const pods = input.endpoints.map(({ cluster }, index) => ({
    cluster: clusterName(cluster, at),
    endpoint: podAddress(at, index),
  }));
  const isInside = (cluster: string): boolean => input.isLocal && cluster === "a";
  return {
    name: input.name,
    service: `case-${at}.tiers`,
    orderedService: `case-${at}-ordered.tiers`,
    inside: input.isLocal ? clusterName("a", at) : undefined,
    clientAddress: (site) => `127.${firstOctet + (input.isLocal ? at : 99)}.${site}.1`,
    isFailOpen: input.isFailOpen,
    given: Object.fromEntries(
      clusters.map((each, index) => [
        clusterName(each, at),
        (isInside(each) ? clusterIp : externalAddress)(at, index),
      ]),
    ),
    pool: input.pool.map((index) => pods[index] ?? { cluster: "", endpoint: "" }),
    healthy: clusters
      .filter((cluster) =>
        input.endpoints.some(
          (each) => each.cluster === cluster && (each.isHealthy || input.isFailOpen),
        ),
      )
      .map((cluster) => clusterName(cluster, at)),
  };
});

/** All cases as one federation, `my-federation` under `my-domain.com`. */
export const tierSketch: FederationSketch = {
  clusters: Object.fromEntries(inputs.flatMap(clusterSketches)),
  services: Object.fromEntries(inputs.flatMap(serviceSketches)),
};

function clusterSketches(input: CaseInput, at: number): [string, ClusterSketch][] {
  return clustersOf(input).map((cluster) => {
    const endpoints = input.endpoints.filter((each) => each.cluster === cluster);
    const { region = "", priority = 100 } = endpoints[0] ?? {};
    const zones = new Set(endpoints.flatMap((each) => each.zone ?? []));
    const networks = cluster === "a" ? [`127.${firstOctet + at}.0.0/16`] : [];
    const place = region === "" ? {} : { region, zones: [...zones] };
    return [clusterName(cluster, at), { ...place, networks, routing: { priority } }];
  });
}

function serviceSketches(input: CaseInput, at: number): [string, ServiceSketch][] {
  const placed = clustersOf(input).map((cluster, index): [string, PlacedSketch] => [
    clusterName(cluster, at),
    {
      clusterIps: [clusterIp(at, index)],
      external: [externalAddress(at, index)],
      endpoints: input.endpoints.flatMap(({ cluster: of, zone, isHealthy }, pod) =>
        of === cluster ? [[podAddress(at, pod), isHealthy, zone ?? "z"] as const] : [],
      ),
    },
  ]);
  const policy = input.percent === undefined ? {} : { minHealthyPercent: input.percent };
  const service = { ...policy, in: Object.fromEntries(placed) };
  return [
    [`tiers/case-${at}`, { ...service, mode: "nearest" }],
    [`tiers/case-${at}-ordered`, { ...service, mode: "ordered" }],
  ];
}

function clustersOf({ endpoints }: CaseInput): string[] {
  return [...new Set(endpoints.map((each) => each.cluster))];
}

function clusterName(cluster: string, at: number): string {
  return `${cluster}-${at}`;
}

function podAddress(at: number, pod: number): string {
  return `10.100.${at}.${pod}`;
}

function clusterIp(at: number, cluster: number): string {
  return `10.96.${at}.${cluster}`;
}

function externalAddress(at: number, cluster: number): string {
  return `198.18.${at}.${cluster}`;
}

function listOf<Item>(value: number | Item[] | undefined): Item[] {
  return Array.isArray(value) ? value : [];
}
