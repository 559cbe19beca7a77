// Starts a server on core 0 with a folder of its own, waits for its first right answer, stops and
// goes on with it, and ends it. Does I/O.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { createServer } from "node:net";
import os from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { ConfigFiles, ServedWorld } from "./configs/config.ts";
import type { BenchServer } from "./servers.ts";

/** A server that runs. */
export interface RunningServer {
  readonly server: BenchServer;
  readonly port: number;
  readonly folder: string;
  /** Its process and its process group. */
  readonly pid: number;
  /** Milliseconds from its start to its first right answer. */
  readonly readyMs: number;
  /** Keeps it from using the core while others are measured. */
  readonly hold: () => void;
  readonly goOn: () => void;
  readonly stop: () => Promise<void>;
}

export interface StartOptions {
  readonly world: ServedWorld;
  /** True once the server answers rightly at this port. */
  readonly isReady: (port: number) => Promise<boolean>;
  readonly timeoutMs: number;
  /** The cores that it may use. */
  readonly cores: string;
  /** In front of the command: a profiler. */
  readonly wrapper?: readonly string[];
  /** Options of Node, for servers that are programs of it. */
  readonly nodeArgs?: readonly string[];
}

const pollMs = 20;
const stopMs = 5000;

/** Servers and their folders, which must not outlive the benchmark. */
const running = new Map<ChildProcess, string>();
process.once("exit", () => {
  for (const [child, folder] of running) {
    signal(child, "SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
});
for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => process.exit(130));

/** Starts it; rejects with what it said if it ends or is not ready in time. */
export async function startServer(
  server: BenchServer,
  options: StartOptions,
): Promise<RunningServer> {
  const folder = mkdtempSync(path.join(os.tmpdir(), `meridian-bench-${server.id}-`));
  const port = await freePort();
  const { files, args } = server.config(options.world, { folder, port });
  writeFiles(folder, files);
  const logFile = path.join(folder, "bench.log");
  const log = openSync(logFile, "w");
  const [program = "", ...first] = server.command;
  const whole = [program, ...(options.nodeArgs ?? []), ...first, ...args];
  const startedMs = performance.now();
  const child = spawn(
    "taskset",
    ["-c", options.cores, ...(options.wrapper ?? []), ...whole],
    // A process group of its own: some servers are several processes.
    { stdio: ["ignore", log, log], cwd: folder, detached: true },
  );
  closeSync(log);
  running.set(child, folder);
  const stop = async (): Promise<void> => {
    await end(child);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const readyMs = await untilReady(child, port, startedMs, options);
    return {
      server,
      port,
      folder,
      pid: child.pid ?? 0,
      readyMs,
      hold: () => signal(child, "SIGSTOP"),
      goOn: () => signal(child, "SIGCONT"),
      stop,
    };
  } catch (error) {
    const said = readFileSync(logFile, "utf8").trim().slice(-2000);
    await stop();
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`cannot start ${server.title}: ${why}, got ${said || "not a word"}`);
  }
}

async function untilReady(
  child: ChildProcess,
  port: number,
  startedMs: number,
  { isReady, timeoutMs }: StartOptions,
): Promise<number> {
  for (;;) {
    if (await isReady(port)) return performance.now() - startedMs;
    if (child.exitCode !== null || child.signalCode !== null) throw new Error("it ended");
    if (performance.now() - startedMs > timeoutMs) {
      throw new Error(`no right answer in ${timeoutMs} ms`);
    }
    await delay(pollMs);
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const closed = once(child, "close");
    signal(child, "SIGCONT");
    signal(child, "SIGTERM");
    const late = setTimeout(() => signal(child, "SIGKILL"), stopMs);
    await closed;
    clearTimeout(late);
  }
  // What is left of its group.
  signal(child, "SIGKILL");
  running.delete(child);
}

function signal({ pid }: ChildProcess, name: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, name);
  } catch {
    // There is nobody left.
  }
}

function writeFiles(folder: string, files: ConfigFiles): void {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    if (typeof content === "string" || content instanceof Uint8Array) {
      writeFileSync(file, content);
      continue;
    }
    const open = openSync(file, "w");
    for (const piece of content) writeSync(open, piece);
    closeSync(open);
  }
}

/** A port that nobody uses now, on 127.0.0.1. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port is free");
  return address.port;
}
