// The names that a federation publishes (design, "Names"): which exist for a service, and what
// each stands for. They are worked out from the labels of the name that is asked, never listed:
// a million services have ten million names. It must not know what any of them is answered.

import { hasOctets, isSubdomain, lowerName, type Name, nameOf } from "../dns/name.ts";
import type { RecordRef } from "../memory/packed-map.ts";
import type { Cluster, Federation, Service } from "./model.ts";
import { regionsOf } from "./published-names.ts";
import type { ServiceReader } from "./service-reader.ts";
import type { ServiceShape } from "./service-shape.ts";

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

/** The name of one cluster's part of a service, `C.S.N.F.D`: the target of its SRV records. */
export function clusterName(federation: Federation, service: Service, cluster: string): Name {
  return nameOf([cluster, service.name, service.namespace, federation.name], federation.domain);
}

/** What `FederatedNames.match` found. */
export const NameMatch = {
  /** No such name. */
  NONE: 0,
  /** A name without records of its own, with others below it. */
  EMPTY: 1,
  SERVICE: 2,
  LOCAL: 3,
  CLUSTER: 4,
  PORT: 5,
} as const;
export type NameMatch = (typeof NameMatch)[keyof typeof NameMatch];

/** The names of all services below a domain. */
export class FederatedNames {
  readonly domain: Name;
  readonly #federation: Federation;
  readonly #services: ServiceReader;
  readonly #federationLabel: Uint8Array;
  readonly #regions: readonly RegionLabels[];
  readonly #starts = new Uint8Array(128);
  /** Of the last match but NONE and EMPTY: the service's record, and the region and zone. */
  ref: RecordRef = 0;
  #region: RegionLabels | undefined;
  #zone: PlaceLabel | undefined;

  constructor(federation: Federation, clusters: Iterable<Cluster>, services: ServiceReader) {
    this.domain = federation.domain;
    this.#federation = federation;
    this.#services = services;
    this.#federationLabel = labelOf(federation.name);
    this.#regions = regionLabels(clusters);
  }

  /** What stands at a name in whatever case; `undefined` for a name that does not exist or is not below the domain. */
  find(name: Name): FederatedName | "empty" | undefined {
    if (name.length <= this.domain.length || !isSubdomain(name, this.domain)) return undefined;
    const lowered = lowerName(name);
    const kind = this.match(lowered, 0, name.length - this.domain.length);
    if (kind === NameMatch.NONE) return undefined;
    if (kind === NameMatch.EMPTY) return "empty";
    return this.#named(kind, lowered, this.#services.serviceAt(this.ref));
  }

  /**
   * What stands at the name whose labels below the domain are the octets from `at` to `end`, in
   * lower case. Allocates nothing.
   */
  match(octets: Uint8Array, at: number, end: number): NameMatch {
    const starts = this.#starts;
    let count = 0;
    for (let next = at; next < end; next += (octets[next] ?? 0) + 1) starts[count++] = next;
    let best: NameMatch = NameMatch.NONE;
    if (count === 0 || this.#services.size === 0) return best;
    const last = starts[count - 1] ?? 0;
    if (hasOctets(octets, last, this.#federationLabel)) {
      best = this.#matchService(octets, count - 1, true, NameMatch.SERVICE);
    }
    if (best <= NameMatch.EMPTY && hasOctets(octets, last, svcLabel)) {
      const found = this.#matchBelowSvc(octets, count - 1, NameMatch.SERVICE);
      if (found !== NameMatch.NONE) best = found;
    }
    for (let index = 0; best <= NameMatch.EMPTY && index < this.#regions.length; index++) {
      const region = this.#regions[index];
      if (!region || !hasOctets(octets, last, region.label)) continue;
      const found = this.#matchRegion(octets, count - 1, region);
      if (found !== NameMatch.NONE) best = found;
    }
    return best;
  }

  /** Below `R.D`; `count` labels are left, the last of them is looked at next. */
  #matchRegion(octets: Uint8Array, count: number, region: RegionLabels): NameMatch {
    this.#region = region;
    this.#zone = undefined;
    if (count === 0) return NameMatch.EMPTY;
    const last = this.#starts[count - 1] ?? 0;
    let best: NameMatch = NameMatch.NONE;
    if (hasOctets(octets, last, svcLabel)) {
      best = this.#matchBelowSvc(octets, count - 1, NameMatch.LOCAL);
    }
    for (let index = 0; best <= NameMatch.EMPTY && index < region.zones.length; index++) {
      const zone = region.zones[index];
      if (!zone || !hasOctets(octets, last, zone.label)) continue;
      const isSvc = count > 1 && hasOctets(octets, this.#starts[count - 2] ?? 0, svcLabel);
      if (count === 1) best = NameMatch.EMPTY;
      if (!isSvc) continue;
      const found = this.#matchBelowSvc(octets, count - 2, NameMatch.LOCAL);
      if (found > NameMatch.EMPTY) this.#zone = zone;
      if (found !== NameMatch.NONE) best = found;
    }
    return best;
  }

  /** Below `svc`: `F` and what is below it, but no cluster names. */
  #matchBelowSvc(octets: Uint8Array, count: number, kind: NameMatch): NameMatch {
    if (count === 0) return NameMatch.EMPTY;
    if (!hasOctets(octets, this.#starts[count - 1] ?? 0, this.#federationLabel)) {
      return NameMatch.NONE;
    }
    return this.#matchService(octets, count - 1, false, kind);
  }

  /** Below `F`: namespace, service, and what a service has below it. */
  #matchService(
    octets: Uint8Array,
    count: number,
    hasClusterNames: boolean,
    kind: NameMatch,
  ): NameMatch {
    if (count === 0) return NameMatch.EMPTY;
    const starts = this.#starts;
    const services = this.#services;
    const namespaceAt = starts[count - 1] ?? 0;
    const behind = namespaceAt + 1 + (octets[namespaceAt] ?? 0);
    if (count === 1) {
      const isThere = services.find(octets, namespaceAt, behind - namespaceAt) !== 0;
      return isThere ? NameMatch.EMPTY : NameMatch.NONE;
    }
    const serviceAt = starts[count - 2] ?? 0;
    const ref = services.find(octets, serviceAt, behind - serviceAt);
    if (ref === 0) return NameMatch.NONE;
    this.ref = ref;
    if (count === 2) return kind;
    // Regional and zonal names have no ports.
    const shape = kind === NameMatch.SERVICE ? services.shapeAt(ref) : undefined;
    if (!shape || count > 4) return NameMatch.NONE;
    const labelAt = starts[count - 3] ?? 0;
    if (octets[labelAt + 1] === underscore) {
      const portAt = count === 4 ? (starts[0] ?? 0) : -1;
      if (!hasPort(shape, octets, labelAt, portAt)) return NameMatch.NONE;
      return count === 4 ? NameMatch.PORT : NameMatch.EMPTY;
    }
    const isCluster = hasClusterNames && count === 3 && hasCluster(shape, octets, labelAt);
    return isCluster ? NameMatch.CLUSTER : NameMatch.NONE;
  }

  #named(kind: NameMatch, lowered: Uint8Array, service: Service): FederatedName {
    switch (kind) {
      case NameMatch.CLUSTER: {
        const cluster = textOf(lowered, 0);
        return { kind: "cluster", service, cluster };
      }
      case NameMatch.PORT: {
        const port = textOf(lowered, 0).slice(1);
        const protocol = textOf(lowered, 1 + (lowered[0] ?? 0)).slice(1);
        return { kind: "port", service, port, protocol };
      }
      case NameMatch.LOCAL: {
        const region = this.#region?.text ?? "";
        const labels = [service.name, service.namespace, this.#federation.name, "svc"];
        const up = nameOf(this.#zone ? [...labels, region] : labels, this.domain);
        return { kind: "local", service, region, zone: this.#zone?.text, up };
      }
      default:
        return { kind: "service", service };
    }
  }
}

const underscore = 0x5f;
const svcLabel = labelOf("svc");

/** A label as in a wire name, in lower case, and how it was spelled. */
interface PlaceLabel {
  readonly text: string;
  readonly label: Uint8Array;
}

interface RegionLabels extends PlaceLabel {
  readonly zones: readonly PlaceLabel[];
}

function regionLabels(clusters: Iterable<Cluster>): RegionLabels[] {
  return [...regionsOf(clusters)].map(([text, zones]) => ({
    text,
    label: labelOf(text),
    zones: [...zones].map((zone) => ({ text: zone, label: labelOf(zone) })),
  }));
}

function labelOf(text: string): Uint8Array {
  const lowered = text.toLowerCase();
  return Uint8Array.of(lowered.length, ...Buffer.from(lowered, "latin1"));
}

/** Whether the label at `at` is `text`, after `skip` octets. Names of ports and clusters are in lower case. */
function isText(octets: Uint8Array, at: number, text: string, skip: number): boolean {
  if (octets[at] !== text.length + skip) return false;
  for (let index = 0; index < text.length; index++) {
    if (octets[at + 1 + skip + index] !== text.charCodeAt(index)) return false;
  }
  return true;
}

/** Whether a service has a named tcp or udp port; any of the protocol if `portAt` is below 0. */
function hasPort(
  { entries }: ServiceShape,
  octets: Uint8Array,
  protocolAt: number,
  portAt: number,
): boolean {
  for (const { ports } of entries) {
    for (const { name, protocol } of ports) {
      if (name === "" || protocol === "sctp") continue;
      if (!isText(octets, protocolAt, protocol, 1)) continue;
      if (portAt < 0) return true;
      if (octets[portAt + 1] === underscore && isText(octets, portAt, name, 1)) return true;
    }
  }
  return false;
}

function hasCluster({ entries }: ServiceShape, octets: Uint8Array, at: number): boolean {
  for (const { cluster } of entries) if (isText(octets, at, cluster, 0)) return true;
  return false;
}

function textOf(octets: Uint8Array, at: number): string {
  const label = octets.subarray(at + 1, at + 1 + (octets[at] ?? 0));
  return Buffer.from(label).toString("latin1");
}
