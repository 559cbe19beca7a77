// The ranges and patterns of the fields of a change, as the API reference states them. It looks at
// one change at a time; it must not know zones.
// https://docs.aws.amazon.com/Route53/latest/APIReference/API_ResourceRecordSet.html

import type { SentChange } from "./change.ts";

/** What breaks a constraint, in the service's words, one text for each field. */
export function constraintProblems(changes: readonly SentChange[]): readonly string[] {
  if (changes.length === 0) {
    return [problem("[]", "changes", "Member must have length greater than or equal to 1")];
  }
  return changes.flatMap(({ set }, at) =>
    constraints.flatMap(({ field, value, isMet, rule }) => {
      const found = value(set);
      if (found === undefined || isMet(found)) return [];
      return [problem(String(found), `changes.${at + 1}.member.resourceRecordSet.${field}`, rule)];
    }),
  );
}

type Field = string | number | undefined;

interface Constraint {
  readonly field: string;
  readonly value: (set: SentChange["set"]) => Field;
  readonly isMet: (value: string | number) => boolean;
  readonly rule: string;
}

const types = "A AAAA CAA CNAME DS HTTPS MX NAPTR NS PTR SOA SPF SRV SSHFP SVCB TLSA TXT".split(
  " ",
);

/** API reference, ResourceRecordSet, Region: regions with latency measurements. */
const regions =
  "af-south-1 ap-east-1 ap-east-2 ap-northeast-1 ap-northeast-2 ap-northeast-3 ap-south-1 ap-south-2 ap-southeast-1 ap-southeast-2 ap-southeast-3 ap-southeast-4 ap-southeast-5 ap-southeast-6 ap-southeast-7 ca-central-1 ca-west-1 cn-north-1 cn-northwest-1 eu-central-1 eu-central-2 eu-north-1 eu-south-1 eu-south-2 eu-west-1 eu-west-2 eu-west-3 eusc-de-east-1 il-central-1 me-central-1 me-south-1 mx-central-1 sa-east-1 us-east-1 us-east-2 us-gov-east-1 us-gov-west-1 us-west-1 us-west-2".split(
    " ",
  );

const constraints: readonly Constraint[] = [
  length("name", (set) => set.Name, 0, 1024),
  member("type", (set) => set.Type, types),
  length("setIdentifier", (set) => set.SetIdentifier, 1, 128),
  least("weight", (set) => set.Weight, 0),
  most("weight", (set) => set.Weight, 255),
  member("region", (set) => set.Region, regions),
  member("failover", (set) => set.Failover, ["PRIMARY", "SECONDARY"]),
  least("tTL", (set) => set.TTL, 0),
  most("tTL", (set) => set.TTL, 2147483647),
  length("resourceRecords", (set) => lengthText(set.ResourceRecords), 1, Number.POSITIVE_INFINITY),
  length("geoLocation.continentCode", (set) => set.GeoLocation?.ContinentCode, 2, 2),
  length("geoLocation.countryCode", (set) => set.GeoLocation?.CountryCode, 1, 2),
  length("geoLocation.subdivisionCode", (set) => set.GeoLocation?.SubdivisionCode, 1, 3),
  length("healthCheckId", (set) => set.HealthCheckId, 0, 64),
  length("geoProximityLocation.aWSRegion", (set) => set.GeoProximityLocation?.AWSRegion, 1, 64),
  least("geoProximityLocation.bias", (set) => set.GeoProximityLocation?.Bias, -99),
  most("geoProximityLocation.bias", (set) => set.GeoProximityLocation?.Bias, 99),
  pattern(
    "geoProximityLocation.coordinates.latitude",
    (set) => set.GeoProximityLocation?.Coordinates?.Latitude,
    /^[-+]?[0-9]{1,2}(\.[0-9]{0,2})?$/,
  ),
  pattern(
    "geoProximityLocation.coordinates.longitude",
    (set) => set.GeoProximityLocation?.Coordinates?.Longitude,
    /^[-+]?[0-9]{1,3}(\.[0-9]{0,2})?$/,
  ),
];

/** As many characters as there are items, so that lists are measured like texts. */
function lengthText(items: readonly unknown[] | undefined): string | undefined {
  return items === undefined ? undefined : "-".repeat(items.length);
}

function least(field: string, value: Constraint["value"], bound: number): Constraint {
  const rule = `Member must have value greater than or equal to ${bound}`;
  return { field, value, isMet: (found) => Number(found) >= bound, rule };
}

function most(field: string, value: Constraint["value"], bound: number): Constraint {
  const rule = `Member must have value less than or equal to ${bound}`;
  return { field, value, isMet: (found) => Number(found) <= bound, rule };
}

function length(
  field: string,
  value: Constraint["value"],
  shortest: number,
  longest: number,
): Constraint {
  const rule = `Member must have length between ${shortest} and ${longest}`;
  const isMet = (found: string | number) => {
    const { length } = String(found);
    return length >= shortest && length <= longest;
  };
  return { field, value, isMet, rule };
}

function member(field: string, value: Constraint["value"], values: readonly string[]): Constraint {
  const rule = `Member must satisfy enum value set: [${values.join(", ")}]`;
  return { field, value, isMet: (found) => values.includes(String(found)), rule };
}

function pattern(field: string, value: Constraint["value"], form: RegExp): Constraint {
  const rule = `Member must satisfy regular expression pattern: ${form.source.slice(1, -1)}`;
  return { field, value, isMet: (found) => form.test(String(found)), rule };
}

function problem(value: string, field: string, rule: string): string {
  return `Value '${value}' at 'changeBatch.${field}' failed to satisfy constraint: ${rule}`;
}
