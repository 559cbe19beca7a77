// What a load run counted, and the words of a job for the load's process. Plain data.

import type { PoolKind } from "./query-pool.ts";

/** One run of load against one server. */
export interface LoadJob {
  /** `top`: as fast as it answers; `paced`: at a given rate; `tcp`: as `top`, over TCP. */
  readonly kind: "top" | "paced" | "tcp";
  readonly port: number;
  readonly pool: PoolKind;
  /** Number of networks that clients are drawn from, where queries say a /24. */
  readonly networks: number;
  /** Load that is not counted, before that which is. */
  readonly warmSeconds: number;
  readonly seconds: number;
  /** Queries under way at once; for `paced` the most. */
  readonly window: number;
  /** Queries a second, for `paced`. */
  readonly rate: number;
  /** The process of the server and its process group; 0: its use is not read. */
  readonly serverPid: number;
}

/** Counts of the measured part of a run. */
export interface LoadCounts {
  readonly seconds: number;
  readonly answered: number;
  /** Answers by response code. */
  readonly rcodes: Readonly<Record<number, number>>;
  /** Queries without an answer in time. */
  readonly lost: number;
  /** Datagrams that the kernel dropped at the server's socket, as it counts them. */
  readonly kernelDrops: number;
  /** CPU of all of the server's processes. */
  readonly serverCpuSeconds: number;
  /** Of the load's rounds, the share that found no answer waiting: near 0 the load is the limit. */
  readonly idleShare: number;
  /** Only of `paced`: from when a query was due to when its answer was read. */
  readonly latencyUs?: { readonly p50: number; readonly p99: number; readonly p999: number };
}
