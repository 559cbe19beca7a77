// Where the established connections of a server come in whose place this process takes. It must not
// know what is asked over them. Does I/O.

import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import path from "node:path";
import { fittingPath, type SocketPath } from "../control/socket-path.ts";
import { type GivenConnection, readConnections } from "../server/given-connections.ts";
import { type UnixSocket, unixDatagrams } from "../server/unix-datagrams.ts";

/** Node cannot wait for datagrams of such sockets, so it is looked whether some have come. */
const lookMs = 2;

/** What becomes of them. */
export interface ConnectionTaker {
  /** Goes on with them. */
  readonly adopt: (connections: readonly GivenConnection[]) => void;
  /** Told of those that cannot be gone on with. */
  readonly onFailure: (error: unknown) => void;
}

/** A socket file in the data folder, for as long as it is not closed. */
export class ConnectionInbox {
  /** The file's name in the data folder. */
  readonly name = `.connections-${randomBytes(4).toString("hex")}`;
  readonly #fitting: SocketPath;
  readonly #file: string;
  readonly #socket: UnixSocket;
  readonly #taker: ConnectionTaker;
  readonly #timer: NodeJS.Timeout;
  #isClosed = false;

  /** Throws the system's error. */
  constructor(dataDir: string, taker: ConnectionTaker) {
    this.#file = path.join(dataDir, this.name);
    this.#taker = taker;
    this.#fitting = fittingPath(this.#file);
    try {
      this.#socket = unixDatagrams().bind(this.#fitting.path);
    } catch (error) {
      this.#fitting.close();
      throw error;
    }
    this.#timer = setInterval(() => this.#takeAll(), lookMs);
  }

  /** Takes what has come, and nothing more. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#takeAll();
    this.#socket.close();
    rmSync(this.#file, { force: true });
    this.#fitting.close();
  }

  #takeAll(): void {
    for (;;) {
      try {
        const datagram = this.#socket.receive();
        if (!datagram) return;
        this.#taker.adopt(readConnections(datagram));
      } catch (error) {
        this.#taker.onFailure(error);
      }
    }
  }
}
