// Sets of services by hashes against plain sets of their names.

import { expect } from "chai";
import { hashesOf, ServiceHashes } from "../../src/sources/service-hashes.ts";

const keys = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, at) => `namespace-${(from + at) % 7}/service-${from + at}`);

function setOf(list: readonly string[]): ServiceHashes {
  const set = new ServiceHashes();
  for (const key of list) set.add(...hashesOf(key));
  return set;
}

describe("service hashes", () => {
  it("know what was added, and nothing else", () => {
    const set = setOf(keys(0, 50_000));
    expect(set.size).to.equal(50_000);
    expect(keys(0, 50_000).filter((key) => !set.has(...hashesOf(key)))).to.deep.equal([]);
    expect(keys(50_000, 100_000).filter((key) => set.has(...hashesOf(key)))).to.deep.equal([]);
  });

  it("say of what is added that it was there", () => {
    const set = setOf(keys(0, 100));
    expect(keys(90, 110).map((key) => set.add(...hashesOf(key)))).to.deep.equal([
      ...Array(10).fill(false),
      ...Array(10).fill(true),
    ]);
  });

  it("tell a service from its namespace, and from one of two names that join to the same", () => {
    const set = setOf(["a/b", "ab/c"]);
    for (const key of ["b/a", "a/bc", "abc/c"]) expect(set.has(...hashesOf(key))).to.equal(false);
  });

  it("keep two services apart whose first hashes are one", () => {
    const set = new ServiceHashes();
    expect([
      set.add(0, 1),
      set.add(0, 3),
      set.add(0, 1),
      set.has(0, 3),
      set.has(0, 5),
    ]).to.deep.equal([true, true, false, true, false]);
  });

  it("tell what they share, and whether one lies within others", () => {
    const shared: string[] = [];
    setOf(keys(0, 10)).forEachShared(setOf(keys(8, 20)), (...pair) => shared.push(pair.join()));
    expect(shared.sort()).to.deep.equal(
      keys(8, 10)
        .map((key) => hashesOf(key).join())
        .sort(),
    );
    const both = [setOf(keys(0, 10)), setOf(keys(10, 20))];
    expect(setOf(keys(5, 15)).isWithin(both)).to.equal(true);
    expect(setOf(keys(5, 21)).isWithin(both)).to.equal(false);
    expect(setOf([]).isWithin([])).to.equal(true);
  });
});
