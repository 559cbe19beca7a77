// Zones' nodes in shared memory against the Map that they were packed from.

import { expect } from "chai";
import fc from "fast-check";
import { labelsOf, type Name, nameKey, nameOf, rootName } from "../../src/dns/name.ts";
import { NodeTag, PackedNodes, packNodes } from "../../src/zone/packed-nodes.ts";
import type { RRset, ZoneNode } from "../../src/zone/zone.ts";
import { anyOctets, names, plainText, seed } from "../dns/arbitraries.ts";
import { nodeNames } from "../kit/node-names.ts";
import { name, zoneOf } from "./master-file-text.ts";

const rdatas = fc.array(
  fc.oneof(
    { weight: 9, arbitrary: fc.uint8Array({ maxLength: 40 }) },
    // The longest rdata that there can be.
    { weight: 1, arbitrary: fc.nat(255).map((octet) => new Uint8Array(65_535).fill(octet)) },
  ),
  { minLength: 1, maxLength: 5 },
);
const rrsets: fc.Arbitrary<RRset[]> = fc.uniqueArray(
  fc.record({
    type: fc.oneof(fc.constantFrom(1, 2, 5, 6, 28), fc.integer({ min: 0, max: 65_535 })),
    ttlSeconds: fc.oneof(fc.constantFrom(0, 0x7fffffff, 0xffffffff), fc.nat()),
    rdatas,
  }),
  { maxLength: 4, selector: ({ type }) => type },
);
const owners = fc
  .oneof(names(plainText), names(anyOctets))
  .chain((owner) => fc.constantFrom(owner, owner.length < 250 ? nameOf(["*"], owner) : owner));
const nodes: fc.Arbitrary<Map<string, ZoneNode>> = fc
  .array(fc.tuple(owners, rrsets), { minLength: 1, maxLength: 12 })
  .map(
    (list) =>
      new Map(
        list.map(([owner, sets]): [string, ZoneNode] => [
          nameKey(owner),
          { name: owner, rrsets: new Map(sets.map((each) => [each.type, each])) },
        ]),
      ),
  );

describe("packed nodes", () => {
  it("are those that were packed, with their spelling, RRsets in order, TTLs and rdata", () => {
    fc.assert(
      fc.property(nodes, (plain) => {
        const packed = packNodes(nameKey(rootName), plain);
        const opened = new PackedNodes(structuredClone(packed.map.image()));
        for (const each of [packed, opened]) {
          for (const [key, node] of plain) expectSame(each.get(key), node);
          expect(nodeNames(each).map(nameKey)).to.have.members([...plain.keys()]);
        }
      }),
      { seed, numRuns: 200 },
    );
  });

  it("have no node for a name that has none", () => {
    fc.assert(
      fc.property(nodes, owners, (plain, other) => {
        const packed = packNodes(nameKey(rootName), plain);
        expect(packed.get(nameKey(other)) !== undefined).to.equal(plain.has(nameKey(other)));
        expect(packed.find(lowered(other), 0, other.length) !== 0).to.equal(
          plain.has(nameKey(other)),
        );
        for (const key of plain.keys()) {
          const below = `\x01x${key}`;
          if (below.length <= 255 && !plain.has(below))
            expect(packed.get(below)).to.equal(undefined);
          const shorter = key.slice(1);
          if (shorter.length > 0 && !plain.has(shorter)) {
            expect(packed.get(shorter)).to.equal(undefined);
          }
        }
      }),
      { seed },
    );
  });

  it("are found where a name stands among other octets", () => {
    fc.assert(
      fc.property(nodes, fc.uint8Array({ maxLength: 7 }), (plain, before) => {
        const packed = packNodes(nameKey(rootName), plain);
        for (const [key, node] of plain) {
          const octets = Uint8Array.of(...before, ...lowered(node.name), 0x61, 0x62);
          const ref = packed.find(octets, before.length, node.name.length);
          expect(ref).to.be.above(0);
          const keyAt = packed.map.keyAt(ref);
          const found = packed.map.octetsOf(ref).subarray(keyAt, keyAt + node.name.length);
          expect(Buffer.from(found).toString("latin1")).to.equal(key);
        }
      }),
      { seed, numRuns: 50 },
    );
  });

  it("are tagged: cuts below the apex, and what a wildcard is below", () => {
    fc.assert(
      fc.property(nodes, fc.nat(11), (plain, pick) => {
        const apex = [...plain.keys()][pick % plain.size] ?? "";
        const packed = packNodes(apex, plain);
        for (const [key, node] of plain) {
          const ref = packed.find(lowered(node.name), 0, node.name.length);
          const isCut = key !== apex && node.rrsets.has(2);
          const hasWildcard = [...plain.values()].some(
            (other) => isWildcard(other.name) && nameKey(parentOf(other.name)) === key,
          );
          const tag = packed.map.tagOf(ref);
          expect((tag & NodeTag.CUT) !== 0, "cut").to.equal(isCut);
          expect((tag & NodeTag.WILDCARD_BELOW) !== 0, "wildcard").to.equal(hasWildcard);
        }
      }),
      { seed, numRuns: 200 },
    );
  });

  const tagged = [
    { owner: "example.", expected: NodeTag.WILDCARD_BELOW },
    { owner: "*.example.", expected: 0 },
    { owner: "sub.example.", expected: NodeTag.CUT },
    { owner: "both.example.", expected: NodeTag.CUT | NodeTag.WILDCARD_BELOW },
    { owner: "ns.sub.example.", expected: 0 },
    { owner: "empty.example.", expected: 0 },
    { owner: "www.empty.example.", expected: 0 },
  ];
  for (const { owner, expected } of tagged) {
    it(`have the tag ${expected} at ${owner}`, () => {
      const zone = zoneOf(
        "$TTL 1\n@ SOA a b 1 2 3 4 5\n@ NS ns.sub\n* A 192.0.2.1\nsub NS ns.sub\nns.sub A 192.0.2.2\nboth NS ns.sub\n*.both A 192.0.2.4\nwww.empty A 192.0.2.3\n",
        "example.",
      );
      const packed = packNodes(nameKey(zone.apex), zone.nodes);
      const octets = name(owner);
      expect(packed.map.tagOf(packed.find(octets, 0, octets.length))).to.equal(expected);
    });
  }
});

function expectSame(found: ZoneNode | undefined, expected: ZoneNode): void {
  // Long rdata is compared at once: chai goes octet by octet.
  const plain = (node: ZoneNode | undefined): unknown =>
    node && {
      name: Buffer.from(node.name).toString("hex"),
      rrsets: [...node.rrsets].map(([key, { type, ttlSeconds, rdatas }]) => [
        ...[key, type, ttlSeconds],
        ...rdatas.map((each) => Buffer.from(each).toString("latin1")),
      ]),
    };
  expect(plain(found)).to.deep.equal(plain(expected));
}

function lowered(owner: Name): Uint8Array {
  return Buffer.from(nameKey(owner), "latin1");
}

function isWildcard(owner: Name): boolean {
  return owner[0] === 1 && owner[1] === 0x2a;
}

function parentOf(owner: Name): Name {
  return nameOf(labelsOf(owner).slice(1), rootName);
}
