// When record sets say the same, however they are spelled, and how names are ordered.

import { expect } from "chai";
import fc from "fast-check";
import {
  canonicalText,
  digestOf,
  foldName,
  inNameOrder,
  readText,
  saysTheSame,
} from "../../src/mirror/canonical.ts";
import type { RecordSet, Routing } from "../../src/mirror/record-set.ts";
import { recordSet } from "./record-sketch.ts";

const same: readonly [told: string, one: string, other: string][] = [
  ["case of the name", "Web.X. A 60 192.0.2.1", "web.x. A 60 192.0.2.1"],
  ["final dot of the name", "web.x A 60 192.0.2.1", "web.x. A 60 192.0.2.1"],
  ["an escaped star", "\\052.x. A 60 192.0.2.1", "*.x. A 60 192.0.2.1"],
  ["order of values", "a. A 60 192.0.2.1 | 192.0.2.2", "a. A 60 192.0.2.2 | 192.0.2.1"],
  ["spellings of IPv6", "a. AAAA 60 2001:DB8::0:1", "a. AAAA 60 2001:db8::1"],
  ["IPv6 with IPv4 inside", "a. AAAA 60 ::ffff:192.0.2.1", "a. AAAA 60 ::ffff:c000:201"],
  ["CNAME's case, dot, star", "a. CNAME 60 \\052.B", "a. CNAME 60 *.b."],
  ["SRV's spaces, zeros, case, dot", "a. SRV 60 00  1 080 Web", "a. SRV 60 0 1 80 web."],
  ["quotes of TXT", "a. TXT 60 x=1", 'a. TXT 60 "x=1"'],
  ["TXT split in strings", 'a. TXT 60 "ab" "cd"', 'a. TXT 60 "abcd"'],
  ["TXT with escapes that need none", 'a. TXT 60 "a\\b\\;"', 'a. TXT 60 "ab;"'],
];

const different: readonly [told: string, one: string, other: string][] = [
  ["type", "a. A 60 192.0.2.1", "a. AAAA 60 192.0.2.1"],
  ["name", "a. A 60 192.0.2.1", "b. A 60 192.0.2.1"],
  ["TTL", "a. A 60 192.0.2.1", "a. A 61 192.0.2.1"],
  ["a value twice", "a. A 60 192.0.2.1", "a. A 60 192.0.2.1 | 192.0.2.1"],
  ["TXT's case", 'a. TXT 60 "X"', 'a. TXT 60 "x"'],
  ["TXT's spaces inside quotes", 'a. TXT 60 "a b"', 'a. TXT 60 "ab"'],
  ["two TXT values and one", 'a. TXT 60 "a" | "b"', 'a. TXT 60 "a" "b"'],
  ["SRV's port", "a. SRV 60 0 1 80 web.", "a. SRV 60 0 1 81 web."],
  ["the text of unknown types", "a. CAA 60 0 issue x", "a. CAA 60 0 issue X"],
];

const routings: readonly Routing[] = [
  { kind: "geoproximity", id: "a", latitude: "1", longitude: "2" },
  { kind: "geoproximity", id: "b", latitude: "1", longitude: "2" },
  { kind: "geoproximity", id: "a", latitude: "1.5", longitude: "2" },
  { kind: "geoproximity", id: "a", latitude: "1", longitude: "2.5" },
  { kind: "latency", id: "a", region: "eu-west-1" },
  { kind: "latency", id: "b", region: "eu-west-1" },
  { kind: "latency", id: "a", region: "eu-west-2" },
  { kind: "geolocation", id: "a", place: "*" },
  { kind: "geolocation", id: "a", place: "continent:EU" },
  { kind: "weighted", id: "a", weight: 1 },
  { kind: "weighted", id: "a", weight: 2 },
  { kind: "weighted", id: "b", weight: 1 },
  { kind: "geo", location: "europe-west1" },
  { kind: "geo", location: "europe-west2" },
  { kind: "wrr", at: 0, weight: 1 },
  { kind: "wrr", at: 1, weight: 1 },
  { kind: "wrr", at: 0, weight: 2 },
  { kind: "other", id: "a", text: "alias", raw: {} },
  { kind: "other", id: "a", text: "failover", raw: {} },
];

function routed(...list: readonly (Routing | undefined)[]): RecordSet {
  const parts = list.map((routing) => ({
    ttlSeconds: 60,
    values: ["192.0.2.1"],
    ...(routing && { routing }),
  }));
  return { name: "a.", type: "A", parts };
}

describe("record sets", () => {
  for (const [told, one, other] of same) {
    it(`say the same but for ${told}`, () => {
      expect(saysTheSame(recordSet(one), recordSet(other))).to.equal(true);
      expect(digestOf(recordSet(one))).to.equal(digestOf(recordSet(other)));
    });
  }
  for (const [told, one, other] of different) {
    it(`do not say the same where they differ in ${told}`, () => {
      expect(saysTheSame(recordSet(one), recordSet(other))).to.equal(false);
      expect(digestOf(recordSet(one))).to.not.equal(digestOf(recordSet(other)));
    });
  }

  it("differ by every part of their routing", () => {
    const texts = [undefined, ...routings].map((routing) => canonicalText(routed(routing)));
    expect(new Set(texts).size).to.equal(routings.length + 1);
  });

  it("are the same whatever the order of their parts, and not with one part less", () => {
    const shuffled = fc.shuffledSubarray([...routings], { minLength: 1 });
    fc.assert(
      fc.property(shuffled, (list) => {
        const sorted = routings.filter((each) => list.includes(each));
        expect(saysTheSame(routed(...list), routed(...sorted))).to.equal(true);
        expect(saysTheSame(routed(...list), routed(...list.slice(1)))).to.equal(false);
      }),
      { numRuns: 50, seed: 3 },
    );
  });

  it("have coordinates by their number", () => {
    const spelled = routed({ kind: "geoproximity", id: "a", latitude: "01.50", longitude: "-0.0" });
    const plain = routed({ kind: "geoproximity", id: "a", latitude: "1.5", longitude: "0" });
    expect(saysTheSame(spelled, plain)).to.equal(true);
  });

  it("have digests of 12 characters", () => {
    expect(digestOf(recordSet("a. A 60 192.0.2.1"))).to.match(/^[\w-]{12}$/);
  });
});

describe("names", () => {
  it("stand in the order of RFC 4034 section 6.1, by whole labels from the right", () => {
    // A label that begins another comes first, with all below it: "-" is no end of a label.
    const sorted = ["a.", "a.a.", "b.a.", "a.b.a.", "b-c.a.", "*.b.", "0.b.", "_a.b.", "a.b."];
    const order = inNameOrder([...sorted].reverse().map((name) => ({ name })));
    expect(order.map(({ name }) => name)).to.deep.equal(sorted);
  });

  it("stand before all that is below them, and these together", () => {
    const label = fc.string({
      unit: fc.constantFrom("a", "b", "-", "_", "0"),
      minLength: 1,
      maxLength: 2,
    });
    const name = fc
      .array(label, { minLength: 1, maxLength: 3 })
      .map((labels) => `${labels.join(".")}.`);
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 8 }), (list) => {
        const order = inNameOrder(list.map((name) => ({ name }))).map(({ name }) => name);
        expect([...order].sort()).to.deep.equal([...list].sort());
        for (const [at, each] of order.entries()) {
          const below = order.flatMap((other, index) =>
            other.endsWith(`.${each}`) ? [index] : [],
          );
          expect(below).to.deep.equal(below.map((_, index) => at + 1 + index));
        }
      }),
      { numRuns: 200, seed: 8 },
    );
  });

  it("of equal place keep their order", () => {
    const items = [1, 2, 3].map((at) => ({ name: "a.", at }));
    expect(inNameOrder(items)).to.deep.equal(items);
  });

  it("fold to lower case with a final dot and plain stars", () => {
    expect(foldName("\\052.Web.X")).to.equal("*.web.x.");
    expect(foldName("web.x.")).to.equal("web.x.");
  });
});

describe("the text of TXT", () => {
  const rows: readonly [value: string, text: string][] = [
    ['"a"', "a"],
    ["a", "a"],
    ['"a" "b"', "ab"],
    ['"a""b"', "ab"],
    ["a b", "ab"],
    ['"a \\" b"', 'a " b'],
    ['"a\\\\b"', "a\\b"],
    ['""', ""],
    ["", ""],
    ['"caf\\195\\169"', "caf\\195\\169"],
  ];
  for (const [value, text] of rows) {
    it(`of ${JSON.stringify(value)} is ${JSON.stringify(text)}`, () => {
      expect(readText(value)).to.equal(text);
    });
  }
});
