// Which refusals are told in the log: anybody can have thousands refused a second, and the metrics
// count them all. Pure: time is an argument. It must not know how they are told.

import type { Refusal } from "./refusal.ts";

/** What was told is news again after so long. */
const periodMs = 60_000;
/** Of one reason, so that strangers' refusals do not keep a voter's from being told. */
const mostSources = 5;

/** Tells each reason of each source once a minute, and of at most five sources. */
export class RefusalNews {
  #told = new Map<Refusal, Set<string>>();
  #sinceMs = Number.NEGATIVE_INFINITY;

  /** Whether a refusal is to be told now; if so, it counts as told. */
  isNews(reason: Refusal, from: string, nowMs: number): boolean {
    if (nowMs - this.#sinceMs >= periodMs) {
      this.#told = new Map();
      this.#sinceMs = nowMs;
    }
    const sources = this.#told.get(reason) ?? new Set();
    if (sources.has(from) || sources.size >= mostSources) return false;
    this.#told.set(reason, sources.add(from));
    return true;
  }
}
