// Overflow (semantics 4): how many of the clients each level keeps, and to which level one
// client belongs. It knows counts of endpoints only.

/** Healthy and all endpoints of a level; `healthy` may be a fraction while endpoints ramp up. */
export interface LevelHealth {
  readonly healthy: number;
  readonly total: number;
}

/**
 * The share of the clients that each level keeps, walking the list: what is left, at most
 * (healthy / total) / m. Scaled to sum 1 if the list ends first; all 0 if nothing is healthy.
 * @param minHealthyPercent 0–100; at 0 any healthy endpoint carries all.
 */
export function levelShares(levels: readonly LevelHealth[], minHealthyPercent: number): number[] {
  let left = 1;
  const shares = levels.map(({ healthy, total }) => {
    if (healthy <= 0 || left <= 0) return 0;
    // Multiplied out, so that a level exactly at the threshold keeps exactly everything.
    const isWell = healthy * 100 >= minHealthyPercent * total;
    const share = isWell ? left : Math.min(left, (healthy * 100) / (minHealthyPercent * total));
    left = isWell ? 0 : left - share;
    return share;
  });
  const sum = shares.reduce((total, share) => total + share, 0);
  return sum > 0 && left > 0 ? shares.map((share) => share / sum) : shares;
}

/**
 * The level of a client: the first whose running sum of shares exceeds `u`; the last with a
 * share where rounding leaves the sum below it; -1 if no level has a share.
 * @param u in [0,1): the client's own number.
 */
export function levelOfClient(shares: readonly number[], u: number): number {
  let sum = 0;
  let last = -1;
  for (let at = 0; at < shares.length; at++) {
    const share = shares[at] ?? 0;
    if (share <= 0) continue;
    sum += share;
    last = at;
    if (sum > u) return at;
  }
  return last;
}
