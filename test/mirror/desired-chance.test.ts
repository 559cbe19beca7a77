// What a mirror should hold where the cloud draws an answer by weight: a line for each part of the
// global name's A record.

import { expect } from "chai";
import fc from "fast-check";
import {
  desired,
  everywhere,
  expectParts,
  frankfurt,
  london,
  name,
  ofFrankfurt,
  ofLondon,
  ofTokyo,
  type Row,
  tokyo,
  withRouting,
} from "./desired-geo-sketch.ts";

const half = { frankfurt: { external: [ofFrankfurt, "192.0.2.21"] } };
const byChance: readonly Row[] = [
  {
    name: "clusters of equal weight have equal weights",
    mode: "weighted",
    parts: [
      `[weighted frankfurt 100] 180 ${ofFrankfurt}`,
      `[weighted london 100] 180 ${ofLondon}`,
      `[weighted tokyo 100] 180 ${ofTokyo}`,
    ],
  },
  {
    name: "items of Cloud DNS go by their place in the list, clusters in order",
    mode: "wrr",
    clusters: withRouting({ weight: 30 }),
    parts: [
      `[wrr 0 100] 180 ${ofFrankfurt}`,
      `[wrr 1 30] 180 ${ofLondon}`,
      `[wrr 2 100] 180 ${ofTokyo}`,
    ],
  },
  {
    name: "weight 0 is left out",
    mode: "weighted",
    clusters: withRouting({ weight: 0 }),
    parts: [`[weighted frankfurt 100] 180 ${ofFrankfurt}`, `[weighted tokyo 100] 180 ${ofTokyo}`],
  },
  {
    name: "weight 0 everywhere is equal weight",
    mode: "weighted",
    clusters: {
      london: { ...london, routing: { weight: 0 } },
      frankfurt: { ...frankfurt, routing: { weight: 0 } },
    },
    placed: { london: { external: [ofLondon] }, frankfurt: { external: [ofFrankfurt] } },
    parts: [`[weighted frankfurt 1] 180 ${ofFrankfurt}`, `[weighted london 1] 180 ${ofLondon}`],
  },
  {
    name: "half of the endpoints have half the weight",
    mode: "weighted",
    placed: { ...everywhere, ...half },
    down: ["192.0.2.21"],
    parts: [
      `[weighted frankfurt 50] 180 ${ofFrankfurt}`,
      `[weighted london 100] 180 ${ofLondon}`,
      `[weighted tokyo 100] 180 ${ofTokyo}`,
    ],
  },
  {
    name: "a cluster that is down is left out",
    mode: "weighted",
    down: [ofTokyo],
    parts: [`[weighted frankfurt 100] 180 ${ofFrankfurt}`, `[weighted london 100] 180 ${ofLondon}`],
  },
  {
    name: "one that is left has everybody, without any chance",
    mode: "wrr",
    down: [ofTokyo, ofLondon],
    parts: [`180 ${ofFrankfurt}`],
  },
  {
    name: "with all down, all have their weights and TTL min",
    mode: "weighted",
    clusters: withRouting({ weight: 50 }),
    down: [ofTokyo, ofLondon, ofFrankfurt],
    parts: [
      `[weighted frankfurt 100] 30 ${ofFrankfurt}`,
      `[weighted london 50] 30 ${ofLondon}`,
      `[weighted tokyo 100] 30 ${ofTokyo}`,
    ],
  },
  {
    name: "a cluster of a higher priority number has nobody while the first is well",
    mode: "weighted",
    clusters: withRouting({ priority: 200 }),
    parts: [`[weighted frankfurt 100] 180 ${ofFrankfurt}`, `[weighted tokyo 100] 180 ${ofTokyo}`],
  },
  {
    // 1 of 2 and 0 of 1 at a threshold of 70 keep (1 / 3) / 0.7 = 47.6 %; the rest overflows.
    name: "and what overflows when it is not, by share of the clients",
    mode: "weighted",
    clusters: withRouting({ priority: 200, weight: 10 }),
    placed: { ...everywhere, ...half },
    down: ["192.0.2.21", ofTokyo],
    parts: [`[weighted frankfurt 91] 180 ${ofFrankfurt}`, `[weighted london 100] 180 ${ofLondon}`],
  },
  {
    // London and Tokyo halve 52.4 % of the clients.
    name: "which the clusters of the next level share by weight",
    mode: "weighted",
    clusters: {
      london: { ...london, routing: { priority: 200 } },
      frankfurt,
      tokyo: { ...tokyo, routing: { priority: 200 } },
    },
    placed: { ...everywhere, frankfurt: { external: [ofFrankfurt, "192.0.2.21", "192.0.2.22"] } },
    down: ["192.0.2.21", "192.0.2.22"],
    parts: [
      `[weighted frankfurt 100] 180 ${ofFrankfurt}`,
      `[weighted london 55] 180 ${ofLondon}`,
      `[weighted tokyo 55] 180 ${ofTokyo}`,
    ],
  },
  {
    name: "weight 0 has what overflows to it where its level has nothing else",
    mode: "weighted",
    clusters: { london: { ...london, routing: { priority: 200, weight: 0 } }, frankfurt },
    placed: {
      london: { external: [ofLondon] },
      frankfurt: { external: [ofFrankfurt, "192.0.2.21", "192.0.2.22"] },
    },
    down: ["192.0.2.21", "192.0.2.22"],
    parts: [`[weighted frankfurt 91] 180 ${ofFrankfurt}`, `[weighted london 100] 180 ${ofLondon}`],
  },
  {
    name: "allowCrossClusterTraffic: false is left out beside others",
    mode: "weighted",
    clusters: withRouting({ allowCrossClusterTraffic: false }),
    parts: [`[weighted frankfurt 100] 180 ${ofFrankfurt}`, `[weighted tokyo 100] 180 ${ofTokyo}`],
  },
];

describe("what a mirror by chance should hold", () => {
  for (const row of byChance) it(`${row.mode}: ${row.name}`, () => expectParts(row));

  it("weighs clusters of a level as their weights are, all from 1 to 100", () => {
    const weight = fc.integer({ min: 0, max: 100 });
    fc.assert(
      fc.property(fc.tuple(weight, weight, weight), ([a, b, c]) => {
        const { sets } = desired({
          mode: "weighted",
          clusters: {
            london: { ...london, routing: { weight: a } },
            frankfurt: { ...frankfurt, routing: { weight: b } },
            tokyo: { ...tokyo, routing: { weight: c } },
          },
        });
        const parts = sets.find((each) => each.name === name)?.parts ?? [];
        const weights = parts.flatMap(({ routing }) =>
          routing?.kind === "weighted" ? [routing.weight] : [],
        );
        const expected = [b, a, c].filter((each) => each > 0);
        if (expected.length === 0) expect(weights).to.deep.equal([1, 1, 1]);
        else if (expected.length === 1) expect(weights).to.deep.equal([]);
        else expect(weights).to.deep.equal(expected);
      }),
      { numRuns: 100, seed: 5 },
    );
  });
});
