// Load over TCP: a few connections with several queries under way on each, as fast as they are
// answered. It reads of an answer no more than length and response code. Does I/O.

import type { QuerySource } from "./query-source.ts";
import { closeSocket, openTcp, receiveNow, sendNow } from "./system-calls.ts";
import type { StretchCounts } from "./udp-load.ts";

const connectionCount = 8;
/**
 * Queries under way on one connection. What was answered is asked anew at once: a load that waited
 * for all of them would wait, with servers that write each answer by itself, for delayed ACKs.
 */
const pipelined = 16;
const lostAfterMs = 1000;
const inSize = 64 * 1024;

/** Eight connections; stretches follow each other without a pause. */
export class TcpLoad {
  readonly #port: number;
  readonly #connections: Connection[];

  constructor(port: number, source: QuerySource) {
    this.#port = port;
    this.#connections = Array.from(
      { length: connectionCount },
      () => new Connection(openTcp(port), source),
    );
  }

  /** Keeps all connections busy for so many seconds. One that ends is opened anew. */
  top(seconds: number): StretchCounts {
    const rcodes = new Float64Array(16);
    let lost = 0;
    let rounds = 0;
    let idleRounds = 0;
    const startMs = performance.now();
    const endMs = startMs + seconds * 1000;
    let nowMs = startMs;
    for (; nowMs < endMs; nowMs = performance.now()) {
      for (const connection of this.#connections) {
        connection.ask(nowMs);
        rounds++;
        const { answered, isOpen } = connection.read(rcodes);
        if (answered === 0) idleRounds++;
        if (isOpen && nowMs - connection.askedMs < lostAfterMs) continue;
        lost += connection.waiting;
        connection.reopen(this.#port);
      }
    }
    const answered = rcodes.reduce((sum, count) => sum + count, 0);
    const counted = [...rcodes.entries()].filter(([, count]) => count > 0);
    return {
      answered,
      rcodes: Object.fromEntries(counted),
      lost,
      seconds: (nowMs - startMs) / 1000,
      idleShare: idleRounds / Math.max(1, rounds),
    };
  }

  close(): void {
    for (const connection of this.#connections) connection.close();
  }
}

class Connection {
  #fd: number;
  readonly #source: QuerySource;
  readonly #in = Buffer.alloc(inSize);
  #inLength = 0;
  /** Queries under way. */
  waiting = 0;
  askedMs = 0;
  #id = 0;

  constructor(fd: number, source: QuerySource) {
    this.#fd = fd;
    this.#source = source;
  }

  ask(nowMs: number): void {
    if (this.waiting >= pipelined) return;
    const { pool } = this.#source;
    const parts: Buffer[] = [];
    for (; this.waiting < pipelined; this.waiting++) {
      this.#id = (this.#id + 1) & 0xffff;
      const query = this.#source.next(this.#id);
      const start = query * pool.stride;
      const length = pool.lengths[query] ?? 0;
      parts.push(
        Buffer.of(length >>> 8, length & 0xff),
        pool.octets.subarray(start, start + length),
      );
    }
    const octets = Buffer.concat(parts);
    this.askedMs = nowMs;
    // A short write would need a socket buffer smaller than a thousand octets.
    if (sendNow(this.#fd, octets) !== octets.length) throw new Error("cannot ask: a short write");
  }

  read(rcodes: Float64Array): { answered: number; isOpen: boolean } {
    const count = receiveNow(this.#fd, this.#in.subarray(this.#inLength));
    if (count <= 0) return { answered: 0, isOpen: count !== 0 };
    const end = this.#inLength + count;
    let at = 0;
    let answered = 0;
    for (; at + 2 <= end; answered++) {
      const length = this.#in.readUInt16BE(at);
      if (at + 2 + length > end) break;
      const rcode = (this.#in[at + 5] ?? 0) & 0x0f;
      rcodes[rcode] = (rcodes[rcode] ?? 0) + 1;
      at += 2 + length;
    }
    this.#in.copyWithin(0, at, end);
    this.#inLength = end - at;
    this.waiting -= answered;
    return { answered, isOpen: true };
  }

  reopen(port: number): void {
    this.close();
    this.#fd = openTcp(port);
    this.#inLength = 0;
    this.waiting = 0;
  }

  close(): void {
    closeSocket(this.#fd);
  }
}
