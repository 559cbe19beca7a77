// An explanation: the same resolution as an answer's, with the client's exact location, and every
// step told as plain data. It must not decide anything itself, nor know how it will be printed.

import { formatAddress, formatNetwork } from "../dns/address.ts";
import { DnsClass, Rcode } from "../dns/codes.ts";
import type { ResourceRecord } from "../dns/message.ts";
import { formatName, type Name } from "../dns/name.ts";
import { formatRdata } from "../dns/rdata-text.ts";
import { recordType } from "../dns/record-types.ts";
import type { FederatedName } from "../federation/names.ts";
import type { Location, LocationMap } from "../geo/locations.ts";
import { valueAt } from "../geo/range-table.ts";
import type { LeftOutReason } from "../routing/candidates.ts";
import { score } from "../routing/draw.ts";
import { outsidePlace, type Place } from "../routing/place.ts";
import {
  healthyShare,
  poolOf,
  type RankedLevel,
  type Route,
  serviceKey,
} from "../routing/route.ts";
import { type Asker, ecsScopeOf } from "./asker.ts";
import type { AnswerState } from "./federated-answer.ts";
import { resolve, type Step } from "./resolve.ts";
import { viewOf } from "./view.ts";
import { clusterOf } from "./views.ts";

/** What a client would be answered, and why. This is the document that `explain --json` prints. */
export interface Explanation {
  readonly question: { readonly name: string; readonly type: string };
  readonly client: ExplainedClient;
  readonly steps: readonly ExplainedStep[];
  readonly answer: ExplainedAnswer;
}

export interface ExplainedClient {
  /** The prefix that the answer is for, an IPv4 address inside an IPv6 one taken out. */
  readonly prefix: string;
  readonly isEcs: boolean;
  /** The cluster that the client is inside of and believed to be; `null` for outside clients. */
  readonly inside: string | null;
  /** The cluster whose networks hold the prefix although it is not believed to be inside. */
  readonly notBelievedInside: string | null;
  readonly location: Location;
}

/** A federated name on the way to the answer. */
export interface ExplainedStep {
  readonly name: string;
  readonly kind: FederatedName["kind"];
  readonly service: string;
  readonly routes: readonly ExplainedRoute[];
}

export interface ExplainedRoute {
  /** `A`, `AAAA`, or `any` for both families. */
  readonly addresses: "A" | "AAAA" | "any";
  readonly region: string | null;
  readonly zone: string | null;
  readonly outcome: Route["outcome"];
  readonly failOpen: boolean;
  readonly ttlSeconds: number;
  readonly minHealthyPercent: number;
  readonly mode: "ordered" | "nearest";
  readonly maxAddresses: number;
  readonly groups: readonly { readonly priority: number; readonly home: string | null }[];
  readonly levels: readonly ExplainedLevel[];
  readonly leftOut: readonly { readonly cluster: string; readonly rule: LeftOutReason }[];
  /** The client's number in [0,1), and the level that it picked: an index into `levels`, -1 for none. */
  readonly spill: number;
  readonly clientLevel: number;
  readonly pool: readonly { readonly cluster: string; readonly endpoint: string }[];
  /** The clusters of the answer, in order. */
  readonly order: readonly string[];
}

export interface ExplainedLevel {
  readonly kind: RankedLevel["kind"];
  /** Index into `groups`. */
  readonly group: number;
  readonly healthy: number;
  readonly total: number;
  /** The part of the clients that it keeps, 0 to 1. */
  readonly share: number;
  /** In the order of the draw. */
  readonly candidates: readonly ExplainedCandidate[];
}

export interface ExplainedCandidate {
  readonly cluster: string;
  readonly region: string;
  readonly zones: readonly string[];
  /** Great-circle kilometres from the client; `null` where either place is unknown. */
  readonly distanceKm: number | null;
  readonly isInside: boolean;
  readonly healthy: number;
  readonly total: number;
  readonly healthyShare: number;
  readonly weight: number;
  /** The client's number for this cluster, and the score that orders the draw. */
  readonly draw: number;
  readonly score: number;
  readonly addresses: readonly string[];
  readonly upAddresses: readonly string[];
}

export interface ExplainedAnswer {
  readonly rcode: string;
  readonly isAuthoritative: boolean;
  readonly answers: readonly ExplainedRecord[];
  readonly authorities: readonly ExplainedRecord[];
  readonly additionals: readonly ExplainedRecord[];
  /** Leading bits of `client.prefix` that the answer depended on; 0 also where on no client. */
  readonly scope: number;
  /** The scope that the ECS option of the response has, in the query's own family; `null` without one. */
  readonly ecsScope: number | null;
}

export interface ExplainedRecord {
  readonly name: string;
  readonly ttlSeconds: number;
  readonly type: string;
  readonly data: string;
}

/** Explains what `asker` would be answered. `locations` are those that the snapshot was made from. */
export function explain(
  name: Name,
  type: number,
  asker: Asker,
  locations: LocationMap,
  state: AnswerState,
): Explanation {
  const { views, model } = state.snapshot;
  const view = viewOf(views, asker);
  const { client } = asker;
  const { inside } = view.place;
  const location = locationOf(locations, asker);
  const place = inside === undefined ? outsidePlace(location, model.clusters.values()) : view.place;
  const question = { name, type, class: DnsClass.IN };
  const resolution = resolve(question, asker, { ...view, place }, state);
  const holder = clusterOf(views, client.family, client.address) ?? null;
  return {
    question: { name: formatName(name), type: recordType(type).mnemonic },
    client: {
      prefix: formatNetwork(client),
      isEcs: asker.isEcs,
      inside: inside ?? null,
      notBelievedInside: inside === undefined ? holder : null,
      location: inside === undefined ? location : { ...location, cluster: inside },
    },
    steps: resolution.steps.map((step) => explainStep(step, place)),
    answer: {
      rcode: rcodeName(resolution.rcode),
      isAuthoritative: resolution.isAuthoritative,
      answers: resolution.answers.map(explainRecord),
      authorities: resolution.authorities.map(explainRecord),
      additionals: resolution.additionals.map(explainRecord),
      scope: resolution.scope ?? 0,
      ecsScope: asker.isEcs ? ecsScopeOf(asker, resolution.scope) : null,
    },
  };
}

function locationOf(locations: LocationMap, { client }: Asker): Location {
  const index = valueAt(locations.outside[client.family], client.address);
  return locations.locations[index] ?? { by: { kind: "unknown" } };
}

function explainStep({ name, federated, routes }: Step, place: Place): ExplainedStep {
  const { kind, service } = federated;
  return {
    name: formatName(name),
    kind,
    service: serviceKey(service),
    routes: routes.map((each) => ({
      addresses: addressType(each.demand.family),
      region: each.demand.within?.region ?? null,
      zone: each.demand.within?.zone ?? null,
      outcome: each.outcome,
      failOpen: each.isFailOpen,
      ttlSeconds: each.ttlSeconds,
      minHealthyPercent: service.minHealthyPercent,
      mode: service.answer.mode,
      maxAddresses: service.answer.maxAddresses,
      groups: each.groups.map(({ priority, home }) => ({ priority, home: home ?? null })),
      levels: each.levels.map((level) => explainLevel(level, place)),
      leftOut: each.leftOut.map(({ cluster, reason }) => ({ cluster, rule: reason })),
      spill: each.spill,
      clientLevel: each.clientLevel,
      pool: poolOf(each).map(({ cluster, address }) => ({
        cluster,
        endpoint: formatAddress(address),
      })),
      order: each.order.map(({ candidate }) => candidate.cluster.name),
    })),
  };
}

function explainLevel(level: RankedLevel, place: Place): ExplainedLevel {
  const { kind, group, healthy, total, share } = level;
  const candidates = level.candidates.map((each) => ({
    cluster: each.cluster.name,
    region: each.cluster.region,
    zones: each.cluster.zones,
    distanceKm: place.distancesKm.get(each.cluster.name) ?? null,
    isInside: each.isInside,
    healthy: each.healthy,
    total: each.total,
    healthyShare: healthyShare(each),
    weight: each.cluster.routing.weight,
    draw: each.drawHash,
    score: score({ item: each, weight: each.drawWeight, hash: each.drawHash }),
    addresses: each.addresses.map(formatAddress),
    upAddresses: each.upAddresses.map(formatAddress),
  }));
  return { kind, group, healthy, total, share, candidates };
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

function rcodeName(code: number): string {
  return Object.entries(Rcode).find(([, value]) => value === code)?.[0] ?? `RCODE${code}`;
}
