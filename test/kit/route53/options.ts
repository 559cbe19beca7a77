// What a stand-in of Route 53 can be told when it starts. It holds words only.

import type { AccessKey } from "./access.ts";
import type { NameOrder } from "./names.ts";
import type { Propagation } from "./operations.ts";
import type { RefusalForm } from "./refusal.ts";

export interface Route53Options {
  /** Ids in capitals and digits: `Z123`. SOA and NS stand at the apex from the start. */
  readonly zones: readonly { readonly id: string; readonly name: string }[];
  /** From a request to its answer; it is carried out half-way. Default 0. */
  readonly latencyMs?: number;
  /** More in any second are refused with Throttling; Route 53 takes 5. Default: no limit. */
  readonly requestsPerSecond?: number;
  readonly clock?: Clock;
  /** Who may call. Default: `standInKey` alone. */
  readonly credentials?: readonly AccessKey[];
  /** Until a change is in sync. Default: one question says PENDING, the next INSYNC. */
  readonly propagation?: Partial<Propagation>;
  /** How an InvalidChangeBatch is written. Default: as Route 53 does today, `error-response`. */
  readonly refusalForm?: RefusalForm;
  /** In one zone, its SOA and NS too; Route 53 begins with 10,000. Default: no limit. */
  readonly mostRecordSets?: number;
  /**
   * Values of one weighted or latency record set. The API reference says 1 ("You can only specify one
   * ResourceRecord"), tools write more without being refused. Default: as many as any other.
   */
  readonly mostRoutedValues?: number;
  /** How names with other characters than letters, digits, `-` and `_` sort. Default: by octets. */
  readonly nameOrder?: NameOrder;
  /**
   * Whether a change of a zone that comes before a former one was carried out is refused with
   * PriorRequestNotComplete, as Route 53 may (Developer Guide, Quotas). It takes a latency for that to
   * happen. Default: no.
   */
  readonly refusesOverlap?: boolean;
}

/** Where the stand-in's time comes from. */
export interface Clock {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<unknown>;
}
