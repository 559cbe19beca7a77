// The places for which the cloud can be given answers of their own: where the clusters are, or the
// continents. It must not know services.

import type { Cluster } from "../federation/model.ts";
import { nearestCloudRegion } from "../geo/cloud-places.ts";
import type { Coordinates } from "../geo/distance.ts";
import { insidePlace, outsidePlace, type Place } from "../routing/place.ts";
import type { Routing, RoutingPolicy } from "./record-set.ts";

/** A place, how the cloud is told of it, and where clients there are. */
export interface RoutedPlace {
  readonly routing: Routing;
  readonly at: Place;
  /** The cluster whose place it is: services that it does not run need no answer there. */
  readonly cluster?: string;
  /** Of all clients that no other place is found for: they are given all there is. */
  readonly isDefault?: boolean;
}

/** A text that places share which are one to the cloud: it takes one answer for each. */
export function placeText({ routing }: RoutedPlace): string {
  switch (routing.kind) {
    case "geoproximity":
      return `${routing.latitude} ${routing.longitude}`;
    case "latency":
      return routing.region;
    case "geolocation":
      return routing.place;
    case "geo":
      return routing.location;
    default:
      throw new RangeError(`cannot name a place: it has none, got ${routing.kind}`);
  }
}

/** The places of a policy, in order; none for those that choose by chance. */
export function routedPlaces(policy: RoutingPolicy, clusters: readonly Cluster[]): RoutedPlace[] {
  switch (policy) {
    case "geolocation":
      return continentPlaces(clusters);
    case "geoproximity":
    case "latency":
    case "geo":
      return clusterPlaces(policy, clusters);
    case "weighted":
    case "wrr":
      return [];
  }
}

/** In order of name, clusters without a location left out. */
function clusterPlaces(
  policy: "geoproximity" | "latency" | "geo",
  clusters: readonly Cluster[],
): RoutedPlace[] {
  const sorted = [...clusters].sort((a, b) => (a.name < b.name ? -1 : 1));
  return sorted.flatMap((cluster): RoutedPlace[] => {
    if (!cluster.location) return [];
    const routing = routingAt(policy, cluster, cluster.location);
    // Clients there, not inside: addresses in the cloud are for everybody.
    const at: Place = { ...insidePlace(cluster, clusters), inside: undefined };
    return [{ routing, at, cluster: cluster.name }];
  });
}

function routingAt(
  policy: "geoproximity" | "latency" | "geo",
  { name, region }: Cluster,
  location: Coordinates,
): Routing {
  switch (policy) {
    case "geoproximity": {
      const { latitude, longitude } = location;
      return { kind: policy, id: name, latitude: degrees(latitude), longitude: degrees(longitude) };
    }
    case "latency":
      return { kind: policy, id: name, region: nearestCloudRegion("aws", region, location) };
    case "geo":
      return { kind: policy, location: nearestCloudRegion("gcp", region, location) };
  }
}

/** Two decimals are the most that Route 53 takes. */
function degrees(value: number): string {
  return String(Number(value.toFixed(2)));
}

/** All continents that Route 53 knows, and the default for clients that it cannot place. */
function continentPlaces(clusters: readonly Cluster[]): RoutedPlace[] {
  const places = continents.map(([code, latitude, longitude]): RoutedPlace => {
    const place = `continent:${code}`;
    const at = outsidePlace({ coordinates: { latitude, longitude } }, clusters);
    return { routing: { kind: "geolocation", id: place, place }, at };
  });
  const at = outsidePlace({}, clusters);
  return [
    ...places,
    { routing: { kind: "geolocation", id: "default", place: "*" }, at, isDefault: true },
  ];
}

/**
 * The codes of GeoLocation (https://docs.aws.amazon.com/Route53/latest/APIReference/API_GeoLocation.html)
 * and a place near the middle of the people of each continent, to about 5 degrees.
 */
const continents: readonly (readonly [code: string, latitude: number, longitude: number])[] = [
  ["AF", 6, 18],
  ["AN", -77, 166],
  ["AS", 26, 95],
  ["EU", 50, 15],
  ["NA", 37, -93],
  ["OC", -27, 143],
  ["SA", -14, -57],
];
