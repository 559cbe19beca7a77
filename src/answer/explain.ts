// An explanation: the same resolution as an answer's, with the client's exact location, and every
// step told as plain data. It must not decide anything itself, nor know how it will be printed.

import { formatAddress, formatNetwork, maskAddress } from "../dns/address.ts";
import { DnsClass, rcodeName } from "../dns/codes.ts";
import type { ResourceRecord } from "../dns/message.ts";
import { formatName, type Name } from "../dns/name.ts";
import { nameIn } from "../dns/rdata.ts";
import { formatRdata } from "../dns/rdata-text.ts";
import { RRType, recordType } from "../dns/record-types.ts";
import { type Address, type Service, serviceKey } from "../federation/model.ts";
import type { Location, LocationMap } from "../geo/locations.ts";
import { valueAt } from "../geo/range-table.ts";
import type { CountedEndpoint } from "../routing/candidates.ts";
import { score } from "../routing/draw.ts";
import { outsidePlace, type Place } from "../routing/place.ts";
import {
  healthyShare,
  poolOf,
  type RankedCandidate,
  type RankedLevel,
  type Route,
} from "../routing/route.ts";
import type { TtlBy } from "../routing/ttl.ts";
import { type Asker, ecsScopeOf } from "./asker.ts";
import type {
  ExplainedAnswer,
  ExplainedCandidate,
  ExplainedClient,
  ExplainedEndpoint,
  ExplainedHostname,
  ExplainedLevel,
  ExplainedRecord,
  ExplainedRoute,
  ExplainedStep,
  ExplainedTtlBy,
  ExplainedVerdict,
  Explanation,
} from "./explanation.ts";
import type { AnswerState } from "./federated-answer.ts";
import { type Resolution, resolve, type Step } from "./resolve.ts";
import { viewOf } from "./view.ts";
import { clusterOf } from "./views.ts";

/** What the voters hold of an address; `undefined` where nobody votes on it. */
export type VerdictOf = (
  service: Service,
  cluster: string,
  address: Address,
) => ExplainedVerdict | undefined;

/**
 * Explains what `asker` would be answered.
 * @param locations those that the snapshot was made from.
 * @param verdictOf tells the verdicts behind the health in `state`; default: nobody is asked.
 */
export function explain(
  name: Name,
  type: number,
  asker: Asker,
  locations: LocationMap,
  state: AnswerState,
  verdictOf: VerdictOf = () => undefined,
): Explanation {
  const { views, model } = state.snapshot;
  const view = viewOf(views, asker);
  const { client } = asker;
  const { inside } = view.place;
  const location = locationOf(locations, asker);
  const place = inside === undefined ? outsidePlace(location, model.clusters.values()) : view.place;
  const question = { name, type, class: DnsClass.IN };
  const resolution = resolve(question, asker, { ...view, place }, state);
  const holder = clusterOf(views, client.family, client.address);
  return {
    question: { name: formatName(name), type: recordType(type).mnemonic },
    client: explainClient(asker, location, inside, holder),
    steps: resolution.steps.map((step) => explainStep(step, resolution, place, verdictOf)),
    answer: explainAnswer(resolution, asker),
  };
}

/** @param holder the cluster whose networks hold the first address of the client's prefix. */
function explainClient(
  { client, isEcs, trust }: Asker,
  location: Location,
  inside: string | undefined,
  holder: string | undefined,
): ExplainedClient {
  const isHeldOutside = inside === undefined && holder !== undefined;
  const isTrusted =
    trust.kind === "full" || (trust.kind === "own-cluster" && trust.cluster === holder);
  const reason = isTrusted ? "prefix-too-short" : "resolver-not-trusted";
  return {
    prefix: formatNetwork(client),
    isCarriedInIpv6: client.embedding > 0,
    isEcs,
    inside: inside ?? null,
    notBelievedInside: isHeldOutside ? holder : null,
    notInsideBecause: isHeldOutside ? reason : null,
    location: inside === undefined ? location : { ...location, cluster: inside },
  };
}

function locationOf(locations: LocationMap, { client }: Asker): Location {
  const index = valueAt(locations.outside[client.family], client.address);
  return locations.locations[index] ?? { by: { kind: "unknown" } };
}

function explainStep(
  { name, federated, routes }: Step,
  { answers }: Resolution,
  place: Place,
  verdictOf: VerdictOf,
): ExplainedStep {
  const { kind, service } = federated;
  const cname = answers.find((each) => each.type === RRType.CNAME && each.name === name);
  // A cluster's own name fails open alone, whatever the service does.
  const onAllDown = kind === "cluster" ? "open" : service.onAllDown;
  return {
    name: formatName(name),
    kind,
    service: serviceKey(service),
    routes: routes.map((each) => explainRoute(each, { ...service, onAllDown }, place, verdictOf)),
    leadsTo: cname ? formatName(nameIn(cname.rdata, RRType.CNAME)) : null,
  };
}

function explainRoute(
  route: Route,
  service: Service,
  place: Place,
  verdictOf: VerdictOf,
): ExplainedRoute {
  const verdictIn = (cluster: string, address: Address) => verdictOf(service, cluster, address);
  return {
    addresses: addressType(route.demand.family),
    region: route.demand.within?.region ?? null,
    zone: route.demand.within?.zone ?? null,
    outcome: route.outcome,
    failOpen: route.isFailOpen,
    onAllDown: service.onAllDown,
    ttlSeconds: route.ttlSeconds,
    ttlBy: explainTtl(route.ttlBy),
    minHealthyPercent: service.minHealthyPercent,
    mode: service.answer.mode,
    maxAddresses: service.answer.maxAddresses,
    groups: route.groups.map(({ priority, home }) => ({ priority, home: home ?? null })),
    levels: route.levels.map((level) => explainLevel(level, place, verdictIn)),
    leftOut: route.leftOut.map(({ cluster, reason }) => ({
      cluster,
      rule: reason,
      hostnames: hostnamesOf(service, cluster),
    })),
    spill: route.spill,
    clientLevel: route.clientLevel,
    pool: poolOf(route).map(({ cluster, address }) => ({
      cluster,
      endpoint: formatAddress(address),
    })),
    order: route.order.map(({ candidate }) => candidate.cluster.name),
  };
}

function explainTtl(by: TtlBy): ExplainedTtlBy {
  if (by.kind !== "verdict") return by;
  return { ...by, address: formatAddress(by.address), clampedTo: by.clampedTo ?? null };
}

/** The verdicts of the service at hand. */
type VerdictIn = (cluster: string, address: Address) => ExplainedVerdict | undefined;

function explainLevel(level: RankedLevel, place: Place, verdictIn: VerdictIn): ExplainedLevel {
  const { kind, group, healthy, total, share } = level;
  const candidates = level.candidates.map((each) => explainCandidate(each, place, verdictIn));
  return { kind, group, healthy, total, share, candidates };
}

function explainCandidate(
  candidate: RankedCandidate,
  place: Place,
  verdictIn: VerdictIn,
): ExplainedCandidate {
  const { cluster, entry, isInside, healthy, total, drawWeight, drawHash } = candidate;
  const explainEndpoint = ({ address, health }: CountedEndpoint): ExplainedEndpoint => ({
    address: formatAddress(address),
    health,
    verdict: verdictIn(cluster.name, address) ?? null,
  });
  return {
    cluster: cluster.name,
    region: cluster.region,
    zones: cluster.zones,
    distanceKm: place.distancesKm.get(cluster.name) ?? null,
    isInside,
    healthy,
    total,
    healthyShare: healthyShare(candidate),
    weight: cluster.routing.weight,
    draw: drawHash,
    score: score({ item: candidate, weight: drawWeight, hash: drawHash }),
    addresses: candidate.addresses.map(formatAddress),
    upAddresses: candidate.upAddresses.map(formatAddress),
    given: candidate.given.map(explainEndpoint),
    endpoints: candidate.endpoints.map(explainEndpoint),
    hostnames: entry.hostnames,
  };
}

function hostnamesOf({ clusters }: Service, cluster: string): readonly ExplainedHostname[] {
  return clusters.find((each) => each.cluster === cluster)?.hostnames ?? [];
}

function explainAnswer(resolution: Resolution, asker: Asker): ExplainedAnswer {
  const { scope } = resolution;
  const address = maskAddress(asker.client.address, scope ?? 0);
  return {
    rcode: rcodeName(resolution.rcode),
    isAuthoritative: resolution.isAuthoritative,
    answers: resolution.answers.map(explainRecord),
    authorities: resolution.authorities.map(explainRecord),
    additionals: resolution.additionals.map(explainRecord),
    scope: scope ?? 0,
    sameFor: scope === undefined ? null : formatNetwork({ address, prefixLength: scope }),
    ecsScope: asker.isEcs ? ecsScopeOf(asker, scope) : null,
  };
}

function explainRecord({ name, ttlSeconds, type, rdata }: ResourceRecord): ExplainedRecord {
  return {
    name: formatName(name),
    ttlSeconds,
    type: recordType(type).mnemonic,
    data: formatRdata(type, rdata),
  };
}

function addressType(family: 4 | 6 | undefined): ExplainedRoute["addresses"] {
  if (family === undefined) return "any";
  return family === 4 ? "A" : "AAAA";
}
