// What Route 53 keeps, as record sets, and back again. It knows both forms; it must not know requests
// or what anybody wants. One record set of ours is all of Route 53's of one name and type.

import type { RecordPart, RecordSet, Routing } from "./record-set.ts";
import { recordKey } from "./record-set.ts";
import { fromRoute53Name, toRoute53Name } from "./route53-names.ts";

/**
 * A ResourceRecordSet of Route 53's API. Types and regions are texts: Route 53 says itself which ones
 * it does not take.
 * https://docs.aws.amazon.com/Route53/latest/APIReference/API_ResourceRecordSet.html
 */
export interface Route53RecordSet {
  readonly Name?: string | undefined;
  readonly Type?: string | undefined;
  readonly TTL?: number | undefined;
  readonly ResourceRecords?: { Value: string | undefined }[] | undefined;
  readonly SetIdentifier?: string | undefined;
  readonly Weight?: number | undefined;
  readonly Region?: string | undefined;
  readonly GeoLocation?:
    | {
        readonly ContinentCode?: string | undefined;
        readonly CountryCode?: string | undefined;
        readonly SubdivisionCode?: string | undefined;
      }
    | undefined;
  readonly GeoProximityLocation?:
    | {
        readonly AWSRegion?: string | undefined;
        readonly LocalZoneGroup?: string | undefined;
        readonly Coordinates?:
          | { readonly Latitude: string | undefined; readonly Longitude: string | undefined }
          | undefined;
        readonly Bias?: number | undefined;
      }
    | undefined;
  readonly AliasTarget?: { readonly DNSName: string | undefined } | undefined;
  readonly Failover?: string | undefined;
  readonly MultiValueAnswer?: boolean | undefined;
  readonly HealthCheckId?: string | undefined;
  readonly TrafficPolicyInstanceId?: string | undefined;
  readonly CidrRoutingConfig?: { readonly LocationName: string | undefined } | undefined;
}

/** Puts together what has one name and type; the order of first appearance is kept. */
export function toRecordSets(listed: Iterable<Route53RecordSet>): RecordSet[] {
  const sets = new Map<string, { name: string; type: string; parts: RecordPart[] }>();
  for (const one of listed) {
    const name = fromRoute53Name(one.Name ?? "");
    const type = one.Type ?? "";
    const key = recordKey({ name, type });
    const set = sets.get(key) ?? { name, type, parts: [] };
    set.parts.push(toPart(one));
    sets.set(key, set);
  }
  return [...sets.values()];
}

/**
 * One part as Route 53 takes it.
 * @throws Error for routing that Route 53 does not have
 */
export function toResourceRecordSet(
  { name, type }: Pick<RecordSet, "name" | "type">,
  { ttlSeconds, values, routing }: RecordPart,
): Route53RecordSet {
  if (routing?.kind === "other") {
    if (isResourceRecordSet(routing.raw)) return routing.raw;
    throw new Error(`cannot write ${name} ${type}: it is no record set of Route 53`);
  }
  return {
    Name: toRoute53Name(name),
    Type: type,
    ...(routing && toRoute53Routing(routing)),
    TTL: ttlSeconds,
    ResourceRecords: values.map((value) => ({ Value: value })),
  };
}

function toPart(set: Route53RecordSet): RecordPart {
  const { TTL, ResourceRecords, Name: _name, Type: _type, SetIdentifier: id, ...rest } = set;
  const routing = toRouting(set, rest, id);
  return {
    ttlSeconds: TTL ?? 0,
    values: (ResourceRecords ?? []).map(({ Value }) => Value ?? ""),
    ...(routing && { routing }),
  };
}

type RoutingFields = Omit<
  Route53RecordSet,
  "Name" | "Type" | "TTL" | "ResourceRecords" | "SetIdentifier"
>;

/** Only what we could have written ourselves has a kind of its own; anything more makes it `other`. */
function toRouting(
  set: Route53RecordSet,
  fields: RoutingFields,
  id: string | undefined,
): Routing | undefined {
  const given = definedKeys(fields);
  const isWhole = set.TTL !== undefined && set.ResourceRecords !== undefined;
  if (isWhole && given.length === 0 && id === undefined) return undefined;
  const known = isWhole && given.length === 1 && id !== undefined && knownRouting(fields, id);
  return known || { kind: "other", id: id ?? "", text: describe(fields), raw: set };
}

function knownRouting(fields: RoutingFields, id: string): Routing | undefined {
  const { GeoProximityLocation: proximity, GeoLocation: geo, Region, Weight } = fields;
  if (Weight !== undefined) return { kind: "weighted", id, weight: Weight };
  if (Region !== undefined) return { kind: "latency", id, region: Region };
  if (proximity) {
    const { Coordinates: at, Bias = 0, ...more } = proximity;
    if (Bias !== 0 || definedKeys(more).length > 0) return undefined;
    if (at?.Latitude === undefined || at.Longitude === undefined) return undefined;
    return { kind: "geoproximity", id, latitude: at.Latitude, longitude: at.Longitude };
  }
  if (geo && definedKeys(geo).length === 1) {
    if (geo.ContinentCode) {
      return { kind: "geolocation", id, place: `${continentPrefix}${geo.ContinentCode}` };
    }
    if (geo.CountryCode) return { kind: "geolocation", id, place: geo.CountryCode };
  }
  return undefined;
}

const continentPrefix = "continent:";

function toRoute53Routing(routing: Exclude<Routing, { kind: "other" }>): Partial<Route53RecordSet> {
  switch (routing.kind) {
    case "geoproximity": {
      const { latitude, longitude } = routing;
      const coordinates = { Latitude: latitude, Longitude: longitude };
      return {
        SetIdentifier: routing.id,
        GeoProximityLocation: { Coordinates: coordinates },
      };
    }
    case "latency":
      return { SetIdentifier: routing.id, Region: routing.region };
    case "geolocation": {
      const { id, place } = routing;
      const geo = place.startsWith(continentPrefix)
        ? { ContinentCode: place.slice(continentPrefix.length) }
        : { CountryCode: place };
      return { SetIdentifier: id, GeoLocation: geo };
    }
    case "weighted":
      return { SetIdentifier: routing.id, Weight: routing.weight };
    default:
      throw new Error(`cannot write routing to Route 53: it has no such kind, got ${routing.kind}`);
  }
}

/** For people: what there is about a part that is none of ours. */
function describe(fields: RoutingFields): string {
  const { AliasTarget, HealthCheckId, Failover, MultiValueAnswer, Weight, Region } = fields;
  const words = [
    AliasTarget && `alias of ${fromRoute53Name(AliasTarget.DNSName ?? "")}`,
    Failover && `failover ${Failover.toLowerCase()}`,
    MultiValueAnswer && "multivalue answer",
    Weight !== undefined && `weight ${Weight}`,
    Region && `latency ${Region}`,
    fields.GeoLocation && `geolocation ${fieldText(fields.GeoLocation)}`,
    fields.GeoProximityLocation && `geoproximity ${fieldText(fields.GeoProximityLocation)}`,
    fields.CidrRoutingConfig && `client networks ${fields.CidrRoutingConfig.LocationName}`,
    HealthCheckId && `health check ${HealthCheckId}`,
    fields.TrafficPolicyInstanceId && `traffic policy ${fields.TrafficPolicyInstanceId}`,
  ].filter((word) => typeof word === "string");
  return words.join(", ") || "unknown routing";
}

function fieldText(fields: object): string {
  return Object.values(fields)
    .filter((value) => value !== undefined)
    .map((value) => (typeof value === "object" ? fieldText(value) : String(value)))
    .join(" ");
}

function definedKeys(fields: object): string[] {
  return Object.entries(fields).flatMap(([key, value]) => (value === undefined ? [] : [key]));
}

function isResourceRecordSet(value: unknown): value is Route53RecordSet {
  return typeof value === "object" && value !== null && "Name" in value && "Type" in value;
}
