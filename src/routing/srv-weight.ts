// How SRV records share clients within a level (semantics 3, "SRV"). It must not know names or
// records.

import type { OrderedCluster } from "./route.ts";

/** Weight × healthy share, scaled to 1–65535 within the level; 0 for weight 0 (semantics 3, "SRV"). */
export function srvWeight(
  { candidate, rank }: OrderedCluster,
  order: readonly OrderedCluster[],
): number {
  const weights = order
    .filter((each) => each.rank === rank)
    .map((each) => each.candidate.drawWeight);
  const { drawWeight } = candidate;
  return drawWeight > 0 ? Math.max(1, Math.round((drawWeight / Math.max(...weights)) * 0xffff)) : 0;
}
