// The verdicts that outlive a restart: which endpoints were down by vote, in one file that is
// replaced as a whole. A server that starts in a minority must not bring back what a majority took
// out. It must not know how verdicts are reached. Does I/O.

import { mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import writeFileAtomic from "write-file-atomic";
import { z } from "zod";

/** An endpoint that is down, by its target's id, and since when in milliseconds since 1970. */
export interface KeptVerdict {
  readonly id: string;
  readonly sinceMs: number;
}

const fileSchema = z.strictObject({
  down: z.array(z.strictObject({ endpoint: z.string(), since: z.iso.datetime() })),
});

/** What the file holds; nothing if there is none. Rejects if it is broken. */
export async function readVerdicts(file: string): Promise<KeptVerdict[]> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
  const { down } = fileSchema.parse(JSON.parse(text));
  return down.map(({ endpoint, since }) => ({ id: endpoint, sinceMs: Date.parse(since) }));
}

/** Between two writings: where thousands of verdicts turn one by one, each file holds many. */
const pauseMs = 100;

/** Replaces the file; one writing at a time, and the newest state is always written last. */
export class VerdictFile {
  readonly #file: string;
  readonly #onError: (error: unknown) => void;
  #next: (() => Iterable<KeptVerdict>) | undefined;
  /** What could not be written. */
  #failed: (() => Iterable<KeptVerdict>) | undefined;
  #writing: Promise<void> | undefined;

  /** @param onError told of a failure, and of no further one before a writing succeeds. */
  constructor(file: string, onError: (error: unknown) => void) {
    this.#file = file;
    this.#onError = onError;
  }

  /** @param verdicts asked when they are written: often once for many calls. */
  write(verdicts: () => Iterable<KeptVerdict>): void {
    this.#next = verdicts;
    this.#writing ??= this.#writeAll();
  }

  /** Writes again what could not be written, if anything: no verdict may turn again for long. */
  retry(): void {
    if (this.#failed && !this.#writing) this.write(this.#failed);
  }

  /** Resolves when nothing is left to write. */
  async finished(): Promise<void> {
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    for (let verdicts = this.#next; verdicts; verdicts = this.#next) {
      this.#next = undefined;
      try {
        await mkdir(path.dirname(this.#file), { recursive: true, mode: 0o700 });
        await writeFileAtomic(this.#file, textOf(verdicts()), { mode: 0o600 });
        this.#failed = undefined;
      } catch (error) {
        if (!this.#failed) this.#onError(error);
        this.#failed = verdicts;
      }
      if (this.#next) await setTimeout(pauseMs);
    }
    this.#writing = undefined;
  }
}

function textOf(verdicts: Iterable<KeptVerdict>): string {
  const down = [...verdicts].map(({ id, sinceMs }) => ({
    endpoint: id,
    since: new Date(sinceMs).toISOString(),
  }));
  return `${JSON.stringify({ down }, null, 1)}\n`;
}
