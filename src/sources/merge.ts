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
import { ServiceTable } from "../federation/service-table.ts";
import type { Model } from "../federation/whole-model.ts";
import { cloudRegion } from "../geo/cloud-regions.ts";
import {
  type KubernetesEndpointSlice,
  type KubernetesService,
  serviceNameLabel,
} from "./kubernetes.ts";
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

/**
 * Merges checked objects: services by namespace and name, their clusters in order of name, policy
 * of the FederatedService over that of the Federation.
 */
export function mergeObjects(
  federationObject: FederationObject,
  objects: readonly SourceObject[],
  resolveHostname: ResolveHostname,
): Model<ServiceTable> {
  const federation = federationOf(federationObject);
  const clusters = new Map<string, Cluster>();
  const policies = new Map<string, FederatedServiceObject>();
  const slices = new Map<string, KubernetesEndpointSlice[]>();
  const services = new Map<
    string,
    { namespace: string; name: string; clusters: ServiceInCluster[] }
  >();

  for (const object of objects) {
    const key = `${object.namespace}/${object.name}`;
    if (object.value === undefined) continue;
    if (object.kind === "Cluster") clusters.set(object.name, clusterOf(object.value));
    if (object.kind === "FederatedService") policies.set(key, object.value);
    if (object.kind === "EndpointSlice") {
      const service = object.value.metadata.labels[serviceNameLabel];
      const sliceKey = `${object.cluster}/${object.namespace}/${service}`;
      slices.set(sliceKey, [...(slices.get(sliceKey) ?? []), object.value]);
    }
  }
  for (const object of objects) {
    if (object.kind !== "Service" || object.value === undefined) continue;
    const { namespace, name, cluster, value } = object;
    const key = `${namespace}/${name}`;
    const service = services.get(key) ?? { namespace, name, clusters: [] };
    const ofService = slices.get(`${cluster}/${key}`);
    const filter = clusters.get(cluster)?.routing.endpoints;
    const isFiltered = filter && !passesFilter(filter, namespace, value.metadata.labels ?? {});
    service.clusters.push({
      ...serviceInCluster(cluster, value, ofService, resolveHostname),
      isFiltered: isFiltered ?? false,
    });
    services.set(key, service);
  }
  const table = new ServiceTable();
  for (const [key, { namespace, name, clusters }] of services) {
    table.put({
      namespace,
      name,
      ...policyOf(federationObject, federation, policies.get(key)),
      clusters: clusters.sort((a, b) => (a.cluster < b.cluster ? -1 : 1)),
    });
  }
  return { federation, clusters: sortedByKey(clusters), services: table };
}

/** The TTLs of a service: its own, else the federation's; a least TTL that is not its own yields to the greatest. */
export function serviceTtl(
  federation: { readonly max: number; readonly min: number },
  own: { readonly max?: number | undefined; readonly min?: number | undefined },
): { maxSeconds: number; minSeconds: number } {
  const maxSeconds = own.max ?? federation.max;
  return { maxSeconds, minSeconds: own.min ?? Math.min(federation.min, maxSeconds) };
}

function federationOf({ metadata, spec }: FederationObject): Federation {
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

function policyOf(
  { spec }: FederationObject,
  federation: Federation,
  own: FederatedServiceObject | undefined,
): Omit<Service, "namespace" | "name" | "clusters"> {
  return {
    answer: {
      mode: own?.spec.answer.mode ?? federation.answer.mode,
      maxAddresses: own?.spec.answer.maxAddresses ?? federation.answer.maxAddresses,
    },
    ttl: serviceTtl(spec.ttl, own?.spec.ttl ?? {}),
    minHealthyPercent: own?.spec.minHealthyPercent ?? federation.minHealthyPercent,
    onAllDown: own?.spec.onAllDown ?? federation.onAllDown,
    healthCheck: healthCheckOf(own?.spec.healthCheck ?? spec.healthCheck),
  };
}

function healthCheckOf(check: FederationObject["spec"]["healthCheck"]): HealthCheck | undefined {
  if (check === undefined) return undefined;
  return { ...check, port: check.port, expectBody: check.expectBody, host: check.host };
}

function serviceInCluster(
  cluster: string,
  { spec, status }: KubernetesService,
  slices: readonly KubernetesEndpointSlice[] | undefined,
  resolveHostname: ResolveHostname,
): Omit<ServiceInCluster, "isFiltered"> {
  // An ExternalName service is a CNAME to elsewhere: it has no address of the cluster.
  const isAddressed = spec.type !== "ExternalName";
  const clusterIps = spec.clusterIPs ?? [spec.clusterIP ?? ""];
  const ingress = isAddressed ? (status?.loadBalancer?.ingress ?? []) : [];
  const hostnames = [...new Set(ingress.flatMap((each) => each.hostname ?? []))].sort();
  const resolutions = hostnames.map((hostname) => resolveHostname(hostname));
  const isHeadless = isAddressed && clusterIps.includes("None");
  const ports = (spec.ports ?? []).map(portOf);
  return {
    cluster,
    ports: isHeadless ? ports.map((each) => podPort(each, slices ?? [])) : ports,
    isHeadless,
    clusterIps: isAddressed ? distinct(clusterIps.flatMap((each) => parseAddress(each) ?? [])) : [],
    external: distinct([
      ...ingress.flatMap((each) => each.ip ?? []),
      ...resolutions.flatMap((each) => each.addresses),
    ]),
    hostnames: hostnames.map((hostname, index) => ({
      hostname,
      state: resolutions[index]?.state ?? "unresolved",
    })),
    endpoints: slices && endpointsOf(slices),
  };
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

function sortedByKey<Value>(map: ReadonlyMap<string, Value>): Map<string, Value> {
  return new Map([...map].sort(([a], [b]) => (a < b ? -1 : 1)));
}
