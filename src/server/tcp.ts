// Listeners of DNS over TCP: they keep the limits on connections and time, and know how connections
// end or go on in another process. They must not know what comes over one. Does I/O.

import { createServer, type Server, Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { BoundListener } from "./listener.ts";
import { sourceAddress } from "./listener.ts";
import type { TcpPlace } from "./messages.ts";
import type { Responder } from "./responder.ts";
import {
  type Ending,
  type EndingCalls,
  endSoftly,
  type OfferedConnection,
  type ServedConnection,
  serveConnection,
} from "./tcp-connection.ts";

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

/**
 * While stopping: how long a connection must be quiet before it is ended, after how long it is ended
 * right after an answer if it never is, and how long at most.
 */
const quietMs = 20;
const impatientMs = 500;
const drainMs = 1000;
/** While leaving: how long an idle connection is kept in case that something comes. */
const idleLeaveMs = 1500;
/** How long it is tried to give connections away, how often, and how many and how much at once. */
const giveMs = 500;
const giveAgainMs = 2;
const mostAtOnce = 32;
const enoughOctets = 8 * 1024;

/** A listener whose place another process may take. */
export interface TcpListener extends BoundListener {
  /** Goes on with a connection of another process, which it has read so much of. */
  readonly adopt: (descriptor: number, octets: Uint8Array) => void;
  /**
   * Stops where others accept in its place. Connections go on there if they can be given; each other
   * one ends right after an answer, when its client has not asked again yet, in two seconds at most.
   */
  readonly leave: (plan?: LeavePlan) => Promise<void>;
}

/** How a listener is left. */
export interface LeavePlan extends Partial<EndingCalls> {
  /** Gives connections away, all or none: throws if it cannot. Default: they end here. */
  readonly give?: ((connections: readonly OfferedConnection[]) => void) | undefined;
}

/** Listens and answers until stopped. Rejects with the system's error if it cannot. */
export async function listenTcp(
  { address, port, descriptor }: TcpPlace,
  responder: Pick<Responder, "respond">,
  onError: (error: Error) => void,
  count: ConnectionCount,
  limits: TcpLimits = defaultTcpLimits,
): Promise<TcpListener> {
  const open = new Set<ServedConnection>();
  const ending: Ending = { isLeaving: false, isImpatient: false };
  const welcome = (socket: Socket, octets?: Uint8Array): void => {
    const client = socket.remoteAddress;
    if (client === undefined || !count.add(client, limits)) {
      socket.destroy();
      return;
    }
    const { idleMs } = limits;
    const source = sourceAddress(client);
    const served = serveConnection(socket, { source, responder, idleMs, ending, octets });
    open.add(served);
    socket.once("close", () => {
      open.delete(served);
      count.remove(client);
    });
  };
  const server = createServer({ noDelay: true }, (socket) => welcome(socket));
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
    adopt: (fd, octets) => welcome(new Socket({ fd, readable: true, writable: true }), octets),
    stop: () => drain(server, open, ending),
    leave: (plan) => leave(server, open, ending, plan, onError),
  };
}

type OpenConnections = ReadonlySet<ServedConnection>;

/**
 * Closes the listener, gives its connections away, ends each that is left after an answer, and at last
 * those that ask nothing.
 */
async function leave(
  server: Server,
  open: OpenConnections,
  ending: Ending,
  { give, ...calls }: LeavePlan = {},
  onError: (error: Error) => void,
): Promise<void> {
  const closed = allClosed(server, open);
  if (give) await giveAll(open, give, onError);
  Object.assign(ending, calls);
  ending.isLeaving = true;
  const impatient = setTimeout(() => {
    ending.isImpatient = true;
  }, impatientMs);
  const late = setTimeout(() => {
    for (const { socket } of open) endSoftly(socket);
  }, idleLeaveMs);
  await closed;
  clearTimeout(impatient);
  clearTimeout(late);
}

/** Gives away all that can be given in time; what cannot goes on here. */
async function giveAll(
  open: OpenConnections,
  give: (connections: readonly OfferedConnection[]) => void,
  onError: (error: Error) => void,
): Promise<void> {
  const endMs = performance.now() + giveMs;
  let failure: Error | undefined;
  while ([...open].some(({ isOpen }) => isOpen()) && performance.now() < endMs) {
    try {
      giveOnce(open, give);
      failure = undefined;
    } catch (error) {
      // The other process may be busy.
      failure = error instanceof Error ? error : new Error(String(error));
    }
    if (open.size > 0) await delay(giveAgainMs);
  }
  if (failure) onError(failure);
}

function giveOnce(
  open: OpenConnections,
  give: (connections: readonly OfferedConnection[]) => void,
): void {
  let batch: OfferedConnection[] = [];
  let size = 0;
  const flush = (): void => {
    const offered = batch;
    batch = [];
    size = 0;
    if (offered.length === 0) return;
    try {
      give(offered);
    } catch (error) {
      for (const { kept } of offered) kept();
      throw error;
    }
    for (const { given } of offered) given();
  };
  for (const connection of [...open]) {
    const offered = connection.offer();
    if (!offered) continue;
    batch.push(offered);
    size += offered.octets.length;
    if (batch.length === mostAtOnce || size > enoughOctets) flush();
  }
  flush();
}

/** Closes the listener, answers what each connection has sent, then ends it. */
async function drain(server: Server, open: OpenConnections, ending: Ending): Promise<void> {
  const closed = allClosed(server, open);
  for (const { socket } of open) endOnceQuiet(socket);
  const impatient = setTimeout(() => {
    ending.isImpatient = true;
  }, impatientMs);
  const late = setTimeout(() => {
    for (const { socket } of open) socket.destroy();
  }, drainMs);
  await closed;
  clearTimeout(impatient);
  clearTimeout(late);
}

/** Accepts no more; resolves when no connection is left, whether it was accepted here or not. */
async function allClosed(server: Server, open: OpenConnections): Promise<void> {
  const ends = [...open].map(
    ({ socket }) => new Promise<void>((resolve) => socket.once("close", () => resolve())),
  );
  await Promise.all([new Promise<void>((resolve) => server.close(() => resolve())), ...ends]);
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
