// One place for each continent, for clients of whom nothing nearer is known. It knows the
// seven codes that geo databases use; it must not know who is asking.

import type { Coordinates } from "./distance.ts";

/**
 * A place near the middle of the continent's people, to whole degrees; `undefined` for a code
 * that is none. The codes are those of MaxMind and GeoNames: https://www.geonames.org/export/.
 */
export function continentCentroid(code: string): Coordinates | undefined {
  return centroids.get(code);
}

const centroids: ReadonlyMap<string, Coordinates> = new Map([
  ["AF", { latitude: 6, longitude: 20 }],
  ["AN", { latitude: -78, longitude: 167 }],
  ["AS", { latitude: 28, longitude: 95 }],
  ["EU", { latitude: 50, longitude: 14 }],
  ["NA", { latitude: 36, longitude: -93 }],
  ["OC", { latitude: -31, longitude: 150 }],
  ["SA", { latitude: -14, longitude: -57 }],
]);
