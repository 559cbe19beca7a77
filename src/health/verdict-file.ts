// The verdicts that outlive a restart: which endpoints were down by vote, in one file that is
// replaced as a whole. A server that starts in a minority must not bring back what a majority took
// out. It must not know how verdicts are reached. Does I/O.

import { mkdir, readFile } from "node:fs/promises";
import path from "node:path";
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

/** Replaces the file; one writing at a time, and the newest state is always written last. */
export class VerdictFile {
  readonly #file: string;
  readonly #onError: (error: unknown) => void;
  #next: readonly KeptVerdict[] | undefined;
  #writing: Promise<void> | undefined;

  constructor(file: string, onError: (error: unknown) => void) {
    this.#file = file;
    this.#onError = onError;
  }

  write(verdicts: Iterable<KeptVerdict>): void {
    this.#next = [...verdicts];
    this.#writing ??= this.#writeAll();
  }

  /** Resolves when nothing is left to write. */
  async finished(): Promise<void> {
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    while (this.#next) {
      const down = this.#next.map(({ id, sinceMs }) => ({
        endpoint: id,
        since: new Date(sinceMs).toISOString(),
      }));
      this.#next = undefined;
      try {
        await mkdir(path.dirname(this.#file), { recursive: true });
        await writeFileAtomic(this.#file, `${JSON.stringify({ down }, null, 1)}\n`);
      } catch (error) {
        this.#onError(error);
      }
    }
    this.#writing = undefined;
  }
}
