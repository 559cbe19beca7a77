// The record sets that a service should have in the cloud (semantics 9): what our own answers say,
// from no one client's point of view, or from where each cluster is. All choices are `route`'s. It
// must not know what a zone holds, nor who owns what.

import { formatAddress } from "../dns/address.ts";
import { formatName, lowerName, type Name, nameOf } from "../dns/name.ts";
import type { Cluster, Federation, Service } from "../federation/model.ts";
import { type PublishedName, publishedNames, regionsOf } from "../federation/published-names.ts";
import type { Demand, Health } from "../routing/candidates.ts";
import { insidePlace, type Place } from "../routing/place.ts";
import { type Route, route } from "../routing/route.ts";
import { srvWeight } from "../routing/srv-weight.ts";
import type { RecordPart, RecordSet, RoutingPolicy } from "./record-set.ts";
import { placeText, type RoutedPlace, routedPlaces } from "./routed-places.ts";

/** What records are made from. */
export interface DesiredInput {
  readonly federation: Federation;
  readonly clusters: ReadonlyMap<string, Cluster>;
  readonly health: Health;
  /** Clusters that are taken out of the answers. */
  readonly drained: ReadonlySet<string>;
  readonly mode: "plain" | RoutingPolicy;
  /** Of all records; `undefined`: as the services say. */
  readonly ttlSeconds: number | undefined;
  /** The most that the provider takes. */
  readonly mostValues: number;
  readonly mostParts: number;
}

/** The record sets of one service, and where they say less than it would be answered. */
export interface Desired {
  readonly sets: readonly RecordSet[];
  readonly facts: DesiredFacts;
}

/** What only the making of records shows. */
export interface DesiredFacts {
  /** At a regional or zonal name the addresses of one family are those of the name one step up. */
  readonly hasBorrowedFamily: boolean;
  /** There were more addresses, or places, than the provider takes. */
  readonly isCut: boolean;
  /** Clusters that serve only the clients whose home they are, which plain records cannot tell. */
  readonly notPublished: readonly string[];
}

/** The client of no place: its prefix decides nothing that is kept. */
const nobody = new Uint8Array(4);
const nowhere: Place = { inside: undefined, zones: [], region: "", distancesKm: new Map() };
/** More than any service has. */
const all = Number.MAX_SAFE_INTEGER;

/** Makes the record sets of services of one federation. */
export class DesiredRecords {
  readonly #input: DesiredInput;
  readonly #regions: ReadonlyMap<string, ReadonlySet<string>>;
  readonly #places: ReadonlyMap<string, Place>;
  readonly #routed: readonly RoutedPlace[];

  constructor(input: DesiredInput) {
    this.#input = input;
    const clusters = [...input.clusters.values()];
    this.#regions = regionsOf(clusters);
    this.#places = new Map(
      clusters.map((each) => [each.name, { ...insidePlace(each, clusters), inside: undefined }]),
    );
    this.#routed = input.mode === "plain" ? [] : routedPlaces(input.mode, clusters);
  }

  /** The record sets of a service, in no order, none of them empty. */
  of(service: Service): Desired {
    return new ServiceRecords(service, this.#input, this.#places, this.#routed).make(this.#regions);
  }
}

/** The making of one service's records. */
class ServiceRecords {
  readonly #service: Service;
  readonly #input: DesiredInput;
  readonly #places: ReadonlyMap<string, Place>;
  readonly #routed: readonly RoutedPlace[];
  readonly #place: Place;
  readonly #notPublished: readonly string[];
  readonly #families: readonly (4 | 6)[];
  readonly #sets = new Map<string, RecordSet>();
  readonly #serviceParts = new Map<4 | 6, readonly RecordPart[]>();
  #hasBorrowedFamily = false;
  #isCut = false;

  constructor(
    service: Service,
    input: DesiredInput,
    places: ReadonlyMap<string, Place>,
    routed: readonly RoutedPlace[],
  ) {
    // Never an empty answer, whatever the service's policy; and all that is healthy.
    this.#service = {
      ...service,
      onAllDown: "open",
      answer: { mode: "ordered", maxAddresses: all },
    };
    this.#families = ([4, 6] as const).filter((family) =>
      service.clusters.some(({ external }) =>
        external.some((each) => each.length === (family === 4 ? 4 : 16)),
      ),
    );
    this.#input = input;
    this.#places = places;
    this.#routed = routed;
    const { place, notPublished } = this.#wherePublished();
    this.#place = place;
    this.#notPublished = notPublished;
  }

  make(regions: ReadonlyMap<string, ReadonlySet<string>>): Desired {
    const { federation } = this.#input;
    const targets = new Set<string>();
    const clusterNames: PublishedName[] = [];
    for (const each of publishedNames(federation, regions, this.#service)) {
      if (each.kind === "service") this.#addService(each.name);
      else if (each.kind === "port") this.#addPort(each, targets);
      else if (each.kind === "local") this.#addLocal(each);
      else clusterNames.push(each);
    }
    for (const each of clusterNames) {
      if (each.kind === "cluster" && targets.has(each.cluster)) this.#addCluster(each);
    }
    return {
      sets: [...this.#sets.values()],
      facts: {
        hasBorrowedFamily: this.#hasBorrowedFamily,
        isCut: this.#isCut,
        notPublished: this.#notPublished,
      },
    };
  }

  /**
   * From where plain records are made: from nowhere; where the one cluster that could serve is for
   * its own clients only, from there, as all clients are its own then.
   */
  #wherePublished(): { place: Place; notPublished: string[] } {
    const { levels, leftOut } = this.#route(nowhere, { family: undefined });
    const shut = leftOut.flatMap(({ cluster, reason }) => (reason === "not-home" ? [cluster] : []));
    const [only] = shut;
    const isAlone = levels.every((level) => level.candidates.length === 0) && shut.length === 1;
    const place = isAlone && only !== undefined ? this.#places.get(only) : undefined;
    return place ? { place, notPublished: [] } : { place: nowhere, notPublished: shut };
  }

  #route(place: Place, demand: Demand): Route {
    const { clusters, drained, health } = this.#input;
    return route({
      clusters,
      service: this.#service,
      demand,
      place,
      prefix: nobody,
      // What ramps up is up: an address comes and goes, it cannot be given a little.
      health: (service, cluster, address) => (health(service, cluster, address) > 0 ? 1 : 0),
      drained,
    });
  }

  #addService(name: Name): void {
    for (const family of this.#families) {
      // The short and the global name have the same records.
      const parts =
        this.#serviceParts.get(family) ??
        this.#routedParts(family) ??
        this.#plainParts(this.#route(this.#place, { family }));
      this.#serviceParts.set(family, parts);
      this.#add(name, typeOf(family), parts);
    }
  }

  /** For each place its own answer; `undefined` where there are not two of them, or too many. */
  #routedParts(family: 4 | 6): RecordPart[] | undefined {
    const isByChance = this.#input.mode === "weighted" || this.#input.mode === "wrr";
    const parts = isByChance ? this.#weightedParts(family) : this.#placedParts(family);
    if (parts.length > this.#input.mostParts) this.#isCut = true;
    return parts.length < 2 || parts.length > this.#input.mostParts ? undefined : parts;
  }

  #placedParts(family: 4 | 6): RecordPart[] {
    const seen = new Set<string>();
    return this.#routed.flatMap((place): RecordPart[] => {
      const { routing, at, cluster, isDefault } = place;
      const text = placeText(place);
      if (seen.has(text)) return [];
      const found = this.#route(at, { family });
      const candidates = found.levels.flatMap((level) => level.candidates);
      const isRunThere = candidates.some((each) => each.cluster.name === cluster);
      if (cluster !== undefined && !isRunThere) return [];
      const part = this.#part(isDefault ? addressesOf(found) : nearestOf(found), found);
      if (!part) return [];
      seen.add(text);
      return [{ ...part, routing }];
    });
  }

  /** Each cluster's addresses, with the share of clients that it is to have (semantics 4). */
  #weightedParts(family: 4 | 6): RecordPart[] {
    const found = this.#route(this.#place, { family });
    const shares = found.levels.flatMap(({ share, candidates }) =>
      candidates.map((candidate) => ({ candidate, weight: share * candidate.drawWeight })),
    );
    const isWeightless = shares.every(({ weight }) => weight <= 0);
    const isRoute53 = this.#input.mode === "weighted";
    return shares
      .filter(
        ({ candidate, weight }) => candidate.upAddresses.length > 0 && (isWeightless || weight > 0),
      )
      .sort((a, b) => (a.candidate.cluster.name < b.candidate.cluster.name ? -1 : 1))
      .flatMap(({ candidate, weight: exact }, at): RecordPart[] => {
        const part = this.#part(candidate.upAddresses, found);
        const weight = isWeightless ? 1 : Math.max(1, Math.round(exact));
        const id = candidate.cluster.name;
        if (!part) return [];
        return [
          {
            ...part,
            routing: isRoute53 ? { kind: "weighted", id, weight } : { kind: "wrr", at, weight },
          },
        ];
      });
  }

  #addCluster({ name, cluster }: Extract<PublishedName, { kind: "cluster" }>): void {
    const place = this.#places.get(cluster) ?? nowhere;
    for (const family of this.#families) {
      this.#add(name, typeOf(family), this.#plainParts(this.#route(place, { family, cluster })));
    }
  }

  /** A region's or zone's own addresses, else a CNAME one step up (semantics 5). */
  #addLocal({ name, region, zone, up }: Extract<PublishedName, { kind: "local" }>): void {
    const within = zone === undefined ? { region } : { region, zone };
    const either = this.#route(this.#place, { family: undefined, within });
    if (either.order.length === 0 || either.isFailOpen) {
      const ttlSeconds = this.#input.ttlSeconds ?? this.#service.ttl.maxSeconds;
      this.#add(name, "CNAME", [{ ttlSeconds, values: [textOf(up)] }]);
      return;
    }
    for (const family of this.#families) {
      const found = this.#route(this.#place, { family, within });
      const isAllDown = found.isFailOpen;
      if (isAllDown) this.#hasBorrowedFamily = true;
      // Beside the other family's addresses no CNAME can stand: what it leads to stands here.
      this.#add(
        name,
        typeOf(family),
        isAllDown ? this.#stepUp(family, region, zone) : this.#plainParts(found),
      );
    }
  }

  /** What a name one step up from a region's or zone's has of a family, itself led on if need be. */
  #stepUp(family: 4 | 6, region: string, zone: string | undefined): RecordPart[] {
    if (zone !== undefined) {
      const regional = this.#route(this.#place, { family, within: { region } });
      if (!regional.isFailOpen && regional.outcome === "answer") return this.#plainParts(regional);
    }
    return this.#plainParts(this.#route(this.#place, { family }));
  }

  #addPort(
    { name, port, protocol }: Extract<PublishedName, { kind: "port" }>,
    targets: Set<string>,
  ): void {
    const found = this.#route(this.#place, { family: undefined, port: { name: port, protocol } });
    const { name: federation, domain } = this.#input.federation;
    const values = found.order.flatMap((each) => {
      const { cluster, entry } = each.candidate;
      const labels = [cluster.name, this.#service.name, this.#service.namespace, federation];
      const target = textOf(nameOf(labels, domain));
      targets.add(cluster.name);
      return entry.ports
        .filter((offered) => offered.name === port && offered.protocol === protocol)
        .map((offered) => `${each.rank} ${srvWeight(each, found.order)} ${offered.port} ${target}`);
    });
    const part = this.#part(values, found);
    this.#add(name, "SRV", part ? [part] : []);
  }

  #plainParts(found: Route): RecordPart[] {
    const part = this.#part(addressesOf(found), found);
    return part ? [part] : [];
  }

  /** One part of these addresses or texts; `undefined` for none. */
  #part(found: readonly (Uint8Array | string)[], { isFailOpen }: Route): RecordPart | undefined {
    if (found.length === 0) return undefined;
    const { ttlSeconds, mostValues } = this.#input;
    const { ttl } = this.#service;
    const texts = found.map((each) => (typeof each === "string" ? each : formatAddress(each)));
    const values = [...new Set(texts)].sort();
    if (values.length > mostValues) this.#isCut = true;
    return {
      ttlSeconds: ttlSeconds ?? (isFailOpen ? ttl.minSeconds : ttl.maxSeconds),
      values: values.slice(0, mostValues),
    };
  }

  #add(name: Name, type: string, parts: readonly RecordPart[]): void {
    const text = textOf(name);
    const key = `${text} ${type}`;
    // Two of a federation's names may be spelled alike: look-up gives the first of them.
    if (parts.length > 0 && !this.#sets.has(key)) this.#sets.set(key, { name: text, type, parts });
  }
}

function typeOf(family: 4 | 6): "A" | "AAAA" {
  return family === 4 ? "A" : "AAAA";
}

function textOf(name: Name): string {
  return formatName(lowerName(name));
}

/** All addresses of an answer. */
function addressesOf({ order }: Route): Uint8Array[] {
  return order.flatMap(({ candidate }) => [...candidate.upAddresses]);
}

/**
 * The addresses of the level that most clients of a place are given. Clusters of weight 0 stand in
 * for others only.
 */
function nearestOf({ levels }: Route): Uint8Array[] {
  const [first] = levels.map(({ share }) => share).sort((a, b) => b - a);
  const level = levels.find(({ share }) => share === first);
  const up = (level?.candidates ?? []).filter(
    (each) => each.upAddresses.length > 0 && each.healthy > 0,
  );
  const weighty = up.filter((each) => each.cluster.routing.weight > 0);
  return (weighty.length > 0 ? weighty : up).flatMap((each) => [...each.upAddresses]);
}
