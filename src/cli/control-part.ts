// What the control server asks of the running server: state, explanations, drains, metrics. It
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
import { quorumReport, StateTeller } from "./control-state.ts";
import { explainWhatIf, readExplainQuery } from "./explain-query.ts";
import type { RunningServer } from "./running-server.ts";
import type { ServerStatus } from "./server-status.ts";
import { endpointPage, type Paged, servicePage, serviceReport } from "./service-pages.ts";
import { version } from "./version.ts";
import { whatIfPart } from "./what-if-part.ts";

/** The backend of the control server. */
export function controlBackend(server: RunningServer): ControlBackend {
  const { drains, events, useDrains, voting, world } = server;
  const teller = new StateTeller(server);
  const votersNow = seldom(() => voting?.status() ?? { voters: [], warnings: [] });
  const stateNow = () =>
    servedState(withVotes(world().snapshot, voting !== undefined), drains.drained, () => 0);
  const paged = (): Paged => ({
    ...world().sources.model,
    voted: (service, cluster, address) => voting?.endpoint(service, cluster, address),
  });
  const used = async (change: ReturnType<Drains["undrain"]>, by: string) => {
    const outcome = await change;
    if (!outcome.ok) return outcome;
    await useDrains();
    if (outcome.changed) events.add({ kind: "drains", drained: [...outcome.drained], by });
    return outcome;
  };
  return {
    status: () => serverStatus(server),
    ready: server.ready,
    state: () => teller.state(),
    clusters: () => ({ items: teller.clusters() }),
    services: (page) => servicePage(paged, page),
    service: (key) => {
      const { services, federation } = world().sources.model;
      const service = services.get(key);
      return service && serviceReport(service, federation);
    },
    endpoints: (query) => endpointPage(paged, query),
    votes: async ({ verdict = "voted", ...query }) => {
      const page = await endpointPage(paged, { ...query, verdict });
      const { voters, warnings } = votersNow();
      return {
        quorum: quorumReport(voting),
        voters: voters.map((each) => ({ ...each })),
        warnings: [...warnings],
        ...page,
      };
    },
    mirrors: () => ({ items: server.mirrors().map(mirrorReport) }),
    sample: (limit) => {
      const items = server.sample(limit);
      return { isKept: items !== undefined, items: [...(items ?? [])] };
    },
    explain: async ({ type = "A", health = [], drain = [], undrain = [], ...texts }) => {
      const read = readExplainQuery({ ...texts, type });
      if (!read.ok) return read;
      const assumed = { health, drain, undrain };
      return explainWhatIf(read.query, assumed, world(), stateNow(), voting && verdictsOf(voting));
    },
    whatIf: whatIfPart({ world, state: stateNow, sample: server.sample }),
    drain: (cluster, { force, by }) => used(drains.drain(cluster, { force }), by),
    undrain: (cluster, { by }) => used(drains.undrain(cluster), by),
    drained: () => [...drains.drained],
    reload: server.reload,
    metrics: server.metrics,
    events,
  };
}

function mirrorReport({ changes, conflicts, ...rest }: MirrorStatus) {
  const { count, examples } = conflicts;
  return { ...rest, changes: { ...changes }, conflicts: { count, examples: [...examples] } };
}

/** What costs much is made anew a second later at the soonest, and takes 2 % of the time at most. */
function seldom<Value>(make: () => Value): () => Value {
  let kept: { readonly value: Value; readonly untilMs: number } | undefined;
  return () => {
    const begunMs = performance.now();
    if (kept && begunMs < kept.untilMs) return kept.value;
    const value = make();
    const endedMs = performance.now();
    kept = { value, untilMs: endedMs + Math.max(1000, 50 * (endedMs - begunMs)) };
    return value;
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
