// The attacker's own process: sends requests that must be refused at an even rate, over as many
// connections as that takes, and beside them, always, the honest ballots of one voter, without which
// the attacked server would not hold its quorum. Does I/O.

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { AttackCounts, AttackOrder } from "./attack-counts.ts";
import {
  type AttackRequest,
  type AttackTarget,
  attackRequests,
  type HonestBallot,
  honestBallot,
  requestAt,
  streamPiece,
  streamPieces,
} from "./attack-mix.ts";

const honestEveryMs = 2500;
const mostTries = 50;
const retryMs = 100;
const stepMs = 1;
const mostConnections = 400;
/** After the end, for what is under way. */
const graceMs = 500;

let target: AttackTarget | undefined;
let last: HonestBallot | undefined;
let requests: AttackRequest[] = [];
let attack: Attack | undefined;
let isHonestUnderWay = false;
let kept: Socket | undefined;

process.on("disconnect", () => process.exit());
process.on("message", (order: AttackOrder) => {
  follow(order).then(
    (counts) => process.send?.({ counts }),
    (error: unknown) => process.send?.({ failure: String(error) }),
  );
});
process.send?.({ ready: true });

async function follow(order: AttackOrder): Promise<AttackCounts | undefined> {
  if (order.order === "meet") {
    const { port, key, voters, endpoints } = order;
    target = { port, key: Buffer.from(key, "base64"), voters, endpoints };
    const met = target;
    await sendHonest(met);
    setInterval(() => void sendHonest(met).catch(fail), honestEveryMs);
    return undefined;
  }
  if (order.order === "begin") {
    if (!target) throw new Error("cannot attack: there is nobody to attack");
    attack = new Attack(target.port, order.rate);
    return undefined;
  }
  const counts = await attack?.end();
  attack = undefined;
  return counts;
}

/**
 * Posts the second voter's next ballot, which must be taken. As voters do, it waits for the one
 * before: what came later must not be refused for what came earlier.
 */
async function sendHonest({ port, ...rest }: AttackTarget): Promise<void> {
  if (isHonestUnderWay) return;
  isHonestUnderWay = true;
  try {
    const startMs = performance.now();
    const ballot = honestBallot({ port, ...rest }, (last?.sequence ?? 100) + 1, Date.now());
    const answer = await firstOctets(port, ballot.octets);
    if (!answer.startsWith("HTTP/1.1 204")) {
      throw new Error(`an honest ballot is refused, got ${answer}`);
    }
    attack?.honestMs.push(performance.now() - startMs);
    last = ballot;
    requests = attackRequests({ port, ...rest }, ballot, Date.now());
  } finally {
    isHonestUnderWay = false;
  }
}

/** The answer's first octets, over the connection that is kept, as voters keep theirs. */
async function firstOctets(port: number, octets: Buffer): Promise<string> {
  for (let tries = 1; ; tries++) {
    try {
      return await exchange(await keptConnection(port), octets);
    } catch (error) {
      // Who attacks from the same address may have shut the door on it; a voter tries again too.
      if (tries === mostTries) throw error;
      await delay(retryMs);
    }
  }
}

async function keptConnection(port: number): Promise<Socket> {
  if (kept && !kept.destroyed) return kept;
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  kept = socket;
  return socket;
}

function exchange(socket: Socket, octets: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      socket.off("data", onData).off("error", onError).off("close", onClose);
    };
    const onData = (answer: Buffer): void => {
      end();
      resolve(answer.toString("latin1"));
    };
    const onError = (error: Error): void => {
      end();
      reject(error);
    };
    const onClose = (): void => onError(new Error("the connection was closed"));
    socket.on("data", onData).on("error", onError).on("close", onClose);
    socket.write(octets);
  });
}

function fail(error: unknown): void {
  process.send?.({ failure: String(error) });
}

class Attack {
  readonly #port: number;
  readonly #rate: number;
  readonly #startMs = performance.now();
  readonly #timer: NodeJS.Timeout;
  readonly #idle: Socket[] = [];
  readonly #open = new Map<Socket, boolean>();
  readonly #sent: Record<string, number> = {};
  readonly #answered: Record<string, number> = {};
  /** How long honest ballots waited for their answer meanwhile. */
  readonly honestMs: number[] = [];
  #count = 0;
  #withheld = 0;

  constructor(port: number, rate: number) {
    this.#port = port;
    this.#rate = rate;
    this.#timer = setInterval(() => this.#sendDue(), stepMs);
  }

  async end(): Promise<AttackCounts> {
    clearInterval(this.#timer);
    const seconds = (performance.now() - this.#startMs) / 1000;
    await delay(graceMs);
    for (const socket of this.#open.keys()) socket.destroy();
    return {
      seconds,
      sent: this.#sent,
      answered: this.#answered,
      withheld: this.#withheld,
      honestMs: this.honestMs,
    };
  }

  #sendDue(): void {
    const due = ((performance.now() - this.#startMs) / 1000) * this.#rate;
    for (; this.#count < due; this.#count++) {
      const request = requestAt(requests, this.#count);
      if (request) this.#send(request);
    }
  }

  #send(request: AttackRequest): void {
    const socket = this.#idle.pop() ?? this.#connect();
    if (!socket) {
      this.#withheld++;
      return;
    }
    add(this.#sent, request.reason);
    this.#open.set(socket, true);
    if (request.after === "hang-up") socket.end(request.octets);
    else socket.write(request.octets);
    if (request.after === "stream") this.#stream(socket, streamPieces);
  }

  /** Goes on as fast as the body is taken. */
  #stream(socket: Socket, pieces: number): void {
    let left = pieces;
    while (left > 0 && !socket.destroyed && this.#open.get(socket)) {
      left--;
      if (socket.write(streamPiece)) continue;
      socket.once("drain", () => this.#stream(socket, left));
      return;
    }
  }

  #connect(): Socket | undefined {
    if (this.#open.size >= mostConnections) return undefined;
    const socket = connect({ port: this.#port, host: "127.0.0.1", noDelay: true });
    this.#open.set(socket, false);
    socket.on("data", (octets) => this.#read(socket, octets));
    // Whoever answers before the whole body came resets the connection.
    socket.on("error", () => undefined);
    socket.on("close", () => this.#forget(socket));
    return socket;
  }

  /** Answers are so short that each comes in one piece. */
  #read(socket: Socket, octets: Buffer): void {
    if (!this.#open.get(socket)) return;
    const text = octets.toString("latin1");
    add(this.#answered, /"error":"([\w-]+)"/.exec(text)?.[1] ?? text.slice(9, 12));
    this.#open.set(socket, false);
    if (/^connection: close/im.test(text)) socket.destroy();
    else this.#idle.push(socket);
  }

  #forget(socket: Socket): void {
    if (this.#open.get(socket)) add(this.#answered, "none");
    this.#open.delete(socket);
    const at = this.#idle.indexOf(socket);
    if (at >= 0) this.#idle.splice(at, 1);
  }
}

function add(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}
