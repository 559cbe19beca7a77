// What all threads of a data plane have counted together, under the names of listeners and clusters.
// It keeps the numbering of clusters and the memory that is counted in; it must not know threads.

import { clusterOfOrigin, levelKinds, levelOfOrigin } from "../answer/answer-note.ts";
import { ClusterNumbers, otherClusterName } from "../answer/cluster-numbers.ts";
import type { SnapshotImage } from "../answer/snapshot.ts";
import { formatListenAddress, type ListenAddress } from "./listener.ts";
import {
  createQueryCounts,
  type DoorSums,
  type QuerySums,
  sumQueryCounts,
  type Transport,
} from "./query-counts.ts";
import { sumOfCounters, type UdpCounters } from "./udp-counters.ts";

/** What was counted since the data plane started; nothing goes down but open connections. */
export interface DataPlaneCounters {
  /** Of UDP in batches; in `dgram` mode none of it is counted. */
  readonly udp: UdpCounters;
  /** The same for each thread that answers UDP in batches. */
  readonly workers: readonly UdpCounters[];
  /** One for each listener and transport. */
  readonly doors: readonly DoorCounters[];
  /** Federated answers by the cluster of the first address or SRV record, and its level's kind. */
  readonly answers: readonly {
    readonly cluster: string;
    readonly level: string;
    readonly count: number;
  }[];
  readonly paths: QuerySums["paths"];
  readonly cacheHits: number;
  readonly cacheMisses: number;
  /** Queries without an answer: why. What was not sent is among the responses, too. */
  readonly dropped: Readonly<Record<"kernel" | "send" | "oversized" | "silent", number>>;
  readonly connections: QuerySums["connections"];
  /** Threads that died and were started anew. */
  readonly restarts: number;
  /** Mistakes of ours while answering, and errors of sockets. */
  readonly faults: number;
  readonly durations: QuerySums["durations"];
}

/** What came in at one listener over one transport, and what was answered. */
export interface DoorCounters {
  /** `ADDRESS:PORT`, an IPv6 address in brackets. */
  readonly listener: string;
  readonly transport: Transport;
  readonly queries: number;
  readonly truncated: number;
  readonly responses: DoorSums["responses"];
}

/** The counts of one data plane's threads. */
export class DataPlaneTally {
  readonly #numbers = new ClusterNumbers();
  #restarts = 0;
  readonly #memories: readonly Float64Array<SharedArrayBuffer>[];

  constructor(threads: number, listeners: number) {
    this.#memories = Array.from({ length: threads }, () => createQueryCounts(listeners));
  }

  /** Where a thread counts, whichever worker it is at the time. */
  memoryOf(thread: number): Float64Array<SharedArrayBuffer> {
    const memory = this.#memories[thread];
    if (!memory) throw new RangeError(`cannot count: no such thread, got ${thread}`);
    return memory;
  }

  /** Counts a thread that died. */
  restarted(): void {
    this.#restarts++;
  }

  /** The clusters that have numbers of their own in notes: the first is of number 1. */
  get clusterNames(): readonly string[] {
    return this.#numbers.names;
  }

  /** The image with the numbers under which its clusters are counted. */
  numbered(image: SnapshotImage): SnapshotImage {
    return { ...image, clusterNumbers: this.numbersOf(image.clusters.keys()) };
  }

  /** The numbers of these clusters; those that are new get theirs. */
  numbersOf(clusters: Iterable<string>): ReadonlyMap<string, number> {
    return this.#numbers.of(clusters);
  }

  /** Adds up what has been counted by now; `workers` is what the batch loops count apart. */
  counters(
    addresses: readonly ListenAddress[],
    workers: readonly UdpCounters[],
  ): DataPlaneCounters {
    const sums = sumQueryCounts(this.#memories);
    const udp = sumOfCounters(workers);
    const { paths, cacheHits, cacheMisses, silent, connections, faults, durations } = sums;
    return {
      udp,
      workers,
      doors: sums.doors.map(({ listener, ...door }) => {
        const address = addresses[listener];
        return { ...door, listener: address ? formatListenAddress(address) : String(listener) };
      }),
      answers: this.#answers(sums.origins),
      paths,
      cacheHits,
      cacheMisses,
      dropped: {
        kernel: udp.kernelDropped,
        send: udp.sendDropped + sums.sendFailed,
        oversized: udp.truncated,
        silent,
      },
      connections,
      restarts: this.#restarts,
      faults,
      durations,
    };
  }

  #answers(origins: Float64Array): DataPlaneCounters["answers"] {
    const { names } = this.#numbers;
    const answers: { cluster: string; level: string; count: number }[] = [];
    for (const [origin, count] of origins.entries()) {
      const level = levelKinds[levelOfOrigin(origin) - 1];
      if (count === 0 || level === undefined) continue;
      answers.push({
        cluster: names[clusterOfOrigin(origin) - 1] ?? otherClusterName,
        level,
        count,
      });
    }
    return answers;
  }
}

/** The counters at a glance: what was answered in all, by rcode and by cluster. */
export function trafficOf({ doors, answers, dropped }: DataPlaneCounters): {
  readonly responses: number;
  readonly byRcode: Readonly<Record<string, number>>;
  readonly dropped: number;
  readonly byCluster: ReadonlyMap<string, number>;
} {
  const byRcode: Record<string, number> = {};
  let responses = 0;
  for (const { rcode, count } of doors.flatMap((door) => door.responses)) {
    if (count === 0) continue;
    byRcode[rcode] = (byRcode[rcode] ?? 0) + count;
    responses += count;
  }
  const byCluster = new Map<string, number>();
  for (const { cluster, count } of answers) {
    byCluster.set(cluster, (byCluster.get(cluster) ?? 0) + count);
  }
  // What no answer is due to was not lost by anybody.
  const { kernel, send, oversized } = dropped;
  return { responses, byRcode, dropped: kernel + send + oversized, byCluster };
}
