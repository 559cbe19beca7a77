// Reading some names of a zone with few listings, whichever way the service orders names.

import { expect } from "chai";
import fc from "fast-check";
import { fromRoute53Name, toRoute53Name } from "../../src/mirror/route53-names.ts";
import { type ListingPlace, type ReadPage, readNames } from "../../src/mirror/route53-read.ts";
import type { Route53RecordSet } from "../../src/mirror/route53-records.ts";

/** Orders that the reference allows, and one that another server of the API has. */
const orders: readonly { name: string; key: (name: string) => string }[] = [
  { name: "as the reference has it", key: (name) => `${reversed(bare(name))}.` },
  { name: "with escapes as they are written", key: (name) => `${reversed(escaped(name))}.` },
  { name: "without a final dot", key: (name) => reversed(bare(name)) },
  { name: "label by label", key: (name) => reversed(bare(name)).replaceAll(".", "\u0000") },
];

const label = fc.constantFrom(
  "a",
  "a-b",
  "a-1",
  "b",
  "1",
  "*",
  "_meridian-a",
  "a_b",
  "\\033x",
  "ab",
);
const name = fc
  .array(label, { maxLength: 3 })
  .map((labels) => [...labels, "example.com."].join("."));

describe("reading names of Route 53", () => {
  for (const { name: orderName, key } of orders) {
    it(`finds all that is there in an order ${orderName}`, async () => {
      const zone = fc.array(fc.tuple(name, fc.constantFrom("A", "TXT"), fc.nat(9)), {
        maxLength: 60,
      });
      await fc.assert(
        fc.asyncProperty(zone, fc.array(name, { maxLength: 30 }), async (places, wanted) => {
          const sets = places.flatMap(([at, type, parts]) => setsAt(at, type, parts));
          const listing = new Listing(sets, key, 7);
          const found = await readNames(wanted, listing.readPage);
          const expected = listing.sets.filter((set) =>
            wanted.includes(fromRoute53Name(set.Name ?? "")),
          );
          expect(texts(found)).to.deep.equal(texts(expected));
          expect(listing.pages).to.be.at.most(new Set(wanted).size + listing.sets.length / 7);
        }),
        { numRuns: 150, seed: 53 },
      );
    });
  }

  const costs = [
    { what: "nothing", wanted: [], pages: 0 },
    { what: "one name", wanted: ["s7.example.com."], pages: 1 },
    { what: "a name that is not there", wanted: ["zz.example.com."], pages: 1 },
    { what: "neighbours", wanted: ["s10.example.com.", "s1.example.com."], pages: 1 },
    { what: "names far apart", wanted: ["s1.example.com.", "s9.example.com."], pages: 2 },
    {
      what: "the whole zone",
      wanted: Array.from({ length: 3000 }, (_, at) => `s${at}.example.com.`),
      pages: 10,
    },
  ];
  for (const { what, wanted, pages } of costs) {
    it(`takes ${pages} requests for ${what}`, async () => {
      const names = Array.from({ length: 3000 }, (_, at) => `s${at}.example.com.`);
      const sets = names.flatMap((one) => setsAt(one, "A", 0));
      const big = new Listing(sets, orders[0]?.key ?? String, 300);
      await readNames(wanted, big.readPage);
      expect(big.pages).to.equal(pages);
    });
  }

  it("asks for the most of a page only where many names are wanted", async () => {
    const asked: number[] = [];
    const readPage: ReadPage = async (_, most) => {
      asked.push(most);
      return { sets: [], next: undefined };
    };
    await readNames(["a.example.com."], readPage);
    await readNames(
      Array.from({ length: 10 }, (_, at) => `s${at}.example.com.`),
      readPage,
    );
    expect(asked).to.deep.equal([100, 300]);
  });
});

/** A zone that is listed in pages of at most so many. */
class Listing {
  readonly sets: readonly Route53RecordSet[];
  pages = 0;
  readonly #key: (set: ListingPlace) => string;
  readonly #mostSets: number;

  constructor(sets: readonly Route53RecordSet[], nameKey: (name: string) => string, most: number) {
    this.#key = ({ name: at, type = "", identifier = "" }) =>
      `${nameKey(fromRoute53Name(at))}\u0000\u0000${type}\u0000${identifier}`;
    const byKey = new Map(sets.map((set) => [this.#key(placeOf(set)), set]));
    this.sets = [...byKey].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, set]) => set);
    this.#mostSets = most;
  }

  readonly readPage: ReadPage = async (from, most) => {
    this.pages++;
    const firstKey = from ? this.#key(from) : "";
    const rest = this.sets.filter((set) => this.#key(placeOf(set)) >= firstKey);
    const size = Math.min(most, this.#mostSets);
    const next = rest[size];
    return { sets: rest.slice(0, size), next: next && placeOf(next) };
  };
}

function placeOf({ Name = "", Type, SetIdentifier }: Route53RecordSet): ListingPlace {
  return { name: Name, type: Type, identifier: SetIdentifier };
}

function setsAt(at: string, type: string, parts: number): Route53RecordSet[] {
  const set = { Name: escaped(at), Type: type, TTL: 60, ResourceRecords: [{ Value: "x" }] };
  if (parts === 0) return [set];
  return Array.from({ length: parts }, (_, part) => ({ ...set, SetIdentifier: `p${part}` }));
}

/** As Route 53 lists it. */
function escaped(text: string): string {
  return toRoute53Name(text).replaceAll("*", "\\052");
}

function bare(text: string): string {
  return text.replace("\\033", "!");
}

function reversed(text: string): string {
  return text.slice(0, -1).split(".").reverse().join(".");
}

function texts(sets: readonly Route53RecordSet[]): string[] {
  return sets.map((set) => JSON.stringify(set)).sort();
}
