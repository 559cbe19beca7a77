// A map around one client, on which distance from it is true, with the levels that routing finds.

import { createRequire } from "node:module";
import { geoAzimuthalEquidistant, geoPath } from "d3-geo";
import { feature } from "topojson-client";
import type { GeometryCollection, Topology } from "topojson-specification";
import type { RankedLevel } from "../../src/routing/route.ts";
import { client, exampleOf } from "./example.ts";
import { placeOfClient, routeFor } from "./example-route.ts";
import { type Colour, type Drawing, element, text } from "./svg.ts";

const width = 760;
const mapSize = 470;
const earthRadiusKm = 6371.0088;
/** The map ends a little beyond the farthest cluster. */
const edgeKm = 15_600;
const levelColours: readonly Colour[] = ["blue", "green", "orange", "purple", "pink", "grey"];

export function levelsMap(): Drawing {
  const example = exampleOf();
  const { distancesKm } = placeOfClient(example);
  const { levels } = routeFor(example);
  const distanceOf = (name: string): number => distancesKm.get(name) ?? 0;
  const projection = geoAzimuthalEquidistant()
    .rotate([-client.longitude, -client.latitude])
    .clipAngle((edgeKm / earthRadiusKm) * (180 / Math.PI))
    .scale((mapSize / 2 / edgeKm) * earthRadiusKm)
    .translate([mapSize / 2, mapSize / 2])
    .precision(0.3);
  const path = geoPath(projection).digits(0);
  const radiusOf = (km: number): number => (km / edgeKm) * (mapSize / 2);
  const centre = mapSize / 2;

  const rings = levels.flatMap((level, at) => {
    const farthest = Math.max(...namesOf(level).map(distanceOf));
    const nearest = Math.min(...namesOf(level).map(distanceOf));
    return [nearest, ...(farthest > nearest ? [farthest] : [])].map((km) =>
      element("circle", {
        class: `thin ${colourAt(at)}-line${level.kind === "region" ? " dashed" : ""}`,
        cx: centre,
        cy: centre,
        r: radiusOf(km),
      }),
    );
  });
  const clusters = levels.flatMap((level, at) =>
    namesOf(level).flatMap((name) => {
      const { latitude = 0, longitude = 0 } = example.clusters.get(name)?.location ?? {};
      const [x, y] = projection([longitude, latitude]) ?? [0, 0];
      const isLeft = name === "london" || name === "oregon";
      return [
        element("line", {
          class: `thin ${colourAt(at)}-line`,
          x1: centre,
          y1: centre,
          x2: x,
          y2: y,
        }),
        element("circle", { class: colourAt(at), cx: x, cy: y, r: 9 }),
        text(x, y + 4, String(at), "paper bold small middle"),
        text(x + (isLeft ? -14 : 14), y + 4, name, `ink bold${isLeft ? " end" : ""}`),
      ];
    }),
  );
  return {
    title: `The levels of ${client.name}`,
    description: levels
      .map(
        (level, at) =>
          `Level ${at}: ${namesOf(level)
            .map((name) => `${name}, ${kilometres(distanceOf(name))}`)
            .join(" and ")}; ${whyOf(level)}.`,
      )
      .join(" "),
    width,
    height: mapSize,
    body: [
      element("circle", { class: "ground", cx: centre, cy: centre, r: centre }),
      element("path", { class: "line", d: path(land()) ?? "" }),
      ...rings,
      ...clusters,
      element("circle", { class: "ink", cx: centre, cy: centre, r: 5 }),
      text(centre - 10, centre + 18, client.name, "ink bold end"),
      ...legend(levels, distanceOf),
    ],
  };
}

function legend(levels: readonly RankedLevel[], distanceOf: (name: string) => number): string[] {
  const left = mapSize + 30;
  const rows: string[] = [text(left, 40, "Levels, from the client outward", "ink bold")];
  let y = 66;
  for (const [at, level] of levels.entries()) {
    rows.push(
      element("circle", { class: colourAt(at), cx: left + 9, cy: y, r: 9 }),
      text(left + 9, y + 4, String(at), "paper bold small middle"),
    );
    for (const name of namesOf(level)) {
      rows.push(
        text(left + 28, y + 4, name, "ink bold"),
        text(width, y + 4, kilometres(distanceOf(name)), "ink end"),
      );
      y += 19;
    }
    rows.push(text(left + 28, y + 3, whyOf(level), "muted"));
    y += 36;
  }
  rows.push(
    text(left, mapSize - 30, "Everything on this map is as far from its", "muted small"),
    text(left, mapSize - 15, "centre as it is from the client.", "muted small"),
  );
  return rows;
}

/** Why these clusters are a level, in few words. */
function whyOf(level: RankedLevel): string {
  const count = level.candidates.length;
  if (level.kind === "front") return "home: the nearest";
  if (level.kind === "region") return "home's region: before nearer ones";
  return count > 1 ? "at most 5 % apart: one level" : "next by distance";
}

function namesOf(level: RankedLevel): string[] {
  return level.candidates.map(({ cluster }) => cluster.name).sort();
}

function kilometres(km: number): string {
  return `${Math.round(km).toLocaleString("en-US")} km`;
}

function colourAt(level: number): Colour {
  return levelColours[level] ?? "grey";
}

function land() {
  const world: Topology<{ land: GeometryCollection }> = createRequire(import.meta.url)(
    "world-atlas/land-110m.json",
  );
  return feature(world, world.objects.land);
}
