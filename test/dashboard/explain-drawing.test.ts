import { expect } from "chai";
import { askerOf } from "../../src/answer/asker.ts";
import { explain } from "../../src/answer/explain.ts";
import type { Explanation } from "../../src/answer/explanation.ts";
import { drawingOf, outcomeSentences } from "../../src/dashboard/explain-drawing.ts";
import { typeCode } from "../../src/dns/record-types.ts";
import { type Coordinates, distanceKm } from "../../src/geo/distance.ts";
import { address } from "../geo/addresses.ts";
import { compileWorld, healthyState } from "../kit/compile-world.ts";
import { filesOf } from "../kit/federation.ts";
import { wireNameOf } from "../kit/generated-queries.ts";

const london = { latitude: 51.51, longitude: -0.13 };
const tokyo = { latitude: 35.69, longitude: 139.69 };
const oslo = { latitude: 59.9, longitude: 10.8 };
const world = compileWorld({
  files: filesOf({
    name: "shop",
    domain: "example.com",
    clusters: {
      london: { region: "eu", at: [london.latitude, london.longitude], networks: ["10.1.0.0/16"] },
      tokyo: { region: "jp", at: [tokyo.latitude, tokyo.longitude], networks: ["10.2.0.0/16"] },
    },
    services: {
      "prod/web": {
        healthCheck: {},
        in: {
          london: { clusterIps: ["10.1.0.1"], external: ["198.51.100.1"] },
          tokyo: { clusterIps: ["10.2.0.1"], external: ["198.51.100.2"] },
        },
      },
    },
  }),
  overrides: [{ network: "192.0.2.0/24", ...oslo }],
});

describe("an explanation on the map", () => {
  const name = "web.prod.shop.example.com";

  it("has the client's place, and the clusters in the order of the answer with their distance", () => {
    const drawing = drawingOf(explained(name, "A", "192.0.2.7"));
    expect(drawing).to.deep.equal({
      client: oslo,
      clusters: [
        { cluster: "london", km: distanceKm(oslo, london) },
        { cluster: "tokyo", km: distanceKm(oslo, tokyo) },
      ],
    });
  });

  it("has no place for a client that nobody knows", () => {
    const { client, clusters } = drawingOf(explained(name, "A", "203.0.113.1"));
    expect(client).to.equal(undefined);
    expect(clusters.map(({ km }) => km)).to.deep.equal([null, null]);
  });

  it("has no cluster where there is no answer of one", () => {
    expect(drawingOf(explained("nothing.example.com", "A", "192.0.2.7")).clusters).to.deep.equal(
      [],
    );
    expect(
      drawingOf(explained(name, "A", "192.0.2.7", ["london", "tokyo"])).clusters,
    ).to.deep.equal([]);
  });
});

describe("the outcome of an explanation in sentences", () => {
  const name = "web.prod.shop.example.com";
  const cases: [string, () => Explanation, string][] = [
    [
      "names clusters, distances and how long it may be kept",
      () => explained(name, "A", "192.0.2.7"),
      `192.0.2.7/32 gets london (${away(london)}), then tokyo (${away(tokyo)}). It may keep that for 180 s.`,
    ],
    [
      "says what was drained",
      () => explained(name, "A", "192.0.2.7", ["london"]),
      `192.0.2.7/32 gets tokyo (${away(tokyo)}). Left out as drained: london. It may keep that for 180 s.`,
    ],
    [
      "says that the client is inside",
      () => explained(name, "A", "10.2.0.9"),
      `10.2.0.9/32 gets tokyo (0 km), then london (${away(london, tokyo)}). It is inside tokyo. It may keep that for 180 s.`,
    ],
    [
      "says that nobody knows where the client is",
      () => explained(name, "A", "203.0.113.1"),
      "203.0.113.1/32 gets london, then tokyo. Where it is nobody knows, so nothing counts as near. It may keep that for 180 s.",
    ],
    [
      "says what there is of a name without a route",
      () => explained("nothing.example.com", "A", "192.0.2.7"),
      "192.0.2.7/32 gets NXDOMAIN with no records.",
    ],
  ];
  for (const [title, explanation, expected] of cases) {
    it(title, () => {
      // Two clusters that are nowhere near are drawn in any order.
      const text = outcomeSentences(explanation()).join(" ");
      const drawn = text.replace("gets tokyo, then london", "gets london, then tokyo");
      expect(drawn).to.equal(expected);
    });
  }
});

/** Whole kilometres, by thousands. */
function away(place: Coordinates, from: Coordinates = oslo): string {
  const km = Math.round(distanceKm(from, place));
  return `${Math.floor(km / 1000)},${String(km % 1000).padStart(3, "0")} km`;
}

function explained(
  name: string,
  type: string,
  client: string,
  drained: readonly string[] = [],
): Explanation {
  const asker = askerOf(address(client), undefined, [], world.snapshot.views);
  const state = { ...healthyState(world.snapshot), drained: new Set(drained) };
  return explain(wireNameOf(name), typeCode(type) ?? 0, asker, world.locations, state);
}
