// The running server, as far as it can be asked: what its parts give to the control server's backend.
// It must not know how any of it is done, nor who asks.

import type { ReloadReport } from "../control/api-answers.ts";
import type { Flow, SampledClient, StateReport } from "../control/api-schemas.ts";
import type { Drains } from "../control/drains.ts";
import type { EventLog } from "../control/event-log.ts";
import type { Voting } from "../health/voting.ts";
import type { MirrorStatus } from "../mirror/mirror-status.ts";
import type { ListenAddress } from "../server/listener.ts";
import type { ServerStatus } from "./server-status.ts";
import type { World } from "./world.ts";

/** The running server, as far as it can be asked. */
export interface RunningServer {
  readonly world: () => World;
  readonly drains: Drains;
  /** Resolves when every thread answers without the drained clusters. */
  readonly useDrains: () => Promise<void>;
  /** `undefined` without `spec.health`. */
  readonly voting: Voting | undefined;
  /** In the order of `spec.mirror`. */
  readonly mirrors: () => readonly MirrorStatus[];
  readonly listen: () => readonly ListenAddress[];
  readonly startedAt: Date;
  /** When the files were last read, and how many problems they had then. */
  readonly lastReload: () => ServerStatus["reload"];
  readonly metrics: () => Promise<string>;
  /** Why it should be sent no queries, in one sentence; `undefined`: it is ready. */
  readonly ready: () => string | undefined;
  /** Reads all files again, and says what came of it when answers are from what they say. */
  readonly reload: () => Promise<ReloadReport>;
  readonly traffic: () => Traffic;
  readonly snapshot: () => SnapshotReading;
  /** The clients that asked most; `undefined`: none are kept. */
  readonly sample: (limit: number) => readonly SampledClient[] | undefined;
  /** Where they went; `undefined` while none has been counted. */
  readonly sampledFlows: () => readonly Flow[] | undefined;
  readonly events: EventLog;
}

/** What is told of the answers, as far as they are counted; all of it since the start. */
export interface Traffic {
  readonly responses: number;
  readonly byRcode: Readonly<Record<string, number>>;
  readonly dropped: number;
  /** Federated answers by the cluster that they began with. */
  readonly byCluster: ReadonlyMap<string, number>;
}

/** What is told of the state that answers are made from. */
export type SnapshotReading = StateReport["snapshot"];
