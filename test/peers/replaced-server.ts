// A server that is replaced again and again: one data folder, and one process of the real command after
// the other. It knows how they are started and what they say; it must not know what should come of it.
// Does I/O.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { type ControlReply, callControl } from "../../src/cli/control-client.ts";
import type { LogEvent, ServerAddress } from "../kit/server.ts";

const command = path.resolve(import.meta.dirname, "../../dist/cli/main.js");
/** They end what hangs, and are no measure of how long it should take. */
const startMs = 90_000;
const endMs = 60_000;
const lookMs = 5;

/** Processes that must not outlive the tests. */
const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** One process. */
export class ServerProcess {
  readonly child: ChildProcess;
  readonly events: LogEvent[] = [];
  /** What it said that is no event. */
  readonly said: string[] = [];
  /** Its exit status, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
  #isEnded = false;

  constructor(folder: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}) {
    this.child = spawn(process.execPath, [command, "serve", ...args], {
      stdio: ["ignore", "ignore", "pipe"],
      cwd: folder,
      env: { ...process.env, ...environment },
    });
    running.add(this.child);
    const { stderr } = this.child;
    if (stderr) createInterface({ input: stderr }).on("line", (line) => this.#take(line));
    this.ended = once(this.child, "close").then(([status, signal]) => {
      running.delete(this.child);
      this.#isEnded = true;
      return status ?? signal;
    });
  }

  /** The first event of this kind, as soon as it is logged; rejects if the process ends without. */
  async logged(event: string): Promise<LogEvent> {
    const lateMs = performance.now() + startMs;
    for (;;) {
      const found = this.events.find((each) => each.event === event);
      if (found) return found;
      if (this.#isEnded || performance.now() > lateMs) {
        const words = [...this.said, ...this.events.map((each) => JSON.stringify(each))];
        throw new Error(`cannot see ${event}: the log has none, got\n${words.join("\n")}`);
      }
      await delay(lookMs);
    }
  }

  /** Its exit status, which must come in time. */
  async end(): Promise<number | NodeJS.Signals | null> {
    const late = setTimeout(() => this.child.kill("SIGKILL"), endMs);
    const status = await this.ended;
    clearTimeout(late);
    return status;
  }

  #take(line: string): void {
    try {
      this.events.push(JSON.parse(line) as LogEvent);
    } catch {
      this.said.push(line);
    }
  }
}

/** The folder, and the processes that were started in it. */
export class ReplacedServer {
  readonly folder = mkdtempSync(path.join(tmpdir(), "meridian-replaced-"));
  readonly #processes: ServerProcess[] = [];
  #listen: readonly ServerAddress[] = [];
  #http: ServerAddress | undefined;

  /** @param files contents by path. */
  constructor(files: Readonly<Record<string, string>>, spec: Readonly<Record<string, unknown>>) {
    for (const [file, text] of Object.entries(files)) this.write(file, text);
    this.configure(spec);
  }

  /** Writes `meridian.yaml`. */
  configure(spec: Readonly<Record<string, unknown>>): void {
    const config = {
      apiVersion: "meridian.dev/v1alpha1",
      kind: "Server",
      metadata: { name: "ns1" },
      spec: { geoip: { databases: [] }, ...spec },
    };
    // JSON is YAML.
    this.write("meridian.yaml", JSON.stringify(config, null, 2));
  }

  /** Puts a file in the place of what is there. */
  write(file: string, text: string): void {
    const whole = path.join(this.folder, file);
    const beside = path.join(path.dirname(whole), `.${path.basename(whole)}.new`);
    mkdirSync(path.dirname(whole), { recursive: true });
    writeFileSync(beside, text);
    renameSync(beside, whole);
  }

  /** Starts a process, and no more. */
  spawn(args: readonly string[] = [], environment?: NodeJS.ProcessEnv): ServerProcess {
    const started = new ServerProcess(this.folder, args, environment);
    this.#processes.push(started);
    return started;
  }

  /** Starts a process and waits until it serves. */
  async start(args: readonly string[] = []): Promise<ServerProcess> {
    const started = this.spawn(args);
    this.use(await started.logged("serving"));
    return started;
  }

  /** Starts a process in place of the one before, and waits until that has ended with status 0. */
  async replace(args: readonly string[] = []): Promise<ServerProcess> {
    const former = this.#processes.at(-1);
    const next = await this.start(["--replace", ...args]);
    const status = await former?.end();
    if (status !== 0) throw new Error(`cannot see it replaced: it ended otherwise, got ${status}`);
    return next;
  }

  /** Asks where a process said that it serves. */
  use({ listen, http }: LogEvent): void {
    this.#listen = Array.isArray(listen) ? (listen as ServerAddress[]) : [];
    this.#http = http as ServerAddress | undefined;
  }

  /** All that the last process listens on. */
  get listen(): readonly ServerAddress[] {
    return this.#listen;
  }

  /** The first of them. */
  get dns(): ServerAddress {
    const [first] = this.#listen;
    if (!first) throw new Error("cannot ask the server: it does not run");
    return first;
  }

  get http(): ServerAddress {
    if (!this.#http) throw new Error("cannot ask the server: it has no HTTP");
    return this.#http;
  }

  /** By the control socket. */
  control(method: "GET" | "POST", requestPath: string, body?: object): Promise<ControlReply> {
    const socket = path.join(this.folder, "data/meridian.sock");
    return callControl({ socket }, method, requestPath, body, 60_000);
  }

  /** Ends what runs and removes the folder. */
  async stop(): Promise<void> {
    for (const { child } of this.#processes) {
      if (child.exitCode === null) child.kill("SIGTERM");
    }
    await Promise.all(this.#processes.map((each) => each.end()));
    rmSync(this.folder, { recursive: true, force: true });
  }
}
