// One service as the fidelity of a mirror is judged by: which of its clusters the mirror gives, and
// what its health is known by. It must not know what is said of it.

import type { Cluster, Service, ServiceInCluster } from "../federation/model.ts";
import type { RoutingPolicy } from "./record-set.ts";

/** What holds for all services of a mirror. */
export interface FidelityContext {
  readonly clusters: ReadonlyMap<string, Cluster>;
  /** Clusters that are taken out of the answers; left out, none. */
  readonly drained?: ReadonlySet<string>;
  /** How the cloud chooses; `plain`: not at all. */
  readonly mode: "plain" | RoutingPolicy;
  /** Whether anybody votes on endpoints. */
  readonly hasVotes: boolean;
  /** The TTL of all records; `undefined`: as the services say. */
  readonly ttlSeconds: number | undefined;
}

/** What only the making of a service's records knows. What is left out follows from its clusters. */
export interface MirroredFacts {
  /** The clusters whose external addresses are given at the service's own name. */
  readonly published?: readonly string[];
  /** Of these, the ones that the cloud has no place for. */
  readonly unplaced?: readonly string[];
  /** Whether at a regional or zonal name one family is given and the other should lead on. */
  readonly lacksLocalFamily?: boolean;
  /** Whether there were more addresses, or places, than the provider takes. */
  readonly isCut?: boolean;
}

/** What the cloud chooses a part by: it does not, by the client's place, by chance. */
export type Choice = "none" | "place" | "chance";

/** By the mirror's mode. */
export const choices: Readonly<Record<FidelityContext["mode"], Choice>> = {
  plain: "none",
  geoproximity: "place",
  latency: "place",
  geolocation: "place",
  geo: "place",
  weighted: "chance",
  wrr: "chance",
};

/** A service as the rules look at it. */
export interface Subject {
  readonly service: Service;
  readonly facts: MirroredFacts;
  readonly choice: Choice;
  /** The clusters that clients outside may be given, before `allowCrossClusterTraffic`. */
  readonly eligible: readonly Located[];
  readonly published: readonly Located[];
  /** Whether there are votes on its endpoints. */
  readonly isVoted: boolean;
  /** Whether an endpoint of it can ever be sick: by vote, or by the word of its own cluster. */
  readonly canBeSick: boolean;
}

/** What a service has in one cluster. */
export interface Located {
  readonly cluster: Cluster;
  readonly entry: ServiceInCluster;
}

/** How the rules look at a service. */
export function subjectOf(
  service: Service,
  facts: MirroredFacts,
  { clusters, drained, hasVotes }: FidelityContext,
  choice: Choice,
): Subject {
  const eligible: Located[] = [];
  for (const entry of service.clusters) {
    const cluster = clusters.get(entry.cluster);
    if (!cluster?.routing.enabled || drained?.has(cluster.name)) continue;
    if (!entry.isFiltered && entry.external.length > 0) eligible.push({ cluster, entry });
  }
  const isVoted = hasVotes && service.healthCheck !== undefined;
  const canBeSick = isVoted || service.clusters.some(({ endpoints }) => endpoints !== undefined);
  const published = publishedOf(eligible, facts, choice);
  return { service, facts, choice, eligible, published, isVoted, canBeSick };
}

function publishedOf(
  eligible: readonly Located[],
  { published }: MirroredFacts,
  choice: Choice,
): readonly Located[] {
  if (published) return eligible.filter(({ cluster }) => published.includes(cluster.name));
  if (choice === "place" || eligible.length === 1) return eligible;
  return eligible.filter(({ cluster }) => cluster.routing.allowCrossClusterTraffic);
}
