import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect } from "chai";
import fc from "fast-check";
import type { Flow } from "../../src/control/api-schemas.ts";
import {
  type Box,
  drawnFlows,
  lineWidthOf,
  placeLabels,
  radiusOf,
  sourcesOf,
  spread,
} from "../../src/dashboard/map-layout.ts";
import {
  greatCircle,
  mapSize,
  pointAt,
  projectionFor,
  type World,
  worldPaths,
} from "../../src/dashboard/map-projection.ts";
import { markerPath } from "../../src/dashboard/marker-shape.ts";
import { stubClients, stubClusters } from "./stub-places.ts";

const width = 900;
const size = mapSize(width);
const projection = projectionFor(size);

describe("the map", () => {
  it("has all places of people inside, west on the left, north above", () => {
    const places = [...stubClusters.map(({ location }) => location), ...stubClients];
    for (const place of places) {
      const at = pointAt(projection, place);
      expect(at?.x).to.be.within(0, size.width);
      expect(at?.y).to.be.within(0, size.height);
    }
    const [oregon, , , frankfurt, , tokyo] = stubClusters.map(({ location }) =>
      pointAt(projection, location),
    );
    expect(oregon?.x).to.be.below(frankfurt?.x ?? 0);
    expect(frankfurt?.x).to.be.below(tokyo?.x ?? 0);
    expect(frankfurt?.y).to.be.below(tokyo?.y ?? 0);
  });

  it("draws land and borders", () => {
    const file = createRequire(import.meta.url).resolve("world-atlas/countries-110m.json");
    const atlas = JSON.parse(readFileSync(file, "utf8")) as World;
    const arcs = { type: "MultiLineString" as const, arcs: [[0]] };
    const { land } = atlas.objects;
    const paths = worldPaths({ ...atlas, objects: { land, borders: arcs } }, projection);
    expect(paths.land).to.match(/^M[\d.,LMZ-]{10000,}$/);
    expect(paths.borders).to.match(/^M[\d.,LM-]+$/);
  });

  it("goes by great circles: over the north from Tokyo to Frankfurt", () => {
    const [frankfurt, tokyo] = ["frankfurt", "tokyo"].map(
      (name) => stubClusters.find((each) => each.name === name)?.location,
    );
    if (!frankfurt || !tokyo) throw new Error("cannot draw: the clusters are not there");
    const path = greatCircle(projection, tokyo, frankfurt);
    const heights = [...path.matchAll(/[\d.]+,([\d.]+)/g)].map(([, y]) => Number(y));
    expect(Math.min(...heights)).to.be.below((pointAt(projection, frankfurt)?.y ?? 0) - 20);
  });
});

describe("sizes on the map", () => {
  it("grow with the share, in bounds", () => {
    const shares = [0, 0.1, 0.5, 1];
    for (const sizes of [shares.map((each) => radiusOf(each, width)), shares.map(lineWidthOf)]) {
      expect(sizes).to.deep.equal([...sizes].sort((a, b) => a - b));
      expect(new Set(sizes).size).to.equal(shares.length);
    }
    expect(radiusOf(7, width)).to.equal(radiusOf(1, width));
    expect(radiusOf(1, 350)).to.be.below(radiusOf(1, width));
  });

  it("come with a shape for each condition that draws a line around its place", () => {
    const kinds = ["well", "partly-down", "down", "drained"] as const;
    const paths = kinds.map((kind) => markerPath(kind, 8));
    expect(new Set(paths).size).to.equal(kinds.length);
    for (const path of paths) expect(path).to.match(/^M.*Z$/);
  });
});

const circles = fc.array(
  fc.record({
    x: fc.integer({ min: 0, max: 400 }),
    y: fc.integer({ min: 0, max: 200 }),
    radius: fc.integer({ min: 5, max: 20 }),
  }),
  { maxLength: 12 },
);

describe("clusters of one place", () => {
  it("are moved apart, the first not at all", () => {
    const [first, second, third] = spread([1, 2, 3].map(() => ({ x: 50, y: 50, radius: 8 })));
    expect(first).to.deep.equal({ x: 50, y: 50, radius: 8 });
    for (const [a, b] of [
      [first, second],
      [second, third],
      [first, third],
    ]) {
      expect(Math.hypot((a?.x ?? 0) - (b?.x ?? 0), (a?.y ?? 0) - (b?.y ?? 0))).to.be.at.least(12);
    }
  });

  it("are left where they are if they do not touch", () => {
    const apart = [
      { x: 0, y: 0, radius: 5 },
      { x: 100, y: 0, radius: 5 },
    ];
    expect(spread(apart)).to.deep.equal(apart);
  });

  it("never cover each other by more than half of the smaller one's radius", () => {
    fc.assert(
      fc.property(circles, (given) => {
        const placed = spread(given);
        for (const [at, a] of placed.entries()) {
          for (const b of placed.slice(0, at)) {
            const least = a.radius + b.radius - Math.min(a.radius, b.radius) / 2;
            expect(Math.hypot(a.x - b.x, a.y - b.y)).to.be.at.least(least - 1e-9);
          }
        }
      }),
      { seed: 1 },
    );
  });
});

describe("labels", () => {
  it("stand on the right where there is room, else on another side", () => {
    const label = { width: 60, height: 20, radius: 5 };
    const [middle, edge] = placeLabels(
      [
        { x: 100, y: 50, ...label },
        { x: 395, y: 150, ...label },
      ],
      { width: 400, height: 200 },
    );
    expect(middle).to.deep.equal({ x: 112, y: 40 });
    expect(edge?.x).to.equal(323);
  });

  it("are inside the map and never on each other or on a cluster", () => {
    fc.assert(
      fc.property(circles, (given) => {
        const map = { width: 400, height: 200 };
        const labelled = given.map((each) => ({ ...each, width: 50, height: 24 }));
        const boxes = placeLabels(labelled, map).flatMap((corner, at): (Box & { at: number })[] =>
          corner ? [{ ...corner, width: 50, height: 24, at }] : [],
        );
        for (const { at, x, y } of boxes) {
          expect(x >= 0 && y >= 0 && x + 50 <= map.width && y + 24 <= map.height).to.equal(true);
          const others = boxes.filter((each) => each.at !== at);
          expect(others.some((b) => Math.abs(b.x - x) < 50 && Math.abs(b.y - y) < 24)).to.equal(
            false,
          );
          const onCircle = given.some(
            (each, other) =>
              other !== at && each.x > x && each.x < x + 50 && each.y > y && each.y < y + 24,
          );
          expect(onCircle).to.equal(false);
        }
      }),
      { seed: 1 },
    );
  });
});

describe("flows", () => {
  const flow = (label: string, latitude: number, cluster: string, share: number): Flow => ({
    from: { label, latitude, longitude: 0 },
    cluster,
    share,
  });
  const flows = [
    flow("Norway", 60, "london", 0.2),
    flow("Spain", 40, "london", 0.1),
    flow("Norway", 60, "tokyo", 0.05),
    flow("Norway", 60, "london", 0.3),
  ];

  it("of one way are one line, the heaviest on top", () => {
    const drawn = drawnFlows(flows, 2).map(({ from, cluster, share }) => [
      from.label,
      cluster,
      share,
    ]);
    expect(drawn).to.deep.equal([
      ["Spain", "london", 0.1],
      ["Norway", "london", 0.5],
    ]);
  });

  it("are told in words by where they come from", () => {
    expect(sourcesOf(flows, "london", 5)).to.deep.equal(["Norway", "Spain"]);
    expect(sourcesOf(flows, "london", 1)).to.deep.equal(["Norway"]);
    expect(sourcesOf(flows, "paris", 5)).to.deep.equal([]);
  });
});
