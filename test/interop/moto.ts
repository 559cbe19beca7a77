// moto, a Route 53 server of other makers, as a process of its own. It knows how it is started and
// stopped; it must not know what is asked of it. Does I/O.

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";

export interface Moto {
  readonly endpoint: string;
  /** Ends the process; resolves when it is gone. */
  readonly stop: () => Promise<void>;
}

/** Where scripts/install-moto.sh puts it. */
const program = path.resolve(import.meta.dirname, "../../node_modules/.cache/moto/bin/moto_server");
const startMs = 20_000;

/** Servers that must not outlive the tests. */
const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/**
 * Starts it on a free port of 127.0.0.1; resolves when it listens. Rejects if it is not installed,
 * or with its own words if it ends or does not listen in 20 s.
 */
export async function startMoto(): Promise<Moto> {
  if (!existsSync(program)) {
    throw new Error("cannot start moto: it is not installed, run scripts/install-moto.sh");
  }
  // A port of 0 is one that the system chooses, and those are above 20,000.
  const child = spawn(program, ["--host", "127.0.0.1", "--port", "0"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  running.add(child);
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  closed.then(() => running.delete(child));
  const stop = async (): Promise<void> => {
    child.kill("SIGKILL");
    await closed;
  };
  try {
    return { endpoint: await listeningAt(child), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The URL that it writes when it listens. What it writes later is read and left. */
function listeningAt({ stderr }: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const lines: string[] = [];
    const fail = (why: string) => {
      clearTimeout(timer);
      reject(new Error(`cannot start moto: ${why}, got ${lines.join("\n")}`));
    };
    const timer = setTimeout(() => fail(`it did not listen in ${startMs} ms`), startMs);
    if (!stderr) return fail("it has no output");
    const reader = createInterface({ input: stderr });
    reader.on("close", () => fail("it ended"));
    reader.on("line", (line) => {
      if (lines.length < 100) lines.push(line);
      const endpoint = /Running on (http:\/\/127\.0\.0\.1:\d+)/.exec(line)?.[1];
      if (endpoint === undefined) return;
      clearTimeout(timer);
      resolve(endpoint);
    });
  });
}
