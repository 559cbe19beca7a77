// The zones that a server is authoritative for, found by name. It knows apexes only.

import { type Name, nameKey } from "../dns/name.ts";

/** Zones by `nameKey(apex)`. */
export type ZoneSet<Each> = ReadonlyMap<string, Each>;

/** Collects zones into a set; the last of equal apexes wins. */
export function zoneSet<Each extends { readonly apex: Name }>(
  zones: Iterable<Each>,
): ZoneSet<Each> {
  return new Map([...zones].map((zone) => [nameKey(zone.apex), zone]));
}

/** The zone that is nearest above a name, or `undefined` if none is ours. */
export function findZone<Each>(zones: ZoneSet<Each>, name: Name): Each | undefined {
  const key = nameKey(name);
  for (let at = 0; at < key.length; at += key.charCodeAt(at) + 1) {
    const zone = zones.get(at === 0 ? key : key.slice(at));
    if (zone) return zone;
  }
  return undefined;
}
