// The control plane's side of the data plane: starts its thread, hands it snapshots, starts it
// anew if it dies, and stops it. It must not know what a snapshot holds. Does I/O.

import { setTimeout as delay } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { Snapshot } from "../answer/snapshot.ts";
import { formatListenAddress, type ListenAddress } from "./listener.ts";
import type { FromWorker, ToWorker, WorkerStart } from "./messages.ts";

/** What the data plane reports while it runs. */
export interface DataPlaneEvents {
  /** Something went wrong and answering went on. */
  readonly onFault: (message: string) => void;
  /** The thread died and another one answers in its place. */
  readonly onRestart: (reason: string) => void;
}

/** A running data plane. */
export interface DataPlane {
  /** Where it listens; ports that the system chose stand in place of 0. */
  readonly addresses: readonly ListenAddress[];
  /** Hands over a snapshot; resolves when queries are answered from it. */
  readonly use: (snapshot: Snapshot) => Promise<void>;
  /** Finishes what has begun, then stops. */
  readonly stop: () => Promise<void>;
}

/** Milliseconds before a thread that died is started anew: doubled with each quick death, up to a bound. */
const firstDelayMs = 100;
const lastDelayMs = 5000;
/** A thread that dies sooner than this after its start has died quickly. */
const quickDeathMs = 10_000;

/** Starts answering. Rejects with `cannot listen on …` if an address cannot be bound. */
export async function startDataPlane(
  listen: readonly ListenAddress[],
  snapshot: Snapshot,
  events: DataPlaneEvents,
): Promise<DataPlane> {
  let current = snapshot;
  let sequence = 0;
  let restarting: Promise<void> | undefined;
  let quickDeaths = 0;
  let startedMs = performance.now();
  const stopping = new AbortController();
  const waiting = new Map<number, () => void>();
  const first = await startWorker(listen, current);
  const { addresses } = first;
  /** `undefined` while there is none and the next one is being started. */
  let worker: Worker | undefined = first.worker;
  watch(first.worker);

  function watch(watched: Worker): void {
    watched.on("message", (message: FromWorker) => {
      if (message.kind === "fault") events.onFault(message.message);
      if (message.kind === "using") {
        waiting.get(message.sequence)?.();
        waiting.delete(message.sequence);
      }
    });
    let reason = "it ended";
    watched.on("error", (error) => {
      reason = error.stack ?? error.message;
    });
    watched.on("exit", () => {
      worker = undefined;
      if (!stopping.signal.aborted) restarting = restart(reason);
    });
  }

  /** Starts a thread in place of one that died, however often that takes. */
  async function restart(firstReason: string): Promise<void> {
    const { signal } = stopping;
    for (let reason = firstReason; ; ) {
      quickDeaths = performance.now() - startedMs < quickDeathMs ? quickDeaths + 1 : 0;
      events.onRestart(reason);
      const delayMs = Math.min(firstDelayMs * 2 ** quickDeaths, lastDelayMs);
      await delay(delayMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      startedMs = performance.now();
      try {
        const started = await startWorker(addresses, current);
        worker = started.worker;
        watch(worker);
        // What was handed over in the meantime went to no one.
        for (const number of waiting.keys()) hand(number);
        return;
      } catch (error) {
        reason = error instanceof Error ? error.message : String(error);
      }
    }
  }

  function hand(number: number): void {
    if (worker) tell(worker, { kind: "snapshot", snapshot: current, sequence: number });
  }

  return {
    addresses,
    use: (next) => {
      current = next;
      const number = ++sequence;
      const used = new Promise<void>((resolve) => waiting.set(number, resolve));
      hand(number);
      return used;
    },
    stop: async () => {
      stopping.abort();
      await restarting;
      if (!worker) return;
      const stopped = worker;
      const exited = new Promise<void>((resolve) => stopped.once("exit", () => resolve()));
      tell(stopped, { kind: "stop" });
      await exited;
    },
  };
}

async function startWorker(
  listen: readonly ListenAddress[],
  snapshot: Snapshot,
): Promise<{ worker: Worker; addresses: readonly ListenAddress[] }> {
  const workerData: WorkerStart = { listen, snapshot };
  const worker = new Worker(new URL("./data-worker.js", import.meta.url), { workerData });
  try {
    return { worker, addresses: await listening(worker) };
  } catch (error) {
    await worker.terminate();
    throw error;
  }
}

function listening(worker: Worker): Promise<readonly ListenAddress[]> {
  return new Promise((resolve, reject) => {
    worker.once("error", reject);
    worker.once("exit", () => reject(new Error("the thread ended before it listened")));
    worker.on("message", (message: FromWorker) => {
      if (message.kind === "listening") resolve(message.addresses);
      if (message.kind === "cannot-listen") {
        const place = formatListenAddress(message.address);
        reject(new Error(`cannot listen on ${place}: ${message.reason}`));
      }
    });
  });
}

function tell(worker: Worker, message: ToWorker): void {
  worker.postMessage(message);
}
