// What the benchmarks of voting make of their rounds: figures and the page.

import { expect } from "chai";
import type { LoadCounts } from "../../scripts/bench/load-counts.ts";
import { votingReport } from "../../scripts/bench/voting-report.ts";
import {
  type AttackResult,
  attackCostUs,
  attackRate,
  compare,
  type LoadStretch,
  type ProbeRunResult,
  scheduleOf,
  topRate,
  type VotingResults,
} from "../../scripts/bench/voting-results.ts";

describe("figures of the voting benchmark", () => {
  it("are medians of the ratios within each round, with the least and the greatest", () => {
    // The machine is half as fast in the second round: ratios do not see that.
    const { ratio, least, most, without } = compare(attack([0.9, 0.96, 0.98]).rounds, topRate);
    expect(ratio).to.be.closeTo(0.96, 1e-9);
    expect(least).to.be.closeTo(0.9, 1e-9);
    expect(most).to.be.closeTo(0.98, 1e-9);
    expect(without).to.equal(200_000);
  });

  it("a bad request costs what the main thread uses more, over the requests that were sent", () => {
    expect(attackRate(attack([1]))).to.equal(500);
    // A tenth of the core more, for 500 of them a second.
    expect(attackCostUs(attack([1]))).to.be.closeTo(200, 1e-6);
  });

  it("a probe that is left out is missing in what was kept", () => {
    const { inTime, p99Seconds, kept, cpuUs } = scheduleOf(probes());
    expect(inTime).to.be.closeTo(0.98, 1e-9);
    expect(p99Seconds).to.equal(0.5);
    expect(kept).to.be.closeTo(0.9, 1e-9);
    expect(cpuUs).to.be.closeTo(100, 1e-6);
  });
});

describe("page of the voting benchmark", () => {
  const results: VotingResults = {
    date: "2026-01-02",
    machine: { cpu: "a CPU", cores: 2, kernel: "Linux 6", node: "v20" },
    version: "v1",
    seconds: 3,
    loadBefore: 4.2,
    attack: attack([0.9, 0.96, 0.98]),
    probes: [probes()],
  };
  const text = votingReport(results);

  it("says of each goal whether it is met", () => {
    expect(text).to.include(
      "| answers/s at full load | 200,000 | 180,000 | 0.96 | 0.90–0.98 | ≥ 0.95 | met |",
    );
    expect(text).to.include(
      "| p99 at half load, µs | 100 | 200 | 2.00 | 2.00–2.00 | ≤ 1.5 | MISSED |",
    );
    expect(text).to.include("| starts within 500 ms of due |  | 98.00 % |  |  | ≥ 99 % | MISSED |");
  });

  it("warns of a machine that had other work, and of no other", () => {
    expect(text).to.include("a load of 4.2: others used its cores too");
    expect(votingReport({ ...results, loadBefore: 0.1 })).to.match(/a load of 0\.1\n/);
  });

  it("says how much of the attack was sent", () => {
    expect(text).to.include("Attack on the ballots: 500 of 1,000 bad requests a second");
  });

  it("tells refusals that were not counted, and what changed", () => {
    expect(text).to.include("unsigned 1,000, replayed 400 (sent 500)");
    expect(text).to.include("CHANGED: meridian_quorum: 1 wanted, got 0");
  });

  it("has as many cells in each row of a table", () => {
    const widths = text
      .split("\n")
      .filter((line) => line.startsWith("|"))
      .map((line) => line.split("|").length);
    expect(new Set(widths).size).to.equal(1);
  });
});

/** One round for each ratio; the second is on a machine half as fast. */
function attack(ratios: readonly number[]): AttackResult {
  return {
    rate: 1000,
    rounds: ratios.map((ratio, at) => {
      const rate = at === 1 ? 100_000 : 200_000;
      return {
        without: { top: stretch(rate, 100, 1), paced: stretch(rate / 2, 100, 0.5) },
        with: { top: stretch(rate * ratio, 300, 1), paced: stretch(rate / 2, 300, 0.6, 0.2) },
        attack: {
          seconds: 2,
          sent: { unsigned: 600, replayed: 400 },
          answered: { unsigned: 600, replayed: 400 },
          withheld: 0,
          honestMs: [4, 5, 9],
        },
      };
    }),
    refused: [
      { reason: "unsigned", sent: 1000, counted: 1000 },
      { reason: "replayed", sent: 500, counted: 400 },
    ],
    changed: ["meridian_quorum: 1 wanted, got 0"],
  };
}

function probes(): ProbeRunResult {
  return {
    type: "http",
    endpoints: 10_000,
    intervalSeconds: 10,
    queryRate: 50_000,
    rounds: [{ without: stretch(50_000, 100, 0.4), with: stretch(50_000, 200, 0.5, 0.2) }],
    delays: [
      { upTo: 0.5, count: 26_460 },
      { upTo: Infinity, count: 27_000 },
    ],
    watchedSeconds: 30,
    outcomes: { success: 27_000, failure: 0 },
  };
}

function stretch(rate: number, p99: number, core: number, mainShare = 0.1): LoadStretch {
  const load: LoadCounts = {
    seconds: 1,
    answered: rate,
    rcodes: { 0: rate },
    lost: 0,
    kernelDrops: 0,
    serverCpuSeconds: core,
    idleShare: 0,
    latencyUs: { p50: 10, p99, p999: 900 },
  };
  return { load, mainShare };
}
