import { expect } from "chai";
import fc from "fast-check";
import {
  busiest,
  clusterShares,
  dropRate,
  lastRates,
  type Reading,
  rateColumns,
  readingOf,
  withReading,
} from "../../src/dashboard/rates.ts";
import { nowMs, stateWith } from "./samples.ts";

function reading(atSeconds: number, NOERROR: number, changed: Partial<Reading> = {}): Reading {
  return {
    atMs: nowMs + atSeconds * 1000,
    startedAt: "first",
    byRcode: { NOERROR },
    byCluster: { london: NOERROR },
    dropped: 0,
    ...changed,
  };
}

const kept = (readings: readonly Reading[]): readonly Reading[] =>
  readings.reduce<readonly Reading[]>(withReading, []);

describe("rates from counters", () => {
  it("are per second between one look and the next", () => {
    const { keys, times, rates } = rateColumns(
      [reading(0, 100), reading(2, 300), reading(6, 700)],
      "byRcode",
    );
    expect(keys).to.deep.equal(["NOERROR"]);
    expect(times).to.deep.equal([nowMs / 1000 + 2, nowMs / 1000 + 6]);
    expect(rates).to.deep.equal([[100, 100]]);
  });

  it("count what was not there before from zero", () => {
    const later = reading(2, 0, { byRcode: { NOERROR: 0, SERVFAIL: 8 } });
    const { keys, rates } = rateColumns([reading(0, 0), later], "byRcode");
    expect(keys).to.deep.equal(["SERVFAIL", "NOERROR"]);
    expect(rates).to.deep.equal([[4], [0]]);
  });

  it("have a gap over a restart and over silence", () => {
    const readings = [
      reading(0, 900),
      reading(2, 10, { startedAt: "second" }),
      reading(4, 30, { startedAt: "second" }),
      reading(60, 930, { startedAt: "second" }),
    ];
    expect(rateColumns(readings, "byRcode").rates).to.deep.equal([[null, 10, null]]);
  });

  it("of the last seconds are of this run alone", () => {
    const restarted = [reading(0, 900), reading(2, 10, { startedAt: "second" })];
    expect(lastRates(restarted, "byRcode")).to.equal(undefined);
    const [first, second] = [reading(0, 0), reading(4, 100)];
    expect(lastRates([first, second], "byRcode")?.get("NOERROR")).to.equal(25);
    expect(lastRates([reading(-50, 0), first, second], "byRcode")?.get("NOERROR")).to.equal(25);
  });

  it("of what was dropped are over a minute", () => {
    expect(dropRate([reading(0, 0), reading(30, 0, { dropped: 60 })])).to.equal(2);
    expect(dropRate([reading(0, 0)])).to.equal(0);
  });

  it("keep fifteen minutes, in order of time, each moment once", () => {
    const readings = kept([reading(0, 1), reading(0, 1), reading(899, 2), reading(901, 3)]);
    expect(readings.map(({ atMs }) => (atMs - nowMs) / 1000)).to.deep.equal([899, 901]);
    expect(kept([reading(4, 2), reading(2, 1)])).to.have.length(1);
    expect(kept([reading(4, 2), reading(4.9, 3)]), "too near").to.have.length(1);
  });

  it("take what the state says", () => {
    const { atMs, byCluster, byRcode } = readingOf(stateWith());
    expect(atMs).to.equal(nowMs);
    expect(Object.keys(byCluster)).to.include.members(["oregon", "tokyo"]);
    expect(Object.keys(byRcode)).to.include("NOERROR");
  });
});

describe("shares of the answers", () => {
  it("are of the last minute, and none without answers", () => {
    const both = (seconds: number, london: number, tokyo: number): Reading =>
      reading(seconds, 0, { byCluster: { london, tokyo } });
    const readings = [both(-100, 0, 0), both(0, 9000, 0), both(10, 9030, 10)];
    expect([...clusterShares(readings)]).to.deep.equal([
      ["london", 0.75],
      ["tokyo", 0.25],
    ]);
    expect([...clusterShares([both(0, 5, 5), both(2, 5, 5)])]).to.deep.equal([]);
  });

  it("add up to one, each at least zero", () => {
    const counts = fc.array(fc.nat(1e6), { minLength: 1, maxLength: 9 });
    fc.assert(
      fc.property(counts, counts, (before, grown) => {
        const named = (values: readonly number[]) =>
          Object.fromEntries(values.map((value, at) => [`c${at}`, value]));
        const after = grown.map((value, at) => value + (before[at] ?? 0));
        const shares = clusterShares([
          reading(0, 0, { byCluster: named(before) }),
          reading(2, 0, { byCluster: named(after) }),
        ]);
        const values = [...shares.values()];
        if (values.length === 0) return;
        expect(values.every((share) => share >= 0)).to.equal(true);
        expect(values.reduce((sum, share) => sum + share, 0)).to.be.closeTo(1, 1e-9);
      }),
      { seed: 1 },
    );
  });
});

describe("the lines of a chart", () => {
  it("are the busiest and one for all others together", () => {
    const columns = {
      keys: ["a", "b", "c"],
      times: [1, 2],
      rates: [
        [9, 9],
        [2, null],
        [1, null],
      ],
    };
    expect(busiest(columns, 2)).to.deep.equal({
      keys: ["a", "others"],
      times: [1, 2],
      rates: [
        [9, 9],
        [3, null],
      ],
    });
    expect(busiest(columns, 3)).to.equal(columns);
  });
});
