// What the command knows of health and drains when it mirrors: what a running server says, else what
// the data folder kept of the last one. It must not know records or zones. Does I/O.

import path from "node:path";
import { readDrains } from "../control/drains.ts";
import { serviceKey } from "../federation/model.ts";
import type { HealthMeter } from "../health/health-meter.ts";
import { targetId } from "../health/target.ts";
import type { MirroredFederation } from "../mirror/mirror-source.ts";
import { callControl } from "./control-client.ts";
import { createLogger } from "./log.ts";
import { drainableClusters } from "./server-parts.ts";
import { readServerStatus, type ServerStatus } from "./server-status.ts";
import { openVoting, votingInput } from "./voting-part.ts";
import type { World } from "./world.ts";

/** The federation as it is now, or one sentence on why that is not known. */
export type MirrorState =
  | {
      readonly ok: true;
      readonly federated: MirroredFederation;
      /** Why nothing may be changed now, a sentence each. */
      readonly obstacles: readonly string[];
      /** What a person should know of where this comes from, a sentence each. */
      readonly remarks: readonly string[];
    }
  | { readonly ok: false; readonly message: string };

/** A server with very many endpoints takes seconds to say how all of them are. */
const statusTimeoutMs = 60_000;

/** Asks the server of this world's data folder; where none runs, reads what the folder kept. */
export async function readMirrorState(world: World): Promise<MirrorState> {
  const socket = path.join(world.config.dataDir, "meridian.sock");
  const reply = await callControl({ socket }, "GET", "/v1/status", undefined, statusTimeoutMs);
  if (reply.ok) {
    const status = readServerStatus(reply.body);
    if (status) return liveState(world, status);
    return { ok: false, message: "cannot read the server's answer: it is no status of a server" };
  }
  return reply.isAbsent ? keptState(world) : { ok: false, message: reply.message };
}

/** By what a running server answers now. */
function liveState({ sources }: World, { clusters, health }: ServerStatus): MirrorState {
  const byId = new Map(
    health?.endpoints.map((each) => [`${each.service} ${each.cluster} ${each.address}`, each]),
  );
  const obstacles: string[] = [];
  if (health?.quorum === "lost") {
    obstacles.push(
      `quorum is lost (${health.votersLive} of ${health.voters.length} voters heard, ${health.votersNeeded} needed): nobody knows what is down`,
    );
  }
  return {
    ok: true,
    federated: {
      model: sources.model,
      drained: new Set(clusters.filter(({ isDrained }) => isDrained).map(({ name }) => name)),
      hasVotes: health !== null,
      health: (service, cluster, address) =>
        byId.get(targetId(serviceKey(service), cluster, address))?.health ?? 1,
    },
    obstacles,
    remarks: [],
  };
}

/** By the drains and verdicts of the last server that ran on this data folder. */
async function keptState(world: World): Promise<MirrorState> {
  const { config, sources } = world;
  const kept = readDrains(path.join(config.dataDir, "drains.json"), {
    clusters: () => drainableClusters(world),
  });
  if (!kept.ok) {
    const { file, line, column, message } = kept;
    return { ok: false, message: `${file}:${line}:${column}: ${message}` };
  }
  // A vote that never begins: it gives former verdicts to the services and tells nobody.
  const voting = await openVoting(world, silent, createLogger());
  const input = votingInput(world, world);
  if (voting && input) voting.use(input);
  await voting?.stop();
  const { services } = sources.model;
  const verdicts = voting ? " and the verdicts" : "";
  return {
    ok: true,
    federated: {
      model: sources.model,
      drained: kept.drains.drained,
      hasVotes: config.health !== undefined,
      health: (service, cluster, address) => services.health(service, cluster, address),
    },
    obstacles: [],
    remarks: [
      `no server runs here: going by the files, and by the drains${verdicts} that were kept`,
    ],
  };
}

const silent: HealthMeter = {
  ballotTaken: () => undefined,
  ballotRefused: () => undefined,
  ballotSent: () => undefined,
  probed: () => undefined,
  probeStarted: () => undefined,
};
