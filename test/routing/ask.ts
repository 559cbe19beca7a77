// Routes a sketched client to a sketched service, and tells a route in few words. It must not
// know what the right route is.

import type { Cluster, Service } from "../../src/federation/model.ts";
import type { Model } from "../../src/federation/whole-model.ts";
import type { Demand } from "../../src/routing/candidates.ts";
import { insidePlace, outsidePlace, type Place } from "../../src/routing/place.ts";
import { type Route, type RouteInput, route } from "../../src/routing/route.ts";
import { address } from "../geo/addresses.ts";
import {
  type ClusterSketch,
  type FederationSketch,
  modelOf,
  type PlacedSketch,
  type ServiceSketch,
} from "../kit/federation.ts";

/** Where a client is: inside a cluster, somewhere on Earth, in a named place, or at set distances. */
export interface ClientSketch {
  readonly inside?: string;
  /** Latitude and longitude. */
  readonly at?: readonly [number, number];
  readonly region?: string;
  readonly zones?: readonly string[];
  /** Kilometres by cluster, in place of those that `at` would give. */
  readonly km?: Readonly<Record<string, number>>;
}

/** What is asked for, by whom and in which state. */
export interface AskSketch {
  /** Nowhere if left out. */
  readonly client?: ClientSketch;
  /** Default: IPv4 addresses. */
  readonly demand?: Partial<Demand>;
  /** The client's address prefix. */
  readonly prefix?: string;
  /** Health by address of those that are not wholly up. */
  readonly health?: Readonly<Record<string, number>>;
  readonly drained?: readonly string[];
  /** Checks until its verdict could flip by address; all others are calm. */
  readonly checks?: Readonly<Record<string, number>>;
  /** Default: true. */
  readonly hasVotes?: boolean;
}

/** Routes a client to the first service of the sketch. */
export function ask(sketch: FederationSketch, asking: AskSketch = {}): Route {
  return route(routeInput(modelOf(sketch), asking));
}

/** The input for the first service of the model. Throws if there is none. */
export function routeInput(model: Model, asking: AskSketch = {}): RouteInput {
  const [service] = model.services.values();
  if (!service) throw new Error("cannot ask: the sketch has no service");
  const down = byAddress(asking.health);
  const checks = byAddress(asking.checks);
  return {
    clusters: model.clusters,
    service,
    demand: { family: 4, ...asking.demand },
    place: placeOf(model.clusters, asking.client ?? {}),
    prefix: address(asking.prefix ?? "198.51.100.0"),
    health: (_service: Service, _cluster: string, of) => down.get(of.join()) ?? 1,
    checksToFlip:
      asking.hasVotes === false
        ? undefined
        : (of, _cluster, each) => checks.get(each.join()) ?? of.healthCheck?.fall,
    drained: new Set(asking.drained),
  };
}

function byAddress(numbers: Readonly<Record<string, number>> = {}): Map<string, number> {
  return new Map(Object.entries(numbers).map(([text, each]) => [address(text).join(), each]));
}

export function placeOf(clusters: ReadonlyMap<string, Cluster>, client: ClientSketch): Place {
  const all = [...clusters.values()];
  const { at, region, zones, km } = client;
  const own = client.inside === undefined ? undefined : clusters.get(client.inside);
  if (own) return insidePlace(own, all);
  const place = outsidePlace(
    {
      ...(at && { coordinates: { latitude: at[0], longitude: at[1] } }),
      ...(region !== undefined && { region }),
      ...(zones && { zones }),
    },
    all,
  );
  return km ? { ...place, distancesKm: new Map(Object.entries(km)) } : place;
}

/**
 * A federation with one service in all of its clusters: the n-th has external address 192.0.2.n
 * and clusterIP 10.0.0.n, unless `placed` says otherwise.
 */
export function serviceInAll(
  clusters: Readonly<Record<string, ClusterSketch>>,
  placed: Readonly<Record<string, PlacedSketch>> = {},
  policy: Omit<ServiceSketch, "in"> = {},
): FederationSketch {
  const names = Object.keys(clusters);
  const entries = names.map((name, at): [string, PlacedSketch] => [
    name,
    { external: [`192.0.2.${at + 1}`], clusterIps: [`10.0.0.${at + 1}`], ...placed[name] },
  ]);
  return { clusters, services: { "shop/web": { ...policy, in: Object.fromEntries(entries) } } };
}

/** The levels as `kind: clusters`, clusters by name. */
export function levelsOf(route: Route): string[] {
  return route.levels.map(({ kind, candidates }) => `${kind}: ${namesOf(candidates).join(" ")}`);
}

/** The clusters that may serve the client, by name. */
export function candidatesOf(route: Route): string[] {
  return namesOf(route.levels.flatMap((level) => level.candidates));
}

/** The rule that left each cluster out. */
export function leftOutOf(route: Route): Record<string, string> {
  return Object.fromEntries(route.leftOut.map(({ cluster, reason }) => [cluster, reason]));
}

/** The clusters of the answer in order. */
export function orderOf(route: Route): string[] {
  return route.order.map(({ candidate }) => candidate.cluster.name);
}

function namesOf(candidates: Route["levels"][number]["candidates"]): string[] {
  return candidates.map(({ cluster }) => cluster.name).sort();
}
