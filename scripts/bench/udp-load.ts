// Load over UDP from one socket: as fast as the server answers, or at a given rate. It reads of an
// answer no more than id and response code. Does I/O.

import { Outstanding } from "./outstanding.ts";
import type { QuerySource } from "./query-source.ts";
import { DurationCounts } from "./statistics.ts";
import { batchSize, DatagramBatch, inStride, MSG_DONTWAIT } from "./system-calls.ts";

/** What one stretch of load counted. */
export interface StretchCounts {
  readonly answered: number;
  readonly rcodes: Readonly<Record<number, number>>;
  readonly lost: number;
  readonly seconds: number;
  readonly idleShare: number;
}

/** A query without an answer for so long is lost, and another one goes in its place. */
const lostAfterMs = 500;
const sweepMs = 20;
/** Longer than it takes to be lost. */
const drainSeconds = 1;
const lateSweepMs = 1000;

/** Load on one connected socket; stretches follow each other without a pause. */
export class UdpLoad {
  readonly #batch: DatagramBatch;
  readonly #source: QuerySource;
  readonly #outstanding: Outstanding;
  readonly #rcodes = new Float64Array(16);
  #answered = 0;
  #lost = 0;
  #rounds = 0;
  #idleRounds = 0;
  #sweptMs = 0;
  #latency = new DurationCounts();
  #timesAnswers = false;
  /** Whether nothing had come at the last look. */
  #isQuiet = true;

  constructor(fd: number, source: QuerySource, window: number) {
    this.#batch = new DatagramBatch(fd, source.pool.octets, false);
    this.#source = source;
    this.#outstanding = new Outstanding(window);
  }

  /** Durations of the last paced stretch. */
  get latency(): DurationCounts {
    return this.#latency;
  }

  /** Keeps the window full for so many seconds. */
  top(seconds: number): StretchCounts {
    this.#timesAnswers = false;
    return this.#stretch(seconds, (nowMs) => {
      // Whole batches as long as answers come: small ones would cost the load more than the server.
      if (this.#outstanding.free < batchSize && !this.#isQuiet) return;
      for (let free = this.#outstanding.free; free > 0; ) {
        const count = Math.min(free, batchSize);
        for (let at = 0; at < count; at++) this.#place(at, nowMs);
        this.#send(count);
        free -= count;
      }
    });
  }

  /**
   * Sends queries at even distances. A query counts from when it was due, not from when it went,
   * so a server or a load that is held up shows in the latency of all that wait.
   */
  paced(seconds: number, rate: number): StretchCounts {
    const stepMs = 1000 / rate;
    let dueMs = performance.now();
    this.#latency = new DurationCounts();
    this.#timesAnswers = true;
    return this.#stretch(seconds, (nowMs) => {
      while (dueMs <= nowMs && this.#outstanding.free > 0) {
        let count = 0;
        while (dueMs <= nowMs && count < batchSize && this.#outstanding.free > 0) {
          this.#place(count++, dueMs);
          dueMs += stepMs;
        }
        this.#send(count);
      }
    });
  }

  /** Waits for what is under way, sending nothing, so that each query is answered or lost. */
  drain(): StretchCounts {
    return this.#stretch(
      drainSeconds,
      () => undefined,
      () => this.#outstanding.free === this.#outstanding.size,
    );
  }

  #stretch(
    seconds: number,
    fill: (nowMs: number) => void,
    isOver: () => boolean = () => false,
  ): StretchCounts {
    this.#rcodes.fill(0);
    this.#answered = this.#lost = this.#rounds = this.#idleRounds = 0;
    const startMs = performance.now();
    const endMs = startMs + seconds * 1000;
    let nowMs = startMs;
    for (; nowMs < endMs && !isOver(); nowMs = performance.now()) {
      fill(nowMs);
      const received = this.#receive();
      // After a pause of the load itself the answers still wait in the socket: those come first.
      if (nowMs - this.#sweptMs > (received === 0 ? sweepMs : lateSweepMs)) {
        this.#sweptMs = nowMs;
        this.#giveUp(nowMs);
      }
    }
    return {
      answered: this.#answered,
      rcodes: Object.fromEntries([...this.#rcodes.entries()].filter(([, count]) => count > 0)),
      lost: this.#lost,
      seconds: (nowMs - startMs) / 1000,
      idleShare: this.#idleRounds / Math.max(1, this.#rounds),
    };
  }

  /** A lost query counts as one that took as long as we waited for it. */
  #giveUp(nowMs: number): void {
    const lost = this.#outstanding.giveUp(nowMs - lostAfterMs);
    this.#lost += lost;
    if (!this.#timesAnswers) return;
    for (let count = 0; count < lost; count++) this.#latency.add(lostAfterMs * 1000);
  }

  #place(at: number, sinceMs: number): void {
    const { pool } = this.#source;
    const query = this.#source.next(this.#outstanding.take(sinceMs));
    this.#batch.place(at, query * pool.stride, pool.lengths[query] ?? 0);
  }

  /** What the kernel does not take stays under way and is lost in time. */
  #send(count: number): void {
    this.#batch.send(count);
  }

  #receive(): number {
    const octets = this.#batch.in;
    const count = this.#batch.receive(MSG_DONTWAIT);
    this.#rounds++;
    this.#isQuiet = count === 0;
    if (this.#isQuiet) this.#idleRounds++;
    // One look at the clock for a batch: the loop never waits, so it is at most microseconds late.
    const nowMs = count > 0 && this.#timesAnswers ? performance.now() : 0;
    for (let at = 0; at < count; at++) {
      const start = at * inStride;
      const id = ((octets[start] ?? 0) << 8) | (octets[start + 1] ?? 0);
      const sinceMs = this.#outstanding.answered(id);
      if (sinceMs < 0) continue;
      this.#answered++;
      const rcode = (octets[start + 3] ?? 0) & 0x0f;
      this.#rcodes[rcode] = (this.#rcodes[rcode] ?? 0) + 1;
      if (this.#timesAnswers) this.#latency.add((nowMs - sinceMs) * 1000);
    }
    return count;
  }
}
