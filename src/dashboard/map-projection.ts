// From places on Earth to pixels of the map, and the outlines of land as SVG paths. It knows the
// projection; it must not know what is drawn on top.

import { type GeoProjection, geoNaturalEarth1, geoPath } from "d3-geo";
import { feature, mesh } from "topojson-client";
import type { GeometryCollection, MultiLineString, Topology } from "topojson-specification";
import type { Coordinates } from "../geo/distance.ts";
import type { Point, Size } from "./map-layout.ts";

/** What `world.json` holds: see scripts/build-dashboard.ts. */
export type World = Topology<{ land: GeometryCollection; borders: MultiLineString }>;

export interface WorldPaths {
  readonly land: string;
  readonly borders: string;
}

/** The height of a map of this width that shows all land but Antarctica's. */
export function mapSize(width: number): Size {
  return { width, height: Math.round(width / 2.28) };
}

/** No land is cut by the map's edge: it lies in the Bering Strait. */
const turn: [number, number] = [-11, 0];
/** What must be on the map. */
const corners = {
  type: "MultiPoint" as const,
  coordinates: [
    [-168.9, 0],
    [190.9, 0],
    [11, 79],
    [11, -55],
  ],
};

/** A projection that fills a map of this size. */
export function projectionFor({ width, height }: Size): GeoProjection {
  return geoNaturalEarth1()
    .rotate(turn)
    .fitExtent(
      [
        [4, 4],
        [width - 4, height - 4],
      ],
      corners,
    )
    .clipExtent([
      [0, 0],
      [width, height],
    ]);
}

export function worldPaths(world: World, projection: GeoProjection): WorldPaths {
  const path = geoPath(projection).digits(1);
  const { land, borders } = world.objects;
  return {
    land: path(feature(world, land)) ?? "",
    borders: path(mesh(world, borders)) ?? "",
  };
}

/** `undefined` for what lies outside of the map. */
export function pointAt(
  projection: GeoProjection,
  { latitude, longitude }: Coordinates,
): Point | undefined {
  const pixel = projection([longitude, latitude]);
  return pixel ? { x: pixel[0], y: pixel[1] } : undefined;
}

/** The great circle from one place to another; empty if it is none. */
export function greatCircle(projection: GeoProjection, from: Coordinates, to: Coordinates): string {
  const coordinates = [from, to].map(({ latitude, longitude }) => [longitude, latitude]);
  return geoPath(projection).digits(1)({ type: "LineString", coordinates }) ?? "";
}
