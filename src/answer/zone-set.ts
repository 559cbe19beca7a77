// The zones that a server is authoritative for, found by name. It knows apexes only.

import { type Name, nameKey } from "../dns/name.ts";
import type { Zone } from "../zone/zone.ts";

/** Zones by `nameKey(apex)`. */
export type ZoneSet<Dynamic> = ReadonlyMap<string, Zone<Dynamic>>;

/** Collects zones into a set; the last of equal apexes wins. */
export function zoneSet<Dynamic>(zones: Iterable<Zone<Dynamic>>): ZoneSet<Dynamic> {
  return new Map([...zones].map((zone) => [nameKey(zone.apex), zone]));
}

/** The zone that is nearest above a name, or `undefined` if none is ours. */
export function findZone<Dynamic>(zones: ZoneSet<Dynamic>, name: Name): Zone<Dynamic> | undefined {
  const key = nameKey(name);
  for (let at = 0; at < key.length; at += key.charCodeAt(at) + 1) {
    const zone = zones.get(at === 0 ? key : key.slice(at));
    if (zone) return zone;
  }
  return undefined;
}
