// Which clusters may serve a client, and with which addresses (semantics 3, "Candidates" and
// "Addresses", and 4, "What counts"). Each cluster that is left out is left out by one named
// rule. It must not know of levels, draws or names.

import type { Address, Cluster, Endpoint, Service, ServiceInCluster } from "../federation/model.ts";
import { compareNearness, isLocated, type Place } from "./place.ts";

/** A cluster that may serve the client. */
export interface Candidate {
  readonly cluster: Cluster;
  readonly entry: ServiceInCluster;
  /** Whether the client is inside this cluster and so gets its internal addresses. */
  readonly isInside: boolean;
  /** All that this client may be given, up or not. */
  readonly addresses: readonly Address[];
  /** The same with how much the verdicts let each count as; no fail-open changes that. */
  readonly given: readonly CountedEndpoint[];
  /** Of these, the ones that are up. */
  readonly upAddresses: readonly Address[];
  /** The endpoints that count for its health (semantics 4, "What counts"). */
  readonly endpoints: readonly CountedEndpoint[];
  /** The sum of their health, and their number. */
  readonly healthy: number;
  readonly total: number;
}

/** An endpoint and how much of a healthy one it counts as: 0 down, 1 up, between while it ramps up. */
export interface CountedEndpoint {
  readonly address: Address;
  readonly health: number;
}

/** The rule that left a cluster out. */
export type LeftOutReason =
  | "other-cluster"
  | "other-region"
  | "other-zone"
  | "no-port"
  | "no-address"
  | "disabled"
  | "drained"
  | "filtered"
  | "not-home";

/** A cluster that runs the service and may not serve this client. */
export interface LeftOut {
  readonly cluster: string;
  readonly reason: LeftOutReason;
}

/**
 * How much of a healthy endpoint an address counts as by the voters' verdict: 0 down, 1 up, in
 * between while it ramps up.
 */
export type Health = (service: Service, cluster: string, address: Address) => number;

/** What is asked for: whose addresses, and of which of the service's clusters. */
export interface Demand {
  /** The asked address family; `undefined` for either (SRV). */
  readonly family: 4 | 6 | undefined;
  /** Only clusters of this region, and of this zone, for regional and zonal names. */
  readonly within?: { readonly region: string; readonly zone?: string };
  /** Only this cluster, even if it is disabled or drained, for a cluster's own name. */
  readonly cluster?: string;
  /** Only clusters that have this port, for SRV. */
  readonly port?: { readonly name: string; readonly protocol: string };
}

/** What the candidates depend on. */
export interface CandidateInput {
  readonly clusters: ReadonlyMap<string, Cluster>;
  readonly service: Service;
  readonly demand: Demand;
  readonly place: Place;
  readonly health: Health;
  readonly drained: ReadonlySet<string>;
}

export interface Candidates {
  readonly candidates: readonly Candidate[];
  readonly leftOut: readonly LeftOut[];
  /** Whether a client at another place outside could have other candidates, or another order. */
  readonly dependsOnPlace: boolean;
}

/** Sorts the service's clusters into candidates and those left out. */
export function findCandidates(input: CandidateInput): Candidates {
  const leftOut: LeftOut[] = [];
  const qualified: Candidate[] = [];
  for (const entry of input.service.clusters) {
    const cluster = input.clusters.get(entry.cluster);
    if (!cluster) continue;
    const candidate = candidateOf(cluster, entry, input);
    const reason = reasonAgainst(candidate, input);
    if (reason) leftOut.push({ cluster: cluster.name, reason });
    else qualified.push(candidate);
  }
  const home = clientHome(input.place, qualified);
  const candidates = qualified.filter((each) => {
    const reason = isOpenTo(each, home) ? reasonToNarrow(each, input.demand) : "not-home";
    if (reason) leftOut.push({ cluster: each.cluster.name, reason });
    return !reason;
  });
  const asked = qualified.filter((each) => !reasonToNarrow(each, input.demand));
  const dependsOnPlace = asked.length > 1 || asked.some((each) => !isOpenTo(each, undefined));
  return { candidates, leftOut, dependsOnPlace };
}

function isOpenTo({ cluster }: Candidate, home: Cluster | undefined): boolean {
  return cluster.routing.allowCrossClusterTraffic || cluster === home;
}

/** Whether the name asks for other clusters only. Who is home does not depend on the name. */
function reasonToNarrow({ cluster }: Candidate, demand: Demand): LeftOutReason | undefined {
  const { within } = demand;
  if (demand.cluster !== undefined && demand.cluster !== cluster.name) return "other-cluster";
  if (within && cluster.region !== within.region) return "other-region";
  if (within?.zone !== undefined && !cluster.zones.includes(within.zone)) return "other-zone";
  return undefined;
}

/**
 * The client's home for `allowCrossClusterTraffic`: the cluster that it is in, else the nearest
 * of those that could serve it.
 */
function clientHome(place: Place, qualified: readonly Candidate[]): Cluster | undefined {
  const clusters = qualified.map((each) => each.cluster);
  if (place.inside !== undefined) return clusters.find((each) => each.name === place.inside);
  return clusters
    .filter((each) => isLocated(place, each))
    .sort((a, b) => compareNearness(place, a, b))[0];
}

function reasonAgainst(candidate: Candidate, input: CandidateInput): LeftOutReason | undefined {
  const { cluster, entry } = candidate;
  const { port } = input.demand;
  const isNamed = input.demand.cluster === cluster.name;
  if (port && !hasPort(entry, port)) return "no-port";
  if (candidate.addresses.length === 0) return "no-address";
  if (!cluster.routing.enabled && !isNamed) return "disabled";
  if (input.drained.has(cluster.name) && !isNamed) return "drained";
  return !candidate.isInside && entry.isFiltered ? "filtered" : undefined;
}

function hasPort(entry: ServiceInCluster, port: { name: string; protocol: string }): boolean {
  return entry.ports.some((each) => each.name === port.name && each.protocol === port.protocol);
}

/** The cluster's addresses for this client, and the endpoints that count for it. */
function candidateOf(
  cluster: Cluster,
  entry: ServiceInCluster,
  { place, demand, service, health }: CandidateInput,
): Candidate {
  const isInside = place.inside === cluster.name;
  const slices = entry.endpoints && endpointsWithin(entry.endpoints, demand.within?.zone);
  const isGiven = (address: Address): boolean =>
    demand.family === undefined || address.length === (demand.family === 4 ? 4 : 16);
  const candidate = (given: readonly CountedEndpoint[], endpoints: readonly CountedEndpoint[]) => ({
    cluster,
    entry,
    isInside,
    addresses: given.map((each) => each.address),
    given,
    upAddresses: given.filter((each) => each.health > 0).map((each) => each.address),
    endpoints,
    healthy: endpoints.reduce((sum, each) => sum + each.health, 0),
    total: endpoints.length,
  });
  if (isInside && entry.isHeadless) {
    const pods = (slices ?? []).filter((each) => isGiven(each.address)).map(readiness);
    return candidate(pods, pods);
  }
  const given = (isInside ? entry.clusterIps : entry.external)
    .filter(isGiven)
    .map((address) => ({ address, health: health(service, cluster.name, address) }));
  if (slices) {
    const best = Math.max(0, ...given.map((each) => each.health));
    const pods = slices.map(readiness).map((each) => ({ ...each, health: each.health * best }));
    return candidate(given, pods);
  }
  // For a client inside, the clusterIPs of both families are one endpoint.
  return candidate(given, isInside ? given.slice(0, 1) : given);
}

function readiness({ address, isReady }: Endpoint): CountedEndpoint {
  return { address, health: isReady ? 1 : 0 };
}

/** The endpoints in a zone; all of them where the slices name no zones. */
function endpointsWithin(
  endpoints: readonly Endpoint[],
  zone: string | undefined,
): readonly Endpoint[] {
  if (zone === undefined || endpoints.every((each) => each.zone === undefined)) return endpoints;
  return endpoints.filter((each) => each.zone === zone);
}
