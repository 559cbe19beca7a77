// Distances against published values and against what geometry demands.

import { readFileSync } from "node:fs";
import { expect } from "chai";
import fc from "fast-check";
import { type Coordinates, distanceKm } from "../../src/geo/distance.ts";

interface Case {
  name: string;
  from: [number, number];
  to: [number, number];
  expectedKm: number;
  toleranceKm: number;
}

const cases: Case[] = JSON.parse(
  readFileSync(new URL("../cases/geo/distances.json", import.meta.url), "utf8"),
);
const halfCircumferenceKm = Math.PI * 6371.0088;

describe("distance", () => {
  for (const { name, from, to, expectedKm, toleranceKm } of cases) {
    it(`gives the published or derived value for: ${name}`, () => {
      expect(distanceKm(place(...from), place(...to))).to.be.closeTo(expectedKm, toleranceKm);
    });
  }

  it("puts Fiji nearer to New Zealand than to Hawaii, which lies across the antimeridian", () => {
    const fiji = place(-17.7, 178.0);
    const toNewZealand = distanceKm(fiji, place(-36.85, 174.76));
    const toHawaii = distanceKm(fiji, place(21.3, -157.86));
    expect(toNewZealand).to.be.closeTo(2150, 20);
    expect(toHawaii).to.be.closeTo(5090, 50);
  });

  it("is a number from 0 to half the circumference, the same both ways", () => {
    fc.assert(
      fc.property(places, places, (a, b) => {
        const distance = distanceKm(a, b);
        expect(distance).to.be.within(0, halfCircumferenceKm + 1e-6);
        expect(distanceKm(b, a)).to.be.closeTo(distance, 1e-6);
      }),
      { seed: 20261121, numRuns: 2000 },
    );
  });

  it("is half the circumference for every pair of antipodes, never NaN", () => {
    fc.assert(
      fc.property(places, (a) => {
        const antipode = place(
          -a.latitude,
          a.longitude > 0 ? a.longitude - 180 : a.longitude + 180,
        );
        // Near antipodes asin is steep: a rounding error of 1e-16 is worth 0.1 m.
        expect(distanceKm(a, antipode)).to.be.closeTo(halfCircumferenceKm, 0.001);
      }),
      { seed: 20261121, numRuns: 2000 },
    );
  });

  it("is never longer by way of a third place than a straight line", () => {
    fc.assert(
      fc.property(places, places, places, (a, b, c) => {
        expect(distanceKm(a, c)).to.be.at.most(distanceKm(a, b) + distanceKm(b, c) + 1e-3);
      }),
      { seed: 20261121, numRuns: 2000 },
    );
  });
});

const places = fc.record({
  latitude: fc.double({ min: -90, max: 90, noNaN: true }),
  longitude: fc.double({ min: -180, max: 180, noNaN: true }),
});

function place(latitude: number, longitude: number): Coordinates {
  return { latitude, longitude };
}
