// One file that is read many times: parsed anew only when it changed, and in its last whole
// version while somebody is writing to it. It must not know what the file holds. Does I/O.

import { statSync } from "node:fs";
import { type FileStamp, fileStamp, isSameStamp, unsettledMs } from "../sources/settled-file.ts";

/** What a reading gave, and when to read again because somebody was writing, if so. */
export interface VersionedReading<Value> {
  readonly value: Value;
  readonly retryAfterMs: number | undefined;
}

export class VersionedFile<Value> {
  #version:
    | { readonly stamp: FileStamp | undefined; readonly key: string; value: Value }
    | undefined;

  /**
   * The file's value by `parse`, which also says what is wrong with a file that is not there.
   * @param key what else the value depends on.
   */
  read(file: string, key: string, parse: () => Value): VersionedReading<Value> {
    const known = this.#version?.key === key ? this.#version : undefined;
    const stamp = stampOf(file);
    if (known && isSame(known.stamp, stamp)) return { value: known.value, retryAfterMs: undefined };
    const waitMs = stamp ? unsettledMs(stamp, known?.stamp, Date.now()) : 0;
    if (known && waitMs > 0) return { value: known.value, retryAfterMs: waitMs };
    const value = parse();
    // Changed while it was parsed: what was read may be torn, so the next reading parses again.
    const after = stampOf(file);
    if (known && !isSame(stamp, after)) return { value: known.value, retryAfterMs: 1 };
    this.#version = { stamp, key, value };
    return { value, retryAfterMs: undefined };
  }
}

function stampOf(file: string): FileStamp | undefined {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stats && fileStamp(stats);
}

/** A change of the mode makes another version: it may be refused, or readable, only by that. */
function isSame(a: FileStamp | undefined, b: FileStamp | undefined): boolean {
  return a && b ? isSameStamp(a, b) && a.ctimeNs === b.ctimeNs : a === b;
}
