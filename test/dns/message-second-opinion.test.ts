import { expect } from "chai";
import dnsPacket from "dns-packet";
import { Packet } from "dns2";
import fc from "fast-check";
import { formatAddress } from "../../src/dns/address.ts";
import type { EcsOption, EdnsOption } from "../../src/dns/edns.ts";
import {
  decodeMessage,
  encodeMessage,
  type Message,
  type ResourceRecord,
} from "../../src/dns/message.ts";
import { labelsOf, type Name } from "../../src/dns/name.ts";
import { nameIn, readSoa } from "../../src/dns/rdata.ts";
import { RRType, typeCode } from "../../src/dns/record-types.ts";
import { messages, plainText, seed, shown, spelledAlike } from "./arbitraries.ts";

const sshfp = typeCode("SSHFP");

describe("messages: second opinions", () => {
  it("dns-packet reads what we write, and we read what it writes from that, to the same content", () => {
    const law = fc.property(messages(plainText).map(bearable), (message) => {
      const theirs = dnsPacket.decode(Buffer.from(encodeMessage(message)));
      // It writes all names in full, so nothing of our compression comes back to us.
      const ours = decodeMessage(new Uint8Array(dnsPacket.encode(theirs)));
      expect(shown(spelledAlike(ours))).to.equal(shown(spelledAlike({ ok: true, message })));
      expect(ecsOfDnsPacket(theirs)).to.deep.equal(ecsOptions(message).map(asClientSubnet));
    });
    fc.assert(law, { seed, numRuns: 500 });
  });

  it("dns2 reads what we write to the same content, as far as it knows types and options", () => {
    // In one case: names that differ by it alone may come back as either.
    const law = fc.property(messages(plainText).map(bearable).map(inOneCase), (message) => {
      const theirs = Packet.parse(Buffer.from(encodeMessage(message)));
      expect(theirs.errors).to.deep.equal([]);
      expect(theirs.header).to.deep.include(headerForDns2(message));
      expect(theirs.questions.map((each) => ({ ...each }))).to.deep.equal(
        message.questions.map(({ name, ...rest }) => ({ name: dotted(name), ...rest })),
      );
      const additionals = theirs.additionals.filter(
        ({ type }) => type !== RRType.OPT && type !== RRType.TSIG,
      );
      expectSame(theirs.answers, message.answers);
      expectSame(theirs.authorities, message.authorities);
      expectSame(additionals, message.additionals);
      const opt = theirs.additionals.find(({ type }) => type === RRType.OPT);
      if (message.edns) {
        const { udpSize, version, dnssecOk, options } = message.edns;
        expect(opt).to.include({ class: udpSize, version, doFlag: dnssecOk });
        expect(opt?.rdata).to.deep.equal(options.flatMap(optionForDns2));
      } else {
        expect(opt).to.equal(undefined);
      }
    });
    fc.assert(law, { seed, numRuns: 300 });
  });
});

function inOneCase(message: Message): Message {
  return spelledAlike(message);
}

/** The message without what trips the other programs although it is right. */
function bearable(message: Message): Message {
  const { edns } = message;
  return {
    ...message,
    // dns2 cuts the TTL of OPT to 31 bits like any other.
    rcode: message.rcode & 0x7ff,
    answers: message.answers.map(bearableRecord),
    authorities: message.authorities.map(bearableRecord),
    additionals: message.additionals.map(bearableRecord),
    ...(edns && {
      edns: {
        ...edns,
        // dns-packet takes a payload size of 0 for none given.
        udpSize: Math.max(edns.udpSize, 512),
        options: edns.options.filter((option) => !isOddIpv6(option)),
      },
    }),
  };
}

/** dns2 reads ECS addresses of IPv6 two octets at a time, past the option's end if they are odd. */
function isOddIpv6(option: EdnsOption): boolean {
  return (
    option.kind === "ecs" && option.family === 2 && Math.ceil(option.sourceLength / 8) % 2 === 1
  );
}

function bearableRecord(record: ResourceRecord): ResourceRecord {
  const rdata = record.rdata.slice();
  switch (record.type) {
    case RRType.DNSKEY: // dns-packet: "Protocol must be 3".
      rdata[2] = 3;
      return { ...record, rdata };
    case RRType.CAA: // dns-packet writes 128 for all flags of which that is one.
      rdata[0] = (rdata[0] ?? 0) & 0x80;
      return { ...record, rdata };
    case sshfp: // dns-packet does not look at RDLENGTH here, but knows SHA-1 to have 20 octets.
      return { ...record, rdata: Uint8Array.of(1, 1, ...new Uint8Array(20).fill(rdata[2] ?? 0)) };
    default:
      return record;
  }
}

function ecsOptions(message: Message): EcsOption[] {
  return message.edns?.options.filter((option) => option.kind === "ecs") ?? [];
}

function asClientSubnet(ecs: EcsOption): object {
  return {
    family: ecs.family,
    sourcePrefixLength: ecs.sourceLength,
    scopePrefixLength: ecs.scopeLength,
    ip: plainAddress(ecs.address),
  };
}

function ecsOfDnsPacket(packet: dnsPacket.DecodedPacket): object[] {
  const opt = packet.additionals?.find((record) => record.type === "OPT");
  const options = opt?.type === "OPT" ? opt.options : [];
  return options.flatMap((option) =>
    "family" in option && option.ip !== undefined
      ? {
          family: option.family,
          sourcePrefixLength: option.sourcePrefixLength,
          scopePrefixLength: option.scopePrefixLength,
          ip: option.ip,
        }
      : [],
  );
}

function headerForDns2(message: Message): object {
  return {
    id: message.id,
    qr: Number(message.isResponse),
    opcode: message.opcode,
    aa: Number(message.isAuthoritative),
    tc: Number(message.isTruncated),
    rd: Number(message.recursionDesired),
    ra: Number(message.recursionAvailable),
    z: Number(message.z),
    ad: Number(message.authenticData),
    cd: Number(message.checkingDisabled),
    rcode: message.rcode,
  };
}

function expectSame(theirs: Packet["answers"], ours: readonly ResourceRecord[]): void {
  expect(theirs).to.have.length(ours.length);
  for (const [at, record] of ours.entries()) {
    const { name, type, class: classCode, ttlSeconds: ttl } = record;
    const expected = { name: dotted(name), type, class: classCode, ttl, ...fieldsForDns2(record) };
    expect(theirs[at]).to.deep.include(expected);
  }
}

/** What dns2 makes of the rdata of each type that it knows; the others it keeps as octets. */
function fieldsForDns2({ type, rdata }: ResourceRecord): object {
  const view = Buffer.from(rdata);
  switch (type) {
    case RRType.A:
    case RRType.AAAA:
      return { address: plainAddress(rdata) };
    case RRType.NS:
      return { ns: dotted(nameIn(rdata, type)) };
    case RRType.CNAME:
    case RRType.PTR:
      return { domain: dotted(nameIn(rdata, type)) };
    case RRType.MX:
      return { priority: view.readUInt16BE(0), exchange: dotted(nameIn(rdata, type)) };
    case RRType.SRV:
      return {
        priority: view.readUInt16BE(0),
        weight: view.readUInt16BE(2),
        port: view.readUInt16BE(4),
        target: dotted(nameIn(rdata, type)),
      };
    case RRType.SOA: {
      const { primary, contact, expire, ...numbers } = readSoa(rdata);
      return { primary: dotted(primary), admin: dotted(contact), expiration: expire, ...numbers };
    }
    case RRType.TXT:
      return { data: labelsOf(Uint8Array.of(...rdata, 0)).map((string) => latin1(string)) };
    case RRType.CAA: {
      const tagEnd = 2 + view.readUInt8(1);
      return {
        flags: view.readUInt8(0),
        tag: latin1(view.subarray(2, tagEnd)),
        value: latin1(view.subarray(tagEnd)),
      };
    }
    case RRType.DNSKEY:
      return {
        flags: view.readUInt16BE(0),
        protocol: view.readUInt8(2),
        algorithm: view.readUInt8(3),
        key: view.toString("base64", 4),
      };
    default:
      return { data: view };
  }
}

function optionForDns2(option: EdnsOption): object[] {
  if (option.kind === "ede") {
    return [{ ednsCode: 15, infoCode: option.code, extraText: option.text.replace(/\0+$/, "") }];
  }
  if (option.kind !== "ecs") return [];
  const { ip, ...rest } = { ip: "", ...asClientSubnet(option) };
  const groups = Array.from({ length: 8 }, (_, at) =>
    (((option.address[at * 2] ?? 0) << 8) | (option.address[at * 2 + 1] ?? 0)).toString(16),
  );
  return [{ ednsCode: 8, ...rest, ip: option.family === 1 ? ip : groups.join(":") }];
}

/** As other programs print addresses: nothing special about IPv4 within IPv6. */
function plainAddress(address: Uint8Array): string {
  const text = formatAddress(address);
  const dots = /^::ffff:(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text);
  if (!dots) return text;
  const [a = 0, b = 0, c = 0, d = 0] = dots.slice(1).map(Number);
  return `::ffff:${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
}

/** A name as dns2 gives it: no final dot, nothing escaped. */
function dotted(name: Name): string {
  return labelsOf(name).map(latin1).join(".");
}

function latin1(octets: Uint8Array): string {
  return Buffer.from(octets).toString("latin1");
}
