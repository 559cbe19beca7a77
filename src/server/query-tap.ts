// What a thread of the data plane does with the queries that are to be logged or counted: it puts a
// chosen share of them into its ring, and goes on. It must not know who reads them.

import type { AnswerTap } from "./answer-tap.ts";
import { type QueryNote, writeRecord } from "./query-record.ts";
import { type QueryRing, RingWriter } from "./query-ring.ts";
import { QuerySampler } from "./query-sampler.ts";

/** Asked after each answer, by one thread. */
export class QueryTap implements AnswerTap {
  readonly #ring: RingWriter;
  readonly #sampler: QuerySampler;
  readonly #nowMs: () => number;
  #seenShare: number;

  /**
   * @param chance in [0,1): what the choice begins with, so that no two threads choose alike.
   * @param nowMs milliseconds since 1970.
   */
  constructor(ring: QueryRing, chance: () => number, nowMs: () => number) {
    this.#ring = new RingWriter(ring);
    this.#sampler = new QuerySampler(chance());
    this.#nowMs = nowMs;
    this.#seenShare = this.#ring.shareChanges;
    this.#sampler.setShare(this.#ring.share);
  }

  /** Whether the query that was just answered is one of the share; to be asked once of each. */
  isDue(): boolean {
    const changes = this.#ring.shareChanges;
    if (changes !== this.#seenShare) {
      this.#seenShare = changes;
      this.#sampler.setShare(this.#ring.share);
    }
    return this.#sampler.isDue();
  }

  /**
   * Takes the query whose response of `length` octets stands at `octets[at]`: the response says
   * what was asked.
   * @param sourceAt where the sender's address of 4 or 16 octets stands in `source`.
   * @param listener the place of the listener in the data plane's addresses.
   */
  take(
    octets: Uint8Array,
    at: number,
    length: number,
    source: Uint8Array,
    sourceAt: number,
    family: 4 | 6,
    listener: number,
    transport: "udp" | "tcp",
    note: QueryNote,
  ): void {
    writeRecord(
      this.#ring,
      octets,
      at,
      length,
      source,
      sourceAt,
      family,
      listener,
      transport,
      note,
      this.#nowMs(),
    );
  }
}
