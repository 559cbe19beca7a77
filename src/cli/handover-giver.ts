// The running server's side of a handover: it waits for a process that wants its place, gives it the
// listening sockets, and goes on as before if that process does not come to answer. It must not know
// what the server does. Does I/O.

import { createServer, type Socket } from "node:net";
import path from "node:path";
import { type BoundSocket, bindSocket } from "../control/control-socket.ts";
import { fittingPath } from "../control/socket-path.ts";
import { unixDatagrams } from "../server/unix-datagrams.ts";
import {
  type GivenPlace,
  type GivenSocket,
  HandoverLink,
  handoverProtocol,
} from "./handover-link.ts";
import type { Logger } from "./log.ts";
import { version } from "./version.ts";

/** What a server can give, and how it holds still meanwhile. */
export interface Givable {
  /** Its listening sockets, or why its place cannot be taken, as a clause. */
  readonly sockets: () => readonly SocketToGive[] | string;
  /** Changes nothing from then on, and has all on the disk when it resolves. */
  readonly freeze: () => Promise<void>;
  /** Goes on as before. */
  readonly thaw: () => void;
}

/** A listening socket. */
export interface SocketToGive extends GivenSocket {
  readonly descriptor: number;
}

/** Another process is the server. */
export interface Yielded {
  /** Over which it is to be told what ends here. */
  readonly link: HandoverLink;
  /** Where established connections are to be sent; `undefined`: they end. */
  readonly connections: GivenPlace | undefined;
}

/** How long a process may take to make itself ready, and to begin once nothing changes here. */
const prepareMs = 60_000;
const frozenMs = 15_000;

/** Where other processes ask for this one's place. */
export class HandoverDoor {
  readonly #givable: Givable;
  readonly #folder: string;
  readonly #log: Logger;
  readonly #open = new Set<Socket>();
  readonly #server = createServer((socket) => {
    this.#open.add(socket);
    socket.once("close", () => this.#open.delete(socket));
    void this.#serve(new HandoverLink(socket), socket);
  });
  #bound: BoundSocket | undefined;
  #isBusy = false;
  #yield: ((yielded: Yielded) => void) | undefined;
  /** Resolves when another process is the server. */
  readonly yielded: Promise<Yielded> = new Promise((resolve) => {
    this.#yield = resolve;
  });

  private constructor(folder: string, givable: Givable, log: Logger) {
    this.#folder = folder;
    this.#givable = givable;
    this.#log = log;
  }

  /** Rejects with `cannot use data folder: …`. */
  static async open(file: string, givable: Givable, log: Logger): Promise<HandoverDoor> {
    const door = new HandoverDoor(path.dirname(file), givable, log);
    door.#bound = await bindSocket(door.#server, file);
    return door;
  }

  /** Takes no more requests; the link over which its place was given up stays. */
  stop(): void {
    this.#bound?.remove();
    this.#server.close();
    for (const socket of this.#open) socket.destroy();
  }

  async #serve(link: HandoverLink, socket: Socket): Promise<void> {
    if (this.#isBusy) {
      refuse(link, "another process is taking its place already");
      return;
    }
    this.#isBusy = true;
    let isFrozen = false;
    try {
      const pid = await this.#give(link);
      if ((await link.next(prepareMs))?.kind !== "freeze") throw new Error(unready(link));
      isFrozen = true;
      await this.#givable.freeze();
      link.send({ kind: "frozen" });
      const ready = await link.next(frozenMs);
      if (ready?.kind !== "ready") throw new Error(unready(link));
      // One that ended right after these words is no server.
      await new Promise((resolve) => setImmediate(resolve));
      if (link.isEnded) throw new Error(unready(link));
      link.send({ kind: "yielded" });
      this.#log.info({ event: "replaced", pid }, "another process is the server from now on");
      this.#open.delete(socket);
      this.#yield?.({ link, connections: ready.connections });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#log.warn({ event: "not-replaced", reason }, "going on: nothing was handed over");
      refuse(link, reason);
      if (isFrozen) this.#givable.thaw();
      this.#isBusy = false;
    }
  }

  /** Sends the sockets; the process that they are for. Throws a clause that says why not. */
  async #give(link: HandoverLink): Promise<number> {
    const ask = await link.next(prepareMs);
    if (ask?.kind !== "ask") throw new Error(unready(link));
    const { pid, protocol, version: asking } = ask;
    if (protocol !== handoverProtocol) {
      throw new Error(`it hands over as version ${version} does, got ${asking}`);
    }
    const sockets = this.#givable.sockets();
    if (typeof sockets === "string") throw new Error(sockets);
    this.#log.info({ event: "replacing", pid, version: asking }, "another process makes ready");
    const fitting = fittingPath(path.join(this.#folder, ask.socket));
    try {
      const descriptors = sockets.map(({ descriptor }) => descriptor);
      unixDatagrams().send(fitting.path, Buffer.from("sockets"), descriptors);
    } finally {
      fitting.close();
    }
    const told = sockets.map(({ descriptor: _, ...rest }) => rest);
    link.send({ kind: "given", pid: process.pid, version, sockets: told });
    return pid;
  }
}

function refuse(link: HandoverLink, reason: string): void {
  link.send({ kind: "refused", reason });
  link.end();
}

function unready(link: HandoverLink): string {
  return link.isEnded ? "the other process ended" : "the other process was not ready in time";
}
