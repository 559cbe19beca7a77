// Clients that ask at a fixed rate and count every query: over UDP from several sockets, over
// connections that stay, and over connections for one query. Nothing is asked twice, so that each query
// without an answer is known. They must not know which answers are right. Does I/O.

import { createSocket, type Socket as DatagramSocket } from "node:dgram";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { framed, queryOctets } from "../kit/dns-client.ts";
import type { ServerAddress } from "../kit/server.ts";

/** A query that was answered, or not. */
export interface Asked {
  readonly by: "udp" | "connection" | "new connection";
  /** By `performance.now()`. */
  readonly sentMs: number;
  readonly answeredMs: number;
  readonly answer: Uint8Array;
}

/** How much is asked. */
export interface LoadOptions {
  readonly server: ServerAddress;
  readonly name: string;
  /** Queries a second over UDP, and the sockets that they come from. */
  readonly rate: number;
  readonly sockets: number;
  /** Connections that stay, one query after the other. */
  readonly connections: number;
  /** Told of each answer. */
  readonly onAnswer?: (asked: Asked) => void;
}

const tickMs = 5;
/** Between the queries of a connection, and between connections for one query. */
const pauseMs = 10;
/** A query that is not answered for so long is lost. */
const lostMs = 20_000;

/** Made by `startLoad`. */
export class NumberedLoad {
  readonly #options: LoadOptions;
  readonly #octets: Uint8Array;
  readonly #sockets: readonly DatagramSocket[];
  /** When what is not answered yet was sent, by socket and id. */
  readonly #waiting: readonly Map<number, number>[];
  readonly #ids: number[];
  readonly #timer: NodeJS.Timeout;
  readonly #connections: Promise<void>[];
  #startedMs = performance.now();
  #due = 0;
  #isOver = false;
  /** How many of the connections that stay the server has ended. */
  ended = 0;
  sent = { udp: 0, tcp: 0 };
  answered = { udp: 0, tcp: 0 };
  /** What became of those that were not answered. */
  readonly lost: string[] = [];

  constructor(options: LoadOptions, sockets: readonly DatagramSocket[]) {
    this.#options = options;
    this.#sockets = sockets;
    this.#octets = queryOctets(options.name, "A", { message: { id: 0 } });
    this.#waiting = sockets.map(() => new Map());
    this.#ids = sockets.map(() => 0);
    for (const [index, socket] of sockets.entries()) {
      socket.on("message", (answer) => this.#take(index, answer));
    }
    this.#timer = setInterval(() => this.#ask(), tickMs);
    this.#connections = [
      ...Array.from({ length: options.connections }, () => this.#askAlong()),
      this.#askAnew(),
    ];
  }

  /** Asks no more, waits for the last answers; what is missing then is lost. */
  async stop(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#timer);
    await Promise.all(this.#connections);
    const endMs = performance.now() + lostMs;
    while (this.#waiting.some(({ size }) => size > 0) && performance.now() < endMs) {
      await delay(tickMs);
    }
    for (const waiting of this.#waiting) {
      for (const sentMs of waiting.values()) {
        this.lost.push(`udp, sent at ${((sentMs - this.#startedMs) / 1000).toFixed(3)} s`);
      }
    }
    for (const socket of this.#sockets) socket.close();
  }

  /** Seconds since the load began. */
  get seconds(): number {
    return (performance.now() - this.#startedMs) / 1000;
  }

  #ask(): void {
    const { server, rate } = this.#options;
    this.#due += (rate * tickMs) / 1000;
    for (; this.#due >= 1; this.#due--) {
      const index = this.sent.udp % this.#sockets.length;
      const id = ((this.#ids[index] ?? 0) + 1) % 0x1_0000;
      this.#ids[index] = id;
      const query = Uint8Array.from(this.#octets);
      query[0] = id >>> 8;
      query[1] = id & 0xff;
      this.#waiting[index]?.set(id, performance.now());
      this.#sockets[index]?.send(query, server.port, server.address);
      this.sent.udp++;
    }
  }

  #take(index: number, answer: Uint8Array): void {
    const id = ((answer[0] ?? 0) << 8) | (answer[1] ?? 0);
    const sentMs = this.#waiting[index]?.get(id);
    if (sentMs === undefined) return;
    this.#waiting[index]?.delete(id);
    this.answered.udp++;
    this.#options.onAnswer?.({ by: "udp", sentMs, answeredMs: performance.now(), answer });
  }

  /** Query after query over one connection; another one when the server ends it in between. */
  async #askAlong(): Promise<void> {
    while (!this.#isOver) {
      const client = await this.#connected("connection");
      if (!client) continue;
      while (!this.#isOver && client.isOpen) {
        await this.#askOver(client, "connection");
        await delay(pauseMs);
        // After a long pause of this process timers come first: an end that has come is read before
        // more is asked.
        await new Promise((resolve) => setImmediate(resolve));
      }
      if (!client.isOpen) this.ended++;
      client.socket.destroy();
    }
  }

  async #askAnew(): Promise<void> {
    while (!this.#isOver) {
      const client = await this.#connected("new connection");
      if (client) await this.#askOver(client, "new connection");
      client?.socket.destroy();
      await delay(pauseMs);
    }
  }

  async #connected(by: Asked["by"]): Promise<Connection | undefined> {
    const { server } = this.#options;
    const socket = connect({ host: server.address, port: server.port, noDelay: true });
    const client = new Connection(socket);
    try {
      await once(socket, "connect", { signal: AbortSignal.timeout(lostMs) });
      return client;
    } catch (error) {
      this.lost.push(`${by}, at ${this.seconds.toFixed(3)} s: ${String(error)}`);
      return undefined;
    }
  }

  async #askOver(client: Connection, by: Asked["by"]): Promise<void> {
    const sentMs = performance.now();
    this.sent.tcp++;
    client.socket.write(framed(this.#octets));
    const answer = await client.next();
    if (!answer) {
      this.lost.push(`${by}, sent at ${((sentMs - this.#startedMs) / 1000).toFixed(3)} s`);
      return;
    }
    this.answered.tcp++;
    this.#options.onAnswer?.({ by, sentMs, answeredMs: performance.now(), answer });
  }
}

/** A connection on which one answer is waited for at a time. */
class Connection {
  readonly socket: Socket;
  #octets: Buffer = Buffer.alloc(0);
  #wake: (() => void) | undefined;
  isOpen = true;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on("data", (chunk) => {
      this.#octets = Buffer.concat([this.#octets, chunk]);
      this.#wake?.();
    });
    for (const event of ["end", "error", "close"]) {
      socket.on(event, () => {
        this.isOpen = false;
        this.#wake?.();
      });
    }
  }

  /** The next message; `undefined` if the connection ends first, or it takes too long. */
  async next(): Promise<Uint8Array | undefined> {
    const endMs = performance.now() + lostMs;
    for (;;) {
      const length = this.#octets.length >= 2 ? 2 + this.#octets.readUInt16BE(0) : 2;
      if (this.#octets.length >= length && length > 2) {
        const message = this.#octets.subarray(2, length);
        this.#octets = this.#octets.subarray(length);
        return message;
      }
      if (!this.isOpen || performance.now() >= endMs) return undefined;
      await new Promise<void>((resolve) => {
        const late = setTimeout(resolve, lostMs);
        this.#wake = () => {
          clearTimeout(late);
          resolve();
        };
      });
    }
  }
}

/** Starts to ask. */
export async function startLoad(options: LoadOptions): Promise<NumberedLoad> {
  const { server } = options;
  const isSix = server.address.includes(":");
  const sockets = Array.from({ length: options.sockets }, () =>
    createSocket({ type: isSix ? "udp6" : "udp4", recvBufferSize: 1024 * 1024 }),
  );
  for (const socket of sockets) {
    socket.bind(0, isSix ? "::1" : "127.0.0.1");
    await once(socket, "listening");
  }
  return new NumberedLoad(options, sockets);
}
