// The region of one cloud that is nearest to a place, for services that know places by their own
// regions only. It must not know clusters.

import { cloudRegion, cloudRegionNames } from "./cloud-regions.ts";
import { type Coordinates, distanceKm } from "./distance.ts";

/** `aws` or `gcp`, by the form of their regions' names. */
export type Cloud = "aws" | "gcp";

/** `name` itself if it is a region of the cloud, else the nearest one to the place. */
export function nearestCloudRegion(cloud: Cloud, name: string, place: Coordinates): string {
  const lowered = name.toLowerCase();
  const regions = regionsOf(cloud);
  if (regions.some((each) => each.name === lowered)) return lowered;
  let nearest = { name: "", km: Number.POSITIVE_INFINITY };
  for (const { name: region, at } of regions) {
    const km = distanceKm(place, at);
    if (km < nearest.km) nearest = { name: region, km };
  }
  return nearest.name;
}

interface Region {
  readonly name: string;
  readonly at: Coordinates;
}

const known = new Map<Cloud, readonly Region[]>();

/** In order of name. Regions of governments and of China belong to accounts of their own. */
function regionsOf(cloud: Cloud): readonly Region[] {
  const found = known.get(cloud);
  if (found) return found;
  const pattern =
    cloud === "aws" ? /^(?!cn-|us-gov-|eusc-)[a-z]{2}-[a-z]+-\d$/ : /^[a-z]+-[a-z]+\d+$/;
  const regions = cloudRegionNames()
    .filter((name) => pattern.test(name))
    .sort()
    .flatMap((name) => {
      const at = cloudRegion(name);
      return at ? [{ name, at }] : [];
    });
  known.set(cloud, regions);
  return regions;
}
