// Which of our zones a name belongs to.

import { expect } from "chai";
import { findZone, zoneSet } from "../../src/answer/zone-set.ts";
import { formatName } from "../../src/dns/name.ts";
import { wireNameOf } from "../kit/generated-queries.ts";

function zonesOf(...apexes: string[]) {
  return zoneSet(apexes.map((apex) => ({ apex: wireNameOf(apex), nodes: new Map() })));
}

const zones = zonesOf("example.org", "child.example.org", "a\\.b.test");

const cases = [
  { name: "the apex", ask: "example.org", expected: "example.org." },
  { name: "a name below", ask: "x.y.example.org", expected: "example.org." },
  { name: "the nearest zone of two", ask: "x.child.example.org", expected: "child.example.org." },
  { name: "any case", ask: "X.CHILD.example.ORG", expected: "child.example.org." },
  { name: "not a name that merely ends alike", ask: "otherexample.org", expected: undefined },
  { name: "not the parent", ask: "org", expected: undefined },
  { name: "not the root", ask: ".", expected: undefined },
  { name: "a label with a dot in it", ask: "x.a\\.b.test", expected: "a\\.b.test." },
  { name: "not the labels that look like it", ask: "a.b.test", expected: undefined },
];

describe("the zone of a name", () => {
  for (const { name, ask, expected } of cases) {
    it(`is found for ${name}`, () => {
      const zone = findZone(zones, wireNameOf(ask));
      expect(zone && formatName(zone.apex)).to.equal(expected);
    });
  }

  it("is the root zone for everything, if we have it", () => {
    const zone = findZone(zonesOf("."), wireNameOf("www.example.org"));
    expect(zone && formatName(zone.apex)).to.equal(".");
  });
});
