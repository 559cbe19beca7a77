// All names that a federation publishes, listed one by one: what look-up by labels is held
// against. It must not know how look-up works.

import { type Name, nameOf } from "../../src/dns/name.ts";
import {
  type Cluster,
  type Federation,
  type Service,
  serviceKey,
} from "../../src/federation/model.ts";
import { clusterName, type FederatedName } from "../../src/federation/names.ts";
import type { Model } from "../../src/federation/whole-model.ts";

/** All names of all services of the model, services in order of their keys. */
export function* federatedNames(model: Model): Generator<[Name, FederatedName]> {
  const { federation } = model;
  const clusters = [...model.clusters.values()];
  const services = new Map([...model.services.values()].map((each) => [serviceKey(each), each]));
  for (const [, service] of [...services].sort(([a], [b]) => (a < b ? -1 : 1))) {
    yield* serviceNames(federation, clusters, service);
  }
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
