// The shape of an explanation: what `meridian explain --json` prints. Plain data with nothing to
// look up elsewhere; it must not know how it is made. Keys are only ever added.

import type { FederatedName } from "../federation/names.ts";
import type { Location } from "../geo/locations.ts";
import type { LeftOutReason } from "../routing/candidates.ts";
import type { LevelKind } from "../routing/levels.ts";
import type { Route } from "../routing/route.ts";

/** What a client would be answered, and why. */
export interface Explanation {
  /** What is taken as given, whatever is so; left out in an explanation of what is. */
  readonly assuming?: ExplainedAssumptions;
  readonly question: { readonly name: string; readonly type: string };
  readonly client: ExplainedClient;
  /** The federated names on the way to the answer, in order; none for names of master files. */
  readonly steps: readonly ExplainedStep[];
  readonly answer: ExplainedAnswer;
}

/** What a what-if takes as given, as it is written on the command line. */
export interface ExplainedAssumptions {
  /** `CLUSTER=down`, `ADDRESS=up`, `CLUSTER/NAMESPACE/NAME=down`. */
  readonly health: readonly string[];
  readonly drain: readonly string[];
  readonly undrain: readonly string[];
}

/** Who the answer is for, and where that is. */
export interface ExplainedClient {
  /** The prefix that the answer is for, an IPv4 address inside an IPv6 one taken out. */
  readonly prefix: string;
  /** Whether that IPv4 address came inside an IPv6 one (mapped, NAT64, 6to4, Teredo). */
  readonly isCarriedInIpv6: boolean;
  /** Whether the client is an ECS prefix and not a source address. */
  readonly isEcs: boolean;
  /** The cluster that the client is inside of and believed to be; `null` for outside clients. */
  readonly inside: string | null;
  /** The cluster whose networks hold the prefix although the client is not taken to be inside. */
  readonly notBelievedInside: string | null;
  /** Why it is not; `null` if no cluster's networks hold the prefix, or if it is inside. */
  readonly notInsideBecause: "resolver-not-trusted" | "prefix-too-short" | null;
  /** Where the client is taken to be, and what says so (`by`). */
  readonly location: Location;
}

/** A federated name on the way to the answer. */
export interface ExplainedStep {
  readonly name: string;
  readonly kind: FederatedName["kind"];
  /** `namespace/name`. */
  readonly service: string;
  /**
   * The first decided the answer; none if no route was asked for, as for TXT. A regional name has
   * a second one, over both address families, which decided that it needs no CNAME.
   */
  readonly routes: readonly ExplainedRoute[];
  /** Where a regional or zonal name leads by CNAME, as nothing is healthy there; else `null`. */
  readonly leadsTo: string | null;
}

/** The way from a service's clusters to those of the answer. */
export interface ExplainedRoute {
  /** `A`, `AAAA`, or `any` for both families. */
  readonly addresses: "A" | "AAAA" | "any";
  /** The region and zone that the name asks for; `null` where it asks for none. */
  readonly region: string | null;
  readonly zone: string | null;
  readonly outcome: Route["outcome"];
  /** No endpoint was healthy, so all were taken as healthy, and are told as such below. */
  readonly failOpen: boolean;
  /** What the service does when nothing is healthy. */
  readonly onAllDown: "open" | "empty" | "servfail";
  readonly ttlSeconds: number;
  readonly ttlBy: ExplainedTtlBy;
  /** 0–100: a level below this spills. */
  readonly minHealthyPercent: number;
  readonly mode: "ordered" | "nearest";
  readonly maxAddresses: number;
  /** By priority, lowest first; `home` is `null` where nothing is known of how near any is. */
  readonly groups: readonly { readonly priority: number; readonly home: string | null }[];
  /** From the client outward, one group after the other. */
  readonly levels: readonly ExplainedLevel[];
  readonly leftOut: readonly ExplainedLeftOut[];
  /** The client's number in [0,1), and the level that it picked: an index into `levels`, -1 for none. */
  readonly spill: number;
  readonly clientLevel: number;
  /** The healthy endpoints of all levels with a share. */
  readonly pool: readonly { readonly cluster: string; readonly endpoint: string }[];
  /** The clusters of the answer, in order. */
  readonly order: readonly string[];
}

/** What made the TTL what it is. */
export type ExplainedTtlBy =
  /** Nothing that could change the answer is voted on: the longest. */
  | { readonly kind: "no-vote" }
  /** The shortest. */
  | { readonly kind: "fail-open" }
  /** The verdict that could flip the soonest, in `checks` × `intervalSeconds`. */
  | {
      readonly kind: "verdict";
      readonly cluster: string;
      readonly address: string;
      readonly checks: number;
      readonly intervalSeconds: number;
      /** The end of the service's range that it was clamped to; `null` if it was not. */
      readonly clampedTo: "min" | "max" | null;
    };

/** Clusters that are equally good for the client. */
export interface ExplainedLevel {
  readonly kind: LevelKind;
  /** Index into `groups`. */
  readonly group: number;
  /** Healthy endpoints, in fractions while they ramp up, and all of them. */
  readonly healthy: number;
  readonly total: number;
  /** The part of the clients that it keeps, 0 to 1. */
  readonly share: number;
  /** In the order of the draw. */
  readonly candidates: readonly ExplainedCandidate[];
}

/** A cluster that may serve the client. */
export interface ExplainedCandidate {
  readonly cluster: string;
  readonly region: string;
  readonly zones: readonly string[];
  /** Great-circle kilometres from the client; `null` where either place is unknown. */
  readonly distanceKm: number | null;
  /** Whether the client is inside it and so gets internal addresses. */
  readonly isInside: boolean;
  readonly healthy: number;
  readonly total: number;
  /** `healthy / total`, 0 to 1. */
  readonly healthyShare: number;
  /** 0–100. */
  readonly weight: number;
  /** The client's number for this cluster in (0,1), and the score that orders the draw. */
  readonly draw: number;
  readonly score: number;
  /** All that this client may be given, and those of them that are up. */
  readonly addresses: readonly string[];
  readonly upAddresses: readonly string[];
  /** All that this client may be given, each as its verdict lets it count, fail-open or not. */
  readonly given: readonly ExplainedEndpoint[];
  /** What counts for its health; where it was failed open all count as healthy. */
  readonly endpoints: readonly ExplainedEndpoint[];
  readonly hostnames: readonly ExplainedHostname[];
}

/** An address, and what is held of it. */
export interface ExplainedEndpoint {
  readonly address: string;
  /** 0 down, 1 up, between while it ramps up. */
  readonly health: number;
  /** `null` where nobody votes on it, or where nobody was asked what the voters say. */
  readonly verdict: ExplainedVerdict | null;
}

/** What the voters together hold of an address, and who says what. */
export interface ExplainedVerdict {
  /** `none`: none was ever reached, so it counts as up. */
  readonly word: "up" | "down" | "none";
  /** When it turned, ISO 8601; `null` for none. */
  readonly since: string | null;
  /** No majority says either, so the verdict stays as it is; why. `null` if it is not frozen. */
  readonly frozenBecause: string | null;
  /** Down by vote, but kept in the answers by `maxEjectPercent`. */
  readonly heldIn: boolean;
  /** None for a word that is assumed. */
  readonly votes: readonly ExplainedVote[];
  /** The word is assumed, not voted; and whether anybody would vote on it. Left out where it is not. */
  readonly assumed?: { readonly isVotedOn: boolean };
}

/** What one voter says of an address. */
export interface ExplainedVote {
  readonly voter: string;
  /** `none`: it is not heard, or has not probed the address yet. */
  readonly word: "up" | "down" | "none";
  /** When it turned to this word, ISO 8601; `null` for none. */
  readonly since: string | null;
  /** Of its last probe; `null` for none. */
  readonly reason: string | null;
  /** Probes in a row that would turn the word over; `null` for none. */
  readonly checksToFlip: number | null;
}

/** A cluster that runs the service and may not serve the client. */
export interface ExplainedLeftOut {
  readonly cluster: string;
  readonly rule: LeftOutReason;
  readonly hostnames: readonly ExplainedHostname[];
}

/** A load balancer that goes by a hostname, and how its last resolution went. */
export interface ExplainedHostname {
  readonly hostname: string;
  readonly state: "resolved" | "stale" | "unresolved";
}

/** What comes back. */
export interface ExplainedAnswer {
  readonly rcode: string;
  readonly isAuthoritative: boolean;
  readonly answers: readonly ExplainedRecord[];
  readonly authorities: readonly ExplainedRecord[];
  readonly additionals: readonly ExplainedRecord[];
  /** Leading bits of `client.prefix` that the answer depended on; 0 also where on no client. */
  readonly scope: number;
  /** The clients around this one that all get this answer; `null`: every client does. */
  readonly sameFor: string | null;
  /** The scope that the ECS option of the response has, in the query's own family; `null` without one. */
  readonly ecsScope: number | null;
}

export interface ExplainedRecord {
  readonly name: string;
  readonly ttlSeconds: number;
  readonly type: string;
  /** As in a master file. */
  readonly data: string;
}
