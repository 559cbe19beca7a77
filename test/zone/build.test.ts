import { expect } from "chai";
import { formatName, nameKey } from "../../src/dns/name.ts";
import { buildZone } from "../../src/zone/build.ts";
import { name, parse, problemLines, zoneOf } from "./master-file-text.ts";

const apex = "@ 60 SOA a b 1 2 3 4 5\n@ 60 NS ns.elsewhere.\n";

const table = [
  { name: "nothing in a good zone", text: `${apex}www 60 A 192.0.2.1\n`, expected: [] },
  {
    name: "a record outside the zone",
    text: `${apex}www.example.org. 60 A 192.0.2.1\n`,
    expected: ["3:1: cannot add A record: it is outside the zone example., got www.example.org."],
  },
  {
    name: "a CNAME beside other data",
    text: `${apex}www 60 A 192.0.2.1\nwww 60 CNAME a\n`,
    expected: [
      "4:1: cannot add CNAME record: CNAME cannot stand beside A at one name, got www.example.",
    ],
  },
  {
    name: "other data beside a CNAME",
    text: `${apex}www 60 CNAME a\nWWW 60 A 192.0.2.1\n 60 TXT x\n`,
    expected: [
      "4:1: cannot add A record: A cannot stand beside CNAME at one name, got WWW.example.",
      "5:2: cannot add TXT record: TXT cannot stand beside CNAME at one name, got WWW.example.",
    ],
  },
  {
    name: "a CNAME at the apex",
    text: `${apex}@ 60 CNAME a\n`,
    expected: [
      "3:1: cannot add CNAME record: CNAME cannot stand beside SOA at one name, got example.",
    ],
  },
  {
    name: "a second CNAME",
    text: `${apex}www 60 CNAME a\nwww 60 CNAME b\n`,
    expected: [
      "4:1: cannot add CNAME record: a name has one CNAME record at most, got a second at www.example.",
    ],
  },
  {
    name: "nothing where DNSSEC records stand beside a CNAME",
    text: `${apex}www 60 CNAME a\nwww 60 NSEC @ CNAME\nwww 60 RRSIG CNAME 8 2 60 1 1 1 @ AAAA\n`,
    expected: [],
  },
  {
    name: "a second SOA",
    text: `${apex}@ 60 SOA a b 2 2 3 4 5\n`,
    expected: [
      "3:1: cannot add SOA record: a name has one SOA record at most, got a second at example.",
    ],
  },
  {
    name: "a SOA below the apex",
    text: `${apex}www 60 SOA a b 2 2 3 4 5\n`,
    expected: [
      "3:1: cannot add SOA record: it is not at the zone's apex example., got www.example.",
    ],
  },
  {
    name: "a delegated wildcard",
    text: `${apex}*.w 60 NS a\n`,
    expected: ["3:1: cannot add NS record: a wildcard cannot be delegated, got *.w.example."],
  },
  {
    name: "an apex without SOA",
    text: "@ 60 NS a\n",
    expected: ["1:1: cannot serve zone: no SOA record at its apex, got example."],
  },
  {
    name: "an apex without NS",
    text: "@ 60 SOA a b 1 2 3 4 5\n",
    expected: ["1:1: cannot serve zone: no NS record at its apex, got example."],
  },
];

describe("buildZone", () => {
  for (const { name: title, text, expected } of table) {
    it(`reports ${title}`, () => {
      const file = parse(text);
      expect(file.problems).to.deep.equal([]);
      const { problems } = buildZone(name("example."), file.records);
      expect(problemLines(problems)).to.deep.equal(expected);
    });
  }

  it("needs no SOA and NS when told so", () => {
    const { problems } = buildZone(name("example."), [], { requireApex: false });
    expect(problems).to.deep.equal([]);
  });

  it("keeps one of equal records, the order of the others, and the first TTL", () => {
    const zone = zoneOf(
      `${apex}w 60 A 192.0.2.2\nw 90 A 192.0.2.1\nW 30 A 192.0.2.2\n`,
      "example.",
    );
    expect([...(zone.nodes.get(nameKey(name("w.example.")))?.rrsets.values() ?? [])]).to.deep.equal(
      [{ type: 1, ttlSeconds: 60, rdatas: [octets(192, 0, 2, 2), octets(192, 0, 2, 1)] }],
    );
  });

  it("does not keep the records that it reports", () => {
    const { records } = parse(`${apex}www 60 CNAME a\nwww 60 A 192.0.2.1\n`);
    const { zone } = buildZone(name("example."), records);
    const node = zone.nodes.get(nameKey(name("www.example.")));
    expect([...(node?.rrsets.keys() ?? [])]).to.deep.equal([5]);
  });

  it("creates the empty non-terminals above a name", () => {
    const zone = zoneOf(`${apex}a.b.c 60 A 192.0.2.1\n`, "example.");
    const names = [...zone.nodes.values()].map((node) => formatName(node.name)).sort();
    expect(names).to.deep.equal(["a.b.c.example.", "b.c.example.", "c.example.", "example."]);
  });

  it("has one node for a name in whatever case", () => {
    const zone = zoneOf(`${apex}www 60 A 192.0.2.1\nWWW.Example. 60 TXT x\n`, "example.");
    expect([...(zone.nodes.get(nameKey(name("wWw.example.")))?.rrsets.keys() ?? [])]).to.deep.equal(
      [1, 16],
    );
    expect(zone.nodes.size).to.equal(2);
  });
});

function octets(...values: number[]): Uint8Array {
  return Uint8Array.from(values);
}
