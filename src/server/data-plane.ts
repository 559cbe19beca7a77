// The control plane's side of the data plane: a pool of threads that share each UDP port, and one
// for TCP; or, where UDP cannot be read in batches, one for both. It hands them the state and adds
// up what they count. It must not know what the state holds. Does I/O.

import { Worker } from "node:worker_threads";
import { openBatchSockets } from "./batch-sockets.ts";
import type { ListenAddress } from "./listener.ts";
import type {
  BatchThreadStart,
  EventThreadStart,
  SnapshotImage,
  StateMessage,
} from "./messages.ts";
import { SupervisedThread, type ThreadPlan } from "./supervised-thread.ts";
import { createSignals, signalMail, signalStop } from "./thread-signals.ts";
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
  /** The thread of this number, from 0, has ended: it reads nothing any more. */
  readonly onThreadEnd?: (thread: number) => void;
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
  /** Hands over a state; resolves when every thread answers from it. */
  readonly use: (image: SnapshotImage) => Promise<void>;
  /**
   * Hands over a change of the state; resolves when every thread answers from it.
   * @param image the whole state with the change in it, for threads that are started anew.
   */
  readonly send: (change: StateMessage, image: SnapshotImage) => Promise<void>;
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

/** Starts answering. Rejects with `cannot listen on …` if an address cannot be bound. */
export async function startDataPlane(
  options: DataPlaneOptions,
  image: SnapshotImage,
  events: DataPlaneEvents,
): Promise<DataPlane> {
  const members: Members =
    options.udp === "batch"
      ? await startPool(options, image, events)
      : [await startEventThread(options, options.listen, true, image, events)];
  const [first] = members;
  const { addresses } = first.thread;
  // Threads in a system call would keep the process from ending.
  const onExit = (): void => {
    for (const member of members) member.signalStop();
  };
  process.once("exit", onExit);

  const send = async (change: StateMessage, whole: SnapshotImage): Promise<void> => {
    await Promise.all(members.map(({ thread }) => thread.hand(change, whole)));
  };
  return {
    addresses,
    use: (next) => send({ kind: "image", image: next }, next),
    send,
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

/**
 * One thread for TCP and the pool for UDP, on the same ports. The kernel lets every process of a
 * user into a port that is shared at all, a second server too. So each port is first taken without
 * sharing, and held until the threads' own sockets are there.
 */
async function startPool(
  options: DataPlaneOptions,
  image: SnapshotImage,
  events: DataPlaneEvents,
): Promise<Members> {
  const canChoose = options.listen.some(({ port }) => port === 0);
  for (let tries = 1; ; tries++) {
    const held = openBatchSockets(options.listen, { isShared: false });
    try {
      held.share();
      const addresses = held.sockets.map(({ address }) => address);
      return await startTogether(
        startEventThread(options, addresses, false, image, events),
        Array.from({ length: options.workers }, (_, index) =>
          startBatchThread(options, index + 1, addresses, image, events),
        ),
      );
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
  { answerCacheMiB }: DataPlaneOptions,
  listen: readonly ListenAddress[],
  hasUdp: boolean,
  image: SnapshotImage,
  events: DataPlaneEvents,
): Promise<Member> {
  const nothing = (): void => undefined;
  const plan: ThreadPlan = {
    ...events,
    create: (addresses, current) => {
      const common = { thread: 0, image: current, answerCacheMiB };
      const start: EventThreadStart = { ...common, listen: addresses, hasUdp };
      return newThread("event-thread.js", start);
    },
    release: () => events.onThreadEnd?.(0),
    onPost: nothing,
    onStop: nothing,
  };
  const thread = await SupervisedThread.start(plan, listen, image);
  return { thread, signalStop: nothing, counters: undefined };
}

async function startBatchThread(
  { answerCacheMiB }: DataPlaneOptions,
  thread: number,
  listen: readonly ListenAddress[],
  image: SnapshotImage,
  events: DataPlaneEvents,
): Promise<Member> {
  const signals = createSignals();
  const counts = createCounts();
  let kernelDropped = 0;
  let open: ReturnType<typeof openBatchSockets> | undefined;
  const plan: ThreadPlan = {
    ...events,
    create: (addresses, current) => {
      open = openBatchSockets(addresses, { isShared: true });
      const sockets = open.sockets.map(({ descriptor, family }) => ({ descriptor, family }));
      const common = { thread, image: current, answerCacheMiB };
      const start: BatchThreadStart = { ...common, sockets, signals, counts };
      return newThread("batch-thread.js", start);
    },
    release: () => {
      kernelDropped += open?.dropped() ?? 0;
      open?.close();
      open = undefined;
      events.onThreadEnd?.(thread);
    },
    onPost: () => signalMail(signals),
    onStop: () => signalStop(signals),
  };
  return {
    thread: await SupervisedThread.start(plan, listen, image),
    signalStop: plan.onStop,
    counters: () => readCounts(counts, kernelDropped + (open?.dropped() ?? 0)),
  };
}

function newThread(file: string, workerData: EventThreadStart | BatchThreadStart): Worker {
  return new Worker(new URL(`./${file}`, import.meta.url), { workerData, resourceLimits });
}
