// Range tables against the longest prefix found by trying all, and the scopes that come of them.

import { expect } from "chai";
import fc from "fast-check";
import { maskAddress } from "../../src/dns/address.ts";
import {
  findRange,
  fromNetworks,
  mapValues,
  overlay,
  type RangeTable,
  scopeOf,
  valueAt,
} from "../../src/geo/range-table.ts";
import { address, network } from "./addresses.ts";
import { addressesOf, entriesOf, families } from "./arbitraries.ts";
import { naiveValue } from "./naive-lookup.ts";

const runs = { seed: 20261121, numRuns: 1000 };

describe("range table", () => {
  it("gives every address the value of the longest network around it", () => {
    fc.assert(
      fc.property(
        families.chain((family) =>
          fc.tuple(fc.constant(family), entriesOf(family), fc.array(addressesOf(family))),
        ),
        ([family, entries, addresses]) => {
          const table = fromNetworks(family, entries);
          expectWellFormed(table);
          for (const each of [...addresses, ...edgesOf(table)]) {
            expect(valueAt(table, each)).to.equal(naiveValue(entries, each));
          }
        },
      ),
      runs,
    );
  });

  it("lays one table over another, value by value", () => {
    fc.assert(
      fc.property(
        families.chain((family) =>
          fc.tuple(fc.constant(family), entriesOf(family), entriesOf(family)),
        ),
        ([family, topEntries, bottomEntries]) => {
          const [top, bottom] = [
            fromNetworks(family, topEntries),
            fromNetworks(family, bottomEntries),
          ];
          const both = overlay(top, bottom);
          expectWellFormed(both);
          for (const each of [...edgesOf(top), ...edgesOf(bottom)]) {
            const above = valueAt(top, each);
            expect(valueAt(both, each)).to.equal(above >= 0 ? above : valueAt(bottom, each));
          }
        },
      ),
      runs,
    );
  });

  it("maps values and merges neighbours that became equal", () => {
    fc.assert(
      fc.property(families.chain(entriesAndFamily), ([family, entries]) => {
        const table = fromNetworks(family, entries);
        const half = (value: number): number => value >> 1;
        const mapped = mapValues(table, half);
        expectWellFormed(mapped);
        for (const each of edgesOf(table)) {
          expect(valueAt(mapped, each)).to.equal(half(valueAt(table, each)));
        }
      }),
      runs,
    );
  });

  it("gives as scope the shortest prefix in which all addresses have the same value", () => {
    fc.assert(
      fc.property(
        families.chain((family) =>
          fc.tuple(fc.constant(family), entriesOf(family), addressesOf(family)),
        ),
        ([family, entries, given]) => {
          const table = fromNetworks(family, entries);
          for (const each of [given, ...edgesOf(table)]) {
            const scope = scopeOf(table, findRange(table, each), each);
            expect(isUniform(table, each, scope), "the scope prefix is uniform").to.equal(true);
            if (scope > 0) {
              expect(isUniform(table, each, scope - 1), "a bit less is not").to.equal(false);
            }
          }
        },
      ),
      runs,
    );
  });

  it("is one range of nothing without networks", () => {
    for (const family of [4, 6] as const) {
      const table = fromNetworks(family, []);
      expect([...table.values]).to.deep.equal([-1]);
      expect(scopeOf(table, 0, new Uint8Array(family === 4 ? 4 : 16))).to.equal(0);
    }
  });

  it("passes over networks of the other family", () => {
    const entries = [
      { network: network("0.0.0.0/0"), value: 1 },
      { network: network("::/0"), value: 2 },
    ];
    expect([...fromNetworks(4, entries).values]).to.deep.equal([1]);
    expect([...fromNetworks(6, entries).values]).to.deep.equal([2]);
  });

  it("takes the first of two equal networks", () => {
    const entries = [1, 2].map((value) => ({ network: network("10.0.0.0/8"), value }));
    expect(valueAt(fromNetworks(4, entries), address("10.1.1.1"))).to.equal(1);
  });

  it("lets a network with -1 take its addresses out of a shorter one", () => {
    const table = fromNetworks(4, [
      { network: network("10.0.0.0/8"), value: 5 },
      { network: network("10.1.0.0/16"), value: -1 },
    ]);
    expect(valueAt(table, address("10.0.255.255"))).to.equal(5);
    expect(valueAt(table, address("10.1.0.0"))).to.equal(-1);
    expect(valueAt(table, address("10.2.0.0"))).to.equal(5);
  });

  it("lies in shared memory, so that threads need no copy", () => {
    const table = fromNetworks(6, [{ network: network("2001:db8::/32"), value: 0 }]);
    expect(table.starts.buffer).to.be.instanceOf(SharedArrayBuffer);
    expect(table.values.buffer).to.be.instanceOf(SharedArrayBuffer);
  });

  const scopes = [
    { name: "a network alone", networks: ["192.0.2.0/24"], of: "192.0.2.9", expected: 24 },
    {
      name: "equal siblings are merged",
      networks: ["192.0.2.0/25", "192.0.2.128/25"],
      of: "192.0.2.9",
      expected: 24,
    },
    { name: "next to a network", networks: ["192.0.2.0/24"], of: "192.0.3.1", expected: 24 },
    { name: "far from every network", networks: ["192.0.2.0/24"], of: "10.1.1.1", expected: 1 },
    { name: "a network that covers all", networks: ["0.0.0.0/0"], of: "10.1.1.1", expected: 0 },
    { name: "one address", networks: ["255.255.255.255/32"], of: "255.255.255.255", expected: 32 },
    {
      name: "IPv6 across words",
      networks: ["2001:db8:0:1::/64"],
      of: "2001:db8:0:1::1",
      expected: 64,
    },
    {
      name: "IPv6 beside a network across words",
      networks: ["2001:db8:0:1::/64"],
      of: "2001:db8::1",
      expected: 64,
    },
  ];
  for (const { name, networks, of, expected } of scopes) {
    it(`has a scope for: ${name}`, () => {
      const client = address(of);
      const table = fromNetworks(
        client.length === 4 ? 4 : 6,
        networks.map((each) => ({ network: network(each), value: 0 })),
      );
      expect(scopeOf(table, findRange(table, client), client)).to.equal(expected);
    });
  }
});

function entriesAndFamily(family: 4 | 6) {
  return fc.tuple(fc.constant(family), entriesOf(family));
}

/** First starts at zero, starts rise, neighbours differ. */
function expectWellFormed(table: RangeTable): void {
  const starts = startsOf(table);
  expect(starts[0]).to.equal(0n);
  for (let range = 1; range < starts.length; range += 1) {
    expect(Number((starts[range] ?? 0n) - (starts[range - 1] ?? 0n))).to.be.above(0);
    expect(table.values[range]).to.not.equal(table.values[range - 1]);
  }
}

function isUniform(table: RangeTable, around: Uint8Array, prefixLength: number): boolean {
  const first = maskAddress(around, prefixLength);
  const last = Uint8Array.from(first, (octet, index) => {
    const known = Math.min(8, Math.max(0, prefixLength - index * 8));
    return octet | (0xff >> known);
  });
  // Neighbouring ranges differ, so equal values mean one range.
  return findRange(table, first) === findRange(table, last);
}

/** The first and the last address of every range. */
function edgesOf(table: RangeTable): Uint8Array[] {
  const bits = table.family === 4 ? 32n : 128n;
  return startsOf(table)
    .flatMap((start) => [start, (start - 1n) & ((1n << bits) - 1n)])
    .map((number) => Buffer.from(number.toString(16).padStart(Number(bits / 4n), "0"), "hex"));
}

function startsOf(table: RangeTable): bigint[] {
  const wordCount = table.family === 4 ? 1 : 4;
  return Array.from(table.values, (_, range) =>
    table.starts
      .subarray(range * wordCount, (range + 1) * wordCount)
      .reduce((number, word) => (number << 32n) | BigInt(word), 0n),
  );
}
