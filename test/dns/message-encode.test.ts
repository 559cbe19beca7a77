import { expect } from "chai";
import { DnsClass, Opcode, Rcode } from "../../src/dns/codes.ts";
import type { Edns, EdnsOption } from "../../src/dns/edns.ts";
import {
  decodeMessage,
  encodeMessage,
  type Message,
  type ResourceRecord,
} from "../../src/dns/message.ts";
import { formatName, type Name, parseName } from "../../src/dns/name.ts";
import {
  addressRdata,
  mxRdata,
  nameRdata,
  soaRdata,
  srvRdata,
  txtRdata,
} from "../../src/dns/rdata.ts";
import { RRType } from "../../src/dns/record-types.ts";
import { shown } from "./arbitraries.ts";

const headerLength = 12;

function named(text: string): Name {
  const result = parseName(text);
  if (!result.ok) throw new Error(result.reason);
  return result.name;
}

function response(parts: Partial<Message> = {}): Message {
  return {
    id: 0x1234,
    isResponse: true,
    opcode: Opcode.QUERY,
    isAuthoritative: true,
    isTruncated: false,
    recursionDesired: false,
    recursionAvailable: false,
    z: false,
    authenticData: false,
    checkingDisabled: false,
    rcode: Rcode.NOERROR,
    questions: [],
    answers: [],
    authorities: [],
    additionals: [],
    ...parts,
  };
}

function record(owner: string, type: number, rdata: Uint8Array): ResourceRecord {
  return { name: named(owner), type, class: DnsClass.IN, ttlSeconds: 60, rdata };
}

function address(owner: string, last: number): ResourceRecord {
  return record(owner, RRType.A, addressRdata(Uint8Array.of(192, 0, 2, last)));
}

/** The octets of a message after its header, in hex. */
function body(message: Message): string {
  return Buffer.from(encodeMessage(message).subarray(headerLength)).toString("hex");
}

/** Fixed fields of a record of this type with a TTL of 60, in hex. */
function fixed(type: number): string {
  return `${type.toString(16).padStart(4, "0")}00010000003c`;
}

function decoded(octets: Uint8Array): Message {
  const result = decodeMessage(octets);
  if (!result.ok) throw new Error(result.reason);
  return result.message;
}

describe("encoding a message: compression", () => {
  const target = named("t.a.");
  const rows = [
    {
      name: "an owner that was written",
      record: address("q.a.", 1),
      expected: `c00c${fixed(1)}0004c0000201`,
    },
    {
      name: "an owner of which a part was written",
      record: address("x.a.", 1),
      expected: `0178c00e${fixed(1)}0004c0000201`,
    },
    {
      name: "an owner below one that was written",
      record: address("x.q.a.", 1),
      expected: `0178c00c${fixed(1)}0004c0000201`,
    },
    {
      name: "the root is never a pointer",
      record: address(".", 1),
      expected: `00${fixed(1)}0004c0000201`,
    },
    {
      name: "another case is the same name, spelled as it was before",
      record: address("Q.a.", 1),
      expected: `c00c${fixed(1)}0004c0000201`,
    },
    {
      name: "NS",
      record: record("q.a.", RRType.NS, nameRdata(target)),
      expected: `c00c${fixed(2)}00040174c00e`,
    },
    {
      name: "CNAME",
      record: record("q.a.", RRType.CNAME, nameRdata(target)),
      expected: `c00c${fixed(5)}00040174c00e`,
    },
    {
      name: "PTR",
      record: record("q.a.", RRType.PTR, nameRdata(target)),
      expected: `c00c${fixed(12)}00040174c00e`,
    },
    {
      name: "MX",
      record: record("q.a.", RRType.MX, mxRdata({ preference: 5, exchange: target })),
      expected: `c00c${fixed(15)}000600050174c00e`,
    },
    {
      name: "both names of SOA",
      record: record(
        "q.a.",
        RRType.SOA,
        soaRdata({
          primary: target,
          contact: target,
          serial: 1,
          refresh: 2,
          retry: 3,
          expire: 4,
          minimum: 5,
        }),
      ),
      expected: `c00c${fixed(6)}001a0174c00ec0210000000100000002000000030000000400000005`,
    },
    {
      name: "but never an SRV target (RFC 3597 section 4)",
      record: record("q.a.", RRType.SRV, srvRdata({ priority: 1, weight: 2, port: 3, target })),
      expected: `c00c${fixed(33)}000b0001000200030174016100`,
    },
  ];
  for (const { name, record: answer, expected } of rows) {
    it(name, () => {
      const questions = [{ name: named("q.a."), type: RRType.A, class: DnsClass.IN }];
      expect(body(response({ questions, answers: [answer] }))).to.equal(
        `017101610000010001${expected}`,
      );
    });
  }

  it("points to names in rdata too", () => {
    const answers = [record("a.", RRType.NS, nameRdata(named("n.b."))), address("n.b.", 1)];
    expect(body(response({ answers }))).to.equal(
      `016100${fixed(2)}0005016e016200c019${fixed(1)}0004c0000201`,
    );
  });

  it("writes the question byte for byte", () => {
    const questions = [{ name: named("wWw.eXaMpLe."), type: RRType.A, class: DnsClass.IN }];
    const octets = encodeMessage(response({ questions, answers: [address("wWw.eXaMpLe.", 1)] }));
    expect(Buffer.from(octets).toString("latin1", 13, 24)).to.equal("wWw\x07eXaMpLe");
  });

  it("points to no offset from 0x4000 on, and still to those before", () => {
    const filler = Array.from({ length: 70 }, (_, at) =>
      record(`f${at}.`, RRType.TXT, txtRdata(["x".repeat(255)])),
    );
    const answers = [
      address("early.", 1),
      ...filler,
      address("late.", 2),
      address("late.", 3),
      address("early.", 4),
    ];
    const octets = encodeMessage(response({ answers }));
    expect(octets.length).to.be.above(0x4000);
    expect(shown(decoded(octets).answers)).to.equal(shown(answers));
    const text = Buffer.from(octets).toString("latin1");
    expect(text.split("\x04late")).to.have.length(3);
    expect(text.split("\x05early")).to.have.length(2);
  });
});

describe("encoding a message: the limit", () => {
  const questions = [{ name: named("q."), type: RRType.A, class: DnsClass.IN }];
  const edns: Edns = { udpSize: 1232, version: 0, dnssecOk: false, flags: 0, options: [] };
  const three = [address("q.", 1), address("q.", 2), address("q.", 3)];
  /** Header, question, three addresses. */
  const wholeLength = headerLength + 7 + 3 * 16;

  it("is kept to the octet", () => {
    const message = response({ questions, answers: three });
    const whole = encodeMessage(message, { maxSize: wholeLength });
    expect(whole.length).to.equal(wholeLength);
    expect(decoded(whole).isTruncated).to.equal(false);
    const cut = encodeMessage(message, { maxSize: wholeLength - 1 });
    expect(cut.length).to.equal(headerLength + 7);
    expect(decoded(cut)).to.include({ isTruncated: true });
  });

  it("keeps room for OPT and TSIG first", () => {
    const tsig = {
      name: named("key."),
      algorithm: named("hmac-sha256."),
      timeSigned: 2 ** 40 + 1,
      fudgeSeconds: 300,
      mac: new Uint8Array(0),
      originalId: 0x1234,
      error: Rcode.BADKEY,
      other: new Uint8Array(0),
    };
    const message = response({ rcode: Rcode.NOTAUTH, questions, answers: three, edns, tsig });
    const tailLength = encodeMessage(message).length - wholeLength;
    const cut = decoded(encodeMessage(message, { maxSize: wholeLength + tailLength - 1 }));
    expect(cut).to.deep.include({ answers: [], isTruncated: true, edns, tsig });
  });

  it("counts records of one owner and type as one RRset, whatever the case", () => {
    const answers = [address("q.", 1), address("Q.", 2), address("r.", 3)];
    const message = response({ questions, answers });
    const length = encodeMessage(message).length;
    expect(decoded(encodeMessage(message, { maxSize: length - 1 })).answers).to.have.length(2);
    expect(
      decoded(encodeMessage(message, { maxSize: headerLength + 7 + 20 })).answers,
    ).to.have.length(0);
  });

  // RFC 9471 section 3.1: a resolver that is not given the glue cannot go on.
  const referrals: { title: string; owner: string; host: string; isTruncated: boolean }[] = [
    { title: "below the cut", owner: "sub.example.", host: "ns.SUB.example.", isTruncated: true },
    { title: "at the cut", owner: "sub.example.", host: "sub.example.", isTruncated: true },
    { title: "beside the cut", owner: "sub.example.", host: "ns.example.", isTruncated: false },
  ];
  for (const { title, owner, host, isTruncated } of referrals) {
    it(`leaves out the address of a name server ${title} ${isTruncated ? "with" : "without"} TC`, () => {
      const message = response({
        isAuthoritative: false,
        authorities: [record(owner, RRType.NS, nameRdata(named(host)))],
        additionals: [address(host, 1), address("other.example.", 2)],
      });
      const maxSize = encodeMessage({ ...message, additionals: [] }).length;
      const cut = decoded(encodeMessage(message, { maxSize }));
      expect([cut.isTruncated, cut.authorities.length, cut.additionals.length]).to.deep.equal([
        isTruncated,
        1,
        0,
      ]);
      expect(decoded(encodeMessage(message)).isTruncated).to.equal(false);
    });
  }

  it("leaves out additional RRsets without TC and tries each of them", () => {
    const long = record("long.", RRType.TXT, txtRdata(["x".repeat(200)]));
    const message = response({
      questions,
      answers: three,
      additionals: [long, address("a.long.", 9)],
      edns,
    });
    const cut = decoded(encodeMessage(message, { maxSize: 150 }));
    expect(cut.isTruncated).to.equal(false);
    expect(cut.answers).to.have.length(3);
    // `long.` was taken back, so nothing may point to it.
    expect(cut.additionals.map(({ name }) => formatName(name))).to.deep.equal(["a.long."]);
  });

  it("ends the message at an authority RRset without room", () => {
    const soa = soaRdata({
      primary: named("p."),
      contact: named("c."),
      serial: 1,
      refresh: 2,
      retry: 3,
      expire: 4,
      minimum: 5,
    });
    const message = response({
      questions,
      authorities: [record("z.", RRType.SOA, soa)],
      additionals: [address("q.", 1)],
    });
    const cut = decoded(encodeMessage(message, { maxSize: 50 }));
    expect(cut).to.deep.include({ isTruncated: true, authorities: [], additionals: [] });
  });

  it("is 65535 octets where none is given", () => {
    const answers = Array.from({ length: 300 }, (_, at) =>
      record(`n${at}.`, RRType.TXT, txtRdata(["x".repeat(255)])),
    );
    const octets = encodeMessage(response({ answers }));
    expect(octets.length).to.be.within(65000, 65535);
    expect(decoded(octets).isTruncated).to.equal(true);
  });

  it("does not hold for header, question and OPT", () => {
    const octets = encodeMessage(response({ questions, answers: three, edns }), { maxSize: 12 });
    expect(decoded(octets)).to.deep.include({ questions, edns, answers: [], isTruncated: true });
  });
});

describe("encoding a message: EDNS", () => {
  it("carries rcodes above 15 in OPT and refuses them without", () => {
    const edns: Edns = { udpSize: 1232, version: 0, dnssecOk: true, flags: 0, options: [] };
    const octets = encodeMessage(response({ rcode: Rcode.BADVERS, edns }));
    expect(Buffer.from(octets.subarray(headerLength)).toString("hex")).to.equal(
      "00002904d0010080000000",
    );
    expect(() => encodeMessage(response({ rcode: Rcode.BADVERS }))).to.throw(
      RangeError,
      "cannot encode a message: the rcode is too large, got 16",
    );
  });

  const client = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8);
  const options: { name: string; option: EdnsOption; expected: string }[] = [
    {
      name: "ECS with the octets that the source length needs",
      option: {
        kind: "ecs",
        family: 1,
        sourceLength: 20,
        scopeLength: 16,
        address: Uint8Array.of(192, 0, 15, 7),
      },
      expected: "0008 0007 0001 14 10 c00000",
    },
    {
      name: "ECS of no length",
      option: {
        kind: "ecs",
        family: 2,
        sourceLength: 0,
        scopeLength: 0,
        address: new Uint8Array(16),
      },
      expected: "0008 0004 0002 00 00",
    },
    {
      name: "NSID",
      option: { kind: "nsid", id: Uint8Array.of(0x6e, 0x31) },
      expected: "0003 0002 6e31",
    },
    {
      name: "a client's cookie",
      option: { kind: "cookie", client, server: new Uint8Array(0) },
      expected: "000a 0008 0102030405060708",
    },
    {
      name: "both cookies",
      option: { kind: "cookie", client, server: client },
      expected: "000a 0010 01020304050607080102030405060708",
    },
    {
      name: "keepalive without a time-out",
      option: { kind: "keepalive", timeout: undefined },
      expected: "000b 0000",
    },
    {
      name: "keepalive of 10 s",
      option: { kind: "keepalive", timeout: 100 },
      expected: "000b 0002 0064",
    },
    {
      name: "keepalive of 0",
      option: { kind: "keepalive", timeout: 0 },
      expected: "000b 0002 0000",
    },
    { name: "EDE", option: { kind: "ede", code: 20, text: "é" }, expected: "000f 0004 0014 c3a9" },
    { name: "padding", option: { kind: "padding", length: 3 }, expected: "000c 0003 000000" },
    {
      name: "an unknown option",
      option: { kind: "unknown", code: 100, data: Uint8Array.of(9) },
      expected: "0064 0001 09",
    },
  ];
  for (const { name, option, expected } of options) {
    it(`writes ${name}`, () => {
      const edns: Edns = {
        udpSize: 1232,
        version: 0,
        dnssecOk: false,
        flags: 0,
        options: [option],
      };
      const written = Buffer.from(encodeMessage(response({ edns })).subarray(headerLength + 11));
      expect(written.toString("hex")).to.equal(expected.replaceAll(" ", ""));
    });
  }
});
