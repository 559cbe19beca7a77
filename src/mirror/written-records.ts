// What a mirror last knew to be right in its zone, a digest for each record set: what differs from
// it later was changed by somebody else. Kept in a file, so that a run of the command knows what the
// run before it wrote. Does I/O.

import { mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import writeFileAtomic from "write-file-atomic";
import { z } from "zod";
import { digestOf } from "./canonical.ts";
import type { Change } from "./provider.ts";
import { type RecordSet, recordKey } from "./record-set.ts";

const fileSchema = z.strictObject({
  version: z.literal(1),
  owner: z.string(),
  records: z.record(z.string(), z.string()),
});

/** Digests by record. */
export class WrittenRecords {
  readonly #owner: string;
  readonly #digests: Map<string, string>;
  #hasChanged = false;

  constructor(owner: string, digests: Iterable<[string, string]> = []) {
    this.#owner = owner;
    this.#digests = new Map(digests);
  }

  /**
   * Reads the file; without one, or with another owner's, nothing is known.
   * @throws Error the system's, or one that names the file, if that is broken
   */
  static async read(file: string, owner: string): Promise<WrittenRecords> {
    let text: string;
    try {
      text = await readFile(file, "utf8");
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") {
        return new WrittenRecords(owner);
      }
      throw error;
    }
    const content = contentOf(text);
    if (!content) {
      throw new Error(`cannot use ${file}: it is not as a mirror writes it, and may be deleted`);
    }
    const records = content.owner === owner ? Object.entries(content.records) : [];
    return new WrittenRecords(owner, records);
  }

  readonly digest = (key: string): string | undefined => this.#digests.get(key);

  /** These stand in the zone as they should. */
  know(right: Iterable<RecordSet>): void {
    for (const set of right) this.#set(recordKey(set), digestOf(set));
  }

  /** These changes were made. */
  apply(changes: readonly Change[]): void {
    for (const change of changes) {
      if (change.kind !== "delete") this.#set(recordKey(change.after), digestOf(change.after));
      else if (this.#digests.delete(recordKey(change.before))) this.#hasChanged = true;
    }
  }

  /** Replaces the file if anything is new. */
  async write(file: string): Promise<void> {
    if (!this.#hasChanged) return;
    this.#hasChanged = false;
    const records = Object.fromEntries(this.#digests);
    const content = { version: 1, owner: this.#owner, records };
    try {
      await mkdir(path.dirname(file), { recursive: true });
      await writeFileAtomic(file, JSON.stringify(content));
    } catch (error) {
      this.#hasChanged = true;
      throw error;
    }
  }

  #set(key: string, digest: string): void {
    if (this.#digests.get(key) === digest) return;
    this.#digests.set(key, digest);
    this.#hasChanged = true;
  }
}

function contentOf(text: string): z.infer<typeof fileSchema> | undefined {
  try {
    return fileSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
