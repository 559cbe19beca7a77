// What a cloud cannot say that our own answers do: each topic, the services that it concerns, and
// its words. It must not know what is done with them.

import type { Choice, FidelityContext, Located, Subject } from "./fidelity-subject.ts";
import type { FidelityTopic } from "./plan-types.ts";

/** One topic. */
export interface Rule {
  readonly topic: FidelityTopic;
  readonly concerns: (subject: Subject, context: FidelityContext) => boolean;
  /** Behind "Our own", and behind "the mirror"; the same for all choices or not. */
  readonly ours: string;
  readonly mirrors: string | ((choice: Choice) => string);
}

/** In the order in which people are told. */
export const rules: readonly Rule[] = [
  {
    topic: "nearest",
    concerns: ({ choice, published }) => choice !== "place" && differ(published, placeText),
    ours: "answers lead each client to the clusters nearest to it",
    mirrors: (choice) =>
      choice === "none"
        ? "gives everybody the same addresses, wherever they ask from"
        : "draws a cluster by weight, wherever the client is",
  },
  {
    topic: "address-order",
    concerns: ({ choice, published, service }) =>
      published.length > 1 && (choice === "none" || service.answer.mode === "ordered"),
    ours: "answers list addresses in an order made for the client, further clusters' as fall-back",
    mirrors: (choice) =>
      choice === "none"
        ? "gives one set of all, which resolvers and clients put in any order"
        : "gives those of the place or cluster that the cloud chose, and no others",
  },
  {
    topic: "inside",
    concerns: ({ published, service }, { clusters, drained }) =>
      published.length > 0 &&
      service.clusters.some(
        ({ cluster, clusterIps, isHeadless }) =>
          (clusterIps.length > 0 || isHeadless) &&
          clusters.get(cluster)?.routing.enabled === true &&
          !drained?.has(cluster),
      ),
    ours: "answers give clients inside a cluster its clusterIPs, or its pods of a headless service",
    mirrors: "gives them external addresses, as it does everybody",
  },
  {
    topic: "priority",
    concerns: ({ choice, published }) =>
      choice === "none" && differ(published, ({ cluster }) => cluster.routing.priority),
    ours: "answers use clusters of a higher routing.priority number only as fall-back",
    mirrors: "gives the addresses of all of them alike",
  },
  {
    topic: "weight",
    concerns: ({ choice, published }) => choice === "none" && differ(published, weightOf),
    ours: "answers share clients among equally near clusters by routing.weight",
    mirrors: "gives the addresses of all of them alike",
  },
  {
    topic: "geo-and-weight",
    concerns: ({ choice, published }) =>
      choice === "place" &&
      (differ(published, weightOf) ||
        (published.length > 1 && published.some((each) => !each.cluster.routing.localPreference))),
    ours: "answers share clients by routing.weight, with localPreference: false over any distance",
    mirrors: "chooses by place, and gives all equally near clusters alike",
  },
  {
    topic: "overflow",
    // By chance, the weights are those of the overflow.
    concerns: ({ choice, published, service, canBeSick }) =>
      choice !== "chance" && published.length > 1 && service.minHealthyPercent > 0 && canBeSick,
    ours:
      "answers send clients on, the more the fewer endpoints of a level are healthy, once these " +
      "are less than minHealthyPercent",
    mirrors: (choice) =>
      choice === "none"
        ? "gives every healthy address to everybody, however few a cluster has left"
        : "sends all clients of a place to the level that most of them belong to",
  },
  {
    topic: "ramp",
    concerns: ({ published, service, isVoted }) =>
      published.length > 1 && isVoted && (service.healthCheck?.rampSeconds ?? 0) > 0,
    ours: "answers bring clients back to a recovered endpoint over rampSeconds",
    mirrors: "counts it as whole at once",
  },
  {
    topic: "all-down",
    concerns: ({ published, service, canBeSick }) =>
      published.length > 0 && service.onAllDown !== "open" && canBeSick,
    ours: "answers hold no address once all endpoints are down, as onAllDown says",
    mirrors: "gives all of them then, as if they were healthy",
  },
  {
    topic: "ttl",
    concerns: ({ published, service, isVoted }, { ttlSeconds }) =>
      published.length > 0 &&
      isVoted &&
      ttlSeconds === undefined &&
      service.ttl.minSeconds < service.ttl.maxSeconds,
    ours: "TTL gets shorter as a verdict comes near",
    mirrors: "has ttl.max, and ttl.min while all endpoints are down",
  },
  {
    topic: "max-addresses",
    concerns: ({ choice, published, service, facts }, { mode }) =>
      facts.isCut === true ||
      mostAddresses(published, choice === "none" || mode === "geolocation") >
        service.answer.maxAddresses,
    ours: "answers hold maxAddresses addresses at most",
    mirrors: "gives all that are healthy, as far as the cloud takes so many",
  },
  {
    topic: "cross-cluster",
    concerns: ({ eligible }) =>
      eligible.some(({ cluster }) => !cluster.routing.allowCrossClusterTraffic),
    ours:
      "answers give a cluster with allowCrossClusterTraffic: false only to clients inside it and " +
      "those that it is nearest to",
    mirrors: (choice) =>
      choice === "place"
        ? "gives it to those whom the cloud finds nearest to it, and not at regional or SRV names"
        : "leaves it out, or gives it to everybody where there is no other",
  },
  {
    topic: "srv-order",
    concerns: ({ published }) => sharesNamedPort(published),
    ours: "SRV records count priorities from each client outward",
    mirrors: "has the same priorities for everybody",
  },
  {
    topic: "local-family",
    concerns: ({ facts }) => facts.lacksLocalFamily === true,
    ours:
      "answers at a regional or zonal name lead on by a CNAME for the one address family that has " +
      "nothing healthy there",
    mirrors: "gives what that leads to, as no CNAME can stand beside the other family",
  },
  {
    topic: "location",
    concerns: ({ choice, published, facts }) =>
      choice === "place" &&
      (facts.unplaced
        ? facts.unplaced.length > 0
        : published.some(({ cluster }) => cluster.location === undefined)),
    ours: "answers put clusters without a location behind those with one",
    mirrors: "has no place for them: at most clients without a place are given them",
  },
];

function differ(clusters: readonly Located[], by: (each: Located) => string | number): boolean {
  const [first, ...others] = clusters;
  if (!first || others.length === 0) return false;
  const value = by(first);
  return others.some((each) => by(each) !== value);
}

function placeText({ cluster: { region, zones, location } }: Located): string {
  return JSON.stringify([region, zones, location?.latitude, location?.longitude]);
}

function weightOf({ cluster }: Located): number {
  return cluster.routing.weight;
}

/**
 * The most addresses of one family in one answer of the mirror: at some name all are together, or
 * those of a region.
 */
function mostAddresses(published: readonly Located[], areTogether: boolean): number {
  const sums = new Map<string, number>();
  let most = 0;
  for (const { cluster, entry } of published) {
    const place = areTogether ? "" : cluster.region || cluster.name;
    for (const { length } of entry.external) {
      const key = `${length} ${place}`;
      const sum = (sums.get(key) ?? 0) + 1;
      sums.set(key, sum);
      most = Math.max(most, sum);
    }
  }
  return most;
}

/** Whether two clusters have a port of the same SRV name. */
function sharesNamedPort(published: readonly Located[]): boolean {
  const seen = new Set<string>();
  for (const { entry } of published) {
    const own = new Set(
      entry.ports
        .filter(({ name }) => name !== "")
        .map(({ name, protocol }) => `${name} ${protocol}`),
    );
    for (const port of own) {
      if (seen.has(port)) return true;
      seen.add(port);
    }
  }
  return false;
}
