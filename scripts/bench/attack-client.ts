// The benchmark's side of the attacker's process: starts it, tells it when to attack, and ends it.
// Does I/O.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import type { AttackCounts, AttackOrder } from "./attack-counts.ts";

type FromAttacker =
  | { readonly ready: true }
  | { readonly counts?: AttackCounts }
  | { readonly failure: string };

/** A process that attacks when it is told to. */
export class AttackClient {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** Starts the process on this core. */
  static async start(core: string): Promise<AttackClient> {
    const file = path.join(import.meta.dirname, "attack-process.ts");
    const child = spawn("taskset", ["-c", core, process.execPath, "--import", "tsx", file], {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    await once(child, "message");
    return new AttackClient(child);
  }

  /** Names the server, and has one voter's honest ballots sent to it from now on. */
  async meet(order: Omit<Extract<AttackOrder, { order: "meet" }>, "order">): Promise<void> {
    await this.#tell({ order: "meet", ...order });
  }

  /** Attacks with so many requests a second from now on. */
  async begin(rate: number): Promise<void> {
    await this.#tell({ order: "begin", rate });
  }

  async end(): Promise<AttackCounts> {
    const counts = await this.#tell({ order: "end" });
    if (!counts) throw new Error("cannot end the attack: there is none");
    return counts;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const exited = once(this.#child, "exit");
    this.#child.disconnect();
    await exited;
  }

  async #tell(order: AttackOrder): Promise<AttackCounts | undefined> {
    const listening = new AbortController();
    const { signal } = listening;
    try {
      const answered = once(this.#child, "message", { signal });
      this.#child.send(order);
      const message: FromAttacker = await Promise.race([
        answered.then(([first]): FromAttacker => first),
        once(this.#child, "exit", { signal }).then(
          (): FromAttacker => ({ failure: "its process ended" }),
        ),
      ]);
      if ("failure" in message) throw new Error(`cannot attack: ${message.failure}`);
      return "counts" in message ? message.counts : undefined;
    } finally {
      listening.abort();
    }
  }
}
