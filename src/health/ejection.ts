// What a verdict does to an endpoint's part in the answers (semantics 7): the ejection budget, and
// the ramp after a recovery. It must not know votes.

/** An endpoint that is down by vote. */
export interface Ejectable {
  readonly id: string;
  /** When its verdict turned down, in milliseconds of any one clock. */
  readonly downSinceMs: number;
}

/**
 * Which of a service's endpoints stay in the answers although they are down: past the budget the
 * newest do.
 * @param total all of the service's endpoints.
 * @param maxEjectPercent 0–100.
 */
export function heldIn(
  down: readonly Ejectable[],
  total: number,
  maxEjectPercent: number,
): ReadonlySet<string> {
  const budget = Math.floor((total * maxEjectPercent) / 100);
  if (down.length <= budget) return none;
  const oldestFirst = [...down].sort(
    (a, b) => a.downSinceMs - b.downSinceMs || (a.id < b.id ? -1 : 1),
  );
  return new Set(oldestFirst.slice(budget).map(({ id }) => id));
}

const none: ReadonlySet<string> = new Set();

/**
 * How much of a healthy endpoint one counts as so long after its verdict turned up: above 0 from the
 * first moment, 1 at the end of the ramp.
 */
export function rampedHealth(elapsedMs: number, rampSeconds: number): number {
  if (rampSeconds === 0) return 1;
  return Math.min(1, Math.max(1 / 255, elapsedMs / (rampSeconds * 1000)));
}
