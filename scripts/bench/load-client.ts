// The benchmark's side of the load's process: starts it on its core, gives it jobs, and ends it.
// Does I/O.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import type { LoadCounts, LoadJob } from "./load-counts.ts";

type FromLoad =
  | { readonly ready: true }
  | { readonly counts: LoadCounts }
  | { readonly failure: string };

/** A process that makes load, one job after the other. */
export class LoadClient {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** Starts the process on this core. */
  static async start(core: string): Promise<LoadClient> {
    const file = path.join(import.meta.dirname, "load-process.ts");
    const child = spawn("taskset", ["-c", core, process.execPath, "--import", "tsx", file], {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    const client = new LoadClient(child);
    await client.#next();
    return client;
  }

  /** Does a job; rejects if it cannot be done. */
  async run(job: LoadJob): Promise<LoadCounts> {
    this.#child.send(job);
    const message = await this.#next();
    if ("counts" in message) return message.counts;
    throw new Error("failure" in message ? message.failure : "cannot load: an answer to no job");
  }

  async stop(): Promise<void> {
    const exited = once(this.#child, "exit");
    this.#child.disconnect();
    await exited;
  }

  async #next(): Promise<FromLoad> {
    const listening = new AbortController();
    const { signal } = listening;
    try {
      return await Promise.race([
        once(this.#child, "message", { signal }).then(([message]) => message as FromLoad),
        once(this.#child, "exit", { signal }).then(() => {
          throw new Error("cannot load: the load's process ended");
        }),
      ]);
    } finally {
      listening.abort();
    }
  }
}
