// Makes one model of the federation of all the objects that the files declare. It trusts that
// they were checked; it must not know files, nor ask anybody: hostnames arrive resolved.

import type {
  ClusterObject,
  FederatedServiceObject,
  FederationObject,
} from "../config/federation-schemas.ts";
import { compareAddresses, parseAddress } from "../dns/address.ts";
import { nameOf } from "../dns/name.ts";
import { passesFilter } from "../federation/endpoint-filter.ts";
import type {
  Address,
  Cluster,
  Endpoint,
  Federation,
  HealthCheck,
  IngressHostname,
  Service,
  ServiceInCluster,
  ServicePort,
} from "../federation/model.ts";
import type { ServicePolicy } from "../federation/service-shape.ts";
import { ServiceTable } from "../federation/service-table.ts";
import type { Model } from "../federation/whole-model.ts";
import { cloudRegion } from "../geo/cloud-regions.ts";
import type { KubernetesEndpointSlice, KubernetesService } from "./kubernetes.ts";
import { hostnamesOf, ObjectIndex } from "./object-index.ts";
import type { SourceObject } from "./source-objects.ts";

/** What is known of a load balancer's hostname: addresses, and whether they are fresh. */
export interface Resolution {
  readonly addresses: readonly Address[];
  readonly state: IngressHostname["state"];
}

/** Looks up what is known of a hostname, at once. */
export type ResolveHostname = (hostname: string) => Resolution;

/** What a hostname is that nobody has resolved yet. */
export const unresolved: Resolution = { addresses: [], state: "unresolved" };

/** Merges checked objects: services by namespace and name, their clusters in order of name. */
export function mergeObjects(
  federationObject: FederationObject,
  objects: readonly SourceObject[],
  resolveHostname: ResolveHostname,
): Model<ServiceTable> {
  const index = new ObjectIndex();
  index.replace([], objects);
  const clusters = clustersOf(index.clusters.map(({ object }) => object));
  const rules: MergeRules = { federation: federationObject, clusters, resolveHostname };
  const services = new ServiceTable();
  for (const key of index.touched) {
    const service = mergedService(key, index, rules, []);
    if (service) services.put(service);
  }
  return { federation: federationOf(federationObject), clusters, services };
}

/** What merging one service needs beside the objects of that service. */
export interface MergeRules {
  readonly federation: FederationObject;
  /** By name. */
  readonly clusters: ReadonlyMap<string, Cluster>;
  readonly resolveHostname: ResolveHostname;
}

/**
 * The service `namespace/name`, its clusters in order of name, policy of the FederatedService over
 * that of the Federation; `undefined` if no cluster runs it.
 * @param others what clusters say of it that have no object in the index, slices left out.
 */
export function mergedService(
  key: string,
  index: ObjectIndex,
  rules: MergeRules,
  others: readonly ServiceInCluster[],
): Service | undefined {
  const slash = key.indexOf("/");
  const [namespace, name] = [key.slice(0, slash), key.slice(slash + 1)];
  const byCluster = new Map(others.map((entry) => [entry.cluster, entry]));
  for (const { object } of index.services.get(key) ?? []) {
    if (object.value === undefined) continue;
    byCluster.set(object.cluster, declaredEntry(object.cluster, namespace, object.value, rules));
  }
  if (byCluster.size === 0) return undefined;
  const slices = new Map<string, KubernetesEndpointSlice[]>();
  for (const { object } of index.slices.get(key) ?? []) {
    if (object.value === undefined) continue;
    slices.set(object.cluster, [...(slices.get(object.cluster) ?? []), object.value]);
  }
  const clusters = [...byCluster.values()].map((entry) => {
    const own = slices.get(entry.cluster);
    return own ? withSlices(entry, own) : entry;
  });
  const own = index.policies.get(key)?.find(({ object }) => object.value)?.object.value;
  return {
    namespace,
    name,
    ...policyOf(rules.federation, own),
    clusters: clusters.sort((a, b) => (a.cluster < b.cluster ? -1 : 1)),
  };
}

/** What a cluster says of a service, all but its slices. */
function declaredEntry(
  cluster: string,
  namespace: string,
  { metadata, spec, status }: KubernetesService,
  { clusters, resolveHostname }: MergeRules,
): ServiceInCluster {
  // An ExternalName service is a CNAME to elsewhere: it has no address of the cluster.
  const isAddressed = spec.type !== "ExternalName";
  const clusterIps = spec.clusterIPs ?? [spec.clusterIP ?? ""];
  const ingress = isAddressed ? (status?.loadBalancer?.ingress ?? []) : [];
  const hostnames = hostnamesOf({ metadata, spec, status });
  const resolutions = hostnames.map((hostname) => resolveHostname(hostname));
  const filter = clusters.get(cluster)?.routing.endpoints;
  return {
    cluster,
    isFiltered: filter ? !passesFilter(filter, namespace, metadata.labels ?? {}) : false,
    ports: (spec.ports ?? []).map(portOf),
    isHeadless: isAddressed && clusterIps.includes("None"),
    clusterIps: isAddressed ? distinct(clusterIps.flatMap((each) => parseAddress(each) ?? [])) : [],
    external: distinct([
      ...ingress.flatMap((each) => each.ip ?? []),
      ...resolutions.flatMap((each) => each.addresses),
    ]),
    hostnames: hostnames.map((hostname, index) => ({
      hostname,
      state: resolutions[index]?.state ?? "unresolved",
    })),
    endpoints: undefined,
  };
}

/** The same with what the slices say. */
function withSlices(
  entry: ServiceInCluster,
  slices: readonly KubernetesEndpointSlice[],
): ServiceInCluster {
  const ports = entry.isHeadless ? entry.ports.map((each) => podPort(each, slices)) : entry.ports;
  return { ...entry, ports, endpoints: endpointsOf(slices) };
}

/** The clusters that objects declare, in order of name. */
export function clustersOf(
  objects: readonly { readonly name: string; readonly value: ClusterObject | undefined }[],
): Map<string, Cluster> {
  const named = objects.flatMap(({ name, value }): [string, Cluster][] =>
    value ? [[name, clusterOf(value)]] : [],
  );
  return new Map(named.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The TTLs of a service: its own, else the federation's; a least TTL that is not its own yields to the greatest. */
export function serviceTtl(
  federation: { readonly max: number; readonly min: number },
  own: { readonly max?: number | undefined; readonly min?: number | undefined },
): { maxSeconds: number; minSeconds: number } {
  const maxSeconds = own.max ?? federation.max;
  return { maxSeconds, minSeconds: own.min ?? Math.min(federation.min, maxSeconds) };
}

/** What a Federation object says, without what it says of health checks: that is each service's. */
export function federationOf({ metadata, spec }: FederationObject): Federation {
  return {
    name: metadata.name,
    domain: spec.domain,
    nameservers: spec.nameservers,
    contact: spec.contact ?? nameOf(["hostmaster"], spec.domain), // RFC 2142 section 7
    ttl: {
      maxSeconds: spec.ttl.max,
      minSeconds: spec.ttl.min,
      negativeSeconds: spec.ttl.negative,
    },
    answer: spec.answer,
    minHealthyPercent: spec.minHealthyPercent,
    onAllDown: spec.onAllDown,
  };
}

function clusterOf({ metadata, spec }: ClusterObject): Cluster {
  const region = spec.region ?? "";
  return {
    name: metadata.name,
    labels: metadata.labels,
    region,
    zones: spec.zones,
    location: spec.location ?? cloudRegion(region),
    networks: spec.networks,
    routing: spec.routing,
  };
}

/** The policy of a service: that of its FederatedService, if it has one, over the Federation's. */
export function policyOf(
  { spec }: FederationObject,
  own: FederatedServiceObject | undefined,
): ServicePolicy {
  return {
    answer: {
      mode: own?.spec.answer.mode ?? spec.answer.mode,
      maxAddresses: own?.spec.answer.maxAddresses ?? spec.answer.maxAddresses,
    },
    ttl: serviceTtl(spec.ttl, own?.spec.ttl ?? {}),
    minHealthyPercent: own?.spec.minHealthyPercent ?? spec.minHealthyPercent,
    onAllDown: own?.spec.onAllDown ?? spec.onAllDown,
    healthCheck: healthCheckOf(own?.spec.healthCheck ?? spec.healthCheck),
  };
}

function healthCheckOf(check: FederationObject["spec"]["healthCheck"]): HealthCheck | undefined {
  if (check === undefined) return undefined;
  return { ...check, port: check.port, expectBody: check.expectBody, host: check.host };
}

type KubernetesPort = NonNullable<KubernetesService["spec"]["ports"]>[number];

function portOf({ name, protocol, port }: KubernetesPort): ServicePort {
  return { name: name ?? "", protocol: transportOf(protocol ?? "TCP"), port };
}

function transportOf(protocol: "TCP" | "UDP" | "SCTP"): ServicePort["protocol"] {
  return ({ TCP: "tcp", UDP: "udp", SCTP: "sctp" } as const)[protocol];
}

/** The port that the pods themselves listen on: nothing translates it for a headless service. */
function podPort(port: ServicePort, slices: readonly KubernetesEndpointSlice[]): ServicePort {
  const own = slices
    .flatMap((slice) => slice.ports ?? [])
    .find(
      ({ name, protocol }) =>
        (name ?? "") === port.name && transportOf(protocol ?? "TCP") === port.protocol,
    );
  return { ...port, port: own?.port ?? port.port };
}

/** Every address of the slices that is not terminating, once; ready if any of its mentions is. */
function endpointsOf(slices: readonly KubernetesEndpointSlice[]): Endpoint[] {
  const byAddress = new Map<string, Endpoint>();
  for (const slice of slices) {
    // Names are no addresses, and a slice that is being deleted goes with all it holds.
    if (slice.addressType === "FQDN" || slice.metadata.deletionTimestamp) continue;
    for (const each of slice.endpoints ?? []) {
      if (each.conditions?.terminating || each.deletionTimestamp) continue;
      const isReady = each.conditions?.ready ?? true; // unset means ready (discovery/v1)
      for (const text of each.addresses) {
        const address = parseAddress(text);
        if (address === undefined) continue;
        const known = byAddress.get(address.join());
        const zone = known?.zone ?? (each.zone || undefined);
        byAddress.set(address.join(), {
          address,
          isReady: isReady || known?.isReady === true,
          zone,
        });
      }
    }
  }
  return [...byAddress.values()].sort((a, b) => compareAddresses(a.address, b.address));
}

function distinct(addresses: readonly Address[]): Address[] {
  const byText = new Map(addresses.map((address) => [address.join(), address]));
  return [...byText.values()].sort(compareAddresses);
}
