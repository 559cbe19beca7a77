// What the control server asks of the running server: status, explanations, drains, metrics. It
// joins what the parts know; it must not know how they are asked.

import type { VerdictOf } from "../answer/explain.ts";
import { servedState } from "../answer/served-state.ts";
import { withVotes } from "../answer/snapshot.ts";
import type { ControlBackend } from "../control/control-backend.ts";
import type { Drains } from "../control/drains.ts";
import type { VotingReading } from "../control/metrics.ts";
import { serviceKey } from "../federation/model.ts";
import { quorumOf } from "../health/electorate.ts";
import type { Voting } from "../health/voting.ts";
import type { MirrorStatus } from "../mirror/mirror-status.ts";
import type { ListenAddress } from "../server/listener.ts";
import { explainQuery, readExplainQuery } from "./explain-query.ts";
import type { ServerStatus } from "./server-status.ts";
import { version } from "./version.ts";
import type { World } from "./world.ts";

/** The running server, as far as it can be asked. */
export interface RunningServer {
  readonly world: () => World;
  readonly drains: Drains;
  /** Resolves when every thread answers without the drained clusters. */
  readonly useDrains: () => Promise<void>;
  /** `undefined` without `spec.health`. */
  readonly voting: Voting | undefined;
  /** In the order of `spec.mirror`. */
  readonly mirrors: () => readonly MirrorStatus[];
  readonly listen: () => readonly ListenAddress[];
  readonly startedAt: Date;
  /** When the files were last read, and how many problems they had then. */
  readonly lastReload: () => ServerStatus["reload"];
  readonly metrics: () => Promise<string>;
}

/** The backend of the control server. */
export function controlBackend(server: RunningServer): ControlBackend {
  const { drains, useDrains, voting, world } = server;
  const used = async <Outcome extends { readonly ok: boolean }>(change: Promise<Outcome>) => {
    const outcome = await change;
    if (outcome.ok) await useDrains();
    return outcome;
  };
  return {
    status: () => serverStatus(server),
    explain: async ({ type = "A", ...texts }) => {
      const read = readExplainQuery({ ...texts, type });
      if (!read.ok) return read;
      const snapshot = withVotes(world().snapshot, voting !== undefined);
      const state = servedState(snapshot, drains.drained, () => 0);
      const verdictOf = voting && verdictsOf(voting);
      return { ok: true, explanation: explainQuery(read.query, world(), state, verdictOf) };
    },
    drain: (cluster, options) => used(drains.drain(cluster, options)),
    undrain: (cluster) => used(drains.undrain(cluster)),
    metrics: server.metrics,
  };
}

/** What the voters say of an address, as an explanation tells it. */
function verdictsOf(voting: Voting): VerdictOf {
  return (service, cluster, address) => {
    const endpoint = voting.endpoint(serviceKey(service), cluster, address);
    if (!endpoint) return undefined;
    const { verdict, verdictSince, frozenBecause, isHeldIn, votes } = endpoint;
    return { word: verdict, since: verdictSince, frozenBecause, heldIn: isHeldIn, votes };
  };
}

function serverStatus(server: RunningServer): ServerStatus {
  const { drains, voting } = server;
  const { config, sources } = server.world();
  const { model } = sources;
  return {
    name: config.name,
    version,
    startedAt: server.startedAt.toISOString(),
    listen: server.listen(),
    clusters: [
      ...[...model.clusters.values()].map(({ name, region, zones, routing }) => ({
        name,
        region,
        zones,
        isEnabled: routing.enabled,
        isDrained: drains.drained.has(name),
      })),
      // Drained, and gone from the files since.
      ...[...drains.drained]
        .filter((name) => !model.clusters.has(name))
        .map((name) => ({ name, region: "", zones: [], isEnabled: false, isDrained: true })),
    ],
    services: model.services.size,
    reload: server.lastReload(),
    health: voting?.status() ?? null,
    mirrors: server.mirrors(),
  };
}

/** What metrics show of the vote. */
export function votingReading(voting: Voting | undefined): VotingReading | undefined {
  if (!voting) return undefined;
  const { endpoints, live, voters } = voting.counts();
  return {
    isQuorumHeld: live >= quorumOf(voters),
    votersLive: live,
    votersConfigured: voters,
    endpoints,
    endpointsFrozen: endpoints.frozen,
    endpointsHeldIn: endpoints.heldIn,
    probesRunning: voting.probesRunning,
  };
}
