// Clients that ask on and on, each from a socket of its own and one query at a time, so that every
// thread of a server is asked and no answer finds a full buffer. It must not know which answers
// are right. Does I/O.

import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { formatAddress } from "../../src/dns/address.ts";
import { rcodeName } from "../../src/dns/codes.ts";
import type { ResourceRecord } from "../../src/dns/message.ts";
import { decoded, queryOctets } from "./dns-client.ts";
import type { ServerAddress } from "./server.ts";

/** What a client was answered once. */
export interface Sighting {
  /** The client's number, from 0. */
  readonly client: number;
  readonly name: string;
  /** As `answerText` says; `lost`: no answer came. */
  readonly answer: string;
  /** When the answer came, by `performance.now()`. */
  readonly atMs: number;
}

/** How often each client asks, if it has its last answer. */
const tickMs = 4;
/** A query that is not answered for so long is lost. */
const lostMs = 2000;

/** The name that a client asks for in its turn; both are counted from 0. */
export type NextName = (client: number, turn: number) => string;

interface Outstanding {
  readonly id: number;
  readonly name: string;
  readonly sentMs: number;
}

/** Made by `startClients`. */
export class SteadyClients {
  /** All that was seen since the last `forget`, in order of time. */
  sightings: Sighting[] = [];
  readonly #server: ServerAddress;
  readonly #sockets: readonly Socket[];
  readonly #outstanding: (Outstanding | undefined)[] = [];
  readonly #nextName: NextName;
  readonly #timer: NodeJS.Timeout;
  readonly #turns: number[];
  #id = 0;

  constructor(server: ServerAddress, sockets: readonly Socket[], nextName: NextName) {
    this.#server = server;
    this.#sockets = sockets;
    this.#nextName = nextName;
    this.#turns = sockets.map(() => 0);
    for (const [client, socket] of sockets.entries()) {
      socket.on("message", (octets) => this.#receive(client, octets));
    }
    this.#timer = setInterval(() => this.#askAll(), tickMs);
  }

  /** What each client was answered for this name, in order. */
  answersFor(name: string): string[][] {
    const answers = this.#sockets.map((): string[] => []);
    for (const sighting of this.sightings) {
      if (sighting.name === name) answers[sighting.client]?.push(sighting.answer);
    }
    return answers;
  }

  forget(): void {
    this.sightings = [];
  }

  stop(): void {
    clearInterval(this.#timer);
    for (const socket of this.#sockets) socket.close();
  }

  #askAll(): void {
    const nowMs = performance.now();
    for (const [client, socket] of this.#sockets.entries()) {
      const waiting = this.#outstanding[client];
      if (waiting && nowMs - waiting.sentMs < lostMs) continue;
      if (waiting) this.#see(client, waiting.name, "lost");
      const turn = this.#turns[client] ?? 0;
      this.#turns[client] = turn + 1;
      const name = this.#nextName(client, turn);
      this.#id = (this.#id + 1) % 0x10000;
      this.#outstanding[client] = { id: this.#id, name, sentMs: nowMs };
      const octets = queryOctets(name, "A", { message: { id: this.#id } });
      socket.send(octets, this.#server.port, this.#server.address);
    }
  }

  #receive(client: number, octets: Uint8Array): void {
    const { id, rcode, answers } = decoded(octets);
    const asked = this.#outstanding[client];
    if (asked?.id !== id) return;
    this.#outstanding[client] = undefined;
    this.#see(client, asked.name, answerText(rcode, answers));
  }

  #see(client: number, name: string, answer: string): void {
    this.sightings.push({ client, name, answer, atMs: performance.now() });
  }
}

/** The addresses in order of their text; the RCODE where there are none. */
export function answerText(rcode: number, answers: readonly ResourceRecord[]): string {
  const addresses = answers.map(({ rdata }) => formatAddress(rdata)).sort();
  return addresses.join(" ") || rcodeName(rcode);
}

/** Starts so many clients, which ask for the A records of these names one after the other. */
export async function startClients(
  server: ServerAddress,
  count: number,
  nextName: NextName,
): Promise<SteadyClients> {
  const sockets = Array.from({ length: count }, () => createSocket("udp4"));
  for (const socket of sockets) {
    socket.bind(0, "127.0.0.1");
    await once(socket, "listening");
  }
  return new SteadyClients(server, sockets, nextName);
}
