// A cluster as the page shows it, on the map and in the table. It must not know how either is drawn.

import type { ClusterReport } from "../control/api-schemas.ts";
import type { Condition } from "./cluster-condition.ts";
import type { Point } from "./map-layout.ts";

/** A cluster, what it is like, and how much of the answers it has. */
export interface ShownCluster {
  readonly cluster: ClusterReport;
  readonly condition: Condition;
  /** 0 to 1, over the last minute. */
  readonly share: number;
  /** Answers per second; `undefined` before it is known. */
  readonly rate: number | undefined;
}

/** The same with its place on the map, in pixels. */
export interface PlacedCluster extends ShownCluster, Point {
  readonly radius: number;
  readonly label: { readonly at: Point; readonly lines: readonly string[] } | undefined;
}
