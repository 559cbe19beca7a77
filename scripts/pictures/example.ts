// The federation and the service that the pictures show: six places, one service with ten endpoints
// in each. It must not know what is drawn.

import type { Cluster, Service } from "../../src/federation/model.ts";
import { type FederationSketch, modelOf, type RoutingSketch } from "../../test/kit/federation.ts";

/** Where clusters are, by name. */
const places: Readonly<Record<string, { at: readonly [number, number]; region: string }>> = {
  virginia: { at: [39.0, -77.5], region: "us" },
  oregon: { at: [45.6, -121.2], region: "us" },
  "sao-paulo": { at: [-23.5, -46.6], region: "sa" },
  london: { at: [51.5, -0.1], region: "uk" },
  lagos: { at: [6.5, 3.4], region: "ng" },
  tokyo: { at: [35.7, 139.7], region: "jp" },
};

/** Endpoints of the service in each cluster. */
export const endpointsEach = 10;

/** The one client of the pictures: in Bogotá. */
export const client = { name: "a client in Bogotá", latitude: 4.7, longitude: -74.1 };

export interface Example {
  readonly clusters: ReadonlyMap<string, Cluster>;
  readonly service: Service;
}

/**
 * The example, of these clusters only if any are named.
 * @param ready how many endpoints are ready, by cluster; all where it is not said.
 */
export function exampleOf(
  names: readonly string[] = Object.keys(places),
  ready: Readonly<Record<string, number>> = {},
  routing: Readonly<Record<string, RoutingSketch>> = {},
): Example {
  const chosen = names.map((name, at) => ({ name, at, place: places[name] }));
  const sketch: FederationSketch = {
    clusters: Object.fromEntries(
      chosen.map(({ name, place }) => [
        name,
        { ...place, ...(routing[name] ? { routing: routing[name] } : {}) },
      ]),
    ),
    services: {
      "shop/checkout": {
        in: Object.fromEntries(
          chosen.map(({ name, at }) => [
            name,
            {
              external: [`192.0.2.${at + 1}`],
              endpoints: Array.from({ length: endpointsEach }, (_, pod): [string, boolean] => [
                `10.${at}.0.${pod + 1}`,
                pod < (ready[name] ?? endpointsEach),
              ]),
            },
          ]),
        ),
      },
    },
  };
  const { clusters, services } = modelOf(sketch);
  const [service] = services.values();
  if (!service) throw new Error("cannot make the example: it has no service");
  return { clusters, service };
}
