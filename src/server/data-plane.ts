// The control plane's side of the data plane: a pool of threads that share each UDP port, and one
// for TCP; or, where UDP cannot be read in batches, one for both. It hands them the state and adds
// up what they count. It must not know what the state holds. Does I/O.

import { setTimeout as delay } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { ServiceGrowth } from "../federation/service-reader.ts";
import { clearMark, epochMarks } from "../memory/epochs.ts";
import {
  type OpenSockets,
  openBatchSockets,
  openUnboundSockets,
  type UnboundSockets,
} from "./batch-sockets.ts";
import { type DataPlaneCounters, DataPlaneTally } from "./data-plane-counters.ts";
import type { ConnectionHeir, GivenConnection } from "./given-connections.ts";
import { type HeldPlaces, holdPlaces, type InheritedSockets } from "./held-places.ts";
import type { ListenAddress } from "./listener.ts";
import type { BatchThreadStart, EventThreadStart, SnapshotImage, ThreadStart } from "./messages.ts";
import { createRing, type QueryRing } from "./query-ring.ts";
import { SupervisedThread, type ThreadPlan } from "./supervised-thread.ts";
import { type TcpDescriptor, tcpDescriptors } from "./tcp-descriptors.ts";
import { createSignals, signalMail, signalStop, type ThreadSignals } from "./thread-signals.ts";
import type { BatchSocket } from "./udp-batch.ts";
import { createCounts, readCounts, type UdpCounters } from "./udp-counters.ts";

/** How UDP is answered: in batches of system calls by a pool of threads, or over `node:dgram` by one. */
export type UdpMode = "batch" | "dgram";

/** How a data plane is made. */
export interface DataPlaneOptions {
  readonly listen: readonly ListenAddress[];
  readonly udp: UdpMode;
  /** Threads that answer UDP in batches, one or more; `dgram` has one whatever this says. */
  readonly workers: number;
  /** Most MiB of ready answers that each thread keeps. */
  readonly answerCacheMiB: number;
  /**
   * What another process hands over, which is to be replaced without losing a query; batches only.
   * Nothing is heard then before `hear` is called.
   */
  readonly inherited?: InheritedSockets | undefined;
}

/** What the data plane reports while it runs. */
export interface DataPlaneEvents {
  /** Something went wrong and answering went on. */
  readonly onFault: (message: string) => void;
  /** A thread died and another one answers in its place. */
  readonly onRestart: (reason: string) => void;
}

/** A running data plane. */
export interface DataPlane {
  /** Where it listens; ports that the system chose stand in place of 0. */
  readonly addresses: readonly ListenAddress[];
  /** Hands over a state, made as the first one; resolves when every thread answers from it. */
  readonly use: (image: (marks: Int32Array) => SnapshotImage) => Promise<void>;
  /** Tells every thread what the services' memory has more of, before anything in it is seen. */
  readonly grow: (growth: ServiceGrowth) => void;
  readonly counters: () => DataPlaneCounters;
  /** The clusters that have numbers of their own in `AnswerNote`s: the first is of number 1. */
  readonly clusterNames: () => readonly string[];
  /** Where the threads put the queries that are to be logged or counted, one of each thread. */
  readonly queryRings: readonly QueryRing[];
  /** Whether every thread answers: none of them died and is being started anew. */
  readonly isWhole: () => boolean;
  /** The listening sockets of TCP, for a process that takes this one's place; none over `dgram`. */
  readonly tcp: readonly TcpDescriptor[];
  /** Lets a data plane that inherited sockets begin to answer. Throws `cannot listen on …`. */
  readonly hear: () => void;
  /** Finishes what has begun, then stops. */
  readonly stop: () => Promise<void>;
  /** Goes on with connections of another process, which are its own from now on. */
  readonly adopt: (connections: readonly GivenConnection[]) => void;
  /**
   * Does the same where another process answers at the same places: nothing is lost that came here,
   * and nothing more comes. A connection that cannot be given to that process ends right after an
   * answer, or after 1.5 s without.
   * @param heir default: all of them end so.
   */
  readonly leave: (heir?: ConnectionHeir) => Promise<void>;
}

/** How many threads answer: those for UDP and one for TCP, or one for both. */
export function threadCount({ udp, workers }: Pick<DataPlaneOptions, "udp" | "workers">): number {
  return udp === "batch" ? workers + 1 : 1;
}

/** A thread, and what there is to know of it from outside. */
interface Member {
  readonly thread: SupervisedThread;
  readonly signalStop: () => void;
  readonly counters: (() => UdpCounters) | undefined;
  /** Lets a thread that was held begin to answer. */
  readonly hear: () => void;
  /** Lets no more datagrams come to the thread. */
  readonly deafen: () => void;
  /** Whether datagrams wait for the thread. */
  readonly hasWaiting: () => boolean;
}

/** The thread whose addresses are the data plane's comes first. */
type Members = readonly [Member, ...Member[]];

/**
 * Queries leave little behind, and it is dead soon: with room for young objects as the system
 * chooses it, each thread kept 30 MB more and was not measurably faster.
 */
const resourceLimits = { maxYoungGenerationSizeMb: 12 };
/** How often ports that the system chose for UDP may be taken for TCP before it is given up. */
const portTries = 20;
/**
 * While leaving: a datagram may still be on its way into a socket that has just been made deaf. So long
 * none must wait, it is looked so often, and so long is waited at most.
 */
const quietMs = 50;
const lookMs = 5;
const leaveMs = 2000;

/**
 * Starts answering. Rejects with `cannot listen on …` if an address cannot be bound.
 * @param image gives the state as it is now, its services shared under the marks that it is given.
 *   Threads that are started anew ask for it again.
 */
export async function startDataPlane(
  options: DataPlaneOptions,
  image: (marks: Int32Array) => SnapshotImage,
  events: DataPlaneEvents,
): Promise<DataPlane> {
  const marks = epochMarks(threadCount(options));
  const queryRings = Array.from({ length: threadCount(options) }, () => createRing());
  const tally = new DataPlaneTally(threadCount(options), options.listen.length);
  const numbered = (make: typeof image) => tally.numbered(make(marks));
  let current = image;
  const pool: Pool = {
    options,
    events: {
      ...events,
      onRestart: (reason) => {
        tally.restarted();
        events.onRestart(reason);
      },
    },
    begin: (thread, signals) => {
      const { answerCacheMiB } = options;
      const queries = queryRings[thread] ?? createRing();
      const queryCounts = tally.memoryOf(thread);
      const state = { image: numbered(current), marks };
      return { thread, ...state, signals, answerCacheMiB, queryCounts, queries };
    },
    onEnd: (thread) => clearMark(marks, thread),
    isHeld: options.inherited !== undefined,
  };
  const { members, places } =
    options.udp === "batch"
      ? await startPool(pool)
      : { members: [await startEventThread(pool, options.listen)] as const, places: undefined };
  const [first] = members;
  const { addresses } = first.thread;
  // Threads in a system call would keep the process from ending.
  const onExit = (): void => {
    for (const member of members) member.signalStop();
  };
  process.once("exit", onExit);
  const stop = async (): Promise<void> => {
    // Connections must not wait in a queue from which nobody takes them.
    places?.close();
    await Promise.all(members.map(({ thread }) => thread.stop()));
    process.off("exit", onExit);
  };
  return {
    addresses,
    queryRings,
    use: async (next) => {
      current = next;
      await Promise.all(members.map(({ thread }) => thread.use(numbered(next))));
    },
    grow: (growth) => {
      for (const { thread } of members) thread.post({ kind: "growth", growth });
    },
    counters: () => {
      const workers = members.flatMap(({ counters }) => (counters ? [counters()] : []));
      return tally.counters(addresses, workers);
    },
    clusterNames: () => tally.clusterNames,
    isWhole: () => members.every(({ thread }) => thread.isThere),
    tcp: [...(places?.tcp ?? [])],
    hear: () => {
      if (!pool.isHeld) return;
      pool.isHeld = false;
      for (const member of members) member.hear();
      places?.freeUdp();
    },
    stop,
    adopt: (connections) => {
      if (first.thread.isThere) first.thread.post({ kind: "adopt", connections });
      else for (const { descriptor } of connections) tcpDescriptors().close(descriptor);
    },
    leave: async (heir) => {
      first.thread.post({ kind: "leave", heir });
      const connections = first.thread.stop();
      try {
        for (const member of members) member.deafen();
        await quiet(members);
      } catch (error) {
        events.onFault(error instanceof Error ? error.message : String(error));
      }
      await Promise.all([connections, stop()]);
    },
  };
}

/** Resolves when no datagram has waited for a while. */
async function quiet(members: Members): Promise<void> {
  const endMs = performance.now() + leaveMs;
  let sinceMs = performance.now();
  for (let nowMs = sinceMs; nowMs - sinceMs < quietMs && nowMs < endMs; ) {
    await delay(lookMs);
    nowMs = performance.now();
    if (members.some((member) => member.hasWaiting())) sinceMs = nowMs;
  }
}

/** What all threads are made with. */
interface Pool {
  readonly options: DataPlaneOptions;
  readonly events: DataPlaneEvents;
  /** What a thread is started with, with the state as it is now. */
  readonly begin: (thread: number, signals: ThreadSignals) => ThreadStart;
  readonly onEnd: (thread: number) => void;
  /** Whether nothing is to be heard yet. */
  isHeld: boolean;
}

/** One thread for TCP and the pool for UDP, on the same ports, and what holds these. */
async function startPool(pool: Pool): Promise<{ members: Members; places: HeldPlaces }> {
  const { listen, workers, inherited } = pool.options;
  const canChoose = listen.some(({ port }) => port === 0);
  for (let tries = 1; ; tries++) {
    let places: HeldPlaces | undefined;
    try {
      places = holdPlaces(listen, inherited);
      const addresses = places.tcp.map(({ address }) => address);
      const others = Array.from({ length: workers }, (_, index) =>
        startBatchThread(pool, index + 1, addresses),
      );
      if (!pool.isHeld) places.freeUdp();
      const members = await startTogether(startEventThread(pool, addresses, places), others);
      return { members, places };
    } catch (error) {
      places?.close();
      if (!canChoose || tries === portTries) throw error;
    }
  }
}

/** All of them, or none: if one cannot be started, the others are stopped. */
async function startTogether(first: Promise<Member>, others: Promise<Member>[]): Promise<Members> {
  try {
    return await Promise.all([first, ...others]);
  } catch (error) {
    for (const outcome of await Promise.allSettled([first, ...others])) {
      if (outcome.status === "fulfilled") await outcome.value.thread.stop();
    }
    throw error;
  }
}

/** @param places the listening sockets; without them the thread makes its own, and those of UDP. */
async function startEventThread(
  pool: Pool,
  listen: readonly ListenAddress[],
  places?: HeldPlaces,
): Promise<Member> {
  const { events, begin, onEnd } = pool;
  const hasUdp = places === undefined;
  const nothing = (): void => undefined;
  const signals = createSignals();
  const plan: ThreadPlan = {
    ...events,
    create: (addresses) => {
      // The thread closes what it is given; the sockets themselves outlive it.
      const own = places?.tcp.map(({ address, descriptor }) => {
        return { ...address, descriptor: tcpDescriptors().duplicate(descriptor) };
      });
      const { isHeld } = pool;
      const accepting = own ?? addresses;
      const start: EventThreadStart = { ...begin(0, signals), listen: accepting, isHeld, hasUdp };
      return newThread("event-thread.js", start);
    },
    release: () => onEnd(0),
    onPost: () => signalMail(signals),
    onStop: nothing,
  };
  const thread = await SupervisedThread.start(plan, listen);
  return {
    thread,
    signalStop: nothing,
    counters: undefined,
    hear: () => thread.post({ kind: "listen" }),
    deafen: nothing,
    hasWaiting: () => false,
  };
}

async function startBatchThread(
  pool: Pool,
  thread: number,
  listen: readonly ListenAddress[],
): Promise<Member> {
  const { events, begin, onEnd } = pool;
  const signals = createSignals();
  const counts = createCounts();
  let kernelDropped = 0;
  let open: OpenSockets<BatchSocket> | undefined;
  let unbound: UnboundSockets | undefined;
  const plan: ThreadPlan = {
    ...events,
    create: (addresses) => {
      // While the thread is being made nobody would answer what came.
      unbound = pool.isHeld ? openUnboundSockets(addresses, { isShared: true }) : undefined;
      open = unbound ?? openBatchSockets(addresses, { isShared: true });
      const sockets = open.sockets.map(({ descriptor, family }) => ({ descriptor, family }));
      const start: BatchThreadStart = { ...begin(thread, signals), sockets, counts };
      return newThread("batch-thread.js", start);
    },
    release: () => {
      kernelDropped += open?.dropped() ?? 0;
      open?.close();
      open = undefined;
      unbound = undefined;
      onEnd(thread);
    },
    onPost: () => signalMail(signals),
    onStop: () => signalStop(signals),
  };
  return {
    thread: await SupervisedThread.start(plan, listen),
    signalStop: plan.onStop,
    counters: () => readCounts(counts, kernelDropped + (open?.dropped() ?? 0)),
    hear: () => void unbound?.bind(),
    deafen: () => open?.deafen(),
    hasWaiting: () => open?.hasWaiting() ?? false,
  };
}

function newThread(file: string, workerData: EventThreadStart | BatchThreadStart): Worker {
  return new Worker(new URL(`./${file}`, import.meta.url), { workerData, resourceLimits });
}
