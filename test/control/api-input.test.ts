// Bodies that are allowed to be long: what is wrong with them is told in a moment and in few words.

import { expect } from "chai";
import { readBody } from "../../src/control/api-input.ts";
import { whatIfRequestSchema } from "../../src/control/api-schemas.ts";

const tooMuch = "body: allowed at most 700000 values, 16 levels deep, got more";
const keys = (count: number): string =>
  `{${Array.from({ length: count }, (_, at) => `"k${at}":1`).join()}}`;

const cases: readonly { name: string; body: string; faults: readonly RegExp[] | number }[] = [
  { name: "a million unknown keys", body: keys(1_000_000), faults: [new RegExp(`^${tooMuch}$`)] },
  { name: "100,000 unknown keys", body: keys(100_000), faults: 20 },
  {
    name: "millions of empty queries",
    body: `{"queries":[${"{},".repeat(1_000_000)}{}]}`,
    faults: [new RegExp(`^${tooMuch}$`)],
  },
  {
    name: "lists in lists",
    body: `{"queries":${"[".repeat(17)}${"]".repeat(17)}}`,
    faults: [new RegExp(`^${tooMuch}$`)],
  },
  { name: "100,000 queries that all lack a client", body: lacking(100_000), faults: 20 },
  {
    name: "a key of megabytes",
    body: `{"${"k".repeat(4_000_000)}":1}`,
    faults: [/^body\[k+\.*\]: there is no such key$/],
  },
  {
    name: "a name of megabytes",
    body: JSON.stringify({ queries: [{ name: "a.".repeat(2_000_000), client: "192.0.2.1" }] }),
    faults: [/^body\.queries\[0\]\.name: allowed 1100 or less characters, got .{1,100}$/],
  },
  {
    name: "counts whose sum is no number",
    body: JSON.stringify({ queries: [{ name: "a", client: "192.0.2.1", count: 1e308 }] }),
    faults: [/^body\.queries\[0\]\.count: allowed 1000000000000 or less, got 1e\+308$/],
  },
];

describe("a long body", () => {
  for (const { name, body, faults } of cases) {
    it(`is refused in few words with ${name}`, () => {
      const read = readBody(whatIfRequestSchema, body);
      const told = read.ok ? [] : read.faults;
      if (typeof faults === "number") expect(told).to.have.lengthOf(faults);
      else {
        expect(told).to.have.lengthOf(faults.length);
        for (const [at, form] of faults.entries()) expect(told[at]).to.match(form);
      }
      expect(told.join().length).to.be.below(2000);
    });
  }

  it("may have as many queries as are allowed, with brackets, commas and quotes in their texts", () => {
    const query = {
      name: '[{"\\,',
      type: "A",
      client: "192.0.2.1",
      resolver: "192.0.2.2",
      count: 2,
    };
    const queries = Array.from({ length: 100_000 }, () => query);
    const read = readBody(whatIfRequestSchema, JSON.stringify({ queries }));
    expect(read.ok && read.value.queries).to.have.lengthOf(100_000);
  });

  it("is read as JSON is, whatever its strings end with", () => {
    for (const name of ["\\", '"', '\\\\"', "\\u0022", "]]]]]]]]]]]]]]]]]]]]"]) {
      const read = readBody(
        whatIfRequestSchema,
        JSON.stringify({ queries: [{ name, client: "a" }] }),
      );
      expect(read.ok && read.value.queries?.[0]?.name, name).to.equal(name);
    }
  });
});

function lacking(count: number): string {
  return `{"queries":[${Array.from({ length: count }, () => '{"name":"a"}').join()}]}`;
}
