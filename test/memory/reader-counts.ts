// What a reading thread of the tests is started with, and what it counts.

import type { MessagePort } from "node:worker_threads";
import type { PackedImage } from "../../src/memory/packed-map.ts";

/** What the thread is started with. */
export interface ReaderStart {
  readonly image: PackedImage;
  readonly marks: Int32Array;
  readonly thread: number;
  readonly keys: readonly string[];
  /** `PackedGrowth`s come by it. */
  readonly growth: MessagePort;
  /** 0 while the thread is to go on. */
  readonly stop: Int32Array;
  /** See `Count`. */
  readonly counts: Int32Array;
}

/** What is counted. */
export const Count = { ROUNDS: 0, WHOLE: 1, ABSENT: 2, TORN: 3, CHANGED: 4, WORDS: 5 } as const;
