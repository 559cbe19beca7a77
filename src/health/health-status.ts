// What can be seen of health from outside: the plain data that `meridian status --json` prints and
// `GET /v1/status` gives. Keys are only ever added. It must not know how it is made.

/** Votes and verdicts as one server sees them. */
export interface HealthStatus {
  /** A voter probes and votes; a listener applies what the voters say. */
  readonly role: "voter" | "listener";
  /** `lost`: fewer than `votersNeeded` voters are heard, this one counted. */
  readonly quorum: "held" | "lost";
  readonly votersNeeded: number;
  readonly votersLive: number;
  /** All that are configured, in order of name. */
  readonly voters: readonly VoterStatus[];
  /** How many of them vote on one endpoint. */
  readonly electors: number;
  /** What an operator should mend, in sentences. */
  readonly warnings: readonly string[];
  /** In order of service, cluster and address. */
  readonly endpoints: readonly EndpointStatus[];
}

export interface VoterStatus {
  readonly name: string;
  readonly isSelf: boolean;
  /** Its last full ballot came less than 15 s ago. */
  readonly isLive: boolean;
  /** Seconds since that ballot; `null` if none has come, and for this server. */
  readonly lastBallotSecondsAgo: number | null;
  /** Whether it says that other voters or electors are configured with it. */
  readonly hasOtherConfiguration: boolean;
  /** The last ballot sent to it: `taken`, or why not; `null` for this server or if none was sent. */
  readonly lastSent: string | null;
}

export interface EndpointStatus {
  /** `namespace/name`. */
  readonly service: string;
  readonly cluster: string;
  readonly address: string;
  /** That is probed; `null` if the cluster's Service has no such port. */
  readonly port: number | null;
  /** A clusterIP, whose verdict is for clients inside the cluster. */
  readonly isInternal: boolean;
  /** `none`: none was ever reached, so it counts as up. */
  readonly verdict: "up" | "down" | "none";
  /** When the verdict turned, ISO 8601; `null` for none. */
  readonly verdictSince: string | null;
  /** No majority says either, so the verdict stays as it is; why. `null` if it is not frozen. */
  readonly frozenBecause: string | null;
  /** Down by vote, but kept in the answers by `maxEjectPercent`. */
  readonly isHeldIn: boolean;
  /** How much of a healthy endpoint it counts as in answers, 0 to 1. */
  readonly health: number;
  /** Votes that are a majority here. */
  readonly votesNeeded: number;
  /** One for each voter that votes on it, in order of name. */
  readonly votes: readonly VoteStatus[];
  /** What would flip the verdict, in one sentence. */
  readonly flip: string;
}

export interface VoteStatus {
  readonly voter: string;
  /** `none`: it is not heard, or has not probed it yet. */
  readonly word: "up" | "down" | "none";
  /** When it turned to this word, ISO 8601 by this server's clock; `null` for none. */
  readonly since: string | null;
  readonly reason: string | null;
  /** Probes in a row that would turn the word over; `null` for none. */
  readonly checksToFlip: number | null;
}
