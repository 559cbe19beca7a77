// Signatures of ballots and of requests for them.

import { expect } from "chai";
import fc from "fast-check";
import { isReadSigned, isSignedBy, signBody, signRead } from "../../src/health/signature.ts";

const octets = fc.uint8Array({ maxLength: 300 }).map((each) => Buffer.from(each));
const key = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((each) => Buffer.from(each));

describe("signBody", () => {
  it("is HMAC-SHA256 in hexadecimal (RFC 4231 section 4.2)", () => {
    expect(signBody([Buffer.alloc(20, 0x0b)], Buffer.from("Hi There"))).to.equal(
      "hmac-sha256=b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
    );
  });

  it("throws without a key", () => {
    expect(() => signBody([], Buffer.from("x"))).to.throw("cannot sign: there is no key, got none");
  });
});

describe("isSignedBy", () => {
  it("holds for whichever key signed, and for no other body or key", () => {
    fc.assert(
      fc.property(key, key, octets, fc.nat(), (first, second, body, at) => {
        fc.pre(!first.equals(second));
        const header = signBody([first], body);
        expect(isSignedBy([first], header, body)).to.equal(true);
        expect(isSignedBy([second, first], header, body)).to.equal(true);
        expect(isSignedBy([second], header, body)).to.equal(false);
        expect(isSignedBy([], header, body)).to.equal(false);
        expect(isSignedBy([first], header, Buffer.concat([body, Buffer.from([0])]))).to.equal(
          false,
        );
        if (body.length === 0) return;
        const altered = Buffer.from(body);
        altered.writeUInt8(altered.readUInt8(at % body.length) ^ (1 << (at % 8)), at % body.length);
        expect(isSignedBy([first], header, altered)).to.equal(false);
      }),
    );
  });

  const body = Buffer.from("body");
  const keys = [Buffer.alloc(32, 7)];
  const right = signBody(keys, body);
  const others: readonly { readonly name: string; readonly header: unknown }[] = [
    { name: "none", header: undefined },
    { name: "an empty one", header: "" },
    { name: "two in one", header: `${right}, ${right}` },
    { name: "two apart", header: [right, right] },
    { name: "one in a list", header: [right] },
    { name: "capitals", header: right.toUpperCase() },
    { name: "a digit less", header: right.slice(0, -1) },
    { name: "a digit more", header: `${right}0` },
    { name: "a line end", header: `${right}\n` },
    { name: "a space before", header: ` ${right}` },
    { name: "no algorithm", header: right.slice(right.indexOf("=") + 1) },
    { name: "an object", header: { toString: () => right } },
  ];
  for (const { name, header } of others) {
    it(`takes no header of another form: ${name}`, () => {
      expect(isSignedBy(keys, right, body)).to.equal(true);
      expect(isSignedBy(keys, header, body)).to.equal(false);
    });
  }

  it("never throws, whatever the header", () => {
    fc.assert(fc.property(fc.anything(), (header) => !isSignedBy(keys, header, body)));
  });
});

describe("isReadSigned", () => {
  const keys = [Buffer.alloc(32, 7)];
  const nowMs = 1_700_000_000_000;
  const right = signRead(keys, "ns3", nowMs);
  const rows: readonly {
    readonly name: string;
    readonly headers: Readonly<Record<string, unknown>>;
    readonly expected: boolean;
  }[] = [
    { name: "as signed", headers: right, expected: true },
    { name: "60 s old", headers: signRead(keys, "ns3", nowMs - 60_000), expected: true },
    { name: "60 s ahead", headers: signRead(keys, "ns3", nowMs + 60_000), expected: true },
    { name: "older", headers: signRead(keys, "ns3", nowMs - 60_001), expected: false },
    { name: "further ahead", headers: signRead(keys, "ns3", nowMs + 60_001), expected: false },
    {
      name: "by another key",
      headers: signRead([Buffer.alloc(32)], "ns3", nowMs),
      expected: false,
    },
    { name: "another name", headers: { ...right, "meridian-name": "ns4" }, expected: false },
    {
      name: "another time",
      headers: { ...right, "meridian-date": `${nowMs + 1}` },
      expected: false,
    },
    { name: "a time in words", headers: { ...right, "meridian-date": "now" }, expected: false },
    { name: "no name", headers: { ...right, "meridian-name": undefined }, expected: false },
    { name: "nothing", headers: {}, expected: false },
  ];
  for (const { name, headers, expected } of rows) {
    it(`${expected ? "holds" : "does not hold"} for a request ${name}`, () => {
      expect(isReadSigned(keys, headers, nowMs)).to.equal(expected);
    });
  }
});
