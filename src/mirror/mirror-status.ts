// What a running server says of one of its mirrors. It must not know how it is shown.

/** One mirror as it is now. Times are ISO 8601 in UTC. */
export interface MirrorStatus {
  /** The provider and its zone: `route53 Z123`. */
  readonly mirror: string;
  readonly owner: string;
  readonly dryRun: boolean;
  /** Why nothing is changed at present, in one sentence; `null`: nothing hinders. */
  readonly waitingFor: string | null;
  /** When all was last compared and found or made right. */
  readonly lastSuccess: string | null;
  /** The last failure since then, in one sentence. */
  readonly lastError: string | null;
  /** Record sets of ours in the zone, ownership records not counted; `null` before the first listing. */
  readonly records: number | null;
  /** Changes since the server started. */
  readonly changes: {
    readonly created: number;
    readonly updated: number;
    readonly deleted: number;
    readonly drift: number;
  };
  /** What stands in the way, a sentence each; the first twenty. */
  readonly conflicts: { readonly count: number; readonly examples: readonly string[] };
}
