// Resolution through zones and federated names (RFC 1034 section 4.3.2, RFC 2308, RFC 4592): what
// a message says for each question about one small world.

import { expect } from "chai";
import { answer } from "../../src/answer/answer.ts";
import { address } from "../geo/addresses.ts";
import { compileWorld, healthyState } from "../kit/compile-world.ts";
import { decoded, queryOctets } from "../kit/dns-client.ts";
import { filesOf } from "../kit/federation.ts";
import { plainMessage } from "../kit/plain-answer.ts";

/** `web` runs in both clusters, `v6` has IPv6 alone, `bare` has no address for clients outside. */
const files = filesOf({
  name: "fed",
  domain: "example.org",
  clusters: {
    c1: { region: "us", zones: ["us1"], at: [41, -95], networks: ["10.1.0.0/16"] },
    c2: { region: "eu", zones: ["eu1"], at: [50, 4], networks: ["10.2.0.0/16"] },
  },
  services: {
    "a/web": {
      in: {
        c1: {
          clusterIps: ["10.1.0.1"],
          external: ["198.18.1.1"],
          ports: [
            { name: "http", port: 80 },
            { name: "dns", port: 53, protocol: "udp" },
          ],
        },
        c2: {
          clusterIps: ["10.2.0.1"],
          external: ["198.18.2.1", "2001:db8:2::1"],
          ports: [{ name: "http", port: 8080 }],
        },
      },
    },
    "a/v6": { in: { c1: { external: ["2001:db8:1::6"] } } },
    "a/bare": { in: { c1: { clusterIps: ["10.1.0.9"] } } },
  },
});
const zones = {
  "zones/example.org.zone": `$TTL 300
www       CNAME web.a.fed
deep      CNAME www
regional  CNAME web.a.fed.svc.us
gone      CNAME nosuch.a.fed
empty     CNAME a.fed
loop1     CNAME loop2
loop2     CNAME loop1
self      CNAME self
out       CNAME www.elsewhere.test.
far       CNAME alias.other.test.
cut       CNAME host.child
mail      MX 10 web.a.fed
          MX 20 web.a.fed
          MX 30 mx
          MX 40 elsewhere.test.
mx        A 192.0.2.1
          AAAA 2001:db8::1
_sip._tcp SRV 0 0 5060 v6.a.fed
          SRV 1 0 5061 v6.a.fed
*.wild    CNAME web.a.fed
*.fed     TXT "beside federated names"
child     NS ns.child
          NS ns.elsewhere.test.
          DS 1 13 2 0000000000000000000000000000000000000000000000000000000000000000
ns.child  A 192.0.2.3
ours      NS ns1
          DS 2 13 2 0000000000000000000000000000000000000000000000000000000000000000
lent      NS ns1
          NS ns1.other.test.
          NS web.a.fed
dear      3600 TXT "dear"
`,
  "zones/ours.example.org.zone": `@ 300 SOA ns1 hostmaster 7 3600 600 604800 30
@ 300 NS web.a.fed.example.org.
host 300 A 192.0.2.4
back 300 CNAME www.example.org.
`,
  "zones/other.test.zone": `@ 20 SOA ns1 hostmaster 9 3600 600 604800 30
@ 300 NS ns1.elsewhere.test.
ns1 300 A 192.0.2.5
alias 60 CNAME deep.example.org.
`,
};
const world = compileWorld({ files: { ...files, ...zones } });

const soa = "example.org. 60 SOA ns1.example.org. hostmaster.example.org. 1 3600 600 604800 60";
const soaOfOurs =
  "ours.example.org. 30 SOA ns1.ours.example.org. hostmaster.ours.example.org. 7 3600 600 604800 30";
const soaOfOther = "other.test. 20 SOA ns1.other.test. hostmaster.other.test. 9 3600 600 604800 30";
const web = (owner: string): string[] => [`${owner} 180 A 198.18.1.1`, `${owner} 180 A 198.18.2.1`];
const webFed = web("web.a.fed.example.org.");
const digest = "0000000000000000000000000000000000000000000000000000000000000000";

interface Row {
  readonly name: string;
  /** Name and type. */
  readonly ask: string;
  readonly from?: string;
  readonly rcode?: string;
  readonly isAuthoritative?: boolean;
  readonly answers?: readonly string[];
  readonly authorities?: readonly string[];
  readonly additionals?: readonly string[];
}

const chains: Row[] = [
  {
    name: "a CNAME into a federated name",
    ask: "www.example.org A",
    answers: ["www.example.org. 300 CNAME web.a.fed.example.org.", ...webFed],
  },
  {
    name: "the owner as the query spells it, further names too as far as they share its labels",
    ask: "WwW.eXample.org A",
    answers: ["WwW.eXample.org. 300 CNAME web.a.fed.example.org.", ...webFed].map((each) =>
      each.replaceAll("fed.example.org.", "fed.eXample.org."),
    ),
  },
  {
    name: "a CNAME to a CNAME",
    ask: "deep.example.org A",
    answers: [
      "deep.example.org. 300 CNAME www.example.org.",
      "www.example.org. 300 CNAME web.a.fed.example.org.",
      ...webFed,
    ],
  },
  {
    name: "CNAMEs across three zones",
    ask: "far.example.org A",
    answers: [
      "far.example.org. 300 CNAME alias.other.test.",
      "alias.other.test. 60 CNAME deep.example.org.",
      "deep.example.org. 300 CNAME www.example.org.",
      "www.example.org. 300 CNAME web.a.fed.example.org.",
      ...webFed,
    ],
  },
  {
    name: "a CNAME into a regional name",
    ask: "regional.example.org A",
    answers: [
      "regional.example.org. 300 CNAME web.a.fed.svc.us.example.org.",
      "web.a.fed.svc.us.example.org. 180 A 198.18.1.1",
    ],
  },
  {
    name: "a regional name without anything there, up to the global one",
    ask: "v6.a.fed.svc.eu1.eu.example.org AAAA",
    answers: [
      "v6.a.fed.svc.eu1.eu.example.org. 180 CNAME v6.a.fed.svc.eu.example.org.",
      "v6.a.fed.svc.eu.example.org. 180 CNAME v6.a.fed.svc.example.org.",
      "v6.a.fed.svc.example.org. 180 AAAA 2001:db8:1::6",
    ],
  },
  {
    name: "the type CNAME is not followed",
    ask: "deep.example.org CNAME",
    answers: ["deep.example.org. 300 CNAME www.example.org."],
  },
  {
    name: "a regional name has a CNAME for one who asks for it",
    ask: "v6.a.fed.svc.eu.example.org CNAME",
    answers: ["v6.a.fed.svc.eu.example.org. 180 CNAME v6.a.fed.svc.example.org."],
  },
  {
    name: "ANY at a regional name is one RRset",
    ask: "v6.a.fed.svc.eu.example.org ANY",
    answers: ["v6.a.fed.svc.eu.example.org. 180 CNAME v6.a.fed.svc.example.org."],
  },
  {
    name: "a chain to a federated name without that type is NODATA of its zone",
    ask: "www.example.org MX",
    answers: ["www.example.org. 300 CNAME web.a.fed.example.org."],
    authorities: [soa],
  },
  {
    name: "a chain to nowhere is NXDOMAIN (RFC 6604 section 3)",
    ask: "gone.example.org A",
    rcode: "NXDOMAIN",
    answers: ["gone.example.org. 300 CNAME nosuch.a.fed.example.org."],
    authorities: [soa],
  },
  {
    name: "a chain to an empty non-terminal is NODATA",
    ask: "empty.example.org A",
    answers: ["empty.example.org. 300 CNAME a.fed.example.org."],
    authorities: [soa],
  },
  {
    name: "a chain out of our zones ends there",
    ask: "out.example.org A",
    answers: ["out.example.org. 300 CNAME www.elsewhere.test."],
  },
  {
    name: "a loop of two ends when it comes round",
    ask: "loop1.example.org A",
    answers: [
      "loop1.example.org. 300 CNAME loop2.example.org.",
      "loop2.example.org. 300 CNAME loop1.example.org.",
    ],
  },
  {
    name: "a CNAME to itself is given once",
    ask: "self.example.org A",
    answers: ["self.example.org. 300 CNAME self.example.org."],
  },
  {
    name: "a chain into a delegation is a referral that keeps AA for the CNAME",
    ask: "cut.example.org A",
    answers: ["cut.example.org. 300 CNAME host.child.example.org."],
    authorities: [
      "child.example.org. 300 NS ns.child.example.org.",
      "child.example.org. 300 NS ns.elsewhere.test.",
    ],
    additionals: ["ns.child.example.org. 300 A 192.0.2.3"],
  },
  {
    name: "a wildcard CNAME into a federated name",
    ask: "any.thing.wild.example.org A",
    answers: ["any.thing.wild.example.org. 300 CNAME web.a.fed.example.org.", ...webFed],
  },
];

const cuts: Row[] = [
  {
    name: "a name below a cut is a referral without AA",
    ask: "x.child.example.org A",
    isAuthoritative: false,
    authorities: [
      "child.example.org. 300 NS ns.child.example.org.",
      "child.example.org. 300 NS ns.elsewhere.test.",
    ],
    additionals: ["ns.child.example.org. 300 A 192.0.2.3"],
  },
  {
    name: "a referral to name servers of ours has their addresses, federated ones too",
    ask: "x.lent.example.org A",
    isAuthoritative: false,
    authorities: [
      "lent.example.org. 300 NS ns1.example.org.",
      "lent.example.org. 300 NS ns1.other.test.",
      "lent.example.org. 300 NS web.a.fed.example.org.",
    ],
    additionals: [
      "ns1.example.org. 180 A 192.0.2.53",
      "ns1.other.test. 300 A 192.0.2.5",
      ...webFed,
      "web.a.fed.example.org. 180 AAAA 2001:db8:2::1",
    ],
  },
  {
    name: "DS at a cut is the parent's answer",
    ask: "child.example.org DS",
    answers: [`child.example.org. 300 DS 1 13 2 ${digest}`],
  },
  {
    name: "DS at a cut is the parent's answer also if the child is ours",
    ask: "ours.example.org DS",
    answers: [`ours.example.org. 300 DS 2 13 2 ${digest}`],
  },
  {
    name: "every other type at a cut is the child's answer if it is ours",
    ask: "ours.example.org MX",
    authorities: [soaOfOurs],
  },
  {
    name: "DS of a zone whose parent is not ours is its own NODATA",
    ask: "other.test DS",
    authorities: [soaOfOther],
  },
  {
    name: "a name of the child is the child's",
    ask: "host.ours.example.org A",
    answers: ["host.ours.example.org. 300 A 192.0.2.4"],
  },
  {
    name: "a CNAME of the child leads back to the parent",
    ask: "back.ours.example.org A",
    answers: [
      "back.ours.example.org. 300 CNAME www.example.org.",
      "www.example.org. 300 CNAME web.a.fed.example.org.",
      ...webFed,
    ],
  },
];

const negatives: Row[] = [
  ...[
    ...["fed", "a.fed", "svc", "fed.svc", "a.fed.svc", "_tcp.web.a.fed", "_udp.web.a.fed.svc"],
    ...["us", "svc.us", "fed.svc.us", "a.fed.svc.us", "us1.us", "svc.us1.us", "a.fed.svc.us1.us"],
  ].map((label) => ({
    name: `an empty non-terminal is NODATA: ${label}`,
    ask: `${label}.example.org A`,
    authorities: [soa],
  })),
  ...["nosuch", "x.web.a.fed", "c3.web.a.fed", "_ftp._tcp.web.a.fed", "svc.fed.nosuch"].map(
    (label) => ({
      name: `a name that does not exist is NXDOMAIN: ${label}`,
      ask: `${label}.example.org A`,
      rcode: "NXDOMAIN",
      authorities: [soa],
    }),
  ),
  {
    name: "a federated name has no TXT",
    ask: "web.a.fed.example.org TXT",
    authorities: [soa],
  },
  {
    name: "an address family that no cluster has is NODATA",
    ask: "v6.a.fed.example.org A",
    authorities: [soa],
  },
  {
    name: "a service without an address for this client is NODATA",
    ask: "bare.a.fed.example.org A",
    authorities: [soa],
  },
  {
    name: "the same service has one for a client inside",
    ask: "bare.a.fed.example.org A",
    from: "10.1.2.3",
    answers: ["bare.a.fed.example.org. 180 A 10.1.0.9"],
  },
  {
    name: "the SOA is spelled as in the query",
    ask: "nosuch.EXAMPLE.org A",
    rcode: "NXDOMAIN",
    authorities: [soa.replaceAll("example.org.", "EXAMPLE.org.")],
  },
  {
    name: "the negative TTL is the SOA's own where that is less (RFC 2308 section 5)",
    ask: "nosuch.other.test A",
    rcode: "NXDOMAIN",
    authorities: [soaOfOther],
  },
  {
    name: "a static name without the type is NODATA",
    ask: "dear.example.org A",
    authorities: [soa],
  },
  {
    name: "a name of no zone of ours is refused",
    ask: "www.elsewhere.test A",
    rcode: "REFUSED",
    isAuthoritative: false,
  },
  {
    name: "a name above our zone is refused",
    ask: "org A",
    rcode: "REFUSED",
    isAuthoritative: false,
  },
];

const wildcards: Row[] = [
  {
    name: "a wildcard answers beside federated names",
    ask: "nosuch.fed.example.org TXT",
    answers: ['nosuch.fed.example.org. 300 TXT "beside federated names"'],
  },
  {
    name: "a wildcard does not reach names below an existing one",
    ask: "nosuch.a.fed.example.org TXT",
    rcode: "NXDOMAIN",
    authorities: [soa],
  },
  {
    name: "a wildcard does not reach a federated name",
    ask: "web.a.fed.example.org TXT",
    authorities: [soa],
  },
];

const additionals: Row[] = [
  {
    name: "MX targets, federated and static, each once",
    ask: "mail.example.org MX",
    answers: [
      "mail.example.org. 300 MX 10 web.a.fed.example.org.",
      "mail.example.org. 300 MX 20 web.a.fed.example.org.",
      "mail.example.org. 300 MX 30 mx.example.org.",
      "mail.example.org. 300 MX 40 elsewhere.test.",
    ],
    additionals: [
      ...webFed,
      "web.a.fed.example.org. 180 AAAA 2001:db8:2::1",
      "mx.example.org. 300 A 192.0.2.1",
      "mx.example.org. 300 AAAA 2001:db8::1",
    ],
  },
  {
    name: "MX targets as the client inside may be given them",
    ask: "mail.example.org MX",
    from: "10.2.0.7",
    answers: [
      "mail.example.org. 300 MX 10 web.a.fed.example.org.",
      "mail.example.org. 300 MX 20 web.a.fed.example.org.",
      "mail.example.org. 300 MX 30 mx.example.org.",
      "mail.example.org. 300 MX 40 elsewhere.test.",
    ],
    additionals: [
      "web.a.fed.example.org. 180 A 10.2.0.1",
      "web.a.fed.example.org. 180 A 198.18.1.1",
      "mx.example.org. 300 A 192.0.2.1",
      "mx.example.org. 300 AAAA 2001:db8::1",
    ],
  },
  {
    name: "SRV targets, each once",
    ask: "_sip._tcp.example.org SRV",
    answers: [
      "_sip._tcp.example.org. 300 SRV 0 0 5060 v6.a.fed.example.org.",
      "_sip._tcp.example.org. 300 SRV 1 0 5061 v6.a.fed.example.org.",
    ],
    additionals: ["v6.a.fed.example.org. 180 AAAA 2001:db8:1::6"],
  },
  {
    name: "an NS target that is federated",
    ask: "ours.example.org NS",
    answers: ["ours.example.org. 300 NS web.a.fed.example.org."],
    additionals: [...webFed, "web.a.fed.example.org. 180 AAAA 2001:db8:2::1"],
  },
  {
    name: "the federation's own name servers",
    ask: "example.org NS",
    answers: ["example.org. 180 NS ns1.example.org."],
    additionals: ["ns1.example.org. 180 A 192.0.2.53"],
  },
  {
    name: "SRV of a port that one cluster has",
    ask: "_dns._udp.web.a.fed.example.org SRV",
    answers: ["_dns._udp.web.a.fed.example.org. 180 SRV 0 65535 53 c1.web.a.fed.example.org."],
    additionals: ["c1.web.a.fed.example.org. 180 A 198.18.1.1"],
  },
  {
    name: "SRV by level, with both families beside it, below the svc name too",
    ask: "_http._tcp.web.a.fed.svc.example.org SRV",
    from: "10.2.0.7",
    answers: [
      "_http._tcp.web.a.fed.svc.example.org. 180 SRV 0 65535 8080 c2.web.a.fed.example.org.",
      "_http._tcp.web.a.fed.svc.example.org. 180 SRV 1 65535 80 c1.web.a.fed.example.org.",
    ],
    additionals: [
      "c2.web.a.fed.example.org. 180 A 10.2.0.1",
      "c1.web.a.fed.example.org. 180 A 198.18.1.1",
    ],
  },
];

describe("resolution", () => {
  describe("follows CNAMEs", () => table(chains));
  describe("stops at zone cuts", () => table(cuts));
  describe("says what is not there", () => table(negatives));
  describe("knows wildcards", () => table(wildcards));
  describe("adds addresses", () => table(additionals));
});

function table(rows: readonly Row[]): void {
  for (const { name, ask, from, ...expected } of rows) {
    it(name, () => {
      expect(answered(ask, from)).to.deep.equal({
        rcode: "NOERROR",
        isAuthoritative: true,
        answers: [],
        authorities: [],
        additionals: [],
        scope: null,
        ...expected,
      });
    });
  }
}

/** The answer to `NAME TYPE`; a client without an address of its own is one that nobody knows. */
function answered(ask: string, from = "198.51.100.1") {
  const [name = "", type = ""] = ask.split(" ");
  const octets = queryOctets(name, type);
  const received = { octets, source: address(from), sourcePort: 53, transport: "tcp" } as const;
  const response = answer(received, healthyState(world.snapshot), 0);
  if (!response) throw new Error("cannot see the answer: there is silence");
  return plainMessage(decoded(response));
}
