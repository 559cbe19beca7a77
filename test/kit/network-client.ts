// Asks and sends from inside a network's node, by an agent that runs there. It must not know what
// is asked. Does I/O.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import type { NetworkNode } from "./network.ts";

export interface Place {
  readonly address: string;
  readonly port: number;
}

/** What an agent can be told to do. */
export type Order =
  | { readonly do: "ask"; readonly place: Place; readonly name: string }
  | { readonly do: "connect"; readonly place: Place; readonly timeoutMs: number }
  | { readonly do: "listen"; readonly place: Place }
  | { readonly do: "echo"; readonly place: Place }
  | { readonly do: "flood"; readonly place: Place; readonly count: number };

export type Answer =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: string };

const agentFile = path.resolve(import.meta.dirname, "network-agent.ts");

/** Agents that must not outlive the tests. */
const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

export class NetworkClient {
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown>;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #lastId = 0;

  constructor({ prefix }: NetworkNode) {
    const [program = process.execPath, ...args] = [
      ...prefix,
      ...[process.execPath, "--import", "tsx", agentFile],
    ];
    this.#child = spawn(program, args, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
    running.add(this.#child);
    this.#child.on("message", (message) => {
      const { id, answer } = message as { id: number; answer: Answer };
      this.#waiting.get(id)?.(answer);
      this.#waiting.delete(id);
    });
    this.#closed = once(this.#child, "close").then(() => {
      running.delete(this.#child);
      for (const give of this.#waiting.values()) give({ ok: false, reason: "the agent ended" });
    });
  }

  /** The IPv4 addresses of a name, sorted. Rejects if there is no answer. */
  async ask(place: Place, name: string): Promise<string[]> {
    const value = await this.#order({ do: "ask", place, name });
    return Array.isArray(value) ? value.map(String) : [];
  }

  /** `connected`, `timeout` or the error's code. */
  async connect(place: Place, timeoutMs: number): Promise<string> {
    return String(await this.#order({ do: "connect", place, timeoutMs }));
  }

  /** Takes connections from now on. */
  async listen(place: Place): Promise<void> {
    await this.#order({ do: "listen", place });
  }

  /** Sends every datagram back to its sender from now on. */
  async echo(place: Place): Promise<void> {
    await this.#order({ do: "echo", place });
  }

  /** How many of so many datagrams come back. */
  async flood(place: Place, count: number): Promise<number> {
    return Number(await this.#order({ do: "flood", place, count }));
  }

  async stop(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#closed;
  }

  async #order(order: Order): Promise<unknown> {
    const id = ++this.#lastId;
    const answered = new Promise<Answer>((resolve) => this.#waiting.set(id, resolve));
    this.#child.send({ id, order });
    const answer = await answered;
    if (answer.ok) return answer.value;
    throw new Error(`cannot ${order.do} at ${order.place.address}: ${answer.reason}`);
  }
}
