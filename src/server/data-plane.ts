// The control plane's side of the data plane: a pool of threads that share each UDP port, and one
// for TCP; or, where UDP cannot be read in batches, one for both. It hands them the state and adds
// up what they count. It must not know what the state holds. Does I/O.

import { Worker } from "node:worker_threads";
import type { ServiceGrowth } from "../federation/service-reader.ts";
import { clearMark, epochMarks } from "../memory/epochs.ts";
import { openBatchSockets } from "./batch-sockets.ts";
import type { ListenAddress } from "./listener.ts";
import type { BatchThreadStart, EventThreadStart, SnapshotImage, ThreadStart } from "./messages.ts";
import { SupervisedThread, type ThreadPlan } from "./supervised-thread.ts";
import { createSignals, signalMail, signalStop, type ThreadSignals } from "./thread-signals.ts";
import { createCounts, readCounts, sumOfCounters, type UdpCounters } from "./udp-counters.ts";

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
}

/** What the data plane reports while it runs. */
export interface DataPlaneEvents {
  /** Something went wrong and answering went on. */
  readonly onFault: (message: string) => void;
  /** A thread died and another one answers in its place. */
  readonly onRestart: (reason: string) => void;
}

/** What was counted since the data plane started; in `dgram` mode nothing is. */
export interface DataPlaneCounters {
  readonly udp: UdpCounters;
  /** The same for each thread that answers UDP in batches. */
  readonly workers: readonly UdpCounters[];
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
  /** Finishes what has begun, then stops. */
  readonly stop: () => Promise<void>;
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
  let current = image;
  const pool: Pool = {
    options,
    events,
    begin: (thread, signals) => {
      const { answerCacheMiB } = options;
      return { thread, image: current(marks), marks, signals, answerCacheMiB };
    },
    onEnd: (thread) => clearMark(marks, thread),
  };
  const members: Members =
    options.udp === "batch"
      ? await startPool(pool)
      : [await startEventThread(pool, options.listen, true)];
  const [first] = members;
  const { addresses } = first.thread;
  // Threads in a system call would keep the process from ending.
  const onExit = (): void => {
    for (const member of members) member.signalStop();
  };
  process.once("exit", onExit);
  return {
    addresses,
    use: async (next) => {
      current = next;
      await Promise.all(members.map(({ thread }) => thread.use(next(marks))));
    },
    grow: (growth) => {
      for (const { thread } of members) thread.post({ kind: "growth", growth });
    },
    counters: () => {
      const workers = members.flatMap(({ counters }) => (counters ? [counters()] : []));
      return { udp: sumOfCounters(workers), workers };
    },
    stop: async () => {
      await Promise.all(members.map(({ thread }) => thread.stop()));
      process.off("exit", onExit);
    },
  };
}

/** What all threads are made with. */
interface Pool {
  readonly options: DataPlaneOptions;
  readonly events: DataPlaneEvents;
  /** What a thread is started with, with the state as it is now. */
  readonly begin: (thread: number, signals: ThreadSignals) => ThreadStart;
  readonly onEnd: (thread: number) => void;
}

/**
 * One thread for TCP and the pool for UDP, on the same ports. The kernel lets every process of a
 * user into a port that is shared at all, a second server too. So each port is first taken without
 * sharing, and held until the threads' own sockets are bound, which is at once: what comes to a
 * socket that is only held is answered by nobody.
 */
async function startPool(pool: Pool): Promise<Members> {
  const { listen, workers } = pool.options;
  const canChoose = listen.some(({ port }) => port === 0);
  for (let tries = 1; ; tries++) {
    const held = openBatchSockets(listen, { isShared: false });
    try {
      held.share();
      const addresses = held.sockets.map(({ address }) => address);
      const others = Array.from({ length: workers }, (_, index) =>
        startBatchThread(pool, index + 1, addresses),
      );
      held.close();
      return await startTogether(startEventThread(pool, addresses, false), others);
    } catch (error) {
      if (!canChoose || tries === portTries) throw error;
    } finally {
      held.close();
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

async function startEventThread(
  { events, begin, onEnd }: Pool,
  listen: readonly ListenAddress[],
  hasUdp: boolean,
): Promise<Member> {
  const nothing = (): void => undefined;
  const signals = createSignals();
  const plan: ThreadPlan = {
    ...events,
    create: (addresses) => {
      const start: EventThreadStart = { ...begin(0, signals), listen: addresses, hasUdp };
      return newThread("event-thread.js", start);
    },
    release: () => onEnd(0),
    onPost: () => signalMail(signals),
    onStop: nothing,
  };
  const thread = await SupervisedThread.start(plan, listen);
  return { thread, signalStop: nothing, counters: undefined };
}

async function startBatchThread(
  { events, begin, onEnd }: Pool,
  thread: number,
  listen: readonly ListenAddress[],
): Promise<Member> {
  const signals = createSignals();
  const counts = createCounts();
  let kernelDropped = 0;
  let open: ReturnType<typeof openBatchSockets> | undefined;
  const plan: ThreadPlan = {
    ...events,
    create: (addresses) => {
      open = openBatchSockets(addresses, { isShared: true });
      const sockets = open.sockets.map(({ descriptor, family }) => ({ descriptor, family }));
      const start: BatchThreadStart = { ...begin(thread, signals), sockets, counts };
      return newThread("batch-thread.js", start);
    },
    release: () => {
      kernelDropped += open?.dropped() ?? 0;
      open?.close();
      open = undefined;
      onEnd(thread);
    },
    onPost: () => signalMail(signals),
    onStop: () => signalStop(signals),
  };
  return {
    thread: await SupervisedThread.start(plan, listen),
    signalStop: plan.onStop,
    counters: () => readCounts(counts, kernelDropped + (open?.dropped() ?? 0)),
  };
}

function newThread(file: string, workerData: EventThreadStart | BatchThreadStart): Worker {
  return new Worker(new URL(`./${file}`, import.meta.url), { workerData, resourceLimits });
}
