// Sends this voter's ballots to the other voters and listeners, and asks for the ballots of voters
// that are not heard. It must not know what ballots say, nor when they are due. Does I/O.

import { largestBallotOctets } from "./ballot.ts";
import { BallotLine, type LineTimes, type Outgoing } from "./ballot-line.ts";
import { Caller, type ClientTls } from "./ballot-request.ts";
import { signatureHeader, signBody, signRead } from "./signature.ts";

export type { ClientTls } from "./ballot-request.ts";

/** Who ballots go to. */
export interface BallotPost {
  readonly name: string;
  /** Of its HTTP server; `/v1/ballots` is added. */
  readonly url: string;
}

export interface BallotSenderOptions {
  /** This server's. */
  readonly name: string;
  /** The first signs; may be others at each call. */
  readonly keys: () => readonly Buffer[];
  /** For https urls; `undefined`: no certificate of its own, the others' as the system trusts. */
  readonly tls?: ClientTls | undefined;
  /** What became of a ballot: `taken`, or why not in a few words. */
  readonly onOutcome: (name: string, outcome: string) => void;
  /** A ballot that was asked for. Nothing of it is verified. */
  readonly onPulled: (octets: Buffer, signature: string, from: string) => void;
  /** A ballot that was asked for and did not come. */
  readonly onPullFailed?: (name: string, reason: string) => void;
  /** Milliseconds since 1970. */
  readonly wallMs?: () => number;
  /** Default: 2 s for an attempt, 4.5 s for all, 0.1 s before the second. */
  readonly times?: Partial<LineTimes>;
}

const defaultTimes: LineTimes = { attemptMs: 2000, totalMs: 4500, pauseMs: 100 };

interface Receiver {
  readonly url: string;
  readonly ballotsUrl: string;
  readonly caller: Caller;
  readonly line: BallotLine;
  readonly stop: AbortController;
  pull: Promise<void> | undefined;
}

export class BallotSender {
  readonly #options: BallotSenderOptions;
  readonly #times: LineTimes;
  readonly #receivers = new Map<string, Receiver>();
  /** Of receivers that are gone. */
  readonly #ending = new Set<Promise<void>>();

  constructor(options: BallotSenderOptions) {
    this.#options = options;
    this.#times = { ...defaultTimes, ...options.times };
  }

  /** Who ballots go to from now on; what goes on to those that stay goes on. */
  setPosts(posts: readonly BallotPost[]): void {
    const urls = new Map(posts.map(({ name, url }) => [name, url]));
    for (const [name, receiver] of this.#receivers) {
      if (urls.get(name) !== receiver.url) this.#remove(name, receiver);
    }
    for (const [name, url] of urls) {
      if (!this.#receivers.has(name)) this.#receivers.set(name, this.#receiver(name, url));
    }
  }

  /**
   * Sends a ballot to all, each at its own pace; returns at once and never throws. Ballots are to be
   * given in the order of their sequence. Every receiver gets the full ones and the changes in that
   * order, but a full one takes the place of what still waits.
   */
  send(octets: Buffer, kind: "full" | "change"): void {
    const problem = this.#problemOf(octets);
    if (problem !== undefined) {
      for (const name of this.#receivers.keys()) this.#options.onOutcome(name, problem);
      return;
    }
    const signature = signBody(this.#options.keys(), octets);
    const ballot: Outgoing = { octets, signature, isFull: kind === "full" };
    for (const { line } of this.#receivers.values()) line.add(ballot);
  }

  /** Asks a voter for its last full ballot, unless it is being asked. Returns at once, never throws. */
  pull(name: string): void {
    const receiver = this.#receivers.get(name);
    if (!receiver || receiver.pull) return;
    receiver.pull = this.#pull(name, receiver).finally(() => {
      receiver.pull = undefined;
    });
  }

  /** Gives up all that is under way; resolves when nothing runs and no connection is open. */
  async stop(): Promise<void> {
    for (const [name, receiver] of this.#receivers) this.#remove(name, receiver);
    await Promise.all(this.#ending);
  }

  #problemOf(octets: Buffer): string | undefined {
    if (octets.length > largestBallotOctets) {
      return `not sent: ${octets.length} octets are more than ${largestBallotOctets}`;
    }
    return this.#options.keys().length === 0 ? "not sent: there is no key" : undefined;
  }

  #receiver(name: string, url: string): Receiver {
    const ballotsUrl = `${url.replace(/\/+$/, "")}/v1/ballots`;
    const caller = new Caller(url, this.#options.tls);
    const line = new BallotLine(ballotsUrl, caller, this.#times, (outcome) =>
      this.#options.onOutcome(name, outcome),
    );
    return { url, ballotsUrl, caller, line, stop: new AbortController(), pull: undefined };
  }

  #remove(name: string, { line, stop, caller, pull }: Receiver): void {
    this.#receivers.delete(name);
    stop.abort();
    const ended: Promise<void> = Promise.all([line.stop(), pull]).then(() => {
      caller.close();
      this.#ending.delete(ended);
    });
    this.#ending.add(ended);
  }

  async #pull(name: string, { caller, ballotsUrl: url, stop }: Receiver): Promise<void> {
    const { keys, name: self, wallMs = Date.now, onPulled, onPullFailed } = this.#options;
    let failure: string;
    try {
      const { status, headers, body } = await caller.call({
        method: "GET",
        url,
        headers: keys().length > 0 ? signRead(keys(), self, wallMs()) : {},
        largestAnswerOctets: largestBallotOctets,
        timeoutMs: this.#times.attemptMs,
        signal: stop.signal,
      });
      if (stop.signal.aborted) return;
      const signature = headers[signatureHeader];
      if (status === 200 && typeof signature === "string") {
        onPulled(body, signature, name);
        return;
      }
      failure = status === 200 ? "answer without signature" : `status ${status}`;
    } catch (error) {
      failure = error instanceof Error ? error.message : String(error);
    }
    if (!stop.signal.aborted) onPullFailed?.(name, failure);
  }
}
