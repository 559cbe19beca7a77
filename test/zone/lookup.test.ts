import { expect } from "chai";
import { formatName, type Name } from "../../src/dns/name.ts";
import { formatRdata } from "../../src/dns/rdata-text.ts";
import { recordType, typeCode } from "../../src/dns/record-types.ts";
import type { BuiltZone } from "../../src/zone/build.ts";
import { glueOf, type Lookup, lookup, negativeTtl } from "../../src/zone/lookup.ts";
import type { RRset, Zone } from "../../src/zone/zone.ts";
import { name, zoneOf } from "./master-file-text.ts";

/** RFC 4592 section 2.2.1. */
const wildcardZone = `
$TTL 3600
@                    SOA   ns.example.com. hostmaster.example.com. 1 7200 3600 1209600 300
@                    NS    ns.example.com.
@                    NS    ns.example.net.
*                    TXT   "this is a wildcard"
*                    MX    10 host1
sub.*                TXT   "this is not a wildcard"
host1                A     192.0.2.1
_ssh._tcp.host1      SRV   0 0 22 host1
_ssh._tcp.host2      SRV   0 0 22 host1
subdel               NS    ns.example.com.
subdel               NS    ns.example.net.
`;

const wildcardTable = [
  // Synthesised, RFC 4592 section 2.2.1.
  { query: "host3.example. MX", expected: "wildcard MX 10 host1.example." },
  { query: "host3.example. A", expected: "nodata" },
  { query: "foo.bar.example. TXT", expected: 'wildcard TXT "this is a wildcard"' },
  // Not synthesised, RFC 4592 section 2.2.1.
  { query: "host1.example. MX", expected: "nodata" },
  { query: "sub.*.example. MX", expected: "nodata" },
  { query: "_telnet._tcp.host1.example. SRV", expected: "nxdomain" },
  { query: "host.subdel.example. A", expected: "delegation subdel.example." },
  { query: "ghost.*.example. MX", expected: "nxdomain" },
  // The names themselves, and empty non-terminals (section 2.2.2).
  { query: "*.example. TXT", expected: 'answer TXT "this is a wildcard"' },
  { query: "*.example. A", expected: "nodata" },
  { query: "sub.*.example. TXT", expected: 'answer TXT "this is not a wildcard"' },
  { query: "_tcp.host1.example. A", expected: "nodata" },
  { query: "_tcp.host2.example. SRV", expected: "nodata" },
  { query: "host2.example. MX", expected: "nodata" },
  { query: "x.host2.example. MX", expected: "nxdomain" },
  { query: "x.host1.example. MX", expected: "nxdomain" },
  { query: "HOST1.EXAMPLE. A", expected: "answer A 192.0.2.1" },
  { query: "\\*.example. MX", expected: "answer MX 10 host1.example." },
  { query: "a.b.c.d.example. ANY", expected: 'wildcard TXT "this is a wildcard"' },
];

const delegationZone = `
$TTL 3600
@             SOA   ns1 hostmaster 1 7200 3600 1209600 300
@             NS    ns1
@             NS    ns.elsewhere.net.
ns1           A     192.0.2.1
www           CNAME web
web           A     192.0.2.80
web           AAAA  2001:db8::80
*.wild        CNAME web
a.b.c         TXT   "deep"
child         NS    ns1.child
child         NS    ns2
child         NS    ns.elsewhere.net.
child         DS    1 8 2 ABCDEF
ns1.child     A     192.0.2.2
ns1.child     AAAA  2001:db8::2
ns2           A     192.0.2.3
www.child     A     192.0.2.4
grand.child   NS    ns.grand.child
grand.child   DS    2 8 2 ABCDEF
plain         NS    ns2
*.below.plain A     192.0.2.9
`;

const delegationTable = [
  {
    query: "example. SOA",
    expected: "answer SOA ns1.example. hostmaster.example. 1 7200 3600 1209600 300",
  },
  { query: "example. NS", expected: "answer NS ns1.example. NS ns.elsewhere.net." },
  { query: "example. MX", expected: "nodata" },
  { query: "example. DS", expected: "nodata" },
  {
    query: "example. ANY",
    expected: "answer SOA ns1.example. hostmaster.example. 1 7200 3600 1209600 300",
  },
  { query: "www.example. A", expected: "cname web.example." },
  { query: "www.example. CNAME", expected: "answer CNAME web.example." },
  { query: "www.example. ANY", expected: "answer CNAME web.example." },
  { query: "x.www.example. A", expected: "nxdomain" },
  { query: "x.wild.example. A", expected: "wildcard cname web.example." },
  { query: "x.wild.example. CNAME", expected: "wildcard CNAME web.example." },
  { query: "wild.example. A", expected: "nodata" },
  { query: "c.example. TXT", expected: "nodata" },
  { query: "b.c.example. TXT", expected: "nodata" },
  { query: "x.b.c.example. TXT", expected: "nxdomain" },
  { query: "child.example. A", expected: "delegation child.example." },
  { query: "child.example. NS", expected: "delegation child.example." },
  { query: "child.example. SOA", expected: "delegation child.example." },
  { query: "child.example. ANY", expected: "delegation child.example." },
  { query: "child.example. DS", expected: "answer DS 1 8 2 ABCDEF" },
  { query: "CHILD.example. DS", expected: "answer DS 1 8 2 ABCDEF" },
  { query: "plain.example. DS", expected: "nodata" },
  { query: "www.child.example. A", expected: "delegation child.example." },
  { query: "ns1.child.example. A", expected: "delegation child.example." },
  { query: "nothing.child.example. A", expected: "delegation child.example." },
  { query: "grand.child.example. DS", expected: "delegation child.example." },
  { query: "x.grand.child.example. A", expected: "delegation child.example." },
  { query: "x.below.plain.example. A", expected: "delegation plain.example." },
];

describe("lookup", () => {
  describe("in the zone of RFC 4592", () => {
    const zone = zoneOf(wildcardZone, "example.");
    for (const { query, expected } of wildcardTable) {
      it(`finds for ${query}: ${expected}`, () => expect(ask(zone, query)).to.equal(expected));
    }
  });

  describe("in a zone with aliases and delegations", () => {
    const zone = zoneOf(delegationZone, "example.");
    for (const { query, expected } of delegationTable) {
      it(`finds for ${query}: ${expected}`, () => expect(ask(zone, query)).to.equal(expected));
    }
  });

  it("answers in the root zone", () => {
    const zone = zoneOf("$TTL 1\n. SOA a. b. 1 2 3 4 5\n. NS a.\ncom. NS b.com.\n", ".");
    expect(ask(zone, ". NS")).to.equal("answer NS a.");
    expect(ask(zone, "example.com. A")).to.equal("delegation com.");
    expect(ask(zone, "org. A")).to.equal("nxdomain");
  });

  it("does not confuse a dot inside a label with one between labels", () => {
    const zone = zoneOf(`${delegationZone}\na\\.b A 192.0.2.5\n`, "example.");
    expect(ask(zone, "a\\.b.example. A")).to.equal("answer A 192.0.2.5");
    expect(ask(zone, "a.b.example. A")).to.equal("nxdomain");
  });

  it("refuses a name outside the zone", () => {
    const zone = zoneOf(delegationZone, "example.");
    for (const outside of ["example.org.", ".", "notexample.", "x.notexample."]) {
      expect(() => lookup(zone, name(outside), 1)).to.throw(RangeError, "not in the zone");
    }
  });

  describe("with dynamic names", () => {
    const names = new Map([
      ["svc.ns.example.", "service"],
      ["ns.example.", "empty"],
    ]);
    const zone = {
      ...zoneOf(`${wildcardZone}\ntxt.ns TXT "beside"\n`, "example."),
      names: { find: (name: Name) => names.get(formatName(name).toLowerCase()) },
    };
    for (const type of ["A", "TXT", "SOA", "NS", "DS", "CNAME", "ANY"]) {
      it(`hands the name back for ${type}`, () => {
        expect(ask(zone, `svc.ns.example. ${type}`)).to.equal("dynamic service");
      });
    }
    it("lets no wildcard stand in for the name or its empty parent", () => {
      expect(ask(zone, "svc.ns.example. MX")).to.equal("dynamic service");
      expect(ask(zone, "ns.example. MX")).to.equal("nodata");
      expect(ask(zone, "other.ns.example. MX")).to.equal("nxdomain");
      expect(ask(zone, "x.svc.ns.example. MX")).to.equal("nxdomain");
    });
    it("hands the name back in whatever case", () => {
      expect(ask(zone, "SVC.Ns.example. A")).to.equal("dynamic service");
    });
    it("finds nodes beside the name", () => {
      expect(ask(zone, "txt.ns.example. TXT")).to.equal('answer TXT "beside"');
      expect(ask(zone, "txt.ns.example. A")).to.equal("nodata");
    });
  });
});

describe("glueOf", () => {
  const zone = zoneOf(delegationZone, "example.");

  it("gives the addresses of the targets in the zone, those below the cut as well", () => {
    expect(glueOf(zone, nsOf(zone, "child.example.")).map(glueLine)).to.deep.equal([
      "ns1.child.example. A 192.0.2.2",
      "ns1.child.example. AAAA 2001:db8::2",
      "ns2.example. A 192.0.2.3",
    ]);
  });

  it("gives those of the apex as well", () => {
    expect(glueOf(zone, nsOf(zone, "example.")).map(glueLine)).to.deep.equal([
      "ns1.example. A 192.0.2.1",
    ]);
  });

  it("gives none for a target without addresses", () => {
    expect(glueOf(zone, nsOf(zone, "grand.child.example."))).to.deep.equal([]);
  });
});

describe("negativeTtl", () => {
  const table = [
    { name: "the minimum where the TTL is longer", ttl: 3600, minimum: 300, expected: 300 },
    { name: "the TTL where the minimum is longer", ttl: 60, minimum: 300, expected: 60 },
    { name: "zero for a minimum of zero", ttl: 60, minimum: 0, expected: 0 },
  ];
  for (const { name: title, ttl, minimum, expected } of table) {
    it(`is ${title}`, () => {
      const zone = zoneOf(`@ ${ttl} SOA a b 1 2 3 4 ${minimum}\n@ ${ttl} NS a`, "example.");
      const found = lookup(zone, name("example."), 6);
      if (found.kind !== "answer" || !found.rrsets[0]) throw new Error("no SOA");
      expect(negativeTtl(found.rrsets[0])).to.equal(expected);
    });
  }
});

/** The outcome in words. */
function ask(zone: Zone<string>, query: string): string {
  const [owner = "", type = ""] = query.split(" ");
  const found: Lookup<string> = lookup(zone, name(owner), typeCode(type) ?? 0);
  switch (found.kind) {
    case "answer":
      return `${found.wildcard ? "wildcard" : "answer"} ${found.rrsets.map(rrsetLine).join(" ")}`;
    case "cname":
      return `${found.wildcard ? "wildcard " : ""}cname ${found.rrset.rdatas.map(formatName)}`;
    case "delegation":
      return `delegation ${formatName(found.cut.name)}`;
    case "dynamic":
      return `dynamic ${found.dynamic}`;
    default:
      return found.kind;
  }
}

function rrsetLine(rrset: RRset): string {
  const { mnemonic } = recordType(rrset.type);
  return rrset.rdatas.map((rdata) => `${mnemonic} ${formatRdata(rrset.type, rdata)}`).join(" ");
}

function glueLine(glue: ReturnType<typeof glueOf>[number]): string {
  return `${formatName(glue.name)} ${rrsetLine(glue.rrset)}`;
}

function nsOf(zone: BuiltZone, owner: string): RRset {
  for (const node of zone.nodes.values()) {
    const ns = node.rrsets.get(2);
    if (ns && formatName(node.name) === owner) return ns;
  }
  throw new Error(`no NS at ${owner}`);
}
