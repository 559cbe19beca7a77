// Routing: client, service and health in, ordered clusters out (semantics 3 to 5). It returns
// every step that it took, so that an answer and its explanation are the same computation. It
// must not know names, wire format or how the client was located.

import { type Address, type Service, serviceKey } from "../federation/model.ts";
import {
  type Candidate,
  type CandidateInput,
  type Demand,
  findCandidates,
  type LeftOut,
} from "./candidates.ts";
import { type Drawn, drawOrder, isContested } from "./draw.ts";
import { unitHash } from "./hash.ts";
import { findLevels, type Group, type Level } from "./levels.ts";
import { levelOfClient, levelShares } from "./overflow.ts";
import { type ChecksToFlip, type RouteTtl, ttlByVote } from "./ttl.ts";

/** Everything that routing decides on. */
export interface RouteInput extends CandidateInput {
  /** The client's address cut to the client prefix of semantics 3 (/24 or /56, or a shorter ECS prefix). */
  readonly prefix: Address;
  /** Left out where there are no votes. */
  readonly checksToFlip?: ChecksToFlip | undefined;
}

/** A candidate with its place in the draw of its level. */
export interface RankedCandidate extends Candidate {
  /** Weight times healthy share. */
  readonly drawWeight: number;
  /** The client's number for this cluster, in (0,1). */
  readonly drawHash: number;
}

/** A level with its share of the clients, its candidates in the order of the draw. */
export interface RankedLevel extends Level {
  readonly candidates: readonly RankedCandidate[];
  readonly healthy: number;
  readonly total: number;
  readonly share: number;
}

/** Where a client goes, and every step on the way there. */
export interface Route extends RouteTtl {
  readonly demand: Demand;
  readonly outcome: "answer" | "nodata" | "servfail";
  /** No endpoint was healthy, so all were taken as healthy (semantics 5). */
  readonly isFailOpen: boolean;
  readonly groups: readonly Group[];
  readonly levels: readonly RankedLevel[];
  readonly leftOut: readonly LeftOut[];
  /** The client's own number in [0,1) that picks its level, and that level's place in `levels`; -1 for none. */
  readonly spill: number;
  readonly clientLevel: number;
  /** The clusters of the answer in order, each with at least one address, at most `maxAddresses`. */
  readonly order: readonly OrderedCluster[];
  /** Whether clients elsewhere, or with another prefix at the same place, could be answered otherwise. */
  readonly dependsOn: { readonly place: boolean; readonly prefix: boolean };
}

/** A cluster of the answer. */
export interface OrderedCluster {
  readonly candidate: RankedCandidate;
  /** 0 for the client's level, then 1, 2, ... for each further level that gives clusters. */
  readonly rank: number;
}

/** Routes one client to one service. */
export function route(input: RouteInput): Route {
  const { service, place, demand } = input;
  const { candidates, leftOut, dependsOnPlace } = findCandidates(input);
  const isAllDown = candidates.every((each) => each.healthy <= 0);
  const hasEndpoints = candidates.some((each) => each.total > 0);
  const isFailOpen = isAllDown && hasEndpoints && service.onAllDown === "open";
  const counted = isFailOpen ? candidates.map(asIfHealthy) : candidates;

  const { groups, levels } = findLevels(place, counted);
  const healths = levels.map(sumHealth);
  const shares = levelShares(healths, service.minHealthyPercent);
  const ranked = levels.map((level, at): RankedLevel => {
    const { healthy, total } = healths[at] ?? { healthy: 0, total: 0 };
    return { ...level, healthy, total, share: shares[at] ?? 0, candidates: rank(level, input) };
  });
  const spill = unitHash(`spill ${serviceKey(service)}`, input.prefix);
  const clientLevel = levelOfClient(shares, spill);
  const all = orderClusters(ranked, clientLevel, service);
  const order = all.slice(0, service.answer.maxAddresses);

  const outcome = !isAllDown || isFailOpen ? "answer" : emptyOutcome(hasEndpoints, service);
  return {
    demand,
    outcome,
    isFailOpen,
    groups,
    levels: ranked,
    leftOut,
    spill,
    clientLevel,
    order,
    ...(isFailOpen ? failOpenTtl(service) : ttlByVote(service, candidates, input.checksToFlip)),
    dependsOn: {
      place: dependsOnPlace,
      prefix: shares.filter((share) => share > 0).length > 1 || hasContestedDraw(order, all),
    },
  };
}

/** The healthy endpoints of all levels that keep some clients (the pool of semantics 4). */
export function poolOf(route: Route): { cluster: string; address: Address }[] {
  return route.levels
    .filter((level) => level.share > 0)
    .flatMap((level) => level.candidates)
    .flatMap(({ cluster, endpoints }) =>
      endpoints
        .filter((each) => each.health > 0)
        .map(({ address }) => ({ cluster: cluster.name, address })),
    );
}

function failOpenTtl({ ttl }: Service): RouteTtl {
  return { ttlSeconds: ttl.minSeconds, ttlBy: { kind: "fail-open" } };
}

function emptyOutcome(hasEndpoints: boolean, service: Service): "nodata" | "servfail" {
  return hasEndpoints && service.onAllDown === "servfail" ? "servfail" : "nodata";
}

function asIfHealthy(candidate: Candidate): Candidate {
  const { addresses, total } = candidate;
  const endpoints = candidate.endpoints.map((each) => ({ ...each, health: 1 }));
  return { ...candidate, endpoints, healthy: total, upAddresses: addresses };
}

function sumHealth(level: Level): { healthy: number; total: number } {
  let healthy = 0;
  let total = 0;
  for (const each of level.candidates) {
    healthy += each.healthy;
    total += each.total;
  }
  return { healthy, total };
}

/** The level's candidates in the order of the draw; those without a healthy endpoint last. */
function rank(level: Level, { service, prefix }: RouteInput): RankedCandidate[] {
  const entries = level.candidates.map((candidate) => ({
    item: candidate,
    weight: candidate.cluster.routing.weight * healthyShare(candidate),
    hash: unitHash(`draw ${serviceKey(service)} ${candidate.cluster.name}`, prefix),
  }));
  return drawOrder(entries)
    .map(({ item, weight, hash }) => ({ ...item, drawWeight: weight, drawHash: hash }))
    .sort((a, b) => Number(b.healthy > 0) - Number(a.healthy > 0));
}

/** Healthy endpoints as a part of all, 0 to 1. */
export function healthyShare(candidate: Candidate): number {
  return candidate.total > 0 ? candidate.healthy / candidate.total : 0;
}

/** The client's level, then with `ordered` the others in the order of the list (semantics 4). */
function orderClusters(
  levels: readonly RankedLevel[],
  clientLevel: number,
  { answer }: Service,
): OrderedCluster[] {
  const own = levels.filter((_, at) => at === clientLevel);
  const others = levels.filter((_, at) => at !== clientLevel);
  const isGiven = (each: Candidate): boolean => each.healthy > 0 && each.upAddresses.length > 0;
  return [...own, ...(answer.mode === "ordered" && own.length > 0 ? others : [])]
    .map((level) => level.candidates.filter(isGiven))
    .filter((candidates) => candidates.length > 0)
    .flatMap((candidates, rank) => candidates.map((candidate) => ({ candidate, rank })));
}

/**
 * Whether a draw decided the order of two clusters of the answer, or which of `all` are in it.
 */
function hasContestedDraw(
  order: readonly OrderedCluster[],
  all: readonly OrderedCluster[],
): boolean {
  const ranks = new Set(order.map((each) => each.rank));
  return [...ranks].some((rank) => isContested(drawnAt(all, rank), drawnAt(order, rank).length));
}

function drawnAt(all: readonly OrderedCluster[], rank: number): Drawn<RankedCandidate>[] {
  return all
    .filter((each) => each.rank === rank)
    .map(({ candidate }) => ({
      item: candidate,
      weight: candidate.drawWeight,
      hash: candidate.drawHash,
    }));
}
