// The federation as plain data: what the sources read and merge, and what routing and answers
// decide on. It knows no file, no client and no health; it can be copied between threads.

import type { Network } from "../dns/address.ts";
import type { Name } from "../dns/name.ts";

export type { Network } from "../dns/address.ts";

/** An IP address as 4 or 16 octets in network order; the length is the family. */
export type Address = Uint8Array;

/** A named set of clusters that publish services under one domain. */
export interface Federation {
  readonly name: string;
  readonly domain: Name;
  readonly nameservers: readonly NameServer[];
  /** SOA RNAME: the contact's mailbox as a name. */
  readonly contact: Name;
  readonly ttl: TtlRange & { readonly negativeSeconds: number };
  readonly answer: AnswerPolicy;
  /** 0–100. Below this share of healthy endpoints, clients spill to the next level. */
  readonly minHealthyPercent: number;
  readonly onAllDown: OnAllDown;
}

export interface NameServer {
  readonly name: Name;
  readonly addresses: readonly Address[];
}

export interface TtlRange {
  readonly maxSeconds: number;
  readonly minSeconds: number;
}

export interface AnswerPolicy {
  /** `ordered`: the client's level first, then the others. `nearest`: the client's level only. */
  readonly mode: "ordered" | "nearest";
  /** 1 or more. */
  readonly maxAddresses: number;
}

/** With no healthy endpoint: answer as if all were well, answer NODATA, or answer SERVFAIL. */
export type OnAllDown = "open" | "empty" | "servfail";

/** A place that runs services. */
export interface Cluster {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** `''` where none is given; an empty region equals no other. */
  readonly region: string;
  readonly zones: readonly string[];
  /** As given, else that of a known cloud region, else `undefined`. */
  readonly location: { readonly latitude: number; readonly longitude: number } | undefined;
  /** Clients from these are inside this cluster. */
  readonly networks: readonly Network[];
  readonly routing: RoutingSettings;
}

export interface RoutingSettings {
  readonly enabled: boolean;
  /** 1–1000, lower first. */
  readonly priority: number;
  /** 0–100. */
  readonly weight: number;
  readonly localPreference: boolean;
  readonly allowCrossClusterTraffic: boolean;
  readonly endpoints: EndpointFilter;
}

/** Which services of a cluster may be answered to clients that are not inside it. */
export interface EndpointFilter {
  /** Empty: all. */
  readonly namespaces: readonly string[];
  readonly excludeNamespaces: readonly string[];
  readonly matchLabels: Readonly<Record<string, string>>;
  readonly matchExpressions: readonly LabelExpression[];
}

/** A Kubernetes label selector requirement. */
export interface LabelExpression {
  readonly key: string;
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
  readonly values: readonly string[];
}

/** A service, merged by namespace and name from the clusters that run it. */
export interface Service {
  readonly namespace: string;
  readonly name: string;
  readonly answer: AnswerPolicy;
  readonly ttl: TtlRange;
  readonly minHealthyPercent: number;
  readonly onAllDown: OnAllDown;
  /** `undefined`: no health check, so TTL max. */
  readonly healthCheck: HealthCheck | undefined;
  /** In order of cluster name; at most one for a cluster. */
  readonly clusters: readonly ServiceInCluster[];
}

export interface HealthCheck {
  readonly type: "http" | "https" | "tcp" | "dns";
  /** A number, a port name, or `undefined` for the service's first port. */
  readonly port: number | string | undefined;
  readonly path: string;
  readonly intervalSeconds: number;
  readonly timeoutSeconds: number;
  /** Failures to vote down, successes in a row to vote up; 1–100. */
  readonly fall: number;
  readonly rise: number;
  /** So long after its verdict turned up an endpoint counts as a part of a healthy one. */
  readonly rampSeconds: number;
  /** 0–100: so many of a service's endpoints may be down by vote. */
  readonly maxEjectPercent: number;
  readonly expectStatus: string;
  readonly expectBody: string | undefined;
  /** Host header and SNI; for `dns` the name that is asked. */
  readonly host: string | undefined;
  readonly insecureSkipVerify: boolean;
}

/** What one cluster says of one service. Addresses are unique and sorted. */
export interface ServiceInCluster {
  readonly cluster: string;
  /** Whether the cluster's endpoint filter keeps it from clients that are not inside the cluster. */
  readonly isFiltered: boolean;
  readonly ports: readonly ServicePort[];
  /** `clusterIP: None`: clients inside get the ready endpoints' own addresses. */
  readonly isHeadless: boolean;
  readonly clusterIps: readonly Address[];
  /** Load balancer ingress, resolved hostnames included. */
  readonly external: readonly Address[];
  readonly hostnames: readonly IngressHostname[];
  /** From EndpointSlices, terminating ones left out; `undefined` where there is no slice. */
  readonly endpoints: readonly Endpoint[] | undefined;
}

export interface ServicePort {
  /** `''` for an unnamed port, which has no SRV name. */
  readonly name: string;
  readonly protocol: "tcp" | "udp" | "sctp";
  readonly port: number;
}

/** A load balancer's host name and how its last resolution went. */
export interface IngressHostname {
  readonly hostname: string;
  readonly state: "resolved" | "stale" | "unresolved";
}

/** One address of an EndpointSlice. */
export interface Endpoint {
  readonly address: Address;
  readonly isReady: boolean;
  readonly zone: string | undefined;
}

/** How a service is called everywhere: `namespace/name`. */
export function serviceKey({ namespace, name }: Pick<Service, "namespace" | "name">): string {
  return `${namespace}/${name}`;
}
