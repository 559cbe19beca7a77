// A web service in a network's node, a process of its own that can be killed and started again.
// It must not know who asks. Does I/O.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { NetworkNode } from "./network.ts";

/** Run by `node --eval`: answers every request. */
const program = `
  const [address, port] = process.argv.slice(1);
  const server = require("node:http").createServer((_, response) => response.end("ok"));
  server.listen(Number(port), address, () => process.stdout.write("listening"));
`;

/** Services that must not outlive the tests. */
const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

export class NetworkService {
  readonly #node: NetworkNode;
  readonly #port: number;
  #child: ChildProcess | undefined;

  constructor(node: NetworkNode, port: number) {
    this.#node = node;
    this.#port = port;
  }

  get address(): string {
    return this.#node.address;
  }

  get isRunning(): boolean {
    return this.#child !== undefined;
  }

  /** Resolves when it listens; nothing happens if it does already. */
  async start(): Promise<void> {
    if (this.#child) return;
    const [command = process.execPath, ...args] = [
      ...this.#node.prefix,
      ...[process.execPath, "--eval", program, this.address, String(this.#port)],
    ];
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
    this.#child = child;
    running.add(child);
    child.once("close", () => running.delete(child));
    await Promise.race([
      once(child.stdout, "data"),
      once(child, "close").then(() => {
        throw new Error(`cannot start the service at ${this.address}: it ended`);
      }),
    ]);
  }

  /** Ends it at once, as a crash would. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (!child) return;
    this.#child = undefined;
    const closed = once(child, "close");
    child.kill("SIGKILL");
    await closed;
  }
}
