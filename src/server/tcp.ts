// DNS over TCP (RFC 7766): two octets of length before each message, many messages in a row,
// answered in order. It keeps the limits on connections and time; it must not look inside a
// message. Does I/O.

import { createServer, type Server, type Socket } from "node:net";
import type { Address } from "../federation/model.ts";
import type { BoundListener } from "./listener.ts";
import { sourceAddress } from "./listener.ts";
import type { TcpPlace } from "./messages.ts";
import type { Responder } from "./responder.ts";

/** Limits of one TCP listener. */
export interface TcpLimits {
  /** Milliseconds without a whole query after which a connection is closed. */
  readonly idleMs: number;
  readonly connectionsPerClient: number;
  /** Over all listeners that share the `ConnectionCount`. */
  readonly connections: number;
}

export const defaultTcpLimits: TcpLimits = {
  idleMs: 10_000,
  connectionsPerClient: 20,
  connections: 1000,
};

/** How many connections are open, in all and by client address. */
export class ConnectionCount {
  #all = 0;
  readonly #byClient = new Map<string, number>();
  readonly #onChange: (change: "accepted" | "closed" | "refused") => void;

  /** @param onChange told of each connection. */
  constructor(onChange: (change: "accepted" | "closed" | "refused") => void = () => undefined) {
    this.#onChange = onChange;
  }

  /** Counts one more, or says that there is no room. */
  add(client: string, limits: TcpLimits): boolean {
    const ofClient = this.#byClient.get(client) ?? 0;
    const hasRoom = this.#all < limits.connections && ofClient < limits.connectionsPerClient;
    this.#onChange(hasRoom ? "accepted" : "refused");
    if (!hasRoom) return false;
    this.#all++;
    this.#byClient.set(client, ofClient + 1);
    return true;
  }

  remove(client: string): void {
    this.#onChange("closed");
    this.#all--;
    const left = (this.#byClient.get(client) ?? 1) - 1;
    if (left > 0) this.#byClient.set(client, left);
    else this.#byClient.delete(client);
  }
}

/** Octets of answers after which a connection waits until they are sent and others had their turn. */
const batchSize = 256 * 1024;
/**
 * While stopping: how long a connection must be quiet before it is ended, after how long it is ended
 * right after an answer if it never is, how long the client may take to end it too, and how long at
 * most.
 */
const quietMs = 20;
const impatientMs = 500;
const lingerMs = 200;
const drainMs = 1000;
/** While leaving: how long an idle connection is kept in case that something comes. */
const idleLeaveMs = 1500;

/** A listener whose place another process may take. */
export interface TcpListener extends BoundListener {
  /**
   * Stops where others accept in its place, in two seconds at most: each client is ended right after an
   * answer, when it has not asked again yet.
   */
  readonly leave: (calls?: EndingCalls) => Promise<void>;
}

/** Listens and answers until stopped. Rejects with the system's error if it cannot. */
export async function listenTcp(
  { address, port, descriptor }: TcpPlace,
  responder: Pick<Responder, "respond">,
  onError: (error: Error) => void,
  count: ConnectionCount,
  limits: TcpLimits = defaultTcpLimits,
): Promise<TcpListener> {
  const open = new Set<Socket>();
  const ending: Ending = { isLeaving: false, isImpatient: false };
  const server = createServer({ noDelay: true }, (socket) => {
    const client = socket.remoteAddress;
    if (client === undefined || !count.add(client, limits)) {
      socket.destroy();
      return;
    }
    open.add(socket);
    socket.once("close", () => {
      open.delete(socket);
      count.remove(client);
    });
    serveConnection(socket, sourceAddress(client), responder, limits, ending);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    const own = { host: address, port, ipv6Only: true, exclusive: true };
    server.listen(descriptor === undefined ? own : { fd: descriptor }, () => {
      server.off("error", reject);
      resolve();
    });
  });
  server.on("error", onError);
  const bound = server.address();
  const boundPort = bound !== null && typeof bound === "object" ? bound.port : port;
  return {
    address: { address, port: boundPort },
    stop: () => drain(server, open, ending),
    leave: (calls) => leave(server, open, Object.assign(ending, calls)),
  };
}

/**
 * What lets an answer and the end of its connection go as one segment: between two of them a client
 * could ask again, on a busy machine.
 */
export interface EndingCalls {
  /** Keeps what is written from now on. */
  readonly cork: (socket: Socket) => void;
  /** Sends it, and the end of this side. */
  readonly shutDown: (socket: Socket) => void;
}

/** What all connections of a listener are told of its end. */
interface Ending extends Partial<EndingCalls> {
  /** Whether one with a client that asks one query after the other ends after the next answer. */
  isLeaving: boolean;
  /** Whether a connection ends as soon as all that came over it is answered. */
  isImpatient: boolean;
}

function serveConnection(
  socket: Socket,
  source: Address,
  responder: Pick<Responder, "respond">,
  limits: TcpLimits,
  ending: Ending,
): void {
  const sourcePort = socket.remotePort ?? 0;
  const idle = setTimeout(() => socket.destroy(), limits.idleMs);
  let chunks: Buffer[] = [];
  let held = 0;
  let needed = 2;
  let isEnded = false;

  const answerWhole = (): void => {
    let octets = Buffer.concat(chunks);
    const responses: Uint8Array[] = [];
    let size = 0;
    while (!isEnded && size < batchSize && octets.length >= lengthOf(octets)) {
      const query = octets.subarray(2, lengthOf(octets));
      octets = octets.subarray(lengthOf(octets));
      idle.refresh();
      const response = responder.respond({ octets: query, source, sourcePort, transport: "tcp" });
      if (response) {
        responses.push(Uint8Array.of(response.length >>> 8, response.length & 0xff), response);
        size += response.length + 2;
      } else {
        // Silence cannot be told from a slow answer here, so the connection ends.
        isEnded = true;
      }
    }
    chunks = [octets];
    held = octets.length;
    needed = lengthOf(octets);
    const isLast =
      !isEnded &&
      held === 0 &&
      (ending.isImpatient || (ending.isLeaving && responses.length === 2));
    if (isLast) ending.cork?.(socket);
    const isSent = responses.length === 0 || socket.write(Buffer.concat(responses));
    if (isEnded) {
      socket.destroySoon();
    } else if (isLast) {
      // A client that asks one query after the other learns of the end before it asks again.
      if (socket.writableLength === 0) ending.shutDown?.(socket);
      endSoftly(socket);
    } else if (!isSent) {
      socket.pause();
    } else if (held >= needed) {
      socket.pause();
      setImmediate(goOn);
    }
  };
  const goOn = (): void => {
    socket.resume();
    if (held >= needed && socket.writable) answerWhole();
  };

  socket.on("data", (chunk) => {
    if (isEnded || !socket.writable) return;
    chunks.push(chunk);
    held += chunk.length;
    if (held >= needed) answerWhole();
  });
  socket.on("drain", goOn);
  // A client that resets its connection is no fault of ours; "close" follows.
  socket.on("error", () => socket.destroy());
  socket.once("close", () => clearTimeout(idle));
}

/** Octets of the first message with its length field, as far as it is known. */
function lengthOf(octets: Buffer): number {
  return octets.length >= 2 ? 2 + octets.readUInt16BE(0) : 2;
}

/** Closes the listener, ends each connection after an answer, and at last those that ask nothing. */
async function leave(server: Server, open: ReadonlySet<Socket>, ending: Ending): Promise<void> {
  ending.isLeaving = true;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const impatient = setTimeout(() => {
    ending.isImpatient = true;
  }, impatientMs);
  const late = setTimeout(() => {
    for (const socket of open) endSoftly(socket);
  }, idleLeaveMs);
  await closed;
  clearTimeout(impatient);
  clearTimeout(late);
}

/** Closes the listener, answers what each connection has sent, then ends it. */
async function drain(server: Server, open: ReadonlySet<Socket>, ending: Ending): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  for (const socket of open) endOnceQuiet(socket);
  const impatient = setTimeout(() => {
    ending.isImpatient = true;
  }, impatientMs);
  const late = setTimeout(() => {
    for (const socket of open) socket.destroy();
  }, drainMs);
  await closed;
  clearTimeout(impatient);
  clearTimeout(late);
}

function endOnceQuiet(socket: Socket): void {
  socket.setTimeout(quietMs, () => {
    const { bytesRead } = socket;
    // After a long pause of the thread its timers come first: what waits is read before the end.
    setImmediate(() => {
      if (socket.bytesRead === bytesRead) endSoftly(socket);
    });
  });
}

/**
 * Ends this side and lets the client end its own: to close a connection over which something comes
 * would take away answers that the client has not read yet (RFC 9293 section 3.6.1).
 */
function endSoftly(socket: Socket): void {
  socket.setTimeout(0);
  socket.end();
  const late = setTimeout(() => socket.destroy(), lingerMs);
  socket.once("close", () => clearTimeout(late));
}
