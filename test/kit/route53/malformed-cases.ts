// Record sets that Route 53 refuses with InvalidInput before it looks at any zone, and a part of what it
// says. The words for places and for fields that exclude each other are our own.

import type { ResourceRecordSet } from "@aws-sdk/client-route-53";
import { recordSet } from "./sets.ts";

export interface MalformedCase {
  readonly name: string;
  readonly set: ResourceRecordSet;
  readonly says: string;
}

const www = recordSet("www", "A", ["192.0.2.1"]);
const part = (routing: Partial<ResourceRecordSet>) => ({
  ...www,
  SetIdentifier: "a",
  ...routing,
});
const near = (latitude: string, longitude: string) =>
  part({ GeoProximityLocation: { Coordinates: { Latitude: latitude, Longitude: longitude } } });

export const malformedCases: readonly MalformedCase[] = [
  { name: "a weight of 256", set: part({ Weight: 256 }), says: "less than or equal to 255" },
  { name: "a negative weight", set: part({ Weight: -1 }), says: "greater than or equal to 0" },
  { name: "a negative TTL", set: { ...www, TTL: -1 }, says: "greater than or equal to 0" },
  { name: "a TTL of 2^31", set: { ...www, TTL: 2 ** 31 }, says: "or equal to 2147483647" },
  {
    name: "a SetIdentifier of 129 characters",
    set: part({ SetIdentifier: "a".repeat(129), Weight: 1 }),
    says: "length between 1 and 128",
  },
  {
    name: "no SetIdentifier",
    set: { ...www, Weight: 1 },
    says: "Missing field 'SetIdentifier'",
  },
  { name: "a SetIdentifier alone", set: part({}), says: "but found none" },
  {
    name: "two routing policies",
    set: part({ Weight: 1, Region: "eu-west-1" }),
    says: "but found more than one",
  },
  {
    name: "neither values nor an alias",
    set: { Name: "www.example.com", Type: "A" },
    says: "Expected exactly one of [AliasTarget, all of [TTL, and ResourceRecords]",
  },
  { name: "an empty list of values", set: { ...www, ResourceRecords: [] }, says: "length" },
  { name: "a latitude past the pole", set: near("90.01", "0"), says: "not on the Earth" },
  { name: "three decimals", set: near("1.234", "0"), says: "regular expression" },
  { name: "a latitude of three digits", set: near("100", "0"), says: "regular expression" },
  { name: "a longitude past 180", set: near("0", "-180.5"), says: "not on the Earth" },
  {
    name: "a bias of 100",
    set: part({ GeoProximityLocation: { AWSRegion: "eu-west-1", Bias: 100 } }),
    says: "less than or equal to 99",
  },
  {
    name: "a region and coordinates",
    set: part({
      GeoProximityLocation: {
        AWSRegion: "eu-west-1",
        Coordinates: { Latitude: "1", Longitude: "1" },
      },
    }),
    says: "but found more than one",
  },
  { name: "no place", set: part({ GeoProximityLocation: {} }), says: "but found none" },
  {
    name: "a continent that there is not",
    set: part({ GeoLocation: { ContinentCode: "XX" } }),
    says: "no geographic location XX",
  },
  {
    name: "a country that there is not",
    set: part({ GeoLocation: { CountryCode: "QX" } }),
    says: "no geographic location QX",
  },
  {
    name: "a continent with a country",
    set: part({ GeoLocation: { ContinentCode: "EU", CountryCode: "DE" } }),
    says: "cannot be combined",
  },
];
