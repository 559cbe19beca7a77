// What the control plane and the data plane's threads say to each other.

import type { SnapshotImage } from "../answer/snapshot.ts";
import type { ServiceGrowth } from "../federation/service-reader.ts";
import type { ConnectionHeir, GivenConnection } from "./given-connections.ts";
import type { ListenAddress } from "./listener.ts";
import type { QueryRing } from "./query-ring.ts";
import type { ThreadSignals } from "./thread-signals.ts";
import type { BatchSocket } from "./udp-batch.ts";

/** All that a thread needs to answer. */
export type { SnapshotImage };

/** What every thread is started with. */
export interface ThreadStart {
  /** Which thread of the data plane it is, from 0; one that is started anew keeps its number. */
  readonly thread: number;
  readonly image: SnapshotImage;
  /** Marks of all threads that read the services (`memory/epochs.ts`); this one's stands at `thread`. */
  readonly marks: Int32Array;
  readonly signals: ThreadSignals;
  /** Most MiB of ready answers that the thread keeps. */
  readonly answerCacheMiB: number;
  /** Where it counts; one that is started anew counts on. */
  readonly queryCounts: Float64Array<SharedArrayBuffer>;
  /** Where it puts the queries that are to be logged or counted. */
  readonly queries: QueryRing;
}

/** Where a thread accepts connections. */
export interface TcpPlace extends ListenAddress {
  /** A listening socket that the thread takes over; `undefined`: it makes one. */
  readonly descriptor?: number | undefined;
}

/** What a thread with an event loop is started with. */
export interface EventThreadStart extends ThreadStart {
  readonly listen: readonly TcpPlace[];
  /** Whether it listens only when it is told to. */
  readonly isHeld: boolean;
  /** Whether it answers UDP beside TCP. */
  readonly hasUdp: boolean;
}

/** What a thread that answers UDP in batches is started with. */
export interface BatchThreadStart extends ThreadStart {
  readonly sockets: readonly BatchSocket[];
  readonly counts: Float64Array<SharedArrayBuffer>;
}

/** To a thread. */
export type ToThread =
  | { readonly kind: "image"; readonly image: SnapshotImage; readonly sequence: number }
  /** The services' memory has more of something; what lies in it may be read from now on. */
  | { readonly kind: "growth"; readonly growth: ServiceGrowth }
  | ThreadOrder;

/** What concerns a thread's sockets and its end. */
export type ThreadOrder =
  /** To a thread with an event loop that was held: it listens from now on. */
  | { readonly kind: "listen" }
  /** To a thread with an event loop: it goes on with these connections of another process. */
  | { readonly kind: "adopt"; readonly connections: readonly GivenConnection[] }
  /** To a thread that listens beside another process: its next stop loses nothing. */
  | { readonly kind: "leave"; readonly heir: ConnectionHeir | undefined }
  /** To threads with an event loop; the others have their signals. */
  | { readonly kind: "stop" };

/** From a thread. */
export type FromThread =
  /** It answers; ports that the system chose stand in place of 0. */
  | { readonly kind: "listening"; readonly addresses: readonly ListenAddress[] }
  | { readonly kind: "cannot-listen"; readonly address: ListenAddress; readonly reason: string }
  /** Queries are answered from this state, and from all before it. */
  | { readonly kind: "using"; readonly sequence: number }
  /** Something went wrong and the thread went on. */
  | { readonly kind: "fault"; readonly message: string };
