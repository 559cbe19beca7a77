// Which prefix a client counts as, and how a scope goes back into the query's own family.

import { readFileSync } from "node:fs";
import { expect } from "chai";
import { formatNetwork } from "../../src/dns/address.ts";
import {
  clientPrefix,
  drawPrefix,
  drawPrefixLength,
  outerScope,
} from "../../src/geo/client-prefix.ts";
import { address as octets } from "./addresses.ts";

interface Case {
  name: string;
  address: string;
  prefixLength: number;
  expected: { network: string; embedding: number };
  draw: string;
}

const cases: Case[] = JSON.parse(
  readFileSync(new URL("../cases/geo/client-prefixes.json", import.meta.url), "utf8"),
);

describe("client prefix", () => {
  for (const { name, address, prefixLength, expected, draw } of cases) {
    it(`is right for: ${name}`, () => {
      const client = clientPrefix(octets(address), prefixLength);
      expect(formatNetwork(client)).to.equal(expected.network);
      expect(client.embedding).to.equal(expected.embedding);
      expect(client.family).to.equal(client.address.length === 4 ? 4 : 6);
      const drawn = { address: drawPrefix(client), prefixLength: drawPrefixLength(client) };
      expect(formatNetwork(drawn)).to.equal(draw);
    });
  }

  it("leaves the octets that it was given alone", () => {
    const given = octets("2001:0:4136:e378:8000:63bf:3fff:fdd2");
    clientPrefix(given, 100);
    expect(given).to.deep.equal(octets("2001:0:4136:e378:8000:63bf:3fff:fdd2"));
  });
});

describe("outer scope", () => {
  const scopes = [
    { name: "IPv4", address: "192.0.2.77", scope: 17, expected: 17 },
    { name: "IPv4 without dependence", address: "192.0.2.77", scope: 0, expected: 0 },
    { name: "IPv6", address: "2001:db8::1", scope: 44, expected: 44 },
    { name: "IPv4-mapped", address: "::ffff:192.0.2.77", scope: 17, expected: 113 },
    { name: "6to4", address: "2002:c000:24d::1", scope: 24, expected: 40 },
    { name: "Teredo", address: "2001::3fff:fdb2", scope: 32, expected: 128 },
    { name: "6to4, all of IPv4 alike", address: "2002:c000:24d::1", scope: 0, expected: 16 },
  ];
  for (const { name, address, scope, expected } of scopes) {
    it(`counts the bits of the query's own family: ${name}`, () => {
      const given = octets(address);
      expect(outerScope(clientPrefix(given, given.length * 8), scope)).to.equal(expected);
    });
  }
});
