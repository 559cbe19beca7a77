// The vote as a part of the running server: from the world to what voting needs. It must not know
// how votes are counted. Does I/O.

import path from "node:path";
import { voterAdvice } from "../config/voter-advice.ts";
import type { EventLog } from "../control/event-log.ts";
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
  events?: EventLog,
): Promise<Voting | undefined> {
  if (!config.health) return undefined;
  return Voting.open({
    name: config.name,
    isVoter: config.health.voter,
    verdictFile: path.join(config.dataDir, "verdicts.json"),
    tls: voterFiles.tls,
    meter,
    events: votingLog(log, events),
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
