// How the example's client is routed, by the server's own functions. It must not know what is drawn.

import { outsidePlace, type Place } from "../../src/routing/place.ts";
import { type Route, route } from "../../src/routing/route.ts";
import type { ChecksToFlip } from "../../src/routing/ttl.ts";
import { client, type Example } from "./example.ts";

/** Where the example's client is. */
export function placeOfClient({ clusters }: Example): Place {
  const { latitude, longitude } = client;
  return outsidePlace({ coordinates: { latitude, longitude } }, clusters.values());
}

/** A prefix of the example's client. */
const somePrefix = Uint8Array.of(198, 51, 100, 0);

/** The route of a client at the example's place. */
export function routeFor(
  example: Example,
  prefix: Uint8Array = somePrefix,
  checksToFlip?: ChecksToFlip,
): Route {
  return route({
    ...example,
    demand: { family: 4 },
    place: placeOfClient(example),
    prefix,
    checksToFlip,
    health: () => 1,
    drained: new Set(),
  });
}
