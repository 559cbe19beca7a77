import { expect } from "chai";
import fc from "fast-check";
import {
  compareAddresses,
  containsAddress,
  formatAddress,
  formatNetwork,
  maskAddress,
  parseAddress,
  parseNetwork,
} from "../../src/dns/address.ts";
import { seed } from "./arbitraries.ts";

const addresses = fc.oneof(
  fc.uint8Array({ minLength: 4, maxLength: 4 }),
  fc.uint8Array({ minLength: 16, maxLength: 16 }),
);

function octets(text: string): Uint8Array {
  return parseAddress(text) ?? new Uint8Array();
}

describe("addresses", () => {
  const canonical = [
    { name: "IPv4", input: "192.0.2.1", expected: "192.0.2.1" },
    { name: "lower case without leading zeros", input: "2001:0DB8::0A", expected: "2001:db8::a" },
    { name: "the longest run of zeros", input: "1:0:0:2:0:0:0:3", expected: "1:0:0:2::3" },
    { name: "the first of equal runs", input: "1:0:0:2:3:0:0:4", expected: "1::2:3:0:0:4" },
    { name: "no run of a single zero", input: "1:0:2:3:4:5:6:7", expected: "1:0:2:3:4:5:6:7" },
    { name: "nothing but zeros", input: "0:0:0:0:0:0:0:0", expected: "::" },
    { name: "IPv4-mapped with dots", input: "::FFFF:c000:201", expected: "::ffff:192.0.2.1" },
    { name: "IPv4-compatible, which is not mapped", input: "::192.0.2.1", expected: "::c000:201" },
  ];
  for (const { name, input, expected } of canonical) {
    it(`print by RFC 5952: ${name}`, () => {
      expect(formatAddress(octets(input))).to.equal(expected);
    });
  }

  for (const input of [
    "1.2.3",
    "010.1.1.1",
    "1.2.3.4.5",
    "256.1.1.1",
    "fe80::1%eth0",
    "1::2::3",
    "0x7f.1",
    " 1.2.3.4",
    "",
  ]) {
    it(`are refused if they are not strict: "${input}"`, () => {
      expect(parseAddress(input)).to.equal(undefined);
    });
  }

  it("read back to the same octets", () => {
    const law = fc.property(addresses, (address) => {
      expect(parseAddress(formatAddress(address))).to.deep.equal(address);
    });
    fc.assert(law, { seed, numRuns: 500 });
  });

  it("stand in order: IPv4 before IPv6, then by octets", () => {
    const ordered = ["1.2.3.4", "1.2.4.0", "200.0.0.0", "::", "::1", "2001:db8::"];
    const sorted = [...ordered].reverse().map(octets).sort(compareAddresses).map(formatAddress);
    expect(sorted).to.deep.equal(ordered);
  });
});

describe("networks", () => {
  for (const text of ["10.0.0.0/14", "0.0.0.0/0", "192.0.2.1/32", "2001:db8:77::/48", "::/0"]) {
    it(`are read and printed: ${text}`, () => {
      const result = parseNetwork(text);
      expect(result.ok && formatNetwork(result.network)).to.equal(text);
    });
  }

  it("without a length hold one address", () => {
    expect(parseNetwork("192.0.2.1")).to.deep.equal(parseNetwork("192.0.2.1/32"));
    expect(parseNetwork("2001:db8::1")).to.deep.equal(parseNetwork("2001:db8::1/128"));
  });

  const refused = [
    { input: "10.1.0.0/14", expected: "it has bits past its length (the network is 10.0.0.0/14)" },
    {
      input: "2001:db8::1/64",
      expected: "it has bits past its length (the network is 2001:db8::/64)",
    },
    { input: "10.0.0.0/33", expected: "the prefix length is not 0 to 32" },
    { input: "::/129", expected: "the prefix length is not 0 to 128" },
    { input: "10.0.0.0/", expected: "the prefix length is not 0 to 32" },
    { input: "10.0.0.0/08", expected: "the prefix length is not 0 to 32" },
    { input: "10.0.0.0/-1", expected: "the prefix length is not 0 to 32" },
    { input: "10.0.0/8", expected: "it is not an IP address or address/length" },
    { input: "", expected: "it is not an IP address or address/length" },
  ];
  for (const { input, expected } of refused) {
    it(`are refused: "${input}"`, () => {
      expect(parseNetwork(input)).to.deep.equal({
        ok: false,
        reason: `cannot read a network: ${expected}, got "${input}"`,
      });
    });
  }

  it("hold exactly the addresses that agree with them up to the length", () => {
    const law = fc.property(addresses, addresses, fc.nat(128), (address, other, length) => {
      const prefixLength = Math.min(length, address.length * 8);
      const network = { address: maskAddress(address, prefixLength), prefixLength };
      expect(containsAddress(network, address)).to.equal(true);
      const bits = (of: Uint8Array) =>
        [...of].map((octet) => octet.toString(2).padStart(8, "0")).join("");
      expect(containsAddress(network, other)).to.equal(
        other.length === address.length &&
          bits(other).slice(0, prefixLength) === bits(address).slice(0, prefixLength),
      );
      expect(bits(network.address).slice(prefixLength)).to.match(/^0*$/);
    });
    fc.assert(law, { seed, numRuns: 1000 });
  });
});
