// What one record of a geo database says of a place, whichever of the two usual shapes it has.
// It knows field names; it must not know the file format that they came in.

import type { Coordinates } from "./distance.ts";

/** What a database knows of a network; a record of nothing is left out. */
export interface GeoRecord {
  /** ISO 3166-1 alpha-2, upper case. */
  readonly country?: string;
  /** AF, AN, AS, EU, NA, OC or SA. */
  readonly continent?: string;
  readonly coordinates?: Coordinates;
}

/**
 * The record behind a decoded value; `undefined` if it holds none of the fields in a form that
 * makes sense. Two shapes are read: MaxMind's nested one (`location.latitude`,
 * `country.iso_code`, `continent.code`; https://dev.maxmind.com/geoip/docs/databases/) and the
 * flat one of ip-location-db and DB-IP (`latitude`, `country_code`, `continent`;
 * https://github.com/sapics/ip-location-db), where numbers may be written as strings.
 */
export function geoRecord(value: unknown): GeoRecord | undefined {
  const country = code(at(value, "country", "iso_code") ?? at(value, "country_code"));
  const continent = code(at(value, "continent", "code") ?? at(value, "continent"));
  const latitude = degrees(at(value, "location", "latitude") ?? at(value, "latitude"), 90);
  const longitude = degrees(at(value, "location", "longitude") ?? at(value, "longitude"), 180);
  const hasCoordinates = latitude !== undefined && longitude !== undefined;
  if (country === undefined && continent === undefined && !hasCoordinates) return undefined;
  return {
    ...(country !== undefined && { country }),
    ...(continent !== undefined && { continent }),
    ...(hasCoordinates && { coordinates: { latitude, longitude } }),
  };
}

/** The value under a path of keys. */
function at(value: unknown, ...keys: readonly string[]): unknown {
  let here = value;
  for (const key of keys) {
    if (typeof here !== "object" || here === null || !Object.hasOwn(here, key)) return undefined;
    here = (here as Record<string, unknown>)[key];
  }
  return here;
}

function code(value: unknown): string | undefined {
  return typeof value === "string" && /^[a-z]{2}$/i.test(value) ? value.toUpperCase() : undefined;
}

function degrees(value: unknown, limit: number): number | undefined {
  const isNumber =
    typeof value === "number" ||
    (typeof value === "string" && /^[+-]?\d{1,3}(\.\d*)?$/.test(value));
  const number = isNumber ? Number(value) : Number.NaN;
  return Math.abs(number) <= limit ? number : undefined;
}
