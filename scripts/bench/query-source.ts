// Walks over a pool of queries and makes each one ready to go: its id, its client's /24, its random
// letters. It writes in the pool and sends nothing.

import type { QueryPool } from "./query-pool.ts";
import { randomLetters } from "./query-pool.ts";

/** The queries of a pool, one after the other, again and again. */
export class QuerySource {
  readonly pool: QueryPool;
  readonly #words: Uint32Array;
  readonly #subnets: Uint32Array;
  #at = -1;
  #subnet = 0;
  #random = 0x9e3779b9;

  /** @param subnets first addresses of /24s; as many as there are, they are not in step. */
  constructor(pool: QueryPool, subnets: Uint32Array) {
    this.pool = pool;
    this.#subnets = subnets;
    const { buffer, byteOffset, length } = pool.octets;
    this.#words = new Uint32Array(buffer, byteOffset, length / 4);
  }

  /** Makes the next query ready; its number in the pool. */
  next(id: number): number {
    const { pool } = this;
    const at = this.#at + 1 < pool.count ? this.#at + 1 : 0;
    this.#at = at;
    const start = at * pool.stride;
    const { octets } = pool;
    octets[start] = id >>> 8;
    octets[start + 1] = id & 0xff;
    if (pool.subnetAt > 0) this.#writeSubnet(start + pool.subnetAt);
    const letters = pool.randomAt[at] ?? 0;
    if (letters > 0) this.#writeLetters(start + letters);
    return at;
  }

  #writeSubnet(offset: number): void {
    this.#subnet = this.#subnet + 1 < this.#subnets.length ? this.#subnet + 1 : 0;
    const address = this.#subnets[this.#subnet] ?? 0;
    const { octets } = this.pool;
    octets[offset] = address >>> 24;
    octets[offset + 1] = (address >>> 16) & 0xff;
    octets[offset + 2] = (address >>> 8) & 0xff;
  }

  /** Four letters from a to p in each word. */
  #writeLetters(offset: number): void {
    for (let word = 0; word < randomLetters / 4; word++) {
      let random = this.#random;
      random ^= random << 13;
      random ^= random >>> 17;
      random ^= random << 5;
      this.#random = random;
      this.#words[(offset >>> 2) + word] = 0x61616161 + (random & 0x0f0f0f0f);
    }
  }
}
