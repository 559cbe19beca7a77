// The record sets that a service should have in the cloud (semantics 9): what our own answers say,
// from no one client's point of view, or from where each cluster is. All choices are
// those of routing. It must not know what a zone holds, nor who owns what.

import { formatAddress } from "../dns/address.ts";
import { formatName, type Name, nameOf } from "../dns/name.ts";
import type { Address, Cluster, Federation, Service } from "../federation/model.ts";
import { type PublishedName, publishedNames, regionsOf } from "../federation/published-names.ts";
import {
  type Candidate,
  type CandidateInput,
  type Demand,
  findCandidates,
  type Health,
} from "../routing/candidates.ts";
import { insidePlace, type Place } from "../routing/place.ts";
import { type Route, route } from "../routing/route.ts";
import { srvWeight } from "../routing/srv-weight.ts";
import {
  addressesOf,
  allAddresses,
  chancesOf,
  type Family,
  isOf,
  nearestOf,
  orderForMost,
  upAddresses,
} from "./given-candidates.ts";
import type { RecordPart, RecordSet, Routing, RoutingPolicy } from "./record-set.ts";
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
  /** The most values of a record set in all its parts, and the most parts, that the provider takes. */
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
  /** The clusters that anybody may be given, from no place. */
  readonly #candidates: readonly Candidate[];
  readonly #sets: RecordSet[] = [];
  readonly #serviceParts = new Map<Family, readonly RecordPart[]>();
  readonly #portParts = new Map<string, readonly RecordPart[]>();
  #hasBorrowedFamily = false;
  #isCut = false;

  constructor(
    service: Service,
    input: DesiredInput,
    places: ReadonlyMap<string, Place>,
    routed: readonly RoutedPlace[],
  ) {
    // Never an empty answer, whatever the service's policy; and all that is healthy.
    const answer = { mode: "ordered", maxAddresses: all } as const;
    this.#service = { ...service, onAllDown: "open", answer };
    this.#input = input;
    this.#places = places;
    this.#routed = routed;
    const { place, candidates } = this.#whereEverybodyIs();
    this.#place = place;
    this.#candidates = candidates;
  }

  make(regions: ReadonlyMap<string, ReadonlySet<string>>): Desired {
    const clusterNames: [text: string, cluster: string][] = [];
    let hasPorts = false;
    // Two of a federation's names may be spelled alike: look-up gives the first of them.
    const seen = new Set<string>();
    for (const each of publishedNames(this.#input.federation, regions, this.#service)) {
      const text = textOf(each.name);
      if (seen.has(text)) continue;
      seen.add(text);
      if (each.kind === "service") this.#addService(text);
      else if (each.kind === "local") this.#addLocal(text, each);
      else if (each.kind === "cluster") clusterNames.push([text, each.cluster]);
      else hasPorts = this.#addPort(text, each) || hasPorts;
    }
    // What SRV records point to must be there, also for who still has a record of yesterday's;
    // nothing else asks for one cluster.
    if (hasPorts) for (const each of clusterNames) this.#addCluster(...each);
    return {
      sets: this.#sets,
      facts: { hasBorrowedFamily: this.#hasBorrowedFamily, isCut: this.#isCut },
    };
  }

  /**
   * From where plain records are made: from nowhere; where the one cluster that could serve is for
   * its own clients only, from there, as all clients are its own then.
   */
  #whereEverybodyIs(): { place: Place; candidates: readonly Candidate[] } {
    const { candidates, leftOut } = findCandidates(this.#demand(nowhere, {}));
    const [only, second] = leftOut.filter(({ reason }) => reason === "not-home");
    const place = only && !second ? this.#places.get(only.cluster) : undefined;
    if (candidates.length > 0 || !place) return { place: nowhere, candidates };
    return { place, candidates: findCandidates(this.#demand(place, {})).candidates };
  }

  #demand(place: Place, demand: Omit<Demand, "family"> & { family?: Family }): CandidateInput {
    const { clusters, drained, health } = this.#input;
    return {
      clusters,
      service: this.#service,
      demand: { family: undefined, ...demand },
      place,
      // What ramps up is up: an address comes and goes, it cannot be given a little.
      health: (service, cluster, address) => (health(service, cluster, address) > 0 ? 1 : 0),
      drained,
    };
  }

  #route(place: Place, demand: Omit<Demand, "family"> & { family?: Family }): Route {
    return route({ ...this.#demand(place, demand), prefix: nobody });
  }

  #addService(name: string): void {
    for (const family of families) this.#add(name, typeOf(family), this.#partsOfService(family));
  }

  /** The short and the global name have the same records. */
  #partsOfService(family: Family): readonly RecordPart[] {
    const known = this.#serviceParts.get(family);
    if (known) return known;
    const parts = this.#routedParts(family) ?? this.#plainParts(this.#candidates, family);
    this.#serviceParts.set(family, parts);
    return parts;
  }

  /** For each place its own answer; `undefined` where there are not two of them, or too many. */
  #routedParts(family: Family): RecordPart[] | undefined {
    const { mode, mostParts, mostValues } = this.#input;
    const { clusters } = this.#service;
    const hasFamily = clusters.some(({ external }) => external.some(isOf(family)));
    if (mode === "plain" || !hasFamily) return undefined;
    const isByChance = mode === "weighted" || mode === "wrr";
    const parts = isByChance ? this.#weightedParts(family) : this.#placedParts(family);
    const values = parts.reduce((sum, part) => sum + part.values.length, 0);
    const isTooMuch = parts.length > mostParts || values > mostValues;
    if (isTooMuch) this.#isCut = true;
    const [only, second] = parts;
    // Of clusters that are chosen by chance, one may have all the chances.
    if (isByChance && only && !second)
      return [{ ttlSeconds: only.ttlSeconds, values: only.values }];
    return second && !isTooMuch ? withOneTtl(parts) : undefined;
  }

  /** Clusters of one place to the cloud share a part: what clients near each of them are given. */
  #placedParts(family: Family): RecordPart[] {
    const answers = new Map<string, PlacedAnswer>();
    for (const place of this.#routed) {
      const { routing, at, cluster, isDefault } = place;
      const found = this.#route(at, { family });
      const candidates = found.levels.flatMap((level) => level.candidates);
      const isRunThere = candidates.some((each) => each.cluster.name === cluster);
      if (cluster !== undefined && !isRunThere) continue;
      const given = isDefault ? found.order.map((each) => each.candidate) : nearestOf(found);
      const text = placeText(place);
      const former = answers.get(text) ?? { routing, given: [], isFailOpen: false };
      answers.set(text, {
        routing: former.routing,
        given: [...former.given, ...given],
        isFailOpen: former.isFailOpen || found.isFailOpen,
      });
    }
    return [...answers.values()].flatMap(({ routing, given, isFailOpen }): RecordPart[] => {
      const part = this.#part(addressesOf(given), isFailOpen);
      return part ? [{ ...part, routing }] : [];
    });
  }

  /** Each cluster's addresses, with the share of clients that it is to have (semantics 4). */
  #weightedParts(family: Family): RecordPart[] {
    const { levels, isFailOpen } = this.#route(this.#place, { family });
    return chancesOf(levels)
      .sort((a, b) => (a.candidate.cluster.name < b.candidate.cluster.name ? -1 : 1))
      .flatMap(({ candidate, weight }) => {
        const part = this.#part(candidate.upAddresses, isFailOpen);
        return part ? [{ part, weight, id: candidate.cluster.name }] : [];
      })
      .map(({ part, weight, id }, at) => ({
        ...part,
        routing:
          this.#input.mode === "wrr"
            ? { kind: "wrr", at, weight }
            : { kind: "weighted", id, weight },
      }));
  }

  /**
   * A cluster's own name has its addresses though it is drained, and fails open alone: whether all of
   * the service is down is not asked.
   */
  #addCluster(name: string, cluster: string): void {
    const own = findCandidates(this.#demand(this.#place, { cluster })).candidates;
    for (const family of families) this.#add(name, typeOf(family), this.#plainParts(own, family));
  }

  /** A region's or zone's own addresses, else a CNAME one step up (semantics 5). */
  #addLocal(name: string, { region, zone, up }: Published<"local">): void {
    const own = this.#candidatesIn(region, zone);
    if (families.every((family) => upAddresses(own, family).length === 0)) {
      const ttlSeconds = this.#input.ttlSeconds ?? this.#service.ttl.maxSeconds;
      this.#add(name, "CNAME", [{ ttlSeconds, values: [textOf(up)] }]);
      return;
    }
    for (const family of families) {
      this.#add(name, typeOf(family), this.#localParts(own, family, region, zone));
    }
  }

  /**
   * One family of a region's or zone's name that has addresses. Where this family's are all down, a
   * CNAME would lead on; beside the other family's addresses none can stand, so what it would lead to
   * stands here.
   */
  #localParts(
    own: readonly Candidate[],
    family: Family,
    region: string,
    zone: string | undefined,
  ): readonly RecordPart[] {
    const isDown = upAddresses(own, family).length === 0 && allAddresses(own, family).length > 0;
    if (!isDown) return this.#plainParts(own, family);
    this.#hasBorrowedFamily = true;
    const regional = zone === undefined ? [] : this.#candidatesIn(region, undefined);
    const isUpThere = upAddresses(regional, family).length > 0;
    return this.#plainParts(isUpThere ? regional : this.#candidates, family);
  }

  /** Where slices name zones, a zone's candidates count only what is ready there. */
  #candidatesIn(region: string, zone: string | undefined): readonly Candidate[] {
    if (zone !== undefined && this.#service.clusters.some(({ endpoints }) => endpoints)) {
      return findCandidates(this.#demand(this.#place, { within: { region, zone } })).candidates;
    }
    return this.#candidates.filter(
      ({ cluster }) =>
        cluster.region === region && (zone === undefined || cluster.zones.includes(zone)),
    );
  }

  /** Whether there is any record. */
  #addPort(name: string, { port, protocol }: Published<"port">): boolean {
    const key = `${port}/${protocol}`;
    const parts = this.#portParts.get(key) ?? this.#makePort(port, protocol);
    this.#portParts.set(key, parts);
    this.#add(name, "SRV", parts);
    return parts.length > 0;
  }

  #makePort(port: string, protocol: string): readonly RecordPart[] {
    const found = this.#route(this.#place, { port: { name: port, protocol } });
    const { name: federation, domain } = this.#input.federation;
    const order = orderForMost(found);
    const values = order.flatMap((each) => {
      const { cluster, entry } = each.candidate;
      const labels = [cluster.name, this.#service.name, this.#service.namespace, federation];
      const target = textOf(nameOf(labels, domain));
      return entry.ports
        .filter((offered) => offered.name === port && offered.protocol === protocol)
        .map((offered) => `${each.rank} ${srvWeight(each, order)} ${offered.port} ${target}`);
    });
    const part = this.#part(values, found.isFailOpen);
    return part ? [part] : [];
  }

  /** What is healthy of a family; all of it where nothing is. */
  #plainParts(candidates: readonly Candidate[], family: Family): RecordPart[] {
    const up = upAddresses(candidates, family);
    const isFailOpen = up.length === 0;
    const part = this.#part(isFailOpen ? allAddresses(candidates, family) : up, isFailOpen);
    return part ? [part] : [];
  }

  /** One part of these addresses or texts; `undefined` for none. */
  #part(found: readonly (Address | string)[], isFailOpen: boolean): RecordPart | undefined {
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

  #add(name: string, type: string, parts: readonly RecordPart[]): void {
    if (parts.length > 0) this.#sets.push({ name, type, parts });
  }
}

type Published<Kind extends PublishedName["kind"]> = Extract<PublishedName, { kind: Kind }>;

/** What clients are given at one place of the cloud's. */
interface PlacedAnswer {
  readonly routing: Routing;
  readonly given: readonly Candidate[];
  readonly isFailOpen: boolean;
}

/**
 * A record set has one TTL (RFC 2181 section 5.2), and Cloud DNS no place for more: where not all
 * places fail open, the shortest.
 */
function withOneTtl(parts: readonly RecordPart[]): RecordPart[] {
  const ttlSeconds = Math.min(...parts.map((part) => part.ttlSeconds));
  return parts.map((part) => ({ ...part, ttlSeconds }));
}

const families: readonly Family[] = [4, 6];

function typeOf(family: Family): "A" | "AAAA" {
  return family === 4 ? "A" : "AAAA";
}

function textOf(name: Name): string {
  return formatName(name).toLowerCase();
}
