// HTTP on a listening socket that is there already. It must not know what is asked over it. Does I/O.

import type { Server } from "node:net";

/** Lets a server that is told to listen at an address listen on this socket instead, and close it. */
export function listenOnSocket(server: Server, descriptor: number): void {
  const listen = server.listen.bind(server);
  Object.assign(server, { listen: () => listen({ fd: descriptor }) });
}
