// The tables of countries, continents and cloud regions: whole, in range, and right where a
// capital or a vendor's city says so.

import { readFileSync } from "node:fs";
import { expect } from "chai";
import { cloudRegion, cloudRegionNames } from "../../src/geo/cloud-regions.ts";
import { continentCentroid } from "../../src/geo/continent-centroids.ts";
import { countryCentroid, countryCodes } from "../../src/geo/country-centroids.ts";
import { type Coordinates, distanceKm } from "../../src/geo/distance.ts";

const rows: string[] = JSON.parse(
  readFileSync(new URL("../cases/geo/iso-3166-1-alpha-2.json", import.meta.url), "utf8"),
);
const isoCodes = rows.flatMap((row) => row.split(" "));

describe("country centroids", () => {
  it("has a place for every code of ISO 3166-1, and for Kosovo", () => {
    expect(isoCodes).to.have.length(249);
    expect(countryCodes().sort()).to.deep.equal([...isoCodes, "XK"].sort());
  });

  it("has only places on Earth, in degrees", () => {
    for (const code of countryCodes()) expectOnEarth(countryCentroid(code), code);
  });

  it("has no place for what is no country, nor for names of object fields", () => {
    for (const code of ["", "ZZ", "EU", "us", "USA", "toString", "__proto__"]) {
      expect(countryCentroid(code), code).to.equal(undefined);
    }
  });

  // A city of each, and how far from it the middle of the people can be.
  const nearby = [
    { code: "US", city: [37.4157, -92.3465], withinKm: 10 }, // US Census Bureau, 2020: Hartville, Missouri
    { code: "JP", city: [35.6, 137.0], withinKm: 50 }, // Statistics Bureau, 2020: Seki, Gifu
    { code: "GB", city: [52.48, -1.9], withinKm: 120 }, // Birmingham
    { code: "DE", city: [50.98, 11.03], withinKm: 200 }, // Erfurt
    { code: "FR", city: [46.8, 2.5], withinKm: 150 },
    { code: "RU", city: [55.75, 37.62], withinKm: 1200 }, // Moscow, not Siberia
    { code: "CA", city: [43.65, -79.38], withinKm: 800 }, // Toronto
    { code: "AU", city: [-33.87, 151.21], withinKm: 700 }, // Sydney
    { code: "BR", city: [-15.79, -47.88], withinKm: 500 }, // Brasília
    { code: "ZA", city: [-26.2, 28.05], withinKm: 400 }, // Johannesburg
    { code: "IN", city: [21.15, 79.09], withinKm: 400 }, // Nagpur
    { code: "CN", city: [34.76, 113.65], withinKm: 300 }, // Zhengzhou
    { code: "NZ", city: [-37.79, 175.28], withinKm: 250 }, // Hamilton
    { code: "FJ", city: [-18.14, 178.44], withinKm: 100 }, // Suva
    { code: "EG", city: [30.04, 31.24], withinKm: 100 }, // Cairo
    { code: "AR", city: [-34.6, -58.38], withinKm: 400 }, // Buenos Aires
    { code: "KR", city: [36.35, 127.38], withinKm: 100 }, // Daejeon
    { code: "SG", city: [1.29, 103.85], withinKm: 20 },
    { code: "KI", city: [1.33, 172.98], withinKm: 50 }, // Tarawa
    { code: "WS", city: [-13.83, -171.77], withinKm: 50 }, // Apia
  ] as const;
  for (const { code, city, withinKm } of nearby) {
    it(`puts ${code} within ${withinKm} km of ${city.join(", ")}`, () => {
      expect(fromPlace(countryCentroid(code), city)).to.be.at.most(withinKm);
    });
  }
});

describe("continent centroids", () => {
  const inside = [
    { code: "AF", country: "CF" },
    { code: "AN", country: "AQ" },
    { code: "AS", country: "MM" },
    { code: "EU", country: "CZ" },
    { code: "NA", country: "US" },
    { code: "OC", country: "AU" },
    { code: "SA", country: "BO" },
  ];
  for (const { code, country } of inside) {
    it(`puts ${code} within 1500 km of ${country}`, () => {
      expectOnEarth(continentCentroid(code), code);
      const center = countryCentroid(country);
      if (!center) throw new Error(`cannot compare: no such country, got ${country}`);
      expect(fromPlace(continentCentroid(code), [center.latitude, center.longitude])).to.be.below(
        1500,
      );
    });
  }

  it("has no place for other codes", () => {
    for (const code of ["", "XX", "eu", "Europe"]) {
      expect(continentCentroid(code), code).to.equal(undefined);
    }
  });
});

describe("cloud regions", () => {
  const regions = [
    { region: "us-central1", city: [41.26, -95.86] }, // Google: Council Bluffs
    { region: "europe-west1", city: [50.45, 3.82] }, // Google: St. Ghislain
    { region: "asia-northeast1", city: [35.68, 139.69] }, // Google: Tokyo
    { region: "australia-southeast1", city: [-33.87, 151.21] }, // Google: Sydney
    { region: "us-east-1", city: [38.9, -77.45] }, // AWS: Northern Virginia
    { region: "eu-central-1", city: [50.11, 8.68] }, // AWS: Frankfurt
    { region: "ap-southeast-2", city: [-33.87, 151.21] }, // AWS: Sydney
    { region: "af-south-1", city: [-33.92, 18.42] }, // AWS: Cape Town
    { region: "westeurope", city: [52.37, 4.9] }, // Azure: Netherlands
    { region: "japaneast", city: [35.68, 139.77] }, // Azure: Tokyo, Saitama
    { region: "brazilsouth", city: [-23.55, -46.63] }, // Azure: São Paulo
  ] as const;
  for (const { region, city } of regions) {
    it(`puts ${region} where its vendor says`, () => {
      expect(fromPlace(cloudRegion(region), city)).to.be.below(60);
    });
  }

  it("has the regions of three clouds, all of them on Earth", () => {
    const names = cloudRegionNames();
    expect(names.length).to.be.above(120);
    for (const name of names) expectOnEarth(cloudRegion(name), name);
  });

  it("keeps apart what the vendors spell almost alike", () => {
    const virginia = cloudRegion("us-east-1");
    const carolina = cloudRegion("us-east1");
    expect(virginia).to.not.deep.equal(carolina);
  });

  it("knows no other region", () => {
    for (const region of ["", "US-EAST-1", "us-east-9", "my-rack", "constructor"]) {
      expect(cloudRegion(region), region).to.equal(undefined);
    }
  });
});

function expectOnEarth(place: Coordinates | undefined, name: string): void {
  expect(place?.latitude, name).to.be.within(-90, 90);
  expect(place?.longitude, name).to.be.within(-180, 180);
}

function fromPlace(place: Coordinates | undefined, city: readonly [number, number]): number {
  if (!place) return Number.POSITIVE_INFINITY;
  return distanceKm(place, { latitude: city[0], longitude: city[1] });
}
