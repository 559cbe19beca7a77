// What one voter was heard to say (semantics 7): which of its ballots are taken, and for how long
// they count. Times are the receiver's own; the sender's clock is only ever a reason to refuse. It
// must not know verdicts.

import type { Ballot, Word } from "./ballot.ts";
import type { Refusal } from "./refusal.ts";

/** Two clocks of one machine. */
export interface Clock {
  /** Milliseconds that only ever go forward, from any beginning. */
  readonly nowMs: number;
  /** Milliseconds since 1970. */
  readonly wallMs: number;
}

/** A word, and since when it stands by the receiver's clock. */
export interface HeardWord extends Omit<Word, "forMs"> {
  readonly sinceMs: number;
}

/** A ballot counts so long after its receipt. */
export const ballotLifeMs = 15_000;
/** Between a voter's full ballots. */
export const ballotIntervalMs = 5000;
/** How far the sender's clock may be off. */
export const clockToleranceMs = 60_000;
/** After this a ballot of a former boot is refused for its age: two tolerances and some more. */
const retiredBootMs = 150_000;

/** The ballots of one voter. */
export class BallotBox {
  #boot = "";
  #sequence = 0;
  #configuration = "";
  #fullAtMs: number | undefined;
  #words = new Map<string, HeardWord>();
  /** Former boots, and when each was followed by another. */
  readonly #retired = new Map<string, number>();

  /** When its last full ballot was taken; `undefined` if none was. */
  get fullAtMs(): number | undefined {
    return this.#fullAtMs;
  }

  /** Whether it ever took a ballot of this boot, as far as it remembers. */
  knows(boot: string): boolean {
    return this.#boot === boot || this.#retired.has(boot);
  }

  /** Whether what it holds counts: a full ballot of this configuration, not too long ago. */
  isLive(configuration: string, nowMs: number): boolean {
    if (this.#fullAtMs === undefined || this.#configuration !== configuration) return false;
    return nowMs - this.#fullAtMs < ballotLifeMs;
  }

  word(id: string): HeardWord | undefined {
    return this.#words.get(id);
  }

  /** Why its time, boot or sequence forbid to take a ballot. */
  refusalOf({ sentAtMs, boot, sequence }: Ballot, { nowMs, wallMs }: Clock): Refusal | undefined {
    if (sentAtMs < wallMs - clockToleranceMs) return "too-old";
    if (sentAtMs > wallMs + clockToleranceMs) return "future";
    this.#forgetBoots(nowMs);
    if (this.#retired.has(boot)) return "retired-boot";
    return boot === this.#boot && sequence <= this.#sequence ? "replayed" : undefined;
  }

  /** Takes a ballot that nothing forbids. */
  take({ boot, sequence, configuration, isFull, words }: Ballot, nowMs: number): void {
    if (boot !== this.#boot || configuration !== this.#configuration) {
      if (boot !== this.#boot && this.#boot !== "") this.#retired.set(this.#boot, nowMs);
      this.#boot = boot;
      this.#configuration = configuration;
      this.#words = new Map();
      this.#fullAtMs = undefined;
    }
    this.#sequence = sequence;
    if (isFull) {
      this.#words = new Map();
      this.#fullAtMs = nowMs;
    }
    for (const [id, { isUp, forMs, checksToFlip, reason }] of words) {
      this.#words.set(id, { isUp, sinceMs: nowMs - forMs, checksToFlip, reason });
    }
  }

  #forgetBoots(nowMs: number): void {
    for (const [boot, atMs] of this.#retired) {
      if (nowMs - atMs > retiredBootMs) this.#retired.delete(boot);
    }
  }
}
