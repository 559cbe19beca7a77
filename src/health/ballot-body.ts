// Reads the bodies of requests whose signature can be checked only when all of it is there, within
// bounds of size, time and memory: whoever sends may be anyone. It must not know ballots. Does I/O.

import type { Readable } from "node:stream";

export interface BodyLimits {
  /** Of one body. */
  readonly largestOctets: number;
  /** Of all bodies that are being read. */
  readonly roomOctets: number;
  /** For one body. */
  readonly timeoutMs: number;
}

/** A request of `node:http`, as far as it matters here: whether it came to its end. */
export type BodyStream = Readable & { readonly complete: boolean };

export type Body = Buffer | "too-large" | "truncated";

const firstRoomOctets = 4096;

interface Reading {
  octets: Buffer;
  readonly giveUp: () => void;
}

/** Reads bodies that share one room in memory. */
export class BodyReader {
  readonly #limits: BodyLimits;
  /** Oldest first. */
  readonly #readings = new Set<Reading>();
  #roomOctets = 0;

  constructor(limits: BodyLimits) {
    this.#limits = limits;
  }

  /**
   * Resolves with the body; never rejects. `truncated`: the client went away, took too long, or was
   * the longest at it when the room was full, so that the idle cannot keep the busy out. After
   * anything but a body the rest of it must not be awaited.
   */
  read(request: BodyStream): Promise<Body> {
    const { promise, resolve } = withResolver<Body>();
    const { largestOctets, timeoutMs } = this.#limits;
    let length = 0;
    const settle = (body: Body): void => {
      if (!this.#readings.delete(reading)) return;
      this.#roomOctets -= reading.octets.length;
      clearTimeout(timer);
      request.off("data", onData).off("end", onEnd).off("close", giveUp);
      resolve(body);
    };
    const giveUp = (): void => settle("truncated");
    // One buffer that grows: a list of chunks would let each octet keep kilobytes of memory alive.
    const onData = (chunk: Buffer): void => {
      if (length + chunk.length > largestOctets) {
        settle("too-large");
        return;
      }
      if (length + chunk.length > reading.octets.length) {
        this.#grow(reading, Math.min(largestOctets, 2 * (length + chunk.length)));
        // To make room it may have been given up itself.
        if (!this.#readings.has(reading)) return;
      }
      length += chunk.copy(reading.octets, length);
    };
    const onEnd = (): void =>
      settle(request.complete ? reading.octets.subarray(0, length) : "truncated");
    const reading: Reading = { octets: Buffer.alloc(0), giveUp };
    const timer = setTimeout(giveUp, timeoutMs);
    this.#readings.add(reading);
    this.#grow(reading, Math.min(largestOctets, firstRoomOctets));
    // An error is followed by "close"; without a listener of its own it would be thrown.
    request.on("error", () => {});
    request.on("data", onData).on("end", onEnd).on("close", giveUp);
    if (request.destroyed) giveUp();
    return promise;
  }

  #grow(reading: Reading, octets: number): void {
    const grown = Buffer.allocUnsafe(octets);
    reading.octets.copy(grown);
    this.#roomOctets += octets - reading.octets.length;
    reading.octets = grown;
    for (const oldest of this.#readings) {
      if (this.#roomOctets <= this.#limits.roomOctets) return;
      oldest.giveUp();
    }
  }
}

function withResolver<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((each) => {
    resolve = each;
  });
  return { promise, resolve };
}
