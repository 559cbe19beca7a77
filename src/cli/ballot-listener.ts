// The listener for ballots alone, with mutual TLS or without. It must not know what a ballot changes.
// Does I/O.

import { type FastifyInstance, fastify } from "fastify";
import { type FrontDoorOptions, guardDoor } from "../control/front-door.ts";
import { ballotRoutes } from "../health/ballot-routes.ts";
import type { Voting } from "../health/voting.ts";
import type { World } from "./world.ts";

/** A listener for ballots alone. */
export interface BallotListener {
  readonly stop: () => Promise<void>;
}

/** Ballots of at most 8 MiB from some voters, and whatever else knocks. */
const limits = {
  connectionTimeout: 30_000,
  keepAliveTimeout: 20_000,
  requestTimeout: 10_000,
  http: { headersTimeout: 5000, connectionsCheckingInterval: 1000 },
} as const;
const mostConnections = 512;
/** Else who only connects keeps a connection, that a voter may need, for two minutes. */
const handshakeTimeout = 5000;

/**
 * Takes ballots at `health.listen`, by mutual TLS where it is configured. Rejects with `cannot listen
 * on ... for ballots: ...`.
 */
export async function listenForBallots(
  { config: { health }, voterFiles: { tls } }: World,
  voting: Voting,
  door: FrontDoorOptions,
): Promise<BallotListener | undefined> {
  if (!health?.listen) return undefined;
  const { http, ...others } = limits;
  const app: FastifyInstance = tls
    ? fastify({
        ...others,
        https: { ...http, ...tls, handshakeTimeout, requestCert: true, rejectUnauthorized: true },
      })
    : fastify(limits);
  app.server.maxConnections = mostConnections;
  guardDoor(app, door);
  ballotRoutes(app, voting);
  const { address, port } = health.listen;
  try {
    await app.listen({ host: address, port });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`cannot listen on ${address}:${port} for ballots: ${reason}`, { cause: error });
  }
  return {
    stop: async () => {
      app.server.closeAllConnections();
      await app.close();
    },
  };
}
