// Each reading of the files as one of four outcomes, told to who counts, logs or waits. It must not know
// how files are read, nor what their states hold. Does I/O: timers.

import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Problem } from "../config/problem.ts";
import type { ReloadReport } from "../control/api-answers.ts";
import type { EventLog } from "../control/event-log.ts";
import type { Reading } from "../sources/reload.ts";

/** What came of a reading; `failed`: the server made a mistake. */
export type ReloadOutcome = ReloadReport["outcome"] | "failed";

/** Counts outcomes; what metrics show. */
export interface ReloadCounts {
  readonly counts: Readonly<Record<ReloadOutcome, number>>;
  /** Of the last reading. */
  readonly problems: number;
  /** When files were last read that had none; milliseconds since 1970. */
  readonly lastGoodMs: number;
}

/** Files that somebody is writing to are waited for so long, in all. */
const mostSettlingMs = 3000;

/** The readings of a server that runs, after its first. */
export class Reloads<State> {
  readonly #folder: string;
  readonly #events: EventLog;
  readonly #counts = { changed: 0, unchanged: 0, refused: 0, failed: 0 };
  #problems = 0;
  #lastGoodMs = Date.now();
  #last: Reading<State> | undefined;
  #used: Promise<void> = Promise.resolve();
  /** What was told since `now` was called. */
  #told: ReloadOutcome | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  /** @param folder what paths are told relative to: that of `meridian.yaml`. */
  constructor(folder: string, events: EventLog) {
    this.#folder = folder;
    this.#events = events;
  }

  get counts(): ReloadCounts {
    return { counts: this.#counts, problems: this.#problems, lastGoodMs: this.#lastGoodMs };
  }

  /** Remembers what a reading gave. */
  read(reading: Reading<State>): void {
    this.#last = reading;
    this.#problems = reading.ok ? 0 : reading.problems.length;
    if (reading.ok) this.#lastGoodMs = Date.now();
  }

  /** The reading changed something; `used` resolves when that is in use. */
  changed(used: Promise<void>): void {
    this.#used = used;
    this.#tell("changed");
  }

  /** The reading had problems that are not those before. */
  refused(): void {
    this.#tell("refused");
  }

  failed(): void {
    this.#tell("failed");
  }

  /**
   * Reads by `trigger` and says what came of it, one caller after the other. Rejects if it failed. A
   * file that was written to a moment ago is read in its former version until it has settled: then
   * all is read once more, as what was written just before the call is what is asked about.
   * @param trigger resolves with a reading that sees all that is there now.
   */
  now(trigger: () => Promise<void>): Promise<ReloadReport> {
    const done = this.#queue.then(() => this.#now(trigger));
    this.#queue = done.catch(() => undefined);
    return done;
  }

  async #now(trigger: () => Promise<void>): Promise<ReloadReport> {
    this.#last = undefined;
    this.#told = undefined;
    const endMs = performance.now() + mostSettlingMs;
    await trigger();
    for (;;) {
      const { retryAfterMs } = this.#seen().reading ?? {};
      if (retryAfterMs === undefined || performance.now() + retryAfterMs > endMs) break;
      await delay(retryAfterMs);
      await trigger();
    }
    await this.#used;
    const { reading, told } = this.#seen();
    if (!reading || told === "failed") throw new Error("cannot read the files again");
    if (told === undefined) this.#tell(reading.ok ? "unchanged" : "refused");
    if (reading.ok) return { outcome: told === "changed" ? "changed" : "unchanged", problems: [] };
    return { outcome: "refused", problems: reading.problems.map((each) => this.#plain(each)) };
  }

  /** What was set while `trigger` was waited for. */
  #seen(): { reading: Reading<State> | undefined; told: ReloadOutcome | undefined } {
    return { reading: this.#last, told: this.#told };
  }

  #tell(outcome: ReloadOutcome): void {
    this.#told = outcome;
    this.#counts[outcome]++;
    this.#events.add({ kind: "reload", outcome, problems: this.#problems });
  }

  /** Without the folders above the server's own, which are nobody's business elsewhere. */
  #plain({ file, line, column, message }: Problem) {
    const within = `${this.#folder}${path.sep}`;
    return {
      file: path.relative(this.#folder, file),
      line,
      column,
      message: message.replaceAll(within, ""),
    };
  }
}
