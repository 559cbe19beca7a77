// All names that a federation publishes for a service (design, "Names"), listed one by one, for
// those who must write them all down; answers look names up by their labels instead (`names.ts`). It
// must not know what any of them is answered.

import { type Name, nameOf } from "../dns/name.ts";
import type { Cluster, Federation, Service } from "./model.ts";

/** A name and what it stands for. */
export type PublishedName = { readonly name: Name } & (
  | { readonly kind: "service" }
  | {
      readonly kind: "local";
      readonly region: string;
      readonly zone: string | undefined;
      readonly up: Name;
    }
  | { readonly kind: "cluster"; readonly cluster: string }
  | { readonly kind: "port"; readonly port: string; readonly protocol: string }
);

/** The regions of a federation and their zones; a service has a name in each of them. */
export function regionsOf(clusters: Iterable<Cluster>): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const { region, zones } of clusters) {
    if (region === "") continue;
    const known = found.get(region) ?? new Set();
    for (const zone of zones) if (zone !== "") known.add(zone);
    found.set(region, known);
  }
  return found;
}

/** The names of a service: short, global and those of ports below each; of clusters; of regions and zones. */
export function* publishedNames(
  { name: federation, domain }: Federation,
  regions: ReadonlyMap<string, ReadonlySet<string>>,
  service: Service,
): Generator<PublishedName> {
  const labels = [service.name, service.namespace, federation];
  const short = nameOf(labels, domain);
  const global = nameOf([...labels, "svc"], domain);
  for (const name of [short, global]) {
    yield { name, kind: "service" };
    for (const { port, protocol } of namedPorts(service)) {
      yield { name: nameOf([`_${port}`, `_${protocol}`], name), kind: "port", port, protocol };
    }
  }
  for (const { cluster } of service.clusters) {
    yield { name: nameOf([cluster], short), kind: "cluster", cluster };
  }
  for (const [region, zones] of regions) {
    const regional = nameOf([...labels, "svc", region], domain);
    yield { name: regional, kind: "local", region, zone: undefined, up: global };
    for (const zone of zones) {
      const zonal = nameOf([...labels, "svc", zone, region], domain);
      yield { name: zonal, kind: "local", region, zone, up: regional };
    }
  }
}

/** Each named tcp or udp port of the service in any cluster, once. */
function namedPorts({ clusters }: Service): { port: string; protocol: string }[] {
  const found = new Map<string, { port: string; protocol: string }>();
  for (const { ports } of clusters) {
    for (const { name, protocol } of ports) {
      if (name === "" || protocol === "sctp") continue;
      found.set(`${name}/${protocol}`, { port: name, protocol });
    }
  }
  return [...found.values()];
}
