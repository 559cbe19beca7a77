import { expect } from "chai";
import fc from "fast-check";
import { formatName, parseName, rootName } from "../../src/dns/name.ts";
import {
  addressRdata,
  mxRdata,
  nameIn,
  nameRdata,
  readSoa,
  soaRdata,
  srvRdata,
  txtRdata,
} from "../../src/dns/rdata.ts";
import { checkRdata } from "../../src/dns/rdata-wire.ts";
import { RRType, recordType } from "../../src/dns/record-types.ts";
import { readTypeBitmap, writeTypeBitmap } from "../../src/dns/type-bitmap.ts";
import { anyOctets, knownTypes, rdatas, seed } from "./arbitraries.ts";

function hex(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text.replaceAll(" ", ""), "hex"));
}

function named(text: string): Uint8Array {
  const result = parseName(text);
  if (!result.ok) throw new Error(result.reason);
  return result.name;
}

describe("rdata of the server's own making", () => {
  const target = named("a.b");
  const made = [
    { name: "A", type: RRType.A, rdata: addressRdata(hex("c0000201")), expected: "c0000201" },
    { name: "NS", type: RRType.NS, rdata: nameRdata(target), expected: "01610162 00" },
    {
      name: "MX",
      type: RRType.MX,
      rdata: mxRdata({ preference: 10, exchange: target }),
      expected: "000a 01610162 00",
    },
    {
      name: "SRV",
      type: RRType.SRV,
      rdata: srvRdata({ priority: 1, weight: 2, port: 65535, target }),
      expected: "0001 0002 ffff 01610162 00",
    },
    {
      name: "TXT",
      type: RRType.TXT,
      rdata: txtRdata(["hé", hex("ff")]),
      expected: "03 68c3a9 01 ff",
    },
    { name: "TXT without strings", type: RRType.TXT, rdata: txtRdata([]), expected: "00" },
  ];
  for (const { name, type, rdata, expected } of made) {
    it(`is well formed: ${name}`, () => {
      expect(rdata).to.deep.equal(hex(expected));
      expect(checkRdata(type, rdata)).to.equal(undefined);
    });
  }

  it("is read back: SOA", () => {
    const soa = {
      primary: target,
      contact: rootName,
      serial: 0xffffffff,
      refresh: 1,
      retry: 2,
      expire: 3,
      minimum: 4,
    };
    expect(readSoa(soaRdata(soa))).to.deep.equal(soa);
    expect(checkRdata(RRType.SOA, soaRdata(soa))).to.equal(undefined);
    expect(() => readSoa(soaRdata(soa).slice(0, -1))).to.throw(RangeError, "cannot read a SOA");
  });

  it("shows the name that it points to", () => {
    expect(formatName(nameIn(nameRdata(target), RRType.CNAME))).to.equal("a.b.");
    expect(formatName(nameIn(mxRdata({ preference: 1, exchange: target }), RRType.MX))).to.equal(
      "a.b.",
    );
    const srv = srvRdata({ priority: 0, weight: 0, port: 0, target });
    expect(formatName(nameIn(srv, RRType.SRV))).to.equal("a.b.");
    expect(() => nameIn(hex("c0000201"), RRType.A)).to.throw(
      RangeError,
      "the type has none, got 1",
    );
  });

  it("cannot be made of values that do not fit", () => {
    expect(() => addressRdata(hex("c00002"))).to.throw(
      RangeError,
      "4 or 16 octets are needed, got 3",
    );
    expect(() => txtRdata(["a".repeat(256)])).to.throw(
      RangeError,
      "longer than 255 octets, got 256",
    );
  });
});

describe("rdata of every type", () => {
  for (const type of knownTypes) {
    const { mnemonic } = recordType(type);

    it(`is accepted whole and refused one octet longer: ${mnemonic}`, () => {
      const layout = recordType(type).layout ?? [];
      const last = layout.at(-1)?.kind ?? "";
      // After these any octet may follow, as part of them.
      const isOpen = ["hex", "base64", "text", "strings"].includes(last);
      const law = fc.property(rdatas(type, anyOctets), (rdata) => {
        expect(checkRdata(type, rdata)).to.equal(undefined);
        const longer = Uint8Array.of(...rdata, 0xff);
        if (!isOpen) expect(checkRdata(type, longer)).to.have.property("reason");
      });
      fc.assert(law, { seed, numRuns: 100 });
    });
  }

  const refused = [
    {
      name: "A of 3 octets",
      type: "A",
      rdata: "c00002",
      reason: "cannot read 4 octets: the end is nearer, got 3",
      offset: 0,
    },
    {
      name: "A of 5 octets",
      type: "A",
      rdata: "c000020100",
      reason: "cannot read on: octets are left over, got 1",
      offset: 4,
    },
    {
      name: "AAAA of 15 octets",
      type: "AAAA",
      rdata: "00".repeat(15),
      reason: "cannot read 16 octets: the end is nearer, got 15",
      offset: 0,
    },
    {
      name: "NS without a name",
      type: "NS",
      rdata: "",
      reason: "cannot read a name: it runs past its end",
      offset: 0,
    },
    {
      name: "NS with a name that has no end",
      type: "NS",
      rdata: "0161",
      reason: "cannot read a name: it runs past its end",
      offset: 0,
    },
    {
      name: "a pointer where there is no message",
      type: "NS",
      rdata: "0161c000",
      reason: "cannot read a name: a pointer stands outside a message",
      offset: 0,
    },
    {
      name: "SOA cut in its numbers",
      type: "SOA",
      rdata: "0000 00000001",
      reason: "cannot read 4 octets: the end is nearer, got 0",
      offset: 6,
    },
    {
      name: "MX cut in its number",
      type: "MX",
      rdata: "00",
      reason: "cannot read 2 octets: the end is nearer, got 1",
      offset: 0,
    },
    {
      name: "TXT without a string",
      type: "TXT",
      rdata: "",
      reason: "cannot read 1 octets: the end is nearer, got 0",
      offset: 0,
    },
    {
      name: "TXT with a string past the end",
      type: "TXT",
      rdata: "0161 0261",
      reason: "cannot read 2 octets: the end is nearer, got 1",
      offset: 3,
    },
    {
      name: "NAPTR with a string past the end",
      type: "NAPTR",
      rdata: "00010001 0955",
      reason: "cannot read 9 octets: the end is nearer, got 1",
      offset: 5,
    },
    {
      name: "DS without a digest",
      type: "DS",
      rdata: "0001 0802",
      reason: "cannot read DS: the digest is empty, got 0 octets",
      offset: 4,
    },
    {
      name: "NSEC3 with an empty hash",
      type: "NSEC3",
      rdata: "01 00 0000 00 00",
      reason: "cannot read NSEC3: the next hashed owner is empty, got 0 octets",
      offset: 6,
    },
    {
      name: "NSEC with windows that do not ascend",
      type: "NSEC",
      rdata: "00 01 01 40 00 01 40",
      reason: "cannot read a type bitmap: windows do not ascend, got 0",
      offset: 4,
    },
    {
      name: "NSEC with a window of no octets",
      type: "NSEC",
      rdata: "00 00 00",
      reason: "cannot read a type bitmap: a window has 1 to 32 octets, got 0",
      offset: 1,
    },
    {
      name: "NSEC with a window of 33 octets",
      type: "NSEC",
      rdata: `00 00 21 ${"01".repeat(33)}`,
      reason: "cannot read a type bitmap: a window has 1 to 32 octets, got 33",
      offset: 1,
    },
    {
      name: "NSEC with a window past the end",
      type: "NSEC",
      rdata: "00 00 02 40",
      reason: "cannot read a type bitmap: a window runs past the end, got 2",
      offset: 1,
    },
    {
      name: "NSEC with a window that ends in zeros",
      type: "NSEC",
      rdata: "00 00 02 4000",
      reason: "cannot read a type bitmap: a window ends in a zero octet, got 2",
      offset: 1,
    },
    {
      name: "CAA without a tag",
      type: "CAA",
      rdata: "00 00 6161",
      reason: 'cannot read CAA: the tag is not letters and digits, got ""',
      offset: 4,
    },
    {
      name: "CAA with a tag that is no word",
      type: "CAA",
      rdata: "00 01 2d 61",
      reason: 'cannot read CAA: the tag is not letters and digits, got "-"',
      offset: 4,
    },
    {
      name: "SVCB with keys that do not ascend",
      type: "SVCB",
      rdata: "0001 00 0004 0004 c0000201 0003 0002 01bb",
      reason: "cannot read service parameters: keys do not ascend, got 3 after 4",
      offset: 11,
    },
    {
      name: "SVCB with a key twice",
      type: "SVCB",
      rdata: "0001 00 0003 0002 01bb 0003 0002 01bb",
      reason: "cannot read service parameters: keys do not ascend, got 3 after 3",
      offset: 9,
    },
    {
      name: "SVCB with a value past the end",
      type: "SVCB",
      rdata: "0001 00 029b 0002 01",
      reason: "cannot read 2 octets: the end is nearer, got 1",
      offset: 7,
    },
    {
      name: "SVCB cut in a key",
      type: "SVCB",
      rdata: "0001 00 02",
      reason: "cannot read 2 octets: the end is nearer, got 1",
      offset: 3,
    },
    {
      name: "mandatory without keys",
      type: "SVCB",
      rdata: "0001 00 0000 0000",
      reason: "cannot read service parameters: mandatory is not whole keys, got 0 octets",
      offset: 7,
    },
    {
      name: "mandatory with half a key",
      type: "SVCB",
      rdata: "0001 00 0000 0003 000100",
      reason: "cannot read service parameters: mandatory is not whole keys, got 3 octets",
      offset: 7,
    },
    {
      name: "mandatory that names itself",
      type: "SVCB",
      rdata: "0001 00 0000 0002 0000",
      reason:
        "cannot read service parameters: the keys of mandatory do not ascend from 1, got 2 octets",
      offset: 7,
    },
    {
      name: "mandatory with a key twice",
      type: "SVCB",
      rdata: "0001 00 0000 0004 0001 0001",
      reason:
        "cannot read service parameters: the keys of mandatory do not ascend from 1, got 4 octets",
      offset: 7,
    },
    {
      name: "alpn without a protocol",
      type: "HTTPS",
      rdata: "0001 00 0001 0000",
      reason: "cannot read service parameters: alpn has no protocol, got 0 octets",
      offset: 7,
    },
    {
      name: "alpn with an empty protocol",
      type: "HTTPS",
      rdata: "0001 00 0001 0004 026832 00",
      reason: "cannot read service parameters: alpn has an empty protocol, got 4 octets",
      offset: 7,
    },
    {
      name: "alpn with a protocol past its end",
      type: "HTTPS",
      rdata: "0001 00 0001 0003 036832",
      reason:
        "cannot read service parameters: alpn has a protocol that runs past its end, got 3 octets",
      offset: 7,
    },
    {
      name: "no-default-alpn with a value",
      type: "HTTPS",
      rdata: "0001 00 0002 0001 00",
      reason: "cannot read service parameters: key 2 has no value, got 1 octets",
      offset: 7,
    },
    {
      name: "a port of one octet",
      type: "HTTPS",
      rdata: "0001 00 0003 0001 50",
      reason: "cannot read service parameters: a port has 2 octets, got 1 octets",
      offset: 7,
    },
    {
      name: "ipv4hint of three octets",
      type: "HTTPS",
      rdata: "0001 00 0004 0003 c00002",
      reason: "cannot read service parameters: ipv4hint is not whole addresses, got 3 octets",
      offset: 7,
    },
    {
      name: "ipv6hint without an address",
      type: "HTTPS",
      rdata: "0001 00 0006 0000",
      reason: "cannot read service parameters: ipv6hint is not whole addresses, got 0 octets",
      offset: 7,
    },
  ];
  for (const { name, type, rdata, reason, offset } of refused) {
    it(`is refused: ${name}`, () => {
      const code = knownTypes.find((each) => recordType(each).mnemonic === type) ?? 0;
      expect(checkRdata(code, hex(rdata))).to.deep.equal({ reason, offset });
    });
  }

  it("is taken as it is for types without a layout", () => {
    expect(checkRdata(666, hex("c000ff"))).to.equal(undefined);
  });
});

describe("type bitmaps", () => {
  it("match the example of RFC 4034 section 4.3", () => {
    const types = [RRType.A, RRType.MX, RRType.RRSIG, RRType.NSEC, 1234];
    const bitmap = hex(`0006 400100000003 041b ${"00".repeat(26)} 20`);
    expect(writeTypeBitmap(types)).to.deep.equal(bitmap);
    expect(readTypeBitmap(bitmap)).to.deep.equal({ ok: true, types });
  });

  it("hold every set of types, in order", () => {
    const law = fc.property(fc.array(fc.nat(0xffff)), (types) => {
      const expected = [...new Set(types)].sort((a, b) => a - b);
      expect(readTypeBitmap(writeTypeBitmap(types))).to.deep.equal({ ok: true, types: expected });
    });
    fc.assert(law, { seed, numRuns: 500 });
  });
});
