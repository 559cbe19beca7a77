// One thread of the data plane as the control plane sees it: started, given each new state, started
// anew when it dies, stopped. It must not know what the thread listens on or answers. Does I/O.

import { setTimeout as delay } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import { formatListenAddress, type ListenAddress } from "./listener.ts";
import type { FromThread, SnapshotImage, ToThread } from "./messages.ts";

/** What a thread is made with. */
export interface ThreadPlan {
  /**
   * A new thread, with all that it needs, and the state as it is now.
   * @param listen where; ports that the system chose stand in place of 0 after the first time.
   */
  readonly create: (listen: readonly ListenAddress[]) => Worker;
  /** Takes back what a thread needed, as soon as it has ended. */
  readonly release: () => void;
  /** Wakes a thread that has no event loop. */
  readonly onPost: () => void;
  /** Tells a thread that has no event loop to end. */
  readonly onStop: () => void;
  /** Something went wrong and answering went on. */
  readonly onFault: (message: string) => void;
  /** The thread died; another one will answer in its place. */
  readonly onRestart: (reason: string) => void;
}

/** Milliseconds before a thread that died is started anew: doubled with each quick death, up to a bound. */
const firstDelayMs = 100;
const lastDelayMs = 5000;
/** A thread that dies sooner than this after its start has died quickly. */
const quickDeathMs = 10_000;

/** A thread that is there again soon after it died. */
export class SupervisedThread {
  readonly #plan: ThreadPlan;
  readonly #stopping = new AbortController();
  /** Who waits for which state to be answered from. */
  readonly #waiting = new Map<number, () => void>();
  #addresses: readonly ListenAddress[];
  #sequence = 0;
  /** `undefined` while there is none. One that is being started finds what is posted when it begins. */
  #worker: Worker | undefined;
  #restarting: Promise<void> | undefined;
  #stopped: Promise<void> | undefined;
  #quickDeaths = 0;
  #startedMs = performance.now();

  private constructor(plan: ThreadPlan, listen: readonly ListenAddress[]) {
    this.#plan = plan;
    this.#addresses = listen;
  }

  /** Resolves when the thread answers. Rejects with `cannot listen on …` if it cannot listen. */
  static async start(
    plan: ThreadPlan,
    listen: readonly ListenAddress[],
  ): Promise<SupervisedThread> {
    const thread = new SupervisedThread(plan, listen);
    await thread.#start();
    return thread;
  }

  /** Where it listens; ports that the system chose stand in place of 0. */
  get addresses(): readonly ListenAddress[] {
    return this.#addresses;
  }

  /** Whether there is a thread, and not one that died and is being started anew. */
  get isThere(): boolean {
    return this.#worker !== undefined;
  }

  /** Hands over a state; resolves when queries are answered from it, or from one after it. */
  use(image: SnapshotImage): Promise<void> {
    const sequence = ++this.#sequence;
    const used = new Promise<void>((resolve) => this.#waiting.set(sequence, resolve));
    this.post({ kind: "image", image, sequence });
    return used;
  }

  /** Sends a message, if there is a thread: one that is started later has the state with all in it. */
  post(message: ToThread): void {
    if (!this.#worker) return;
    this.#worker.postMessage(message);
    this.#plan.onPost();
  }

  /** Finishes what has begun, then ends; who calls it again waits for the same. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    this.#stopping.abort();
    await this.#restarting;
    if (!this.#worker) return;
    const stopped = this.#worker;
    const exited = new Promise<void>((resolve) => stopped.once("exit", () => resolve()));
    this.#plan.onStop();
    this.post({ kind: "stop" });
    await exited;
  }

  async #start(): Promise<void> {
    const before = this.#sequence;
    let worker: Worker | undefined;
    try {
      worker = this.#plan.create(this.#addresses);
      this.#worker = worker;
      // A state may come and be taken up before the thread listens.
      worker.on("message", (message: FromThread) => this.#take(message));
      this.#addresses = await listening(worker, this.#addresses);
    } catch (error) {
      this.#worker = undefined;
      await worker?.terminate();
      this.#plan.release();
      throw error;
    }
    this.#watch(worker);
    // It was started with whatever was handed over before.
    this.#isUsed(before);
  }

  #take(message: FromThread): void {
    if (message.kind === "fault") this.#plan.onFault(message.message);
    if (message.kind === "using") this.#isUsed(message.sequence);
  }

  #watch(worker: Worker): void {
    let reason = "it ended";
    worker.on("error", (error) => {
      reason = error.stack ?? error.message;
    });
    worker.on("exit", () => {
      this.#worker = undefined;
      this.#plan.release();
      if (!this.#stopping.signal.aborted) this.#restarting = this.#restart(reason);
    });
  }

  #isUsed(sequence: number): void {
    for (const [number, resolve] of this.#waiting) {
      if (number > sequence) continue;
      this.#waiting.delete(number);
      resolve();
    }
  }

  /** Starts a thread in place of one that died, however often that takes. */
  async #restart(firstReason: string): Promise<void> {
    const { signal } = this.#stopping;
    for (let reason = firstReason; ; ) {
      const isQuick = performance.now() - this.#startedMs < quickDeathMs;
      this.#quickDeaths = isQuick ? this.#quickDeaths + 1 : 0;
      this.#plan.onRestart(reason);
      const delayMs = Math.min(firstDelayMs * 2 ** this.#quickDeaths, lastDelayMs);
      await delay(delayMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      this.#startedMs = performance.now();
      try {
        await this.#start();
        return;
      } catch (error) {
        reason = error instanceof Error ? error.message : String(error);
      }
    }
  }
}

/** Resolves when the thread says that it listens, with where. */
function listening(
  worker: Worker,
  wanted: readonly ListenAddress[],
): Promise<readonly ListenAddress[]> {
  return new Promise((resolve, reject) => {
    worker.once("error", reject);
    worker.once("exit", () => reject(new Error("the thread ended before it listened")));
    worker.on("message", (message: FromThread) => {
      if (message.kind === "listening") {
        resolve(message.addresses.length > 0 ? message.addresses : wanted);
      }
      if (message.kind === "cannot-listen") {
        const place = formatListenAddress(message.address);
        reject(new Error(`cannot listen on ${place}: ${message.reason}`));
      }
    });
  });
}
