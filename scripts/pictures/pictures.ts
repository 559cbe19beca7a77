// All pictures of docs/concepts.md, by their file names: each is drawn from what the server's own
// functions say, the same at every run.

import { drawGrids } from "./draw-grids.ts";
import { failoverChart } from "./failover-chart.ts";
import { levelsMap } from "./levels-map.ts";
import { partitionChart } from "./partition-chart.ts";
import { planesDiagram } from "./planes.ts";
import { sharesChart } from "./shares.ts";
import { type Drawing, svgFile } from "./svg.ts";
import { ttlChart } from "./ttl-chart.ts";

const drawings: Readonly<Record<string, () => Drawing>> = {
  "levels.svg": levelsMap,
  "shares.svg": sharesChart,
  "draw.svg": drawGrids,
  "partition.svg": partitionChart,
  "ttl.svg": ttlChart,
  "failover.svg": failoverChart,
  "planes.svg": planesDiagram,
};

/** The content of each file of docs/pictures. */
export function pictureFiles(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(drawings).map(([name, draw]) => [name, svgFile(draw())]),
  );
}
