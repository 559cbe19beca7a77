// A small web service that can be killed and revived at its address. It must not know who asks.
// Does I/O.

import { once } from "node:events";
import { createServer, type Server } from "node:http";

export class WebService {
  readonly address: string;
  readonly port: number;
  #server: Server | undefined;

  constructor(address: string, port: number) {
    this.address = address;
    this.port = port;
  }

  async revive(): Promise<void> {
    const server = createServer((_request, response) => response.end(`from ${this.address}\n`));
    server.listen(this.port, this.address);
    await once(server, "listening");
    this.#server = server;
  }

  /** Its port refuses connections from now on. */
  async kill(): Promise<void> {
    const server = this.#server;
    if (!server) return;
    this.#server = undefined;
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  }
}
