// One voter: the real command in a process of its own that can be killed, held and started again
// with the same folder; what it logs, and what it says of itself. It must not know other voters.
// Does I/O.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { request } from "node:http";
import path from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import type { HealthStatus } from "../../src/health/health-status.ts";
import { command } from "./voter-files.ts";
import { waitFor } from "./wait-for.ts";

/** How a voter is run. */
export interface VoterRun {
  readonly name: string;
  /** Holds `meridian.yaml`. */
  readonly folder: string;
  /** In front of the command; it must become the command, not start it. */
  readonly prefix?: readonly string[];
  /** Over the environment of this process. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Where it answers questions. */
export interface DnsPlace {
  readonly address: string;
  readonly port: number;
}

/** One line of its log. */
export interface VoterEvent {
  readonly event: string;
  /** Milliseconds since 1970, by the voter's clock. */
  readonly time: number;
  readonly [key: string]: unknown;
}

const startMs = 20_000;
const stopMs = 5000;
const requestMs = 3000;

/** Voters that must not outlive this process. */
const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

export class Voter {
  readonly name: string;
  readonly folder: string;
  readonly #run: VoterRun;
  readonly #events: VoterEvent[] = [];
  /** Its last words that are no events, for the case that it ends. */
  readonly #said: string[] = [];
  #child: ChildProcess | undefined;
  #closed: Promise<unknown> = Promise.resolve();
  #dns: DnsPlace | undefined;

  constructor(run: VoterRun) {
    this.name = run.name;
    this.folder = run.folder;
    this.#run = run;
  }

  /** Runs it; resolves when it serves. Rejects with what it said if it does not. */
  async start(): Promise<void> {
    const { prefix = [], environment, folder } = this.#run;
    const [program = process.execPath, ...args] = [
      ...prefix,
      process.execPath,
      command,
      "serve",
      "--config",
      path.join(folder, "meridian.yaml"),
    ];
    const child = spawn(program, args, {
      stdio: ["ignore", "ignore", "pipe"],
      cwd: folder,
      env: { ...process.env, ...environment },
    });
    this.#child = child;
    this.#dns = undefined;
    running.add(child);
    this.#closed = once(child, "close").then(() => running.delete(child));
    createInterface({ input: child.stderr }).on("line", (line) => this.#take(line));
    const state = (): "serving" | "ended" | "starting" => {
      if (this.#dns) return "serving";
      return isRunning(child) ? "starting" : "ended";
    };
    const { seen } = await waitFor("it serving", startMs, state, (now) => now !== "starting");
    if (seen === "serving") return;
    await this.#closed;
    throw new Error(`cannot start ${this.name}: it ended, got ${this.#said.join("\n")}`);
  }

  get isRunning(): boolean {
    return this.#child !== undefined && isRunning(this.#child);
  }

  /** Throws while it does not serve. */
  get dns(): DnsPlace {
    if (!this.#dns || !this.isRunning) throw new Error(`cannot ask ${this.name}: it does not run`);
    return this.#dns;
  }

  /** What it logged so far, in all its runs. */
  get events(): readonly VoterEvent[] {
    return this.#events;
  }

  /** SIGSTOP, SIGCONT and the like. */
  signal(name: NodeJS.Signals): void {
    this.#child?.kill(name);
  }

  /** Ends it at once, as a crash would. */
  async kill(): Promise<void> {
    if (this.isRunning) this.signal("SIGKILL");
    await this.#closed;
  }

  /** Ends it in order, held or not; at once if that takes too long. */
  async stop(): Promise<void> {
    if (this.isRunning) {
      this.signal("SIGTERM");
      this.signal("SIGCONT");
    }
    const late = setTimeout(() => this.signal("SIGKILL"), stopMs);
    await this.#closed;
    clearTimeout(late);
  }

  /** Votes and verdicts as it sees them. */
  async health(): Promise<HealthStatus> {
    const { health } = JSON.parse(await this.#get("/v1/status")) as { health?: HealthStatus };
    if (!health) throw new Error(`cannot see health: ${this.name} says nothing of it`);
    return health;
  }

  /** A metric's value, summed over its labels; 0 if it is not there. */
  async metric(name: string, labels: Readonly<Record<string, string>> = {}): Promise<number> {
    const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
    return (await this.#get("/metrics"))
      .split("\n")
      .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
      .filter((line) => wanted.every((each) => line.includes(each)))
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
  }

  /** Asks over the control socket, which needs no network. */
  async #get(target: string): Promise<string> {
    const socketPath = path.join(this.folder, "data/meridian.sock");
    const sent = request({ socketPath, path: target, timeout: requestMs });
    sent.on("timeout", () => sent.destroy(new Error("no answer in time")));
    const answered = new Promise<string>((resolve, reject) => {
      sent.once("error", reject);
      sent.once("response", (response) => {
        text(response).then((body) => {
          if (response.statusCode === 200) resolve(body);
          else
            reject(new Error(`cannot get ${target}: status ${response.statusCode}, got ${body}`));
        }, reject);
      });
    });
    sent.end();
    return answered;
  }

  #take(line: string): void {
    const event = parseEvent(line);
    if (!event) {
      this.#said.push(line);
      return;
    }
    this.#events.push(event);
    if (event.event !== "serving" || !Array.isArray(event["listen"])) return;
    const [first] = event["listen"] as DnsPlace[];
    this.#dns = first;
  }
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

function parseEvent(line: string): VoterEvent | undefined {
  try {
    return JSON.parse(line) as VoterEvent;
  } catch {
    return undefined;
  }
}
