// One change as a request asks for it. It holds words only.

import type { ResourceRecordSet } from "@aws-sdk/client-route-53";

/** What to do with a record set. */
export type Action = "CREATE" | "DELETE" | "UPSERT";

/** One change of a batch; the name is as it was sent. */
export interface SentChange {
  readonly action: Action;
  readonly set: ResourceRecordSet;
}

export interface SentBatch {
  readonly comment: string | undefined;
  readonly changes: readonly SentChange[];
}
