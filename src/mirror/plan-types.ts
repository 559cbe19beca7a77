// What a plan is: all that would have to change in a zone, and what stands in the way. It must not
// know how plans are made, shown or carried out.

import type { Change, ChangeGroup } from "./provider.ts";
import type { RecordSet } from "./record-set.ts";

/** The way from what a zone holds to what it should hold, for one owner. */
export interface Plan {
  /** In canonical order of names (RFC 4034 section 6.1). */
  readonly groups: readonly PlannedGroup[];
  /** In the same order. */
  readonly conflicts: readonly Conflict[];
  /** Record sets of this owner that the zone holds, ownership records not counted. */
  readonly owned: number;
  /** Of these, the ones that are as they should be. */
  readonly unchanged: number;
  /** Of these, the ones that are lost, in all groups. */
  readonly lost: number;
}

export interface PlannedGroup extends ChangeGroup {
  /** `namespace/name`: the service whose name it is. */
  readonly service: string;
  readonly changes: readonly PlannedChange[];
  /** Record sets of ours that go while nothing of ours takes their place at the name. */
  readonly lost: number;
}

export type PlannedChange = Change & {
  readonly reason: ChangeReason;
  /** Whether it is of the TXT record that says whose a record set is. */
  readonly isOwnership: boolean;
};

export type ChangeReason =
  /** The federation, its health or this mirror's settings say so now. */
  | "wanted"
  /** Nothing wants it any more. */
  | "unwanted"
  /** Somebody else changed or deleted what this mirror had written. */
  | "drift"
  /** It is taken over from another owner, as was asked. */
  | "adopted";

/** A record set that should be there and cannot be: it is left out, what is there stays. */
export interface Conflict {
  readonly name: string;
  readonly type: string;
  /** `namespace/name`. */
  readonly service: string;
  readonly reason: ConflictReason;
  /** One sentence that says what stands in the way. */
  readonly message: string;
  readonly wanted: RecordSet;
  /** What stands there. */
  readonly found: readonly RecordSet[];
}

export type ConflictReason =
  /** A record set that nobody says is ours. */
  | "foreign"
  /** Another Meridian, or another program, says that it is its own. */
  | "other-owner"
  /** A CNAME cannot stand beside other records (RFC 1034 section 3.6.2). */
  | "cname"
  /** The provider refused the change again and again. */
  | "refused"
  /** The name with its ownership label is longer than a name may be. */
  | "too-long";

/** What the cloud cannot say of some services that our own answers do. */
export interface FidelityNote {
  readonly topic: FidelityTopic;
  /** One sentence: what our own answers do, and what the mirror's do instead. */
  readonly message: string;
  /** How many services it concerns, and the first few of them in order. */
  readonly services: number;
  readonly examples: readonly string[];
}

export type FidelityTopic =
  | "address-order"
  | "nearest"
  | "inside"
  | "overflow"
  | "priority"
  | "weight"
  | "geo-and-weight"
  | "cross-cluster"
  | "ramp"
  | "ttl"
  | "max-addresses"
  | "all-down"
  | "local-family"
  | "srv-order"
  | "location";

/** A plan with what is said around it. */
export interface MirrorPlan {
  /** The provider and its zone: `route53 Z123`. */
  readonly mirror: string;
  readonly domain: string;
  readonly owner: string;
  readonly plan: Plan;
  readonly fidelity: readonly FidelityNote[];
  /** Why it would not be applied as things are, a sentence each; empty: it would be. */
  readonly obstacles: readonly string[];
}
