// Which fields of a change go together: values or an alias, one routing policy with a
// SetIdentifier or none, one place of one kind. It looks at one change at a time; it must not know
// zones.
// https://docs.aws.amazon.com/Route53/latest/APIReference/API_ResourceRecordSet.html

import type { ResourceRecordSet } from "@aws-sdk/client-route-53";
import type { SentChange } from "./change.ts";

/** How a record set is chosen among those of its name and type. */
export type RoutingKind =
  | "simple"
  | "weighted"
  | "latency"
  | "failover"
  | "geolocation"
  | "multivalue answer"
  | "cidr"
  | "geoproximity";

/** The routing kinds that a record set names, none for a simple one. */
export function routingKinds(set: ResourceRecordSet): readonly RoutingKind[] {
  const named: readonly (readonly [RoutingKind, unknown])[] = [
    ["weighted", set.Weight],
    ["latency", set.Region],
    ["failover", set.Failover],
    ["geolocation", set.GeoLocation],
    ["multivalue answer", set.MultiValueAnswer],
    ["cidr", set.CidrRoutingConfig],
    ["geoproximity", set.GeoProximityLocation],
  ];
  return named.flatMap(([kind, value]) => (value === undefined ? [] : [kind]));
}

/** The one routing kind of a record set of good shape. */
export function routingKind(set: ResourceRecordSet): RoutingKind {
  return routingKinds(set)[0] ?? "simple";
}

/** What is wrong with the shape of a change, in the service's words; `undefined`: nothing. */
export function shapeProblem({ action, set }: SentChange): string | undefined {
  const subject = `Change with [Action=${action}, Name=${set.Name}, Type=${set.Type}, SetIdentifier=${set.SetIdentifier ?? "null"}]`;
  const oneOf = (fields: string, found: number) =>
    `Invalid request: Expected exactly one of [${fields}], but found ${found === 0 ? "none" : "more than one"} in ${subject}`;

  const hasValues = set.TTL !== undefined && set.ResourceRecords !== undefined;
  const hasPart = set.TTL !== undefined || set.ResourceRecords !== undefined;
  const contents = [hasValues, set.AliasTarget, set.TrafficPolicyInstanceId].filter(Boolean).length;
  if (contents !== 1 || (hasPart && !hasValues)) {
    return oneOf(
      "AliasTarget, all of [TTL, and ResourceRecords], or TrafficPolicyInstanceId",
      hasPart && !hasValues ? 0 : contents,
    );
  }
  const kinds = routingKinds(set);
  if (set.SetIdentifier === undefined && kinds.length > 0) {
    return `Invalid request: Missing field 'SetIdentifier' in ${subject}`;
  }
  if (set.SetIdentifier !== undefined && kinds.length !== 1) return oneOf(policies, kinds.length);
  return geolocationProblem(set, subject) ?? geoproximityProblem(set, oneOf);
}

const policies =
  "Weight, Region, Failover, GeoLocation, MultiValueAnswer, CidrRoutingConfig, or GeoProximityLocation";

const continents = ["AF", "AN", "AS", "EU", "NA", "OC", "SA"];

function geolocationProblem(set: ResourceRecordSet, subject: string): string | undefined {
  if (set.GeoLocation === undefined) return undefined;
  const { ContinentCode, CountryCode, SubdivisionCode } = set.GeoLocation;
  const isOther = CountryCode !== undefined || SubdivisionCode !== undefined;
  if (ContinentCode !== undefined && isOther) {
    return `Invalid request: ContinentCode cannot be combined with CountryCode or SubdivisionCode in ${subject}`;
  }
  if (ContinentCode === undefined && CountryCode === undefined) {
    return `Invalid request: GeoLocation names no place in ${subject}`;
  }
  if (SubdivisionCode !== undefined && !["US", "UA"].includes(CountryCode ?? "")) {
    return `Invalid request: SubdivisionCode needs a country that has subdivisions in ${subject}`;
  }
  const isContinent = ContinentCode === undefined || continents.includes(ContinentCode);
  if (!isContinent || !isCountry(CountryCode)) {
    return `Invalid request: there is no geographic location ${ContinentCode ?? CountryCode} in ${subject}`;
  }
  return undefined;
}

const countryNames = new Intl.DisplayNames("en", { type: "region", fallback: "none" });

/** ISO 3166-1 alpha-2, or `*`; deprecated and reserved codes that have names pass. */
function isCountry(code: string | undefined): boolean {
  if (code === undefined || code === "*") return true;
  return /^[A-Z]{2}$/.test(code) && code !== "ZZ" && countryNames.of(code) !== undefined;
}

function geoproximityProblem(
  set: ResourceRecordSet,
  oneOf: (fields: string, found: number) => string,
): string | undefined {
  if (set.GeoProximityLocation === undefined) return undefined;
  const { AWSRegion, LocalZoneGroup, Coordinates } = set.GeoProximityLocation;
  const places = [AWSRegion, LocalZoneGroup, Coordinates].filter((place) => place !== undefined);
  if (places.length !== 1) return oneOf("AWSRegion, LocalZoneGroup, or Coordinates", places.length);
  if (Coordinates === undefined) return undefined;
  const isPlace =
    Math.abs(Number(Coordinates.Latitude)) <= 90 && Math.abs(Number(Coordinates.Longitude)) <= 180;
  return isPlace ? undefined : "Invalid request: Coordinates are not on the Earth";
}
