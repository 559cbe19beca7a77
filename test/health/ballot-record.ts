// An office that takes every ballot, or refuses it as it is told, and keeps what it was asked.

import type { Ballot } from "../../src/health/ballot.ts";
import type { BallotOffice } from "../../src/health/ballot-office.ts";
import type { Refusal } from "../../src/health/refusal.ts";

export const keyA = Buffer.alloc(32, 1);
export const keyB = Buffer.alloc(32, 2);
export const keyC = Buffer.alloc(32, 3);

export class BallotRecord implements BallotOffice {
  keyList: readonly Buffer[];
  answer: Refusal | undefined;
  last: Buffer | undefined;
  readonly received: Ballot[] = [];
  readonly takings: string[] = [];
  /** `reason address`. */
  readonly refusals: string[] = [];
  #onRefusal: () => void = () => {};

  constructor(keys: readonly Buffer[]) {
    this.keyList = keys;
  }

  keys(): readonly Buffer[] {
    return this.keyList;
  }

  receive(ballot: Ballot): Refusal | undefined {
    this.received.push(ballot);
    return this.answer;
  }

  current(): Buffer | undefined {
    return this.last;
  }

  refused(reason: Refusal, from: string): void {
    this.refusals.push(`${reason} ${from}`);
    this.#onRefusal();
  }

  taken(voter: string): void {
    this.takings.push(voter);
  }

  /** Resolves as soon as so many requests were refused. */
  untilRefused(count: number): Promise<void> {
    return new Promise((resolve) => {
      this.#onRefusal = () => {
        if (this.refusals.length >= count) resolve();
      };
      this.#onRefusal();
    });
  }
}

/** What Fastify says that it listens at, as a base URL. */
export function localUrl(address: string): string {
  return address.replace(/\/$/, "");
}
