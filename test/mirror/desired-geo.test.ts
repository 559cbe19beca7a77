// What a mirror should hold where the cloud chooses an answer by the client's place: a line for each
// part of the global name's A record.

import { expect } from "chai";
import {
  desired,
  everywhere,
  expectParts,
  london,
  name,
  ofFrankfurt,
  ofLondon,
  ofTokyo,
  type Row,
  three,
  withRouting,
} from "./desired-geo-sketch.ts";
import { partText } from "./record-sketch.ts";

const byPlace: readonly Row[] = [
  {
    name: "clusters that are all for their own clients only each have their place",
    mode: "geoproximity",
    clusters: {
      london: { ...london, routing: { allowCrossClusterTraffic: false } },
      tokyo: { ...three.tokyo, routing: { allowCrossClusterTraffic: false } },
    },
    placed: { london: { external: [ofLondon] }, tokyo: { external: [ofTokyo] } },
    parts: [
      `[geoproximity london 51.51 -0.13] 180 ${ofLondon}`,
      `[geoproximity tokyo 35.69 139.69] 180 ${ofTokyo}`,
    ],
  },
  {
    name: "parts that together have more values than a provider takes are one of all",
    mode: "geoproximity",
    mostValues: 2,
    parts: [`180 ${ofLondon} | ${ofFrankfurt}`],
  },
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
    name: "the default has further groups too, in which continents are not looked for",
    mode: "geolocation",
    clusters: withRouting({ priority: 200 }),
    parts: [
      `[geolocation continent:AF continent:AF] 180 ${ofFrankfurt}`,
      `[geolocation continent:AN continent:AN] 180 ${ofTokyo}`,
      `[geolocation continent:AS continent:AS] 180 ${ofTokyo}`,
      `[geolocation continent:EU continent:EU] 180 ${ofFrankfurt}`,
      `[geolocation continent:NA continent:NA] 180 ${ofFrankfurt}`,
      `[geolocation continent:OC continent:OC] 180 ${ofTokyo}`,
      `[geolocation continent:SA continent:SA] 180 ${ofFrankfurt}`,
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
    name: "clusters in one region of the cloud share a part",
    mode: "latency",
    clusters: { ...three, frankfurt: { region: "west", at: [51.6, -0.2] } },
    parts: [
      `[latency frankfurt eu-west-2] 180 ${ofLondon} | ${ofFrankfurt}`,
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
