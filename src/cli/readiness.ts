// Whether a server is ready to be asked, as load balancers and supervisors ask it. It knows what its parts
// say of themselves; it must not know who asks, nor clocks.

/** The parts of a server, as far as they decide whether it is ready. */
export interface ReadinessParts {
  /** Whether it was told to end. */
  readonly isStopping: () => boolean;
  /** Whether another process answers at the same places, so that either may be asked. */
  readonly isBeside: () => boolean;
  /** Whether all is known that files and load balancer hostnames say. */
  readonly isWhole: () => boolean;
  /** Whether every thread answers. */
  readonly isAnswering: () => boolean;
  /** Whether a majority of the voters is heard; true for a server that takes no part in votes. */
  readonly isQuorumHeld: () => boolean;
  /** Milliseconds since the server began to answer. */
  readonly ageMs: () => number;
}

/**
 * So long a server that has just started, and so knows of no verdict of others, waits for a majority. Full
 * ballots come every 5 s; in a partition it must answer all the same.
 */
export const quorumPatienceMs = 15_000;

/** Asked again and again: why the server is not ready, as a clause; `undefined` if it is. */
export function readiness(parts: ReadinessParts): () => string | undefined {
  let wasHeard = false;
  return () => {
    if (parts.isStopping()) return "the server is being stopped";
    if (parts.isBeside()) return undefined;
    if (!parts.isWhole()) return "load balancer hostnames are being resolved";
    if (!parts.isAnswering()) return "a thread that answers is being started anew";
    // Only a start waits for the voters: a quorum that is lost later takes nobody out.
    wasHeard ||= parts.isQuorumHeld() || parts.ageMs() >= quorumPatienceMs;
    return wasHeard ? undefined : "no majority of the voters has been heard yet";
  };
}
