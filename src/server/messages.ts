// What the control plane and a data plane thread say to each other.

import type { Snapshot } from "../answer/snapshot.ts";
import type { ListenAddress } from "./listener.ts";

/** What a data plane thread is started with. */
export interface WorkerStart {
  readonly listen: readonly ListenAddress[];
  readonly snapshot: Snapshot;
}

/** To the thread. */
export type ToWorker =
  | { readonly kind: "snapshot"; readonly snapshot: Snapshot; readonly sequence: number }
  | { readonly kind: "stop" };

/** From the thread. */
export type FromWorker =
  /** The listeners are bound; ports that the system chose stand in place of 0. */
  | { readonly kind: "listening"; readonly addresses: readonly ListenAddress[] }
  | { readonly kind: "cannot-listen"; readonly address: ListenAddress; readonly reason: string }
  /** Queries are answered from this snapshot. */
  | { readonly kind: "using"; readonly sequence: number }
  /** Something went wrong and the thread went on. */
  | { readonly kind: "fault"; readonly message: string };
