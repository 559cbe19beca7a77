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

/** The ballots of one voter. */
export class BallotBox {
  #boot = "";
  #sequence = 0;
  /** The one before it. */
  #formerBoot = "";
  #returnedAtMs: number | undefined;
  #configuration = "";
  #fullAtMs: number | undefined;
  #words = new Map<string, HeardWord>();
  /** When the last ballot that was taken was sent, by the sender's clock. */
  #sentAtMs = Number.NEGATIVE_INFINITY;

  /** When its last full ballot was taken; `undefined` if none was. */
  get fullAtMs(): number | undefined {
    return this.#fullAtMs;
  }

  /** When a ballot of a former boot was last taken again; `undefined` if never was. */
  get returnedAtMs(): number | undefined {
    return this.#returnedAtMs;
  }

  /** Whether the last ballot that it took was of this boot. */
  knows(boot: string): boolean {
    return this.#boot === boot;
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
  refusalOf({ sentAtMs, boot, sequence }: Ballot, { wallMs }: Clock): Refusal | undefined {
    if (sentAtMs < wallMs - clockToleranceMs) return "too-old";
    if (sentAtMs > wallMs + clockToleranceMs) return "future";
    if (boot === this.#boot) return sequence <= this.#sequence ? "replayed" : undefined;
    // Boots have no order of their own. One that was not heard yet may be a former one all the same,
    // where this server was started after both; a later start has sent later.
    return sentAtMs <= this.#sentAtMs ? "retired-boot" : undefined;
  }

  /** Takes a ballot that nothing forbids. */
  take({ boot, sequence, sentAtMs, configuration, isFull, words }: Ballot, nowMs: number): void {
    if (boot !== this.#boot) {
      if (boot === this.#formerBoot) this.#returnedAtMs = nowMs;
      this.#formerBoot = this.#boot;
    }
    if (boot !== this.#boot || configuration !== this.#configuration) {
      this.#boot = boot;
      this.#configuration = configuration;
      this.#words = new Map();
      this.#fullAtMs = undefined;
    }
    this.#sequence = sequence;
    this.#sentAtMs = sentAtMs;
    if (isFull) {
      this.#words = new Map();
      this.#fullAtMs = nowMs;
    }
    for (const [id, { isUp, forMs, checksToFlip, reason }] of words) {
      this.#words.set(id, { isUp, sinceMs: nowMs - forMs, checksToFlip, reason });
    }
  }
}
