// What mirrors count, for whoever shows it. `mirror` is the provider and its zone. It must not know
// how it is shown.

/** Told of what happens, one call an event. */
export interface MirrorMeter {
  /** A request was sent, a retry too. */
  readonly called: (mirror: string, operation: string) => void;
  /** The provider asked for patience. */
  readonly throttled: (mirror: string) => void;
  /** Record sets were changed, ownership records not counted. */
  readonly changed: (mirror: string, kind: "create" | "update" | "delete", count: number) => void;
  /** So many record sets were found changed by somebody else. */
  readonly drifted: (mirror: string, count: number) => void;
  /** So many record sets cannot be written now. */
  readonly conflicts: (mirror: string, count: number) => void;
  /** So many record sets in the zone are ours. */
  readonly records: (mirror: string, count: number) => void;
  /** A comparison of everything, or of what changed, ended. */
  readonly ran: (mirror: string, outcome: "success" | "failure" | "held") => void;
  /** All was compared and found or made right at this moment, in seconds since 1970. */
  readonly succeeded: (mirror: string, atSeconds: number) => void;
}
