// What holds for answers of any kind (semantics 10): the echo of the query, refusals, referrals,
// CNAME chains, ANY, NSID, CHAOS names, additional records. All over the running server.

import { expect } from "chai";
import { DnsClass, rcodeName } from "../../src/dns/codes.ts";
import type { Message, ResourceRecord } from "../../src/dns/message.ts";
import { formatName } from "../../src/dns/name.ts";
import { formatRdata } from "../../src/dns/rdata-text.ts";
import { recordType } from "../../src/dns/record-types.ts";
import { askUdp, decoded, firstAnswer, query, queryOctets, wireName } from "../kit/dns-client.ts";
import { type RunningServer, startServer } from "../kit/server.ts";
import { flagsOf, packet } from "./packet.ts";
import { federationApex, servedFiles, serviceName, staticApex } from "./served.ts";

describe("answers in general", () => {
  let server: RunningServer;
  before(async () => {
    server = await startServer({
      files: servedFiles,
      name: "ns-7",
      serverSpec: { version: "M 1", geoip: { databases: [] } },
    });
  });
  after(() => server.stop());

  const spellings = [
    {
      name: "an address of a service",
      asked: "mY-SeRvIcE.My-nAmEsPaCe.mY-fEdErAtIoN.mY-dOmAiN.CoM",
    },
    { name: "a static record", asked: "HoSt.StAtIc.TeSt" },
    { name: "a static record in the federation's zone", asked: "HOST.my-DOMAIN.com" },
    { name: "a wildcard", asked: "WhAtEvEr.WiLd.static.test" },
    { name: "a name that does not exist", asked: "NoNe.sTATIc.test" },
    { name: "an apex", asked: "STATIC.TEST" },
    { name: "a name of others", asked: "WWW.Example.ORG" },
  ];
  for (const { name, asked } of spellings) {
    it(`echoes the query's name byte for byte: ${name}`, async () => {
      const octets = queryOctets(asked, "A");
      const answer = await askUdp(server, octets);
      expect([...answer.subarray(12, octets.length)]).to.deep.equal([...octets.subarray(12)]);
      for (const record of decoded(answer).answers) {
        expect(formatName(record.name)).to.equal(`${asked}.`);
      }
    });
  }

  const outside = ["example.org", "com", ".", "xstatic.test", "test", "my-domain.com.example"];
  for (const asked of outside) {
    it(`refuses ${asked}, which is in no zone of ours`, async () => {
      const answer = await query(server, asked, "A", { edns: {} });
      expect(rcodeName(answer.rcode)).to.equal("REFUSED");
      expect(answer.isAuthoritative).to.equal(false);
      expect(answer.questions).to.have.length(1);
      expect([answer.answers, answer.authorities, answer.additionals]).to.deep.equal([[], [], []]);
    });
  }

  for (let opcode = 1; opcode < 16; opcode++) {
    it(`does not implement opcode ${opcode}, whatever follows the header`, async () => {
      const packets = [
        packet({ opcode, opt: {} }, staticApex),
        packet({ opcode, counts: { question: 9 }, trailingHex: "ffff" }, staticApex),
      ];
      for (const octets of packets) {
        const answer = await askUdp(server, octets);
        expect(answer.length).to.equal(12);
        const { id, opcode: echoed, rcode } = decoded(answer);
        expect([id, echoed, rcodeName(rcode)]).to.deep.equal([0x4d65, opcode, "NOTIMP"]);
        expect(flagsOf(answer)).to.deep.equal(["QR"]);
      }
    });
  }

  const dropped = [
    { name: "no octet", octets: Buffer.alloc(0) },
    { name: "one octet", octets: Buffer.alloc(1) },
    { name: "eleven octets", octets: packet({}, staticApex).subarray(0, 11) },
  ];
  for (const { name, octets } of dropped) {
    it(`drops a datagram of ${name}`, async () => {
      const second = queryOctets(staticApex, "SOA", { message: { id: 0xbeef } });
      expect(decoded(await firstAnswer(server, [octets, second])).id).to.equal(0xbeef);
    });
  }

  it("answers ANY with one RRset (RFC 8482)", async () => {
    for (const asked of [`host.${staticApex}`, staticApex, federationApex]) {
      const answer = await query(server, asked, "ANY");
      const types = new Set(answer.answers.map(({ type }) => type));
      expect([rcodeName(answer.rcode), types.size], asked).to.deep.equal(["NOERROR", 1]);
    }
  });

  it("answers ANY for a federated name with one RRset of its addresses", async () => {
    const answer = await query(server, serviceName, "ANY");
    const types = answer.answers.map(({ type }) => recordType(type).mnemonic);
    expect(types).to.deep.equal(["A", "A", "A"]);
  });

  it("gives the instance's name as NSID if asked and only then (RFC 5001)", async () => {
    const asked = await query(server, staticApex, "SOA", {
      edns: { options: [{ kind: "nsid", id: new Uint8Array(0) }] },
    });
    expect(optionsOf(asked)).to.deep.equal([{ kind: "nsid", id: octetsOf("ns-7") }]);
    const notAsked = await query(server, staticApex, "SOA", { edns: {} });
    expect(optionsOf(notAsked)).to.deep.equal([]);
  });

  const chaos = [
    { asked: "id.server", type: "TXT", rcode: "NOERROR", texts: ['"ns-7"'] },
    { asked: "ID.Server", type: "TXT", rcode: "NOERROR", texts: ['"ns-7"'] },
    { asked: "version.bind", type: "TXT", rcode: "NOERROR", texts: ['"M 1"'] },
    { asked: "version.bind", type: "A", rcode: "REFUSED", texts: [] },
    { asked: "hostname.bind", type: "TXT", rcode: "REFUSED", texts: [] },
    { asked: "id.server.static.test", type: "TXT", rcode: "REFUSED", texts: [] },
  ];
  for (const { asked, type, rcode, texts } of chaos) {
    it(`answers CH ${type} ${asked} with ${rcode}`, async () => {
      const octets = queryOctets(asked, type);
      octets[octets.length - 1] = DnsClass.CH;
      const answer = decoded(await askUdp(server, octets));
      expect(rcodeName(answer.rcode)).to.equal(rcode);
      expect(answer.answers.map(rdataText)).to.deep.equal(texts);
      for (const record of answer.answers) {
        expect([formatName(record.name), record.class]).to.deep.equal([`${asked}.`, DnsClass.CH]);
      }
    });
  }

  it("refuses CH TXT version.bind where no version is configured", async () => {
    const geoip = { databases: [] };
    const silent = await startServer({ files: servedFiles, serverSpec: { geoip } });
    try {
      const octets = queryOctets("version.bind", "TXT");
      octets[octets.length - 1] = DnsClass.CH;
      expect(rcodeName(decoded(await askUdp(silent, octets)).rcode)).to.equal("REFUSED");
    } finally {
      await silent.stop();
    }
  });

  const resolved: {
    name: string;
    asked: string;
    type: string;
    rcode?: string;
    flags?: string[];
    answer?: string[];
    authority?: string[];
    additional?: string[];
  }[] = [
    {
      name: "a CNAME and what it leads to",
      asked: "alias.static.test",
      type: "A",
      answer: ["alias.static.test. CNAME host.static.test.", "host.static.test. A 192.0.2.10"],
    },
    {
      name: "a CNAME that is asked for itself",
      asked: "alias.static.test",
      type: "CNAME",
      answer: ["alias.static.test. CNAME host.static.test."],
    },
    {
      name: "a CNAME into NODATA",
      asked: "alias.static.test",
      type: "SRV",
      answer: ["alias.static.test. CNAME host.static.test."],
      authority: ["static.test. SOA"],
    },
    {
      name: "a CNAME into NXDOMAIN",
      asked: "broken.static.test",
      type: "A",
      rcode: "NXDOMAIN",
      answer: ["broken.static.test. CNAME no-such-name.static.test."],
      authority: ["static.test. SOA"],
    },
    {
      name: "a CNAME that leaves our zones",
      asked: "astray.static.test",
      type: "A",
      answer: ["astray.static.test. CNAME nowhere.example."],
    },
    {
      name: "a circle of CNAMEs, each once",
      asked: "loop-a.static.test",
      type: "A",
      answer: [
        "loop-a.static.test. CNAME loop-b.static.test.",
        "loop-b.static.test. CNAME loop-a.static.test.",
      ],
    },
    {
      name: "a CNAME whose target is spelled otherwise",
      asked: "case.static.test",
      type: "A",
      answer: ["case.static.test. CNAME HoSt.static.test.", "HoSt.static.test. A 192.0.2.10"],
    },
    {
      name: "an empty non-terminal",
      asked: "still.static.test",
      type: "A",
      authority: ["static.test. SOA"],
    },
    {
      name: "a wildcard under the name asked for",
      asked: "any.thing.wild.static.test",
      type: "TXT",
      answer: ['any.thing.wild.static.test. TXT "wild"'],
    },
    {
      name: "a wildcard without the type",
      asked: "any.wild.static.test",
      type: "A",
      authority: ["static.test. SOA"],
    },
    {
      name: "NXDOMAIN with the SOA",
      asked: "none.my-domain.com",
      type: "A",
      rcode: "NXDOMAIN",
      authority: ["my-domain.com. SOA"],
    },
    {
      name: "a referral with glue",
      asked: "www.child.static.test",
      type: "A",
      flags: ["QR"],
      authority: [
        "child.static.test. NS ns.child.static.test.",
        "child.static.test. NS elsewhere.example.",
      ],
      additional: ["ns.child.static.test. A 192.0.2.12", "ns.child.static.test. AAAA 2001:db8::12"],
    },
    {
      name: "the DS at a cut, by the parent",
      asked: "child.static.test",
      type: "DS",
      authority: ["static.test. SOA"],
    },
    {
      name: "MX with the addresses that we hold",
      asked: "mail.static.test",
      type: "MX",
      answer: [
        "mail.static.test. MX 10 mx1.static.test.",
        "mail.static.test. MX 20 mx2.static.test.",
        "mail.static.test. MX 30 elsewhere.example.",
      ],
      additional: [
        "mx1.static.test. A 192.0.2.1",
        "mx1.static.test. AAAA 2001:db8::1",
        "mx2.static.test. A 192.0.2.2",
      ],
    },
    {
      name: "MX with the addresses of a host once, though two records name it",
      asked: "twice.static.test",
      type: "MX",
      answer: [
        "twice.static.test. MX 10 mx1.static.test.",
        "twice.static.test. MX 20 mx1.static.test.",
      ],
      additional: ["mx1.static.test. A 192.0.2.1", "mx1.static.test. AAAA 2001:db8::1"],
    },
    {
      name: "SRV with the addresses that we hold",
      asked: "_x._tcp.static.test",
      type: "SRV",
      answer: [
        "_x._tcp.static.test. SRV 0 0 80 mx1.static.test.",
        "_x._tcp.static.test. SRV 1 0 81 mx2.static.test.",
      ],
      additional: [
        "mx1.static.test. A 192.0.2.1",
        "mx1.static.test. AAAA 2001:db8::1",
        "mx2.static.test. A 192.0.2.2",
      ],
    },
    {
      name: "the apex NS with the addresses that we hold",
      asked: "static.test",
      type: "NS",
      answer: ["static.test. NS ns1.static.test.", "static.test. NS ns2.elsewhere.example."],
      additional: ["ns1.static.test. A 192.0.2.53", "ns1.static.test. AAAA 2001:db8::53"],
    },
    {
      name: "the federation's NS with the addresses of its file",
      asked: "my-domain.com",
      type: "NS",
      answer: ["my-domain.com. NS ns1.my-domain.com."],
      additional: ["ns1.my-domain.com. A 192.0.2.53", "ns1.my-domain.com. AAAA 2001:db8::53"],
    },
  ];
  for (const { name, asked, type, ...expected } of resolved) {
    it(`gives ${name}`, async () => {
      const octets = await askUdp(server, queryOctets(asked, type, { edns: {} }));
      const answer = decoded(octets);
      expect({
        rcode: rcodeName(answer.rcode),
        flags: flagsOf(octets),
        answer: answer.answers.map(recordText),
        authority: answer.authorities.map(recordText),
        additional: answer.additionals.map(recordText),
      }).to.deep.equal({
        rcode: "NOERROR",
        flags: ["QR", "AA"],
        answer: [],
        authority: [],
        additional: [],
        ...expected,
      });
    });
  }

  const negatives = [
    { asked: `none.${staticApex}`, ttl: 60 },
    { asked: `host.${staticApex}`, ttl: 60 },
    { asked: `none.${federationApex}`, ttl: 60 },
    { asked: serviceName, ttl: 60 },
  ];
  for (const { asked, ttl } of negatives) {
    it(`gives the negative TTL with the SOA (RFC 2308) for SRV of ${asked}`, async () => {
      const [soa] = (await query(server, asked, "SRV")).authorities;
      expect(soa?.ttlSeconds).to.equal(ttl);
    });
  }

  it("compresses owners and the names in NS, and no SRV target", async () => {
    const srv = await askUdp(server, queryOctets(`_x._tcp.${staticApex}`, "SRV"));
    const whole = Buffer.from(wireName(`mx1.${staticApex}`));
    // The first record begins after the question; its owner is a pointer to offset 12.
    const start = 12 + wireName(`_x._tcp.${staticApex}`).length + 4;
    expect(Buffer.from(srv).readUInt16BE(start)).to.equal(0xc00c);
    expect(Buffer.from(srv).includes(whole)).to.equal(true);
    const ns = await askUdp(server, queryOctets(staticApex, "NS"));
    expect(Buffer.from(ns).includes(Buffer.from(wireName(`ns1.${staticApex}`)))).to.equal(false);
  });
});

function recordText(record: ResourceRecord): string {
  const { mnemonic } = recordType(record.type);
  const rdata = mnemonic === "SOA" ? "" : ` ${rdataText(record)}`;
  return `${formatName(record.name)} ${mnemonic}${rdata}`;
}

function rdataText({ type, rdata }: ResourceRecord): string {
  return formatRdata(type, rdata);
}

function optionsOf({ edns }: Message): readonly object[] {
  return edns?.options ?? [];
}

function octetsOf(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text));
}
