// The up/down machine of one voter (semantics 6), as rows of results and what it holds after each.

import { expect } from "chai";
import fc from "fast-check";
import { advance, checksToFlip, type EndpointOpinion } from "../../src/health/endpoint-machine.ts";

interface Row {
  name: string;
  fall?: number;
  rise?: number;
  /** `+` for each success, `-` for each failure. */
  results: string;
  /** The opinion after each result: `U` or `D`. */
  opinions: string;
  /** How many probes would turn it over, after each result. */
  checks: string;
}

const rows: Row[] = [
  { name: "a first success is up at once", results: "+", opinions: "U", checks: "3" },
  { name: "a first failure is down at once", results: "-", opinions: "D", checks: "2" },
  {
    name: "success after success changes nothing",
    results: "++++",
    opinions: "UUUU",
    checks: "3333",
  },
  {
    name: "failure after failure changes nothing",
    results: "----",
    opinions: "DDDD",
    checks: "2222",
  },
  { name: "`fall` failures in a row are down", results: "+---", opinions: "UUUD", checks: "3212" },
  {
    name: "failures with single successes between them count too",
    results: "+-+-+-",
    opinions: "UUUUUD",
    checks: "322112",
  },
  {
    name: "`rise` successes in a row forget the failures",
    results: "+--++--",
    opinions: "UUUUUUU",
    checks: "3211321",
  },
  {
    name: "forgetting starts anew each time",
    results: "+--++--++---",
    opinions: "UUUUUUUUUUUD",
    checks: "321132113212",
  },
  {
    name: "the successes before a failure are not of the row that forgets it",
    results: "+++-+-+-",
    opinions: "UUUUUUUD",
    checks: "33322112",
  },
  { name: "`rise` successes in a row are up", results: "-++", opinions: "DDU", checks: "213" },
  {
    name: "a failure breaks the row of successes",
    results: "-+-+-++",
    opinions: "DDDDDDU",
    checks: "2121213",
  },
  {
    name: "what failed before it went down is forgotten when it is up again",
    results: "+---++--",
    opinions: "UUUDDUUU",
    checks: "32121321",
  },
  {
    name: "with fall 1 each failure is down",
    fall: 1,
    results: "+-++-",
    opinions: "UDDUD",
    checks: "12112",
  },
  {
    name: "with rise 1 each success is up",
    rise: 1,
    results: "-+---+",
    opinions: "DUUUDU",
    checks: "132113",
  },
  {
    name: "with rise 1 each success forgets the failures",
    rise: 1,
    results: "+--+--+",
    opinions: "UUUUUUU",
    checks: "3213213",
  },
  {
    name: "with fall 1 and rise 1 the last result decides",
    fall: 1,
    rise: 1,
    results: "+-+--++",
    opinions: "UDUDDUU",
    checks: "1111111",
  },
  {
    name: "with rise 4 three successes forget nothing",
    rise: 4,
    results: "+-+++-+++-",
    opinions: "UUUUUUUUUD",
    checks: "3222211114",
  },
];

describe("the up/down machine of an endpoint", () => {
  for (const { name, fall = 3, rise = 2, results, opinions, checks } of rows) {
    it(name, () => {
      const seen = opinionsAfter(results, { fall, rise });
      expect({
        opinions: seen.map(({ isUp }) => (isUp ? "U" : "D")).join(""),
        checks: seen.map((opinion) => checksToFlip(opinion, { fall, rise })).join(""),
      }).to.deep.equal({ opinions, checks });
    });
  }

  it("tells when it turned, not when it was last confirmed", () => {
    const seen = opinionsAfter("+---++", { fall: 3, rise: 2 });
    // One result a second: up since 0, down since the third failure, up since the second success.
    expect(seen.map(({ sinceMs }) => sinceMs)).to.deep.equal([0, 0, 0, 3000, 3000, 5000]);
  });

  it("keeps the reason of its last probe, turn or not", () => {
    const thresholds = { fall: 3, rise: 2 };
    const up = advance(undefined, { isSuccess: true, reason: "status 200" }, thresholds, 0);
    const failed = advance(up, { isSuccess: false, reason: "status 503" }, thresholds, 1000);
    expect([up.reason, failed.isUp, failed.reason]).to.deep.equal([
      "status 200",
      true,
      "status 503",
    ]);
  });

  it("is not changed by a result: it gives another opinion", () => {
    const first = advance(undefined, result("+"), { fall: 1, rise: 1 }, 0);
    const copy = { ...first };
    advance(first, result("-"), { fall: 1, rise: 1 }, 1);
    expect(first).to.deep.equal(copy);
  });

  for (const { name, before, results, after } of [
    {
      name: "fall was 9",
      before: { fall: 9, rise: 2 },
      results: "+-----",
      after: { fall: 3, rise: 2 },
    },
    {
      name: "rise was 9",
      before: { fall: 3, rise: 9 },
      results: "-+++++",
      after: { fall: 3, rise: 2 },
    },
  ]) {
    it(`turns at the next result against it where smaller thresholds hold now: ${name}`, () => {
      const opinion = opinionsAfter(results, before).at(-1);
      if (!opinion) throw new Error("cannot go on: there is no opinion");
      expect(checksToFlip(opinion, after)).to.equal(1);
      const next = advance(opinion, result(opinion.isUp ? "-" : "+"), after, 9000);
      expect(next.isUp).to.equal(!opinion.isUp);
    });
  }

  it("turns after exactly as many results against it as it says", () => {
    fc.assert(
      fc.property(resultRows, thresholds, (results, limits) => {
        let opinion = opinionsAfter(results, limits).at(-1);
        if (!opinion) return;
        const { isUp } = opinion;
        const checks = checksToFlip(opinion, limits);
        expect(checks).to.be.within(1, isUp ? limits.fall : limits.rise);
        for (let count = 1; count <= checks; count++) {
          opinion = advance(opinion, result(isUp ? "-" : "+"), limits, 0);
          expect(opinion.isUp, `after ${count} of ${checks}`).to.equal(isUp === count < checks);
        }
      }),
      { seed: 20261121, numRuns: 2000 },
    );
  });

  it("turns only by a result against it, and down only by the `fall`-th since it was well", () => {
    fc.assert(
      fc.property(resultRows, thresholds, (results, limits) => {
        const seen = opinionsAfter(results, limits);
        for (const [at, { isUp }] of seen.entries()) {
          if (at === 0 || seen[at - 1]?.isUp === isUp) continue;
          const row = results.slice(0, at + 1);
          expect(row.endsWith(isUp ? "+".repeat(limits.rise) : "-")).to.equal(true);
          if (!isUp) {
            const sinceWell = row.slice(row.lastIndexOf("+".repeat(limits.rise)) + limits.rise);
            const countable = row.includes("+".repeat(limits.rise)) ? sinceWell : row;
            expect(countable.split("-").length - 1).to.equal(limits.fall);
          }
        }
      }),
      { seed: 20261121, numRuns: 2000 },
    );
  });
});

const resultRows = fc
  .array(fc.constantFrom("+", "-"), { minLength: 1, maxLength: 30 })
  .map((each) => each.join(""));
const thresholds = fc.record({
  fall: fc.integer({ min: 1, max: 5 }),
  rise: fc.integer({ min: 1, max: 5 }),
});

function result(sign: string): { isSuccess: boolean; reason: string } {
  return { isSuccess: sign === "+", reason: sign === "+" ? "status 200" : "status 503" };
}

/** What it holds after each result, one a second from 0. */
function opinionsAfter(results: string, limits: { fall: number; rise: number }): EndpointOpinion[] {
  const seen: EndpointOpinion[] = [];
  for (const [at, sign] of [...results].entries()) {
    seen.push(advance(seen.at(-1), result(sign), limits, at * 1000));
  }
  return seen;
}
