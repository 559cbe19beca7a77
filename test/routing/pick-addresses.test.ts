// From ordered clusters to the addresses of an answer (semantics 3, "Addresses", and 4).

import { expect } from "chai";
import { pickAddresses } from "../../src/routing/pick-addresses.ts";

interface Row {
  readonly name: string;
  /** Each cluster's addresses as last octets. */
  readonly clusters: readonly string[];
  readonly maxAddresses?: number;
  readonly rotation?: number;
  readonly expected: string;
}

const rows: Row[] = [
  { name: "no cluster", clusters: [], expected: "" },
  {
    name: "those of one cluster stand together",
    clusters: ["1 2", "3", "4 5"],
    expected: "1 2 3 4 5",
  },
  { name: "they rotate", clusters: ["1 2 3", "4 5"], rotation: 1, expected: "2 3 1 5 4" },
  { name: "they rotate on and on", clusters: ["1 2 3", "4 5"], rotation: 5, expected: "3 1 2 5 4" },
  {
    name: "too many: each cluster keeps one",
    clusters: ["1 2", "3 4", "5 6"],
    maxAddresses: 3,
    expected: "1 3 5",
  },
  {
    name: "what room is left goes to the first cluster",
    clusters: ["1 2 3", "4 5", "6"],
    maxAddresses: 4,
    expected: "1 2 4 6",
  },
  {
    name: "then to the next ones",
    clusters: ["1 2", "3 4 5", "6 7"],
    maxAddresses: 5,
    expected: "1 2 3 4 6",
  },
  {
    name: "more clusters than room: the last ones go",
    clusters: ["1 2", "3", "4", "5"],
    maxAddresses: 2,
    expected: "1 3",
  },
  { name: "room for one", clusters: ["1 2", "3"], maxAddresses: 1, expected: "1" },
  {
    name: "room for one, rotated",
    clusters: ["1 2", "3"],
    maxAddresses: 1,
    rotation: 1,
    expected: "2",
  },
  { name: "exactly enough room", clusters: ["1 2", "3"], maxAddresses: 3, expected: "1 2 3" },
  {
    name: "a cluster without an address takes no room",
    clusters: ["", "1", "2"],
    maxAddresses: 2,
    expected: "1 2",
  },
  {
    name: "what is cut off is another address each time",
    clusters: ["1 2 3", "4"],
    maxAddresses: 3,
    rotation: 2,
    expected: "3 1 4",
  },
];

describe("the addresses of an answer", () => {
  for (const { name, clusters, maxAddresses = 8, rotation = 0, expected } of rows) {
    it(name, () => {
      const given = clusters.map((each) =>
        numbers(each).map((octet) => Uint8Array.of(192, 0, 2, octet)),
      );
      const found = pickAddresses(given, maxAddresses, rotation);
      expect(found.map((address) => address[3])).to.deep.equal(numbers(expected));
    });
  }
});

function numbers(text: string): number[] {
  return text
    .split(" ")
    .filter((each) => each !== "")
    .map(Number);
}
