// Who votes on what (semantics 7 and 8, "electors"): how many are chosen, that regions are spread,
// that the load is even, and that a change of voters moves only what it must.

import { expect } from "chai";
import fc from "fast-check";
import {
  configurationHash,
  type Electorate,
  electorsOf,
  quorumOf,
  type Voter,
} from "../../src/health/electorate.ts";
import type { Target } from "../../src/health/target.ts";
import { address } from "../geo/addresses.ts";
import { healthCheck } from "../kit/health-check.ts";

describe("a quorum", () => {
  for (const [voters, quorum] of [
    [1, 1],
    [2, 2],
    [3, 2],
    [4, 3],
    [5, 3],
    [6, 4],
    [7, 4],
    [9, 5],
  ] as const) {
    it(`of ${voters} is ${quorum}`, () => expect(quorumOf(voters)).to.equal(quorum));
  }

  it("is the least number of which there cannot be two at once", () => {
    for (let voters = 1; voters < 100; voters++) {
      expect(2 * quorumOf(voters)).to.be.within(voters + 1, voters + 2);
    }
  });
});

describe("the electors of an endpoint", () => {
  for (const { name, voters, electors, expected } of [
    { name: "one voter alone", voters: 1, electors: 5, expected: 1 },
    { name: "fewer voters than electors", voters: 3, electors: 5, expected: 3 },
    { name: "as many voters as electors", voters: 5, electors: 5, expected: 5 },
    { name: "one voter more", voters: 6, electors: 5, expected: 5 },
    { name: "many voters", voters: 40, electors: 5, expected: 5 },
    { name: "another number of electors", voters: 9, electors: 3, expected: 3 },
    { name: "a single elector", voters: 9, electors: 1, expected: 1 },
    { name: "no voter at all", voters: 0, electors: 5, expected: 0 },
  ]) {
    it(`are ${expected}, each once: ${name}`, () => {
      for (let at = 0; at < 50; at++) {
        const chosen = electorsOf(endpoint(at), electorate(voters, electors));
        expect(new Set(chosen).size, chosen.join()).to.equal(expected);
        expect(chosen).to.have.length(expected);
      }
    });
  }

  it("are the same whoever asks: the order of voters does not matter", () => {
    fc.assert(
      fc.property(voterLists, fc.nat(1000), fc.integer({ min: 1, max: 7 }), (voters, at, count) => {
        const forward = electorsOf(endpoint(at), { voters, electors: count });
        const backward = electorsOf(endpoint(at), { voters: voters.toReversed(), electors: count });
        expect(backward.sort()).to.deep.equal(forward.sort());
      }),
      { seed: 20261121, numRuns: 1000 },
    );
  });

  it("are the same in every release: a mixed federation would count other voters' words", () => {
    const nine = electorate(9, 5);
    expect([0, 1, 2].map((at) => electorsOf(endpoint(at), nine).sort().join(" "))).to.deep.equal(
      known,
    );
  });

  it("are never two of a region while another region has none", () => {
    fc.assert(
      fc.property(voterLists, fc.nat(1000), fc.integer({ min: 1, max: 7 }), (voters, at, count) => {
        const chosen = electorsOf(endpoint(at), { voters, electors: count });
        const counts = countsByRegion(voters, chosen);
        for (const [region, { taken }] of counts) {
          for (const [other, { taken: others, all }] of counts) {
            const isFair = taken - others <= 1 || others === all;
            expect(isFair, `${region} ${taken}, ${other} ${others} of ${all}`).to.equal(true);
          }
        }
      }),
      { seed: 20261121, numRuns: 1000 },
    );
  });

  for (const { name, regions, expected } of [
    { name: "one of each of five", regions: "aabbccddee", expected: "abcde" },
    { name: "two of two regions, one of the third", regions: "aaabbbccc", expected: "2 2 1" },
    { name: "all of the small region", regions: "aaaaaab", expected: "ab4 1" },
  ]) {
    it(`spread over regions: ${name}`, () => {
      const voters = [...regions].map((region, at) => voter(at, region));
      for (let at = 0; at < 100; at++) {
        const counts = countsByRegion(voters, electorsOf(endpoint(at), { voters, electors: 5 }));
        const taken = [...counts.values()].map((each) => each.taken);
        if (expected === "abcde") expect(taken).to.deep.equal([1, 1, 1, 1, 1]);
        else if (expected === "2 2 1") expect(taken.sort()).to.deep.equal([1, 2, 2]);
        else expect(taken).to.deep.equal([4, 1]);
      }
    });
  }

  it("do not take unknown regions for one: each stands alone", () => {
    const voters = [..."aaaa????"].map((region, at) => voter(at, region === "?" ? "" : region));
    for (let at = 0; at < 100; at++) {
      const chosen = electorsOf(endpoint(at), { voters, electors: 5 });
      const ofA = chosen.filter(
        (name) => voters.find((each) => each.name === name)?.region === "a",
      );
      expect(ofA).to.have.length(1);
    }
  });

  it("are of each of nine voters about 5/9, over 10,000 endpoints", () => {
    const counts = loads(electorate(9, 5), 10_000);
    // Five standard deviations of 10,000 draws at 5/9 are 248.
    for (const [name, count] of counts) {
      expect(count, name).to.be.within(Math.ceil(50_000 / 9) - 250, Math.floor(50_000 / 9) + 250);
    }
    expect([...counts.values()].reduce((sum, each) => sum + each, 0)).to.equal(50_000);
  });

  it("are of each of nine voters about 5/9 in three equal regions too", () => {
    const voters = [..."aaabbbccc"].map((region, at) => voter(at, region));
    for (const [name, count] of loads({ voters, electors: 5 }, 10_000)) {
      expect(count, name).to.be.within(Math.ceil(50_000 / 9) - 250, Math.floor(50_000 / 9) + 250);
    }
  });

  it("change only where a voter that leaves was one, and there by one voter", () => {
    fc.assert(
      fc.property(voterLists, fc.nat(1000), fc.nat(), (voters, at, leaving) => {
        const gone = voters[leaving % voters.length]?.name ?? "";
        const rest = voters.filter(({ name }) => name !== gone);
        fc.pre(rest.length >= 5);
        const before = electorsOf(endpoint(at), { voters, electors: 5 });
        const after = electorsOf(endpoint(at), { voters: rest, electors: 5 });
        const stayed = before.filter((name) => after.includes(name));
        if (before.includes(gone)) expect(stayed).to.have.length(4);
        else expect(after.sort()).to.deep.equal(before.sort());
      }),
      { seed: 20261121, numRuns: 2000 },
    );
  });

  it("are, of a clusterIP, the voters that run in its cluster, however many are elected", () => {
    const voters = ["c", "d", "c", undefined, "c", "d"].map((cluster, at) => ({
      ...voter(at, ""),
      cluster,
    }));
    const inside = { ...endpoint(1), isInternal: true };
    expect(electorsOf(inside, { voters, electors: 1 })).to.deep.equal(["v1", "v3", "v5"]);
    expect(electorsOf({ ...inside, cluster: "d" }, { voters, electors: 5 })).to.deep.equal([
      "v2",
      "v6",
    ]);
    expect(electorsOf({ ...inside, cluster: "x" }, { voters, electors: 5 })).to.deep.equal([]);
  });
});

describe("the hash of a configuration", () => {
  const base = electorate(6, 5);
  const five = electorate(5, 5);
  for (const { name, a, b, isEqual } of [
    { name: "the same", a: base, b: electorate(6, 5), isEqual: true },
    { name: "one voter more", a: base, b: electorate(7, 5), isEqual: false },
    { name: "other electors", a: base, b: electorate(6, 3), isEqual: false },
    { name: "other electors where all vote anyway", a: five, b: electorate(5, 7), isEqual: false },
    { name: "a voter of another name", a: base, b: renamed(base, "w1"), isEqual: false },
    { name: "regions that decide", a: base, b: moved(base, "r"), isEqual: false },
    {
      name: "regions that decide nothing, as all vote",
      a: five,
      b: moved(five, "r"),
      isEqual: true,
    },
    { name: "no voter and one", a: electorate(0, 5), b: electorate(1, 5), isEqual: false },
  ]) {
    it(`${isEqual ? "is equal" : "differs"}: ${name}`, () => {
      expect(configurationHash(a) === configurationHash(b)).to.equal(isEqual);
    });
  }

  it("does not confuse where one name ends and the next begins", () => {
    const named = (...names: string[]) => names.map((name) => ({ ...voter(0, ""), name }));
    expect(configurationHash({ voters: named("a", "b"), electors: 5 })).not.to.equal(
      configurationHash({ voters: named("a,b"), electors: 5 }),
    );
  });

  it("is 16 hexadecimal digits", () => {
    expect(configurationHash(base)).to.match(/^[0-9a-f]{16}$/);
  });
});

/** For 10.0.0.0, 10.0.0.1 and 10.0.0.2, worked out by another program. */
const known = ["v1 v2 v4 v7 v9", "v2 v4 v6 v7 v8", "v2 v3 v4 v5 v9"];

const voterLists = fc
  .uniqueArray(fc.record({ at: fc.nat(50), region: fc.constantFrom("", "a", "b", "c", "d") }), {
    minLength: 1,
    maxLength: 12,
    selector: ({ at }) => at,
  })
  .map((list) => list.map(({ at, region }) => voter(at, region)));

function voter(at: number, region: string): Voter {
  return { name: `v${at + 1}`, cluster: undefined, region };
}

function electorate(voters: number, electors: number): Electorate {
  return { voters: Array.from({ length: voters }, (_, at) => voter(at, "")), electors };
}

function renamed({ voters, electors }: Electorate, name: string): Electorate {
  return { voters: voters.map((each, at) => (at === 0 ? { ...each, name } : each)), electors };
}

function moved({ voters, electors }: Electorate, region: string): Electorate {
  return { voters: voters.map((each, at) => (at === 0 ? { ...each, region } : each)), electors };
}

function endpoint(at: number): Target {
  return {
    id: `n/s c 10.0.${at >> 8}.${at & 255}`,
    service: "n/s",
    cluster: "c",
    address: address(`10.0.${at >> 8}.${at & 255}`),
    isInternal: false,
    check: healthCheck(),
    port: 80,
  };
}

/** On how many endpoints each voter votes. */
function loads(who: Electorate, endpoints: number): Map<string, number> {
  const counts = new Map(who.voters.map(({ name }) => [name, 0]));
  for (let at = 0; at < endpoints; at++) {
    for (const name of electorsOf(endpoint(at), who)) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

/** Regions that are known, with how many voters each has and how many were chosen. */
function countsByRegion(
  voters: readonly Voter[],
  chosen: readonly string[],
): Map<string, { all: number; taken: number }> {
  const counts = new Map<string, { all: number; taken: number }>();
  for (const { name, region } of voters) {
    if (region === "") continue;
    const { all, taken } = counts.get(region) ?? { all: 0, taken: 0 };
    counts.set(region, { all: all + 1, taken: taken + (chosen.includes(name) ? 1 : 0) });
  }
  return counts;
}
