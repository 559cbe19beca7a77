// Starts the real command with a folder of its own and stops it again. It knows how the server
// says that it serves; it must not know what is asked of it. Does I/O.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";

export interface ServerOptions {
  /**
   * Contents by path relative to the server's folder (`zones/federation.yaml`), or an existing
   * zones folder that is copied to `zones/`. A `meridian.yaml` among them is taken as it is.
   */
  readonly files: Readonly<Record<string, string | Uint8Array>> | string;
  /** Keys of `spec` in `meridian.yaml`, over those of the kit. */
  readonly serverSpec?: Readonly<Record<string, unknown>>;
  /** `metadata.name` in `meridian.yaml`; default: ns1. */
  readonly name?: string;
  /** More arguments of `meridian serve`. */
  readonly args?: readonly string[];
  /** Over the environment of the tests. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Where a server answers. */
export interface ServerAddress {
  readonly address: string;
  readonly port: number;
}

/** One line of the log. */
export interface LogEvent {
  readonly event: string;
  readonly level: number;
  readonly [key: string]: unknown;
}

export interface RunningServer extends ServerAddress {
  /** All that it listens on; `address` and `port` are the first of them. */
  readonly listen: readonly ServerAddress[];
  readonly process: ChildProcess;
  readonly folder: string;
  /** What was written to standard error so far, line by line. */
  readonly log: () => string[];
  /** What was written to standard output so far, line by line. */
  readonly output: () => string[];
  /**
   * The first log event that matches, among those from line `from` on, as soon as it is there.
   * Rejects with the log if the server ends or if five seconds pass without.
   */
  readonly logged: (matches: (event: LogEvent) => boolean, from?: number) => Promise<LogEvent>;
  /** Its exit status once it has ended, which it must within five seconds; `null`: by a signal. */
  readonly ended: () => Promise<number | null>;
  /** Ends it by SIGTERM if it has not ended, and removes the folder; its exit status. */
  readonly stop: () => Promise<number | null>;
}

const command = path.resolve(import.meta.dirname, "../../dist/cli/main.js");
const startMs = 15_000;
const logMs = 5000;
const stopMs = 5000;

/** Servers that must not outlive the tests. */
const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** Starts `meridian serve`; resolves when it serves, rejects with its words if it ends before. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const folder = writeServerFolder(options);
  const child = spawn(
    process.execPath,
    [command, "serve", "--config", path.join(folder, "meridian.yaml"), ...(options.args ?? [])],
    {
      stdio: ["ignore", "pipe", "pipe"],
      cwd: folder,
      env: { ...process.env, ...options.environment },
    },
  );
  running.add(child);
  const lines = new LineRecord(child.stderr);
  const output = new LineRecord(child.stdout);
  const closed = once(child, "close").then(() => running.delete(child));
  const ended = async (): Promise<number | null> => {
    const late = setTimeout(() => child.kill("SIGKILL"), stopMs);
    await closed;
    clearTimeout(late);
    return child.exitCode;
  };
  const stop = async (): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
    const status = await ended();
    rmSync(folder, { recursive: true, force: true });
    return status;
  };
  try {
    const { listen } = await lines.event((event) => event.event === "serving", 0, startMs);
    const [first, ...others] = Array.isArray(listen) ? (listen as ServerAddress[]) : [];
    if (!first) throw new Error(`cannot start the server: it says no address, got ${listen}`);
    return {
      ...first,
      listen: [first, ...others],
      process: child,
      folder,
      log: () => [...lines.lines],
      output: () => [...output.lines],
      logged: (matches, from = 0) => lines.event(matches, from, logMs),
      ended,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A new folder with `meridian.yaml` and what it leads to; who calls removes it. */
export function writeServerFolder({ files, serverSpec, name = "ns1" }: ServerOptions): string {
  const folder = mkdtempSync(path.join(tmpdir(), "meridian-test-"));
  mkdirSync(path.join(folder, "zones"));
  const config = {
    apiVersion: "meridian.dev/v1alpha1",
    kind: "Server",
    metadata: { name },
    spec: { listen: { dns: ["127.0.0.1:0"] }, ...serverSpec },
  };
  // JSON is YAML.
  writeFileSync(path.join(folder, "meridian.yaml"), JSON.stringify(config, null, 2));
  if (typeof files === "string") {
    cpSync(files, path.join(folder, "zones"), { recursive: true });
    return folder;
  }
  for (const [file, content] of Object.entries(files)) {
    const whole = path.join(folder, file);
    mkdirSync(path.dirname(whole), { recursive: true });
    writeFileSync(whole, content);
  }
  return folder;
}

/** The lines of a stream, kept and waited for. */
class LineRecord {
  readonly lines: string[] = [];
  readonly #waiting = new Set<() => void>();
  #isEnded = false;

  constructor(stream: NodeJS.ReadableStream) {
    const reader = createInterface({ input: stream });
    reader.on("line", (line) => {
      this.lines.push(line);
      this.#wake();
    });
    reader.on("close", () => {
      this.#isEnded = true;
      this.#wake();
    });
  }

  async event(
    matches: (event: LogEvent) => boolean,
    from: number,
    timeoutMs: number,
  ): Promise<LogEvent> {
    const deadline = performance.now() + timeoutMs;
    for (let at = from; ; at++) {
      while (at >= this.lines.length) {
        const leftMs = deadline - performance.now();
        if (this.#isEnded || leftMs <= 0) {
          const why = this.#isEnded ? "the server ended" : `none in ${timeoutMs} ms`;
          throw new Error(`cannot see the log event: ${why}, got\n${this.lines.join("\n")}`);
        }
        await this.#change(leftMs);
      }
      const event = parseEvent(this.lines[at] ?? "");
      if (event && matches(event)) return event;
    }
  }

  #change(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, timeoutMs);
      this.#waiting.add(done);
    });
  }

  #wake(): void {
    for (const done of this.#waiting) done();
  }
}

function parseEvent(line: string): LogEvent | undefined {
  try {
    return JSON.parse(line) as LogEvent;
  } catch {
    return undefined;
  }
}
