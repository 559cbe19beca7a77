// What stands before an HTTP server's connections: whoever had too much refused is turned away
// before a request of theirs is read, so that a flood of bad requests costs little more than its
// connections. It must not know what the requests are for. Does I/O.

import type { Socket } from "node:net";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { RefusalBudget } from "./refusal-budget.ts";

export interface FrontDoorOptions {
  readonly budget: RefusalBudget;
  /** Told of each connection that was closed unread. */
  readonly onTurnedAway: () => void;
  /** Milliseconds that only go forward. Default: those of the process. */
  readonly now?: () => number;
}

/**
 * Closes new connections from senders whose budget is spent. Each answer of status 400 or more is
 * taken from it, and whatever was no request at all. To be called before the app listens.
 */
export function guardDoor(
  app: FastifyInstance,
  { budget, onTurnedAway, now = () => performance.now() }: FrontDoorOptions,
): void {
  const { server } = app;
  const takers = server.listeners("connection");
  server.removeAllListeners("connection");
  server.on("connection", (socket: Socket) => {
    if (!budget.isSpent(socket.remoteAddress ?? "", now())) {
      for (const take of takers) take.call(server, socket);
      return;
    }
    onTurnedAway();
    socket.on("error", () => undefined).resetAndDestroy();
  });
  const charge = (source: string | undefined): void => budget.charge(source ?? "", now());
  const chargeRequest = (request: FastifyRequest): void => charge(request.raw.socket.remoteAddress);
  app.addHook("onResponse", async (request, reply) => {
    if (reply.statusCode >= 400) chargeRequest(request);
  });
  app.addHook("onRequestAbort", async (request) => chargeRequest(request));
  server.on("clientError", (_error, socket: Partial<Socket>) => charge(socket.remoteAddress));
  server.on("tlsClientError", (_error, socket: Partial<Socket>) => charge(socket.remoteAddress));
}
