// A TCP relay: what connects to it speaks to another place, until the relay is cut. It must not
// know what goes through. Does I/O.

import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

/** A relay at a port of its own on 127.0.0.1. */
export class Relay {
  readonly port: number;
  readonly #server: Server;
  readonly #sockets: Set<Socket>;
  #isCut = false;

  private constructor(server: Server, port: number, targetPort: number, sockets: Set<Socket>) {
    this.#server = server;
    this.port = port;
    this.#sockets = sockets;
    server.on("connection", (from) => {
      this.#hold(from);
      if (this.#isCut) {
        // As on a cut line: nothing comes back, not even an end.
        from.resume();
        return;
      }
      const to = connect(targetPort, "127.0.0.1");
      this.#hold(to);
      from.pipe(to);
      to.pipe(from);
      from.once("close", () => to.destroy());
      to.once("close", () => from.destroy());
    });
  }

  /** Relays to a port on 127.0.0.1. */
  static async start(targetPort: number): Promise<Relay> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    if (address === null || typeof address === "string") {
      throw new Error(`cannot relay: there is no port, got ${address}`);
    }
    return new Relay(server, address.port, targetPort, new Set());
  }

  /** From now on what is sent is lost. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.unpipe().resume();
  }

  /** Takes new connections again; those of before are gone. */
  heal(): void {
    this.#isCut = false;
    for (const socket of this.#sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #hold(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("close", () => this.#sockets.delete(socket));
  }
}
