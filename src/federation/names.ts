// The names that a federation publishes (design, "Names"): which exist for a service, and what
// each stands for. It must not know what any of them is answered.

import { type Name, nameOf } from "../dns/name.ts";
import type { Cluster, Federation, Model, Service } from "./model.ts";

/** What a federated name stands for. */
export type FederatedName =
  /** `S.N.F.D` and `S.N.F.svc.D`: ordered addresses for the client. */
  | { readonly kind: "service"; readonly service: Service }
  /**
   * `S.N.F.svc.R.D` and `S.N.F.svc.Z.R.D`: only that region's or zone's endpoints; `up` is the
   * name one step up that a CNAME points to when none there is healthy.
   */
  | {
      readonly kind: "local";
      readonly service: Service;
      readonly region: string;
      readonly zone: string | undefined;
      readonly up: Name;
    }
  /** `C.S.N.F.D`: that cluster's addresses. */
  | { readonly kind: "cluster"; readonly service: Service; readonly cluster: string }
  /** `_P._T` below a service name. */
  | {
      readonly kind: "port";
      readonly service: Service;
      readonly port: string;
      readonly protocol: string;
    };

/** All names of all services of the model. */
export function* federatedNames(model: Model): Generator<[Name, FederatedName]> {
  const { federation } = model;
  const clusters = [...model.clusters.values()];
  for (const service of model.services.values()) {
    yield* serviceNames(federation, clusters, service);
  }
}

/** The name of one cluster's part of a service, `C.S.N.F.D`: the target of its SRV records. */
export function clusterName(federation: Federation, service: Service, cluster: string): Name {
  return nameOf([cluster, service.name, service.namespace, federation.name], federation.domain);
}

function* serviceNames(
  federation: Federation,
  clusters: readonly Cluster[],
  service: Service,
): Generator<[Name, FederatedName]> {
  const labels = [service.name, service.namespace, federation.name];
  const short = nameOf(labels, federation.domain);
  const global = nameOf([...labels, "svc"], federation.domain);
  for (const name of [short, global]) {
    yield [name, { kind: "service", service }];
    for (const { port, protocol } of ports(service)) {
      const target: FederatedName = { kind: "port", service, port, protocol };
      yield [nameOf([`_${port}`, `_${protocol}`], name), target];
    }
  }
  for (const { cluster } of service.clusters) {
    yield [clusterName(federation, service, cluster), { kind: "cluster", service, cluster }];
  }
  for (const [region, zones] of regions(clusters)) {
    const regional = nameOf([...labels, "svc", region], federation.domain);
    yield [regional, { kind: "local", service, region, zone: undefined, up: global }];
    for (const zone of zones) {
      const zonal = nameOf([...labels, "svc", zone, region], federation.domain);
      yield [zonal, { kind: "local", service, region, zone, up: regional }];
    }
  }
}

/** The regions of the federation and their zones; a service has a name in each of them. */
function regions(clusters: readonly Cluster[]): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const { region, zones } of clusters) {
    if (region === "") continue;
    const known = found.get(region) ?? new Set();
    for (const zone of zones) if (zone !== "") known.add(zone);
    found.set(region, known);
  }
  return found;
}

/** Each named tcp or udp port of the service in any cluster, once. */
function ports(service: Service): { port: string; protocol: string }[] {
  const found = new Map<string, { port: string; protocol: string }>();
  for (const { ports } of service.clusters) {
    for (const { name, protocol } of ports) {
      if (name === "" || protocol === "sctp") continue;
      found.set(`${name}/${protocol}`, { port: name, protocol });
    }
  }
  return [...found.values()];
}
