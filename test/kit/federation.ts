// A federation in few words, for tests: a sketch of clusters and services becomes a model for pure
// tests, or the same as files for a server. It must not know what is asked or answered.

import { compareAddresses } from "../../src/dns/address.ts";
import { type Name, nameOf, parseName } from "../../src/dns/name.ts";
import { passesFilter } from "../../src/federation/endpoint-filter.ts";
import type {
  Address,
  Cluster,
  EndpointFilter,
  HealthCheck,
  OnAllDown,
  RoutingSettings,
  Service,
  ServiceInCluster,
} from "../../src/federation/model.ts";
import { ServiceTable } from "../../src/federation/service-table.ts";
import type { Model } from "../../src/federation/whole-model.ts";
import { address, network } from "../geo/addresses.ts";
import { healthCheck } from "./health-check.ts";

/** A federation `my-federation` under `my-domain.com`, unless it says otherwise. */
export interface FederationSketch extends PolicySketch {
  readonly name?: string;
  readonly domain?: string;
  /** By name. */
  readonly clusters: Readonly<Record<string, ClusterSketch>>;
  /** By `namespace/name`. */
  readonly services: Readonly<Record<string, ServiceSketch>>;
}

export interface ClusterSketch {
  readonly region?: string;
  readonly zones?: readonly string[];
  /** Latitude and longitude. */
  readonly at?: readonly [number, number];
  readonly networks?: readonly string[];
  readonly routing?: RoutingSketch;
}

export interface RoutingSketch extends Partial<Omit<RoutingSettings, "endpoints">> {
  readonly endpoints?: Partial<EndpointFilter>;
}

/** What a federation sets for all services, and a service for itself. */
export interface PolicySketch {
  readonly mode?: "ordered" | "nearest";
  readonly maxAddresses?: number;
  readonly ttl?: { readonly max: number; readonly min: number };
  readonly minHealthyPercent?: number;
  readonly onAllDown?: OnAllDown;
  /** What differs from the defaults; left out, there is none. */
  readonly healthCheck?: Partial<HealthCheck>;
}

export interface ServiceSketch extends PolicySketch {
  /** By cluster. */
  readonly in: Readonly<Record<string, PlacedSketch>>;
}

/** A service in one cluster; without ports it has tcp 80, named `web`. */
export interface PlacedSketch {
  readonly clusterIps?: readonly string[];
  readonly isHeadless?: boolean;
  /** Load balancer addresses; `host:NAME` is a load balancer's hostname, in files only. */
  readonly external?: readonly string[];
  readonly endpoints?: readonly EndpointSketch[];
  readonly ports?: readonly PortSketch[];
  readonly labels?: Readonly<Record<string, string>>;
}

/** A port, tcp unless it says otherwise. */
export interface PortSketch {
  readonly name: string;
  readonly port: number;
  readonly protocol?: "tcp" | "udp" | "sctp";
}

/** Address, ready or not, and zone. */
export type EndpointSketch = readonly [address: string, isReady: boolean, zone?: string];

/** What a federation sets where the sketch says nothing (semantics 3 and 4, design). */
const defaults = {
  mode: "ordered",
  maxAddresses: 8,
  ttl: { max: 180, min: 30 },
  minHealthyPercent: 70,
  onAllDown: "open",
} as const;

const defaultPorts: readonly PortSketch[] = [{ name: "web", port: 80 }];

/** The model that reading the sketch's files would give. */
export function modelOf(sketch: FederationSketch): Model<ServiceTable> {
  const domain = name(sketch.domain ?? "my-domain.com");
  const { answer, ttl, minHealthyPercent, onAllDown } = policyOf(sketch);
  return {
    federation: {
      name: sketch.name ?? "my-federation",
      domain,
      nameservers: [{ name: nameOf(["ns1"], domain), addresses: [address("192.0.2.53")] }],
      contact: nameOf(["hostmaster"], domain),
      ttl: { ...ttl, negativeSeconds: 60 },
      answer,
      minHealthyPercent,
      onAllDown,
    },
    clusters: new Map(
      sorted(sketch.clusters).map(([name, cluster]) => [name, clusterOf(name, cluster)]),
    ),
    services: ServiceTable.of(
      sorted(sketch.services).map(([key, service]) => serviceOf(key, sketch, service)),
    ),
  };
}

/** The sketch as JSON files by path, for `startServer`. */
export function filesOf(sketch: FederationSketch): Record<string, string> {
  const files: Record<string, object[]> = { federation: [federationObject(sketch)] };
  for (const [name, cluster] of Object.entries(sketch.clusters)) {
    files[`clusters/${name}/cluster`] = [clusterObject(name, cluster)];
  }
  for (const [key, service] of Object.entries(sketch.services)) {
    const [namespace = "", name = ""] = key.split("/");
    const metadata = { name, namespace };
    const spec = policyFields(service);
    files[`services/${namespace}-${name}`] = [ours("FederatedService", metadata, spec)];
    for (const [cluster, placed] of Object.entries(service.in)) {
      files[serviceFile(cluster, key)] = serviceObjects(metadata, placed);
    }
  }
  return Object.fromEntries(
    Object.entries(files).map(([file, items]) => [`zones/${file}.json`, listText(items)]),
  );
}

/** The path, under `zones/` and without `.json`, of the objects of a service in a cluster. */
export function serviceFile(cluster: string, key: string): string {
  return `clusters/${cluster}/${key.replace("/", "-")}`;
}

function clusterOf(name: string, { region, zones, at, networks, routing }: ClusterSketch): Cluster {
  return {
    name,
    labels: {},
    region: region ?? "",
    zones: zones ?? [],
    location: at && { latitude: at[0], longitude: at[1] },
    networks: (networks ?? []).map(network),
    routing: {
      enabled: true,
      priority: 100,
      weight: 100,
      localPreference: true,
      allowCrossClusterTraffic: true,
      ...routing,
      endpoints: {
        namespaces: [],
        excludeNamespaces: [],
        matchLabels: {},
        matchExpressions: [],
        ...routing?.endpoints,
      },
    },
  };
}

function serviceOf(key: string, federation: FederationSketch, sketch: ServiceSketch): Service {
  const [namespace = "", name = ""] = key.split("/");
  return {
    namespace,
    name,
    ...policyOf({ ...federation, ...sketch }),
    healthCheck: sketch.healthCheck && healthCheck(sketch.healthCheck),
    clusters: sorted(sketch.in).map(([cluster, placed]) => ({
      ...placedOf(cluster, placed),
      isFiltered: isFiltered(federation.clusters[cluster], namespace, placed),
    })),
  };
}

/** Whether the cluster's filter keeps the service from clients outside; no filter, no. */
function isFiltered(
  cluster: ClusterSketch | undefined,
  namespace: string,
  { labels = {} }: PlacedSketch,
): boolean {
  const { endpoints } = clusterOf("", cluster ?? {}).routing;
  return !passesFilter(endpoints, namespace, labels);
}

function placedOf(cluster: string, placed: PlacedSketch): Omit<ServiceInCluster, "isFiltered"> {
  return {
    cluster,
    ports: (placed.ports ?? defaultPorts).map((each) => ({ protocol: "tcp", ...each })),
    isHeadless: placed.isHeadless ?? false,
    clusterIps: addresses(placed.clusterIps),
    external: addresses(placed.external),
    hostnames: [],
    endpoints: placed.endpoints?.map(([text, isReady, zone]) => ({
      address: address(text),
      isReady,
      zone,
    })),
  };
}

function policyOf(sketch: PolicySketch) {
  const { mode, maxAddresses, ttl, minHealthyPercent, onAllDown } = { ...defaults, ...sketch };
  return {
    answer: { mode, maxAddresses },
    ttl: { maxSeconds: ttl.max, minSeconds: ttl.min },
    minHealthyPercent,
    onAllDown,
  };
}

function federationObject(sketch: FederationSketch): object {
  const domain = sketch.domain ?? "my-domain.com";
  const nameservers = [{ name: `ns1.${domain}`, addresses: ["192.0.2.53"] }];
  const metadata = { name: sketch.name ?? "my-federation" };
  return ours("Federation", metadata, { domain, nameservers, ...policyFields(sketch) });
}

function clusterObject(name: string, { at, ...spec }: ClusterSketch): object {
  const location = at && { latitude: at[0], longitude: at[1] };
  return ours("Cluster", { name }, { ...spec, location });
}

function policyFields(sketch: PolicySketch) {
  const { mode, maxAddresses, ttl, minHealthyPercent, onAllDown, healthCheck } = sketch;
  const check = healthCheck && { type: "http", ...healthCheck };
  return {
    answer: { mode, maxAddresses },
    ttl,
    minHealthyPercent,
    onAllDown,
    ...(check && { healthCheck: check }),
  };
}

/** The Service, and an EndpointSlice for each family and readiness that there is. */
function serviceObjects(
  metadata: { name: string; namespace: string },
  placed: PlacedSketch,
): object[] {
  const { clusterIps = [], external = [], endpoints, labels, ports = defaultPorts } = placed;
  const clusterIP = placed.isHeadless ? "None" : clusterIps[0];
  const service = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { ...metadata, labels },
    spec: {
      type: "LoadBalancer",
      clusterIP,
      clusterIPs: placed.isHeadless ? ["None"] : clusterIps,
      ports: ports.map(({ protocol = "tcp", ...port }) => ({
        ...port,
        protocol: protocol.toUpperCase(),
      })),
    },
    status: {
      loadBalancer: {
        ingress: external.map((text) =>
          text.startsWith("host:") ? { hostname: text.slice("host:".length) } : { ip: text },
        ),
      },
    },
  };
  if (!endpoints) return [service];
  return [service, slice(metadata, "IPv4", endpoints), slice(metadata, "IPv6", endpoints)];
}

function slice(
  { name, namespace }: { name: string; namespace: string },
  addressType: "IPv4" | "IPv6",
  endpoints: readonly EndpointSketch[],
): object {
  const ofFamily = endpoints.filter(([text]) => text.includes(":") === (addressType === "IPv6"));
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      name: `${name}-${addressType.toLowerCase()}`,
      namespace,
      labels: { "kubernetes.io/service-name": name },
    },
    addressType,
    endpoints: ofFamily.map(([text, ready, zone]) => ({
      addresses: [text],
      conditions: { ready },
      zone,
    })),
  };
}

function ours(kind: string, metadata: object, spec: object): object {
  return { apiVersion: "meridian.dev/v1alpha1", kind, metadata, spec };
}

/** A Kubernetes List, or the object itself if there is one alone. */
function listText(items: readonly object[]): string {
  const [only] = items;
  return JSON.stringify(items.length === 1 ? only : { apiVersion: "v1", kind: "List", items });
}

function sorted<Value>(values: Readonly<Record<string, Value>>): [string, Value][] {
  return Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1));
}

function addresses(texts: readonly string[] = []): Address[] {
  return texts.map(address).sort(compareAddresses);
}

/** The octets of a name. Throws if the text is none. */
function name(text: string): Name {
  const parsed = parseName(text);
  if (!parsed.ok) throw new Error(`cannot sketch: ${parsed.reason}, got ${text}`);
  return parsed.name;
}
