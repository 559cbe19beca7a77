// The vote as a part of the running server: from the world to what voting needs, and its ballots on
// HTTP. It must not know how votes are counted. Does I/O.

import path from "node:path";
import { type FastifyInstance, fastify } from "fastify";
import { voterAdvice } from "../config/voter-advice.ts";
import { type FrontDoorOptions, guardDoor } from "../control/front-door.ts";
import { ballotRoutes } from "../health/ballot-routes.ts";
import type { HealthMeter } from "../health/health-meter.ts";
import { Voting, type VotingInput } from "../health/voting.ts";
import type { Logger } from "./log.ts";
import { votingLog } from "./voting-log.ts";
import type { World } from "./world.ts";

/** A server's vote with its former verdicts; `undefined` without `spec.health`. */
export async function openVoting(
  { config, voterFiles }: World,
  meter: HealthMeter,
  log: Logger,
): Promise<Voting | undefined> {
  if (!config.health) return undefined;
  return Voting.open({
    name: config.name,
    isVoter: config.health.voter,
    verdictFile: path.join(config.dataDir, "verdicts.json"),
    tls: voterFiles.tls,
    meter,
    events: votingLog(log),
  });
}

/**
 * What a world says of the vote.
 * @param configured the world whose configuration holds, as a vote that began goes on without one.
 */
export function votingInput(
  { sources }: World,
  { config, voterFiles }: World,
): VotingInput | undefined {
  const { health, cluster } = config;
  if (!health) return undefined;
  const { clusters, services } = sources.model;
  const voters = health.peers.length + (health.voter ? 1 : 0);
  const advice = voterAdvice(voters, clusters.size);
  return {
    config: health,
    cluster,
    regionOf: (name) => clusters.get(name)?.region ?? "",
    keys: voterFiles.keys,
    services,
    warnings: advice === undefined ? [] : [advice],
  };
}

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
        https: { ...http, ...tls, requestCert: true, rejectUnauthorized: true },
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

/** How many vote on one endpoint; 0 on a server that hears no votes. */
export function votersOnEndpoint({ config: { health } }: World): number {
  if (!health) return 0;
  return Math.min(health.electors, health.peers.length + (health.voter ? 1 : 0));
}
