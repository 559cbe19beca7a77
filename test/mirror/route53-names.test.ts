// Names of record sets as Route 53 writes them, and its order.

import { expect } from "chai";
import fc from "fast-check";
import {
  byRoute53Order,
  fromRoute53Name,
  isListedBetween,
  toRoute53Name,
} from "../../src/mirror/route53-names.ts";

const cases = [
  { name: "a plain name", listed: "www.example.com.", ours: "www.example.com." },
  { name: "no final dot", listed: "www.example.com", ours: "www.example.com." },
  { name: "capitals", listed: "WWW.Example.com.", ours: "www.example.com." },
  { name: "an underscore", listed: "_sip._tcp.example.com.", ours: "_sip._tcp.example.com." },
  { name: "a wildcard's escape", listed: "\\052.example.com.", ours: "*.example.com." },
  { name: "a wildcard as such", listed: "*.example.com.", ours: "*.example.com." },
  {
    name: "an octet above ASCII",
    listed: "f\\374bar.example.com.",
    ours: "f\\252bar.example.com.",
  },
  { name: "an escaped capital letter", listed: "\\101b.example.com.", ours: "ab.example.com." },
  { name: "an escaped dot", listed: "a\\056b.example.com.", ours: "a\\046b.example.com." },
  { name: "an unescaped slash", listed: "0/25.2.0.192.arpa.", ours: "0\\04725.2.0.192.arpa." },
  { name: "a backslash that escapes nothing", listed: "a\\b.example.", ours: "a\\092b.example." },
  {
    name: "an escaped backslash and digits",
    listed: "\\134052.example.",
    ours: "\\092052.example.",
  },
];

describe("names of Route 53", () => {
  for (const { name, listed, ours } of cases) {
    it(`are read with ${name}`, () => expect(fromRoute53Name(listed)).to.equal(ours));
  }

  it("are written so that Route 53 lists them again as they were", () => {
    const label = fc
      .uint8Array({ minLength: 1, maxLength: 8 })
      .map((octets) => [...octets].map(octetText).join(""));
    fc.assert(
      fc.property(fc.array(label, { minLength: 1, maxLength: 4 }), (labels) => {
        const name = `${labels.join(".")}.`;
        expect(toRoute53Name(name)).to.match(/^(?:[a-z0-9_*.-]|\\[0-3][0-7]{2})+$/);
        expect(fromRoute53Name(toRoute53Name(name))).to.equal(name);
      }),
    );
  });

  it("are written with a bare asterisk and escapes in octal", () => {
    expect(toRoute53Name("*.f\\252.example.com.")).to.equal("*.f\\374.example.com.");
  });
});

describe("the order of Route 53", () => {
  it("goes by reversed labels, whose final dot comes after a hyphen", () => {
    const ordered = [
      "example.com.",
      "a-b.example.com.",
      "a.example.com.",
      "x.a.example.com.",
      "ab.example.com.",
      "b.example.com.",
      "example.org.",
    ];
    expect(ordered.toReversed().sort(byRoute53Order)).to.deep.equal(ordered);
  });

  const spans = [
    { start: "a.example.", end: "c.example.", name: "b.example.", isListed: true },
    { start: "a.example.", end: "c.example.", name: "a.example.", isListed: true },
    { start: "a.example.", end: "c.example.", name: "c.example.", isListed: false },
    { start: "a.example.", end: undefined, name: "z.example.", isListed: true },
    { start: "b.example.", end: undefined, name: "a.example.", isListed: false },
    // With a final dot it stands behind `a-b`, label by label before it.
    { start: "a-b.example.", end: "b.example.", name: "a.example.", isListed: false },
    // As an octet it stands before all letters and digits, as `\052` behind the digits.
    { start: "a.example.", end: "c.example.", name: "*.example.", isListed: false },
    { start: "example.", end: "a.example.", name: "*.example.", isListed: true },
    { start: "example.", end: "1.example.", name: "*.example.", isListed: false },
  ];
  for (const { start, end, name, isListed } of spans) {
    it(`${isListed ? "must" : "need not"} show ${name} from ${start} to ${end ?? "its end"}`, () => {
      expect(isListedBetween(start, end, name)).to.equal(isListed);
    });
  }
});

function octetText(octet: number): string {
  const character = String.fromCharCode(octet).toLowerCase();
  return octet < 0x80 && /[a-z0-9_*-]/.test(character)
    ? character
    : `\\${String(octet).padStart(3, "0")}`;
}
