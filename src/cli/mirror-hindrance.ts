// Why a running server must not change any cloud zone now (semantics 9): a federation that is known
// in part, or votes that nobody can rely on. It must not know mirrors.

import { quorumOf } from "../health/electorate.ts";
import type { Voting } from "../health/voting.ts";

/** So long after a majority is first heard, endpoints that no verdict was reached on count as up. */
const settleMs = 30_000;

/**
 * Gives a function that says in one sentence what hinders; `undefined`: nothing.
 * @param isWhole whether all is known that files and load balancer hostnames say.
 * @param now milliseconds of a clock that only goes forward.
 */
export function mirrorHindrance(
  isWhole: () => boolean,
  voting: Pick<Voting, "counts"> | undefined,
  now: () => number = () => performance.now(),
): () => string | undefined {
  let heardSinceMs: number | undefined;
  return () => {
    if (!isWhole()) return "load balancer hostnames are being resolved for the first time";
    if (!voting) return undefined;
    const { live, voters, endpoints } = voting.counts();
    const needed = quorumOf(voters);
    if (live < needed) {
      return `quorum is lost (${live} of ${voters} voters heard, ${needed} needed)`;
    }
    heardSinceMs ??= now();
    // After a start, what is down is learned from the others' words and from own probes.
    const isSettled = endpoints.none === 0 || now() - heardSinceMs >= settleMs;
    return isSettled
      ? undefined
      : `${endpoints.none} endpoints have no verdict yet since the start`;
  };
}
