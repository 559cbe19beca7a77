// What runs beside the reading of files: the data plane, the vote, the control server. Each new
// world and each drain is handed to all of them, in the order that lets no answer be older than what
// is known. Does I/O.

import { availableParallelism } from "node:os";
import path from "node:path";
import { type SnapshotImage, snapshotImage, withVotes } from "../answer/snapshot.ts";
import { snapshotOctets } from "../answer/snapshot-size.ts";
import type { ReloadReport } from "../control/api-answers.ts";
import { startControl } from "../control/control-server.ts";
import type { DrainableCluster } from "../control/drain-rules.ts";
import type { Drains } from "../control/drains.ts";
import type { EventLog } from "../control/event-log.ts";
import { createMetrics } from "../control/metrics.ts";
import { RefusalBudget } from "../control/refusal-budget.ts";
import type { ServerReading } from "../control/server-metrics.ts";
import { ballotRoutes } from "../health/ballot-routes.ts";
import { refusals } from "../health/refusal.ts";
import { startDataPlane, type UdpMode } from "../server/data-plane.ts";
import { trafficOf } from "../server/data-plane-counters.ts";
import { formatListenAddress, type ListenAddress } from "../server/listener.ts";
import { listenForBallots } from "./ballot-listener.ts";
import { controlBackend, votingReading } from "./control-part.ts";
import type { Logger } from "./log.ts";
import { mirrorHindrance } from "./mirror-hindrance.ts";
import { MirrorPart } from "./mirror-part.ts";
import { QueryPart, querySettings } from "./query-part.ts";
import type { ReloadCounts } from "./reloads.ts";
import type { ServerStatus } from "./server-status.ts";
import { version } from "./version.ts";
import { openVoting, votingInput } from "./voting-part.ts";
import type { World } from "./world.ts";

/** What the parts are started with. */
export interface PartsOptions {
  readonly udp: UdpMode;
  readonly drains: Drains;
  readonly log: Logger;
  /** How the last reading of the files went. */
  readonly lastReload: () => ServerStatus["reload"];
  /** Whether all is known that files and load balancer hostnames say. */
  readonly isWhole: () => boolean;
  /** Told of whatever happens. */
  readonly events: EventLog;
  readonly reloads: () => ReloadCounts;
  /** Reads all files again; resolves when answers are from what they say. */
  readonly reload: () => Promise<ReloadReport>;
}

/** The parts of a running server. */
export interface ServerParts {
  /** Where DNS is answered; ports that the system chose stand in place of 0. */
  readonly listen: readonly ListenAddress[];
  /** Where the control API and ballots are, if anywhere. */
  readonly http: { readonly address: string; readonly port: number } | undefined;
  /** Resolves when all of it answers from this world. */
  readonly use: (world: World) => Promise<void>;
  /** Opens the query log anew, as after it was renamed. */
  readonly reopenLogs: () => void;
  /** Finishes what has begun. */
  readonly stop: () => Promise<void>;
}

/** Starts all of them, or none: rejects with what was wrong. */
export async function startParts(first: World, options: PartsOptions): Promise<ServerParts> {
  const { udp, drains, log, lastReload, isWhole, events, reload } = options;
  let world = first;
  let snapshotAtMs = Date.now();
  const started: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (let end = started.pop(); end; end = started.pop()) await end();
  };
  try {
    const metrics = createMetrics({
      version,
      refusals: Object.keys(refusals),
      read: () => votingReading(voting),
      mirrors: () => mirrors.names(),
      dataPlane: () => dataPlane.counters(),
      server: () => ({
        isReady: ready() === undefined,
        snapshot: snapshotReading(),
        services: world.sources.model.services.size,
        clusters: drainedClusters(world, drains),
        reloads: options.reloads(),
        queryLog: queries.counts(),
      }),
    });
    const ready = (): string | undefined =>
      isWhole() ? undefined : "load balancer hostnames are being resolved";
    const snapshotReading = () => ({
      ageSeconds: (Date.now() - snapshotAtMs) / 1000,
      octets: snapshotOctets(world.snapshot),
      buildSeconds: world.buildSeconds,
    });
    const voting = await openVoting(world, metrics.meter, log);
    let configured = first;
    const useVotes = (next: World): void => {
      // Without `spec.health` the vote goes on as it was: it ends at the next start, as it began.
      if (next.config.health) configured = next;
      const input = votingInput(next, configured);
      if (input) voting?.use(input);
    };
    const imageNow = () => imageOf(world, drains, voting !== undefined);
    if (voting) started.push(() => voting.stop());
    // Former verdicts are in the services before the first answer is.
    useVotes(world);

    const { listen, workers = availableParallelism(), answerCacheMiB } = world.config;
    const planned = { listen: listen.dns, udp, workers, answerCacheMiB };
    const dataPlane = await startDataPlane(planned, imageNow(), {
      onFault: (fault) => log.error({ event: "fault", fault }, "a query or a socket failed"),
      onRestart: (reason) => log.error({ event: "restart", reason }, "data plane restarted"),
    });
    const queries = new QueryPart(querySettings(world), {
      rings: dataPlane.queryRings,
      names: {
        listener: (index) => {
          const address = dataPlane.addresses[index];
          return address ? formatListenAddress(address) : String(index);
        },
        clusters: dataPlane.clusterNames,
      },
      log,
      chance: Math.random,
    });
    // What the last answers left behind is written when no thread answers any more.
    started.push(() => queries.stop());
    started.push(() => dataPlane.stop());
    const growTo = ({ sources }: World): void => {
      sources.model.services.onGrowth = dataPlane.grow;
    };
    growTo(world);

    const mirrors = new MirrorPart(world, {
      drained: () => drains.drained,
      hasVotes: voting !== undefined,
      hindrance: mirrorHindrance(isWhole, voting),
      meter: metrics.mirror,
      log,
    });
    started.push(() => mirrors.stop());
    const door = {
      budget: new RefusalBudget(),
      onTurnedAway: () => metrics.meter.ballotRefused("busy"),
    };
    const backend = controlBackend({
      world: () => world,
      drains,
      useDrains: async () => {
        mirrors.changed();
        await dataPlane.use(imageNow());
      },
      voting,
      listen: () => dataPlane.addresses,
      startedAt: new Date(),
      lastReload,
      mirrors: () => mirrors.status(),
      metrics: metrics.text,
      ready,
      reload,
      traffic: () => trafficOf(dataPlane.counters()),
      snapshot: snapshotReading,
      sample: (limit) => queries.sample(limit),
      sampledFlows: () => queries.flows(),
      events,
    });
    const control = await startControl({
      http: listen.http,
      socketFile: path.join(world.config.dataDir, "meridian.sock"),
      backend,
      // With a listener of their own, ballots are taken there alone.
      extend:
        voting && !world.config.health?.listen ? (app) => ballotRoutes(app, voting) : undefined,
      door,
      log,
    });
    started.push(control.stop);
    const ballots = voting && (await listenForBallots(world, voting, door));
    if (ballots) started.push(ballots.stop);
    // A start that fails after all must not have said anything to the other voters.
    voting?.begin();

    return {
      listen: dataPlane.addresses,
      http: control.address,
      use: async (next) => {
        const isSameSnapshot = next.snapshot === world.snapshot;
        queries.use(querySettings(next));
        world = next;
        growTo(next);
        useVotes(next);
        mirrors.use(next);
        // Changes of services are in all answers already.
        if (isSameSnapshot) return;
        snapshotAtMs = Date.now();
        await dataPlane.use(imageNow());
      },
      reopenLogs: () => queries.reopen(),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Makes what the data plane answers from, its services shared with threads of these marks.
 * @param hasVotes whether a vote goes on here, whatever the files say by now.
 */
function imageOf(
  { snapshot, sources }: World,
  { drained }: Drains,
  hasVotes: boolean,
): (marks: Int32Array) => SnapshotImage {
  const served = withVotes(snapshot, hasVotes);
  return (marks) => snapshotImage(served, sources.model.services.share(marks), [...drained]);
}

/** The clusters of a world, and those that are drained and gone from the files since. */
function drainedClusters({ sources }: World, { drained }: Drains): ServerReading["clusters"] {
  const names = new Set([...sources.model.clusters.keys(), ...drained]);
  return [...names].map((name) => ({ name, isDrained: drained.has(name) }));
}

/** The clusters of a world, as far as drains depend on them. */
export function drainableClusters({ sources }: World): DrainableCluster[] {
  return [...sources.model.clusters.values()].map(({ name, routing }) => ({
    name,
    isEnabled: routing.enabled,
  }));
}
