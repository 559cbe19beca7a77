// What is read from a database's record, and what is not believed.

import { expect } from "chai";
import { geoRecord } from "../../src/geo/geo-record.ts";

const cases = [
  {
    name: "MaxMind's shape",
    record: {
      continent: { code: "EU", geoname_id: 6255148 },
      country: { iso_code: "GB", names: { en: "United Kingdom" } },
      location: { latitude: 51.5142, longitude: -0.0931, accuracy_radius: 10 },
    },
    expected: {
      country: "GB",
      continent: "EU",
      coordinates: { latitude: 51.5142, longitude: -0.0931 },
    },
  },
  {
    name: "the flat shape",
    record: { country_code: "JP", continent: "AS", latitude: 35.69, longitude: 139.69 },
    expected: {
      country: "JP",
      continent: "AS",
      coordinates: { latitude: 35.69, longitude: 139.69 },
    },
  },
  {
    name: "numbers as strings",
    record: { latitude: "-17.7", longitude: "178" },
    expected: { coordinates: { latitude: -17.7, longitude: 178 } },
  },
  {
    name: "zero degrees, which are a place",
    record: { latitude: 0, longitude: "0.0" },
    expected: { coordinates: { latitude: 0, longitude: 0 } },
  },
  {
    name: "a latitude alone",
    record: { country_code: "SE", latitude: 59 },
    expected: { country: "SE" },
  },
  {
    name: "a latitude past the pole",
    record: { country_code: "SE", latitude: 90.1, longitude: 0 },
    expected: { country: "SE" },
  },
  {
    name: "a longitude past the antimeridian",
    record: { country_code: "SE", latitude: 9, longitude: -180.5 },
    expected: { country: "SE" },
  },
  {
    name: "empty strings",
    record: { country_code: "", latitude: "", longitude: "" },
    expected: undefined,
  },
  {
    name: "strings that are not numbers",
    record: { latitude: "0x10", longitude: "1e1" },
    expected: undefined,
  },
  {
    name: "numbers that are none",
    record: { latitude: Number.NaN, longitude: Number.POSITIVE_INFINITY },
    expected: undefined,
  },
  {
    name: "lower case",
    record: { country_code: "fj", continent: "oc" },
    expected: { country: "FJ", continent: "OC" },
  },
  {
    name: "a country's name in place of its code",
    record: { country_code: "Fiji" },
    expected: undefined,
  },
  { name: "a code that is a number", record: { country: { iso_code: 242 } }, expected: undefined },
  { name: "an empty record", record: {}, expected: undefined },
  { name: "no record", record: null, expected: undefined },
  { name: "a text", record: "GB", expected: undefined },
  { name: "a list", record: ["GB"], expected: undefined },
];

describe("geo record", () => {
  for (const { name, record, expected } of cases) {
    it(`is right for: ${name}`, () => {
      expect(geoRecord(record)).to.deep.equal(expected);
    });
  }
});
