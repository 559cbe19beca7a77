// Server cookies: layout and what they depend on (RFC 7873, RFC 9018 section 4).

import { expect } from "chai";
import { serverCookie } from "../../src/answer/cookies.ts";
import { address } from "../geo/addresses.ts";

const client = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8);
const source = address("192.0.2.1");
const secret = new Uint8Array(16).fill(7);
const now = 1_780_000_000;

describe("a server cookie", () => {
  it("has version 1, three reserved octets, the time, and eight octets of hash", () => {
    const cookie = Buffer.from(serverCookie(client, source, now, secret));
    expect(cookie.length).to.equal(16);
    expect([...cookie.subarray(0, 4)]).to.deep.equal([1, 0, 0, 0]);
    expect(cookie.readUInt32BE(4)).to.equal(now);
  });

  it("is the same for the same client, address, time and secret", () => {
    expect(serverCookie(client, source, now, secret)).to.deep.equal(
      serverCookie(client, source, now, secret),
    );
  });

  const others = [
    { name: "client cookie", cookie: serverCookie(client.slice().reverse(), source, now, secret) },
    { name: "address", cookie: serverCookie(client, address("192.0.2.2"), now, secret) },
    { name: "family", cookie: serverCookie(client, address("::c000:201"), now, secret) },
    { name: "time", cookie: serverCookie(client, source, now + 1, secret) },
    { name: "secret", cookie: serverCookie(client, source, now, new Uint8Array(16)) },
  ];
  for (const { name, cookie } of others) {
    it(`has another hash for another ${name}`, () => {
      const own = serverCookie(client, source, now, secret);
      expect([...cookie.subarray(8)]).to.not.deep.equal([...own.subarray(8)]);
    });
  }

  it("wraps the time after 2106, as serial numbers do", () => {
    const cookie = Buffer.from(serverCookie(client, source, 2 ** 32 + 5, secret));
    expect(cookie.readUInt32BE(4)).to.equal(5);
  });
});
