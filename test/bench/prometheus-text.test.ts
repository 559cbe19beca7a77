// What the benchmarks of voting read of a server's own counters.

import { expect } from "chai";
import {
  bucketsOf,
  byLabel,
  quantileOf,
  readMetrics,
  riseOf,
  shareWithin,
} from "../../scripts/bench/prometheus-text.ts";
import { createMetrics } from "../../src/control/metrics.ts";

describe("bench metrics", () => {
  it("are read as the server writes them, and only what rose between two readings counts", async () => {
    const { meter, text } = createMetrics({
      version: "1",
      refusals: ["unsigned", "replayed"],
      read: () => ({
        isQuorumHeld: true,
        votersLive: 2,
        votersConfigured: 3,
        endpoints: { up: 40, down: 0, none: 0 },
        endpointsFrozen: 0,
        endpointsHeldIn: 0,
        probesRunning: 1,
      }),
    });
    meter.ballotRefused("unsigned");
    meter.probeStarted(0.004);
    const before = readMetrics(await text());
    expect(before.get("meridian_quorum")).to.equal(1);
    expect(before.get('meridian_endpoints{verdict="up"}')).to.equal(40);

    meter.ballotRefused("replayed");
    meter.ballotRefused("replayed");
    for (const delay of [0.004, 0.2, 0.2, 9]) meter.probeStarted(delay);
    const rise = riseOf(before, readMetrics(await text()));
    expect(Object.fromEntries(byLabel(rise, "meridian_ballots_refused_total", "reason"))).to.eql({
      unsigned: 0,
      replayed: 2,
    });
    const buckets = bucketsOf(rise, "meridian_probe_start_delay_seconds");
    expect(buckets[0]).to.deep.equal({ upTo: 0.005, count: 1 });
    expect(buckets.at(-1)).to.deep.equal({ upTo: Infinity, count: 4 });
    expect(shareWithin(buckets, 0.5)).to.equal(0.75);
  });

  const buckets = [
    { upTo: 0.1, count: 50 },
    { upTo: 0.5, count: 90 },
    { upTo: Infinity, count: 100 },
  ];
  const cases = [
    { name: "the middle of the first bucket", share: 0.25, expected: 0.05 },
    { name: "a bucket's bound", share: 0.5, expected: 0.1 },
    { name: "within a later bucket", share: 0.7, expected: 0.3 },
    { name: "the last bound that is known, beyond all", share: 0.99, expected: 0.5 },
  ];
  for (const { name, share, expected } of cases) {
    it(`a quantile is ${name}`, () => {
      expect(quantileOf(buckets, share)).to.be.closeTo(expected, 1e-9);
    });
  }

  it("there is no quantile of nothing, and no share at a bound that is not counted", () => {
    expect(quantileOf([{ upTo: Infinity, count: 0 }], 0.5)).to.deep.equal(Number.NaN);
    expect(() => shareWithin(buckets, 0.2)).to.throw("no bucket has this bound, got 0.2");
  });
});
