// What a mirror should hold where the cloud chooses an answer: by place, or by chance. Tables of
// small federations, a line for each part of the global name's A record.

import { expect } from "chai";
import fc from "fast-check";
import type { RoutingPolicy } from "../../src/mirror/record-set.ts";
import type { ClusterSketch, FederationSketch, PlacedSketch } from "../kit/federation.ts";
import { desiredOf, type MirrorSketch, partText } from "./record-sketch.ts";

const name = "web.a.my-federation.svc.my-domain.com.";
/** London and Frankfurt in regions of AWS and Google Cloud, Tokyo in a region of no cloud. */
const london: ClusterSketch = { region: "eu-west-2", at: [51.5074, -0.1278] };
const frankfurt: ClusterSketch = { region: "europe-west3", at: [50.11, 8.68] };
const tokyo: ClusterSketch = { region: "asia", at: [35.6895, 139.6917] };
const three = { london, frankfurt, tokyo };

const ofLondon = "192.0.2.1";
const ofFrankfurt = "192.0.2.2";
const ofTokyo = "192.0.2.3";
const everywhere: Record<string, PlacedSketch> = {
  london: { external: [ofLondon] },
  frankfurt: { external: [ofFrankfurt] },
  tokyo: { external: [ofTokyo] },
};

interface Row extends Omit<MirrorSketch, "clusters"> {
  readonly name: string;
  readonly mode: RoutingPolicy;
  /** Default: all three. */
  readonly clusters?: Readonly<Record<string, ClusterSketch>>;
  /** Default: one address in each of the three. */
  readonly placed?: Readonly<Record<string, PlacedSketch>>;
  readonly policy?: Partial<FederationSketch>;
  /** The parts of A at the global name; empty for none. */
  readonly parts: readonly string[];
}

/** London with these in place of what it has. */
function withRouting(routing: ClusterSketch["routing"]): Record<string, ClusterSketch> {
  return { ...three, london: { ...london, ...(routing && { routing }) } };
}

const byPlace: readonly Row[] = [
  {
    name: "each cluster's place has its addresses, coordinates to two decimals",
    mode: "geoproximity",
    parts: [
      `[geoproximity frankfurt 50.11 8.68] 180 ${ofFrankfurt}`,
      `[geoproximity london 51.51 -0.13] 180 ${ofLondon}`,
      `[geoproximity tokyo 35.69 139.69] 180 ${ofTokyo}`,
    ],
  },
  {
    name: "regions of the cloud are themselves, others the nearest one",
    mode: "latency",
    parts: [
      `[latency frankfurt eu-central-1] 180 ${ofFrankfurt}`,
      `[latency london eu-west-2] 180 ${ofLondon}`,
      `[latency tokyo ap-northeast-1] 180 ${ofTokyo}`,
    ],
  },
  {
    name: "Google Cloud has regions of its own",
    mode: "geo",
    parts: [
      `[geo europe-west3] 180 ${ofFrankfurt}`,
      `[geo europe-west2] 180 ${ofLondon}`,
      `[geo asia-northeast1] 180 ${ofTokyo}`,
    ],
  },
  {
    name: "each continent has the nearest cluster, the default has all",
    mode: "geolocation",
    parts: [
      `[geolocation continent:AF continent:AF] 180 ${ofFrankfurt}`,
      `[geolocation continent:AN continent:AN] 180 ${ofTokyo}`,
      `[geolocation continent:AS continent:AS] 180 ${ofTokyo}`,
      `[geolocation continent:EU continent:EU] 180 ${ofFrankfurt}`,
      `[geolocation continent:NA continent:NA] 180 ${ofLondon}`,
      `[geolocation continent:OC continent:OC] 180 ${ofTokyo}`,
      `[geolocation continent:SA continent:SA] 180 ${ofLondon}`,
      `[geolocation default *] 180 ${ofLondon} | ${ofFrankfurt} | ${ofTokyo}`,
    ],
  },
  {
    name: "the place of a cluster that is down has the next nearest",
    mode: "geoproximity",
    down: [ofLondon],
    parts: [
      `[geoproximity frankfurt 50.11 8.68] 180 ${ofFrankfurt}`,
      `[geoproximity london 51.51 -0.13] 180 ${ofFrankfurt}`,
      `[geoproximity tokyo 35.69 139.69] 180 ${ofTokyo}`,
    ],
  },
  {
    name: "with all down each place has its own, TTL min",
    mode: "latency",
    down: [ofLondon, ofFrankfurt, ofTokyo],
    parts: [
      `[latency frankfurt eu-central-1] 30 ${ofFrankfurt}`,
      `[latency london eu-west-2] 30 ${ofLondon}`,
      `[latency tokyo ap-northeast-1] 30 ${ofTokyo}`,
    ],
  },
  {
    name: "the level that most clients belong to is given: below half the threshold, the next",
    mode: "latency",
    placed: {
      ...everywhere,
      london: { external: [ofLondon, "192.0.2.11", "192.0.2.12"] },
    },
    down: [ofLondon, "192.0.2.11"],
    parts: [
      `[latency frankfurt eu-central-1] 180 ${ofFrankfurt}`,
      `[latency london eu-west-2] 180 ${ofFrankfurt}`,
      `[latency tokyo ap-northeast-1] 180 ${ofTokyo}`,
    ],
  },
  {
    name: "and above half of it, what is healthy at home",
    mode: "latency",
    placed: { ...everywhere, london: { external: [ofLondon, "192.0.2.11"] } },
    down: [ofLondon],
    parts: [
      `[latency frankfurt eu-central-1] 180 ${ofFrankfurt}`,
      `[latency london eu-west-2] 180 192.0.2.11`,
      `[latency tokyo ap-northeast-1] 180 ${ofTokyo}`,
    ],
  },
  {
    name: "a cluster that does not run the service has no part",
    mode: "geo",
    placed: { london: { external: [ofLondon] }, tokyo: { external: [ofTokyo] } },
    parts: [`[geo europe-west2] 180 ${ofLondon}`, `[geo asia-northeast1] 180 ${ofTokyo}`],
  },
  {
    name: "one place alone is no choice: everybody gets it",
    mode: "geo",
    placed: { london: { external: [ofLondon] } },
    parts: [`180 ${ofLondon}`],
  },
  {
    name: "clusters at one place are one part, of the first by name",
    mode: "geoproximity",
    clusters: { ...three, frankfurt: { ...london, region: "other" } },
    parts: [
      `[geoproximity frankfurt 51.51 -0.13] 180 ${ofFrankfurt}`,
      `[geoproximity tokyo 35.69 139.69] 180 ${ofTokyo}`,
    ],
  },
  {
    name: "clusters in one region of the cloud are one part",
    mode: "latency",
    clusters: { ...three, frankfurt: { region: "west", at: [51.6, -0.2] } },
    parts: [
      `[latency frankfurt eu-west-2] 180 ${ofFrankfurt}`,
      `[latency tokyo ap-northeast-1] 180 ${ofTokyo}`,
    ],
  },
  {
    name: "the second of them has it where the first does not run the service",
    mode: "latency",
    clusters: { ...three, frankfurt: { region: "west", at: [51.6, -0.2] } },
    placed: { london: { external: [ofLondon] }, tokyo: { external: [ofTokyo] } },
    parts: [
      `[latency london eu-west-2] 180 ${ofLondon}`,
      `[latency tokyo ap-northeast-1] 180 ${ofTokyo}`,
    ],
  },
  {
    name: "a cluster without a location has no part",
    mode: "geoproximity",
    clusters: { ...three, tokyo: { region: "asia" } },
    parts: [
      `[geoproximity frankfurt 50.11 8.68] 180 ${ofFrankfurt}`,
      `[geoproximity london 51.51 -0.13] 180 ${ofLondon}`,
    ],
  },
  {
    name: "without any location everybody gets all",
    mode: "geoproximity",
    clusters: { london: { region: "a" }, frankfurt: { region: "b" }, tokyo: {} },
    parts: [`180 ${ofLondon} | ${ofFrankfurt} | ${ofTokyo}`],
  },
  {
    name: "localPreference: false shares its clients with home",
    mode: "latency",
    clusters: withRouting({ localPreference: false }),
    parts: [
      `[latency frankfurt eu-central-1] 180 ${ofLondon} | ${ofFrankfurt}`,
      `[latency london eu-west-2] 180 ${ofLondon}`,
      `[latency tokyo ap-northeast-1] 180 ${ofLondon} | ${ofTokyo}`,
    ],
  },
  {
    name: "but not with weight 0, as that only stands in",
    mode: "latency",
    clusters: withRouting({ localPreference: false, weight: 0 }),
    parts: [
      `[latency frankfurt eu-central-1] 180 ${ofFrankfurt}`,
      `[latency london eu-west-2] 180 ${ofLondon}`,
      `[latency tokyo ap-northeast-1] 180 ${ofTokyo}`,
    ],
  },
  {
    name: "a place whose cluster has a higher priority number has the first group's nearest",
    mode: "latency",
    clusters: withRouting({ priority: 200 }),
    parts: [
      `[latency frankfurt eu-central-1] 180 ${ofFrankfurt}`,
      `[latency london eu-west-2] 180 ${ofFrankfurt}`,
      `[latency tokyo ap-northeast-1] 180 ${ofTokyo}`,
    ],
  },
  {
    name: "allowCrossClusterTraffic: false is given where it is nearest, and nowhere else",
    mode: "latency",
    clusters: withRouting({ allowCrossClusterTraffic: false }),
    parts: [
      `[latency frankfurt eu-central-1] 180 ${ofFrankfurt}`,
      `[latency london eu-west-2] 180 ${ofLondon}`,
      `[latency tokyo ap-northeast-1] 180 ${ofTokyo}`,
    ],
  },
  {
    name: "a drained cluster has no part",
    mode: "latency",
    drained: ["london"],
    parts: [
      `[latency frankfurt eu-central-1] 180 ${ofFrankfurt}`,
      `[latency tokyo ap-northeast-1] 180 ${ofTokyo}`,
    ],
  },
  {
    name: "more places than the provider takes are no places",
    mode: "latency",
    mostParts: 2,
    parts: [`180 ${ofLondon} | ${ofFrankfurt} | ${ofTokyo}`],
  },
  {
    name: "the TTL of the mirror is that of all parts",
    mode: "geo",
    ttlSeconds: 5,
    down: [ofTokyo],
    parts: [
      `[geo europe-west3] 5 ${ofFrankfurt}`,
      `[geo europe-west2] 5 ${ofLondon}`,
      // The two are equally far from Tokyo: 5 % is no difference.
      `[geo asia-northeast1] 5 ${ofLondon} | ${ofFrankfurt}`,
    ],
  },
];

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

describe("what a mirror by place should hold", () => {
  for (const row of byPlace) it(`${row.mode}: ${row.name}`, () => expectParts(row));

  it("is the same at the short name, and without routing at all others", () => {
    const { sets } = desired({ mode: "geo" });
    const routed = sets.filter(({ parts }) => parts.some(({ routing }) => routing));
    const short = "web.a.my-federation.my-domain.com.";
    expect(routed.map((each) => `${each.name} ${each.type}`)).to.have.members([
      `${name} A`,
      `${short} A`,
    ]);
    const [one, other] = routed;
    expect(one?.parts).to.deep.equal(other?.parts);
  });

  it("chooses for each family on its own", () => {
    const { sets } = desired({
      mode: "geo",
      placed: {
        london: { external: [ofLondon, "2001:db8::1"] },
        frankfurt: { external: [ofFrankfurt] },
        tokyo: { external: [ofTokyo, "2001:db8::3"] },
      },
      down: ["2001:db8::1"],
    });
    const parts = sets.find((each) => each.name === name && each.type === "AAAA")?.parts ?? [];
    expect(parts.map(partText)).to.deep.equal([
      "[geo europe-west2] 180 2001:db8::3",
      "[geo asia-northeast1] 180 2001:db8::3",
    ]);
  });

  it("says when places were more than the provider takes", () => {
    expect(desired({ mode: "geo", mostParts: 2 }).facts.isCut).to.equal(true);
    expect(desired({ mode: "geo", mostParts: 3 }).facts.isCut).to.equal(false);
  });
});

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

/** What the one service should have. */
function desired({
  clusters,
  placed,
  policy,
  name: _told,
  parts: _parts,
  ...mirror
}: Partial<Row>) {
  const sketch = {
    ...policy,
    clusters: clusters ?? three,
    services: { "a/web": { in: placed ?? everywhere } },
  };
  const found = desiredOf(sketch, mirror).get("a/web");
  if (!found) throw new Error("cannot find the service");
  return found;
}

function expectParts(row: Row): void {
  const { sets } = desired(row);
  const parts = sets.find((each) => each.name === name && each.type === "A")?.parts ?? [];
  expect(parts.map(partText)).to.deep.equal(row.parts);
}
