// The file that lines of the query log are appended to. It keeps little in memory, holds nobody up,
// and counts what it had to drop. It must not know what a line says. Does I/O.

import { constants, type FileHandle, open } from "node:fs/promises";
import type { Logger } from "./log.ts";

/** What became of lines, over all files since the server started; counted up in place. */
export interface LineCounts {
  written: number;
  /** Lines that the file did not take, or not soon enough. */
  dropped: number;
}

export interface QueryFileOptions {
  /** Its folder must exist; the file is made with mode 0600 where there is none. */
  readonly file: string;
  readonly counts: LineCounts;
  readonly log: Pick<Logger, "error" | "info">;
  /** Octets of lines that wait at most; default: 4 MiB. */
  readonly mostOctets?: number;
  /** Milliseconds on any clock that does not go back; default: the process's. */
  readonly nowMs?: () => number;
}

/** Milliseconds until a file that could not be written is tried again. */
export const retryMs = 1000;
const mostOctetsDefault = 4 * 1024 * 1024;
/** Octets of one write: a slow disk holds up one thread of the pool, and not for long. */
const batchOctets = 256 * 1024;
/** Milliseconds that `close` waits for what is left. */
const closeMs = 2000;
/** Without O_NONBLOCK a pipe without a reader would be waited for. */
const flags =
  constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NONBLOCK ?? 0);

/** Appends lines. Lines that cannot be written are dropped at once: those to come are worth as much. */
export class QueryFile {
  readonly #options: QueryFileOptions;
  readonly #nowMs: () => number;
  readonly #mostOctets: number;
  #lines: string[] = [];
  #octets = 0;
  #handle: FileHandle | undefined;
  #running: Promise<void> | undefined;
  #mustReopen = false;
  #retryAtMs = Number.NEGATIVE_INFINITY;
  /** Why the file cannot be written, as was logged; `undefined` while it can. */
  #failure: { readonly reason: string; readonly droppedBefore: number } | undefined;
  /** Whether the file ends in the midst of a line, as a full disk may leave it. */
  #isMidLine = false;

  constructor(options: QueryFileOptions) {
    this.#options = options;
    this.#nowMs = options.nowMs ?? (() => performance.now());
    this.#mostOctets = options.mostOctets ?? mostOctetsDefault;
  }

  /** Takes a line without its end, to be written with the next `flush`. */
  add(line: string): void {
    const octets = Buffer.byteLength(line) + 1;
    if (this.#octets + octets > this.#mostOctets) {
      this.#options.counts.dropped++;
      return;
    }
    this.#lines.push(line);
    this.#octets += octets;
  }

  /** Begins to write what waits; resolves when that is written or dropped. Never rejects. */
  flush(): Promise<void> {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Closes the file and opens what has its name then, as after it was renamed. */
  reopen(): void {
    this.#mustReopen = true;
    this.#retryAtMs = Number.NEGATIVE_INFINITY;
  }

  /** Writes what waits, for two seconds at most, and closes. */
  async close(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, closeMs);
    });
    const written = async (): Promise<void> => {
      await this.#running;
      await this.flush();
      await this.#close();
    };
    await Promise.race([written(), late]);
    clearTimeout(timer);
    this.#dropWaiting();
  }

  async #run(): Promise<void> {
    do {
      if (this.#mustReopen) {
        this.#mustReopen = false;
        await this.#close();
        this.#isMidLine = false;
      }
      if (!this.#handle && !(await this.#open())) {
        this.#dropWaiting();
        return;
      }
      // The file may have been renamed while it was being opened.
      if (this.#mustReopen) continue;
      const isTaken = this.#lines.length === 0 || (await this.#write(this.#nextBatch()));
      if (!isTaken) return;
    } while (this.#lines.length > 0);
  }

  async #open(): Promise<boolean> {
    if (this.#nowMs() < this.#retryAtMs) return false;
    try {
      this.#handle = await open(this.#options.file, flags, 0o600);
      return true;
    } catch (error) {
      this.#fail(error);
      return false;
    }
  }

  /** False: nothing more can be written now. */
  async #write(lines: readonly string[]): Promise<boolean> {
    const { counts } = this.#options;
    const start = this.#isMidLine ? "\n" : "";
    const octets = Buffer.from(`${start}${lines.join("\n")}\n`);
    let written = 0;
    try {
      while (written < octets.length) {
        const { bytesWritten } = (await this.#handle?.write(octets, written)) ?? {
          bytesWritten: 0,
        };
        if (bytesWritten === 0) throw new Error("the file takes nothing");
        written += bytesWritten;
      }
    } catch (error) {
      const whole = lineEnds(octets, start.length, written);
      const isCut = written > 0 && octets[written - 1] !== newline;
      if (written > 0) this.#isMidLine = isCut;
      const left = lines.slice(whole);
      // Where the reader of a pipe is slow only the line that it has half of is lost.
      const lost = isFull(error) ? Number(isCut) : left.length;
      counts.written += whole;
      counts.dropped += lost;
      this.#putBack(left.slice(lost));
      if (!isFull(error)) {
        await this.#close();
        this.#fail(error);
        this.#dropWaiting();
      }
      return false;
    }
    counts.written += lines.length;
    this.#isMidLine = false;
    this.#recover();
    return true;
  }

  #nextBatch(): string[] {
    let octets = 0;
    let count = 0;
    for (const line of this.#lines) {
      octets += Buffer.byteLength(line) + 1;
      if (count > 0 && octets > batchOctets) {
        octets -= Buffer.byteLength(line) + 1;
        break;
      }
      count++;
    }
    this.#octets -= octets;
    return this.#lines.splice(0, count);
  }

  #putBack(lines: readonly string[]): void {
    this.#lines = [...lines, ...this.#lines];
    for (const line of lines) this.#octets += Buffer.byteLength(line) + 1;
  }

  #dropWaiting(): void {
    this.#options.counts.dropped += this.#lines.length;
    this.#lines = [];
    this.#octets = 0;
  }

  /** Says it once for each reason, not for each line. */
  #fail(error: unknown): void {
    this.#retryAtMs = this.#nowMs() + retryMs;
    const reason = error instanceof Error ? error.message : String(error);
    if (this.#failure?.reason === reason) return;
    const { file, counts, log } = this.#options;
    this.#failure = { reason, droppedBefore: this.#failure?.droppedBefore ?? counts.dropped };
    const message = `cannot write the query log: ${reason}; its lines are dropped until it can`;
    log.error({ event: "query-log", file, reason }, message);
  }

  #recover(): void {
    if (!this.#failure) return;
    const { file, counts, log } = this.#options;
    const dropped = counts.dropped - this.#failure.droppedBefore;
    this.#failure = undefined;
    log.info({ event: "query-log", file, dropped }, "the query log is written again");
  }

  async #close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close().catch(() => undefined);
  }
}

const newline = 0x0a;

function lineEnds(octets: Buffer, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at++) if (octets[at] === newline) count++;
  return count;
}

/** A pipe that does not block has no room. */
function isFull(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EAGAIN";
}
