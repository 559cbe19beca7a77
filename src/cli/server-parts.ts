// What runs beside the reading of files: the data plane, the vote, the control server. Each new
// world and each drain is handed to all of them, in the order that lets no answer be older than what
// is known. Does I/O.

import { availableParallelism } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type SnapshotImage, snapshotImage, withVotes } from "../answer/snapshot.ts";
import { snapshotOctets } from "../answer/snapshot-size.ts";
import type { ReloadReport } from "../control/api-answers.ts";
import { startControl } from "../control/control-server.ts";
import { dashboardPages } from "../control/dashboard-routes.ts";
import type { DrainableCluster } from "../control/drain-rules.ts";
import type { Drains } from "../control/drains.ts";
import type { EventLog } from "../control/event-log.ts";
import { createMetrics } from "../control/metrics.ts";
import { RefusalBudget } from "../control/refusal-budget.ts";
import type { ServerReading } from "../control/server-metrics.ts";
import { fittingPath } from "../control/socket-path.ts";
import type { Token } from "../control/tokens.ts";
import { ballotRoutes } from "../health/ballot-routes.ts";
import { refusals } from "../health/refusal.ts";
import { startDataPlane, type UdpMode } from "../server/data-plane.ts";
import { trafficOf } from "../server/data-plane-counters.ts";
import { formatListenAddress, type ListenAddress } from "../server/listener.ts";
import { tcpDescriptors } from "../server/tcp-descriptors.ts";
import { type BallotListener, listenForBallots } from "./ballot-listener.ts";
import type { ControlTls } from "./control-files.ts";
import { controlBackend, votingReading } from "./control-part.ts";
import { gatedBackend } from "./handover-changes.ts";
import { ConnectionInbox } from "./handover-connections.ts";
import { SocketFiles } from "./handover-files.ts";
import { ChangeGate } from "./handover-gate.ts";
import { HandoverDoor, type Yielded } from "./handover-giver.ts";
import { listenOnSocket } from "./handover-http.ts";
import { type EndedPart, type GivenPlace, handoverFile } from "./handover-link.ts";
import { inheritPlaces, openHttpSocket, socketsToGive } from "./handover-places.ts";
import type { Handover } from "./handover-taker.ts";
import type { Logger } from "./log.ts";
import { mirrorHindrance } from "./mirror-hindrance.ts";
import { tellingMeter } from "./mirror-log.ts";
import { MirrorPart } from "./mirror-part.ts";
import { QueryPart, querySettings } from "./query-part.ts";
import { readiness } from "./readiness.ts";
import type { ReloadCounts } from "./reloads.ts";
import type { ServerStatus } from "./server-status.ts";
import { version } from "./version.ts";
import { openVoting, votingInput } from "./voting-part.ts";
import type { World } from "./world.ts";

/** The control socket in the data folder. */
const controlFile = "meridian.sock";

/** What the parts are started with. */
export interface PartsOptions {
  readonly udp: UdpMode;
  readonly drains: Drains;
  /** Reads them again, as another process has left them; throws if that cannot be. */
  readonly readDrains: () => Drains;
  /** The server whose place is to be taken; `undefined`: none. */
  readonly handover: Handover | undefined;
  /** Whether it was told to end. */
  readonly isStopping: () => boolean;
  readonly log: Logger;
  /** How the last reading of the files went. */
  readonly lastReload: () => ServerStatus["reload"];
  /** Whether all is known that files and load balancer hostnames say. */
  readonly isWhole: () => boolean;
  /** Told of whatever happens. */
  readonly events: EventLog;
  /** Who may use the control API over HTTP; `undefined`: no tokens are configured. */
  readonly tokens: () => readonly Token[] | undefined;
  /** What it is encrypted with; `undefined`: plain HTTP. */
  readonly tls: ControlTls | undefined;
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
  /** Ends streams of events, whose readers may no longer be allowed to read. */
  readonly endStreams: () => void;
  /** Opens the query log anew, as after it was renamed. */
  readonly reopenLogs: () => void;
  /** Resolves when another process is the server; `leave` is to be called then. */
  readonly replaced: Promise<Yielded>;
  /** Finishes what has begun. */
  readonly stop: () => Promise<void>;
  /** Does so for the process that took this one's place: nothing is lost, and it is told of all that ended. */
  readonly leave: (yielded: Yielded) => Promise<void>;
}

/** How long the process that takes over may take until it can be asked. */
const tookMs = 5000;
/** Requests over HTTP that are under way are given so long, and another second while it closes. */
const requestsMs = 500;
/** What the other process kept for itself to its end is tried again so often. */
const retryMs = 1000;

/**
 * Starts all of them, or none: rejects with what was wrong. With a handover they begin in the order
 * that leaves a running server as it was until this one answers, and lets no part run twice.
 */
export async function startParts(first: World, options: PartsOptions): Promise<ServerParts> {
  const { udp, log, lastReload, isWhole, events, reload, handover } = options;
  let world = first;
  let snapshotAtMs = Date.now();
  const startedMs = performance.now();
  const started: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    isStopped = true;
    for (let end = started.pop(); end; end = started.pop()) await end();
  };
  let isStopped = false;
  /** Whether another process answers at the same places. */
  let isBeside = false;
  const gate = new ChangeGate();
  try {
    const metrics = createMetrics({
      version,
      refusals: Object.keys(refusals),
      read: () => votingReading(voting),
      mirrors: () => mirrors?.names() ?? [],
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
    const ready = readiness({
      isStopping: options.isStopping,
      // Who asks here is answered by the one or the other process, whichever takes the request.
      isBeside: () => isBeside,
      isWhole,
      isAnswering: () => dataPlane.isWhole(),
      // The process whose place was taken left the verdicts of all.
      isQuorumHeld: () => handover !== undefined || votingReading(voting)?.isQuorumHeld !== false,
      ageMs: () => performance.now() - startedMs,
    });
    const snapshotReading = () => ({
      ageSeconds: (Date.now() - snapshotAtMs) / 1000,
      octets: snapshotOctets(world.snapshot),
      buildSeconds: world.buildSeconds,
    });
    const { listen, workers = availableParallelism(), answerCacheMiB, dataDir } = world.config;
    const places = handover && inheritPlaces(listen, handover.sockets);
    const startAnswering = (image: ReturnType<typeof imageOf>) =>
      startDataPlane(
        {
          listen: places?.dns ?? listen.dns,
          udp,
          workers,
          answerCacheMiB,
          inherited: places?.sockets,
        },
        image,
        {
          onFault: (fault) => log.error({ event: "fault", fault }, "a query or a socket failed"),
          onRestart: (reason) => log.error({ event: "restart", reason }, "data plane restarted"),
        },
      );
    // What takes long comes before the other process holds still.
    const hasVotes = world.config.health !== undefined;
    const held = places && (await startAnswering(imageOf(world, options.drains, hasVotes)));
    if (held) started.push(() => held.stop());
    void (handover && gate.close());
    await handover?.freeze();
    const drains = handover ? options.readDrains() : options.drains;
    const voting = await openVoting(world, metrics.meter, log, events);
    let configured = first;
    const useVotes = (next: World): void => {
      // Without `spec.health` the vote goes on as it was: it ends at the next start, as it began.
      if (next.config.health) configured = next;
      const input = votingInput(next, configured);
      if (input) voting?.use(input);
    };
    const imageNow = () => imageOf(world, drains, voting !== undefined);
    const endVotes = once(async () => {
      await ballots?.stop();
      await voting?.stop();
    });
    let ballots: BallotListener | undefined;
    started.push(endVotes);
    // Former verdicts are in the services before the first answer is.
    useVotes(world);

    const dataPlane = held ?? (await startAnswering(imageNow()));
    let heir: GivenPlace | undefined;
    const leaveAnswers = async (): Promise<void> => {
      if (!heir) return dataPlane.leave();
      const fitting = fittingPath(path.join(dataDir, heir.socket));
      await dataPlane.leave({ file: fitting.path, places: heir.places });
      fitting.close();
    };
    const endAnswers = once(() => (isBeside ? leaveAnswers() : dataPlane.stop()));
    if (held) await held.use(imageNow());
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
    started.push(endAnswers);
    const growTo = ({ sources }: World): void => {
      sources.model.services.onGrowth = dataPlane.grow;
    };
    growTo(world);

    let mirrors: MirrorPart | undefined;
    const beginMirrors = (): void => {
      mirrors = new MirrorPart(world, {
        drained: () => drains.drained,
        hasVotes: voting !== undefined,
        hindrance: mirrorHindrance(isWhole, voting),
        meter: tellingMeter(metrics.mirror, events),
        log,
      });
    };
    const endMirrors = once(async () => mirrors?.stop());
    started.push(endMirrors);
    if (!handover) beginMirrors();
    const door = {
      budget: new RefusalBudget(),
      onTurnedAway: () => metrics.meter.ballotRefused("busy"),
    };
    const backend = controlBackend({
      world: () => world,
      drains,
      useDrains: async () => {
        mirrors?.changed();
        await dataPlane.use(imageNow());
      },
      voting,
      listen: () => dataPlane.addresses,
      startedAt: new Date(),
      lastReload,
      mirrors: () => mirrors?.status() ?? [],
      metrics: metrics.text,
      ready,
      reload,
      traffic: () => trafficOf(dataPlane.counters()),
      snapshot: snapshotReading,
      sample: (limit) => queries.sample(limit),
      sampledFlows: () => queries.flows(),
      events,
    });
    const files = new SocketFiles(dataDir, handover !== undefined);
    const http =
      udp === "batch" && listen.http ? openHttpSocket(listen.http, places?.http) : undefined;
    const closeHttp = once(async () => {
      if (http) tcpDescriptors().close(http.descriptor);
    });
    started.push(closeHttp);
    let acceptNoMore = async (): Promise<void> => undefined;
    const control = await startControl({
      http: listen.http,
      socketFile: files.pathOf(controlFile),
      tls: options.tls,
      tokens: options.tokens,
      backend: gatedBackend(backend, gate, path.join(dataDir, controlFile)),
      // With a listener of their own, ballots are taken there alone.
      extend: (app) => {
        if (voting && !world.config.health?.listen) ballotRoutes(app, voting);
        if (http) listenOnSocket(app.server, tcpDescriptors().duplicate(http.descriptor));
        acceptNoMore = () => new Promise((resolve) => app.server.close(() => resolve()));
      },
      pages: listen.http && dashboardPages(),
      door,
      log,
    });
    // Requests must not wait in a queue from which nobody takes them.
    started.push(control.stop, closeHttp);
    const handoverDoor = await HandoverDoor.open(
      files.pathOf(handoverFile),
      {
        sockets: () =>
          udp === "batch"
            ? socketsToGive(listen, dataPlane.tcp, http)
            : "it answers UDP by node:dgram, whose sockets cannot be handed over",
        freeze: async () => {
          await gate.close();
          await voting?.kept();
        },
        thaw: () => gate.open(),
      },
      log,
    );
    started.push(async () => {
      handoverDoor.stop();
      files.remove();
    });
    const beginVotes = async (): Promise<void> => {
      ballots = voting && (await listenForBallots(world, voting, door));
      // A start that fails after all must not have said anything to the other voters.
      voting?.begin();
    };
    if (handover) {
      isBeside = true;
      dataPlane.hear();
      const inbox = new ConnectionInbox(dataDir, {
        adopt: dataPlane.adopt,
        onFailure: (err) =>
          log.error({ event: "connections-failed", err }, "cannot go on with TCP connections"),
      });
      started.push(async () => inbox.close());
      await handover.ready({
        socket: inbox.name,
        places: dataPlane.addresses.map(formatListenAddress),
      });
      isBeside = false;
      files.take();
      handover.took();
      void handover.ended("answers").then(() => {
        inbox.close();
        gate.open();
      });
      void handover.ended("mirror").then(() => isStopped || beginMirrors());
      void handover.ended("votes").then(async () => {
        for (let isBegun = false; !isBegun && !isStopped; ) {
          try {
            await beginVotes();
            isBegun = true;
          } catch (error) {
            log.error({ event: "votes-failed", err: error }, "cannot take part in votes yet");
            await delay(retryMs);
          }
        }
      });
    } else {
      await beginVotes();
    }

    return {
      listen: dataPlane.addresses,
      http: control.address,
      use: async (next) => {
        const isSameSnapshot = next.snapshot === world.snapshot;
        queries.use(querySettings(next));
        world = next;
        growTo(next);
        useVotes(next);
        mirrors?.use(next);
        // Changes of services are in all answers already.
        if (isSameSnapshot) return;
        snapshotAtMs = Date.now();
        await dataPlane.use(imageNow());
      },
      endStreams: control.endStreams,
      reopenLogs: () => queries.reopen(),
      replaced: handoverDoor.yielded,
      stop,
      leave: async ({ link, connections }) => {
        isBeside = true;
        heir = connections;
        const told = (part: EndedPart, ended: Promise<void>) =>
          ended.then(() => link.send({ kind: "ended", part }));
        // The other process accepts them: what comes to a server that is closing is turned away.
        const requests = acceptNoMore();
        const others = [told("votes", endVotes()), told("mirror", endMirrors())];
        await Promise.all([told("answers", endAnswers()), link.next(tookMs)]);
        gate.openElsewhere();
        await Promise.race([requests, delay(requestsMs)]);
        await stop();
        await Promise.all(others);
        link.end();
      },
    };
  } catch (error) {
    await stop();
    handover?.close();
    throw error;
  }
}

/** Begins to end at the first call; all of them wait for it. */
function once(end: () => Promise<void> | undefined): () => Promise<void> {
  let ended: Promise<void> | undefined;
  return async () => {
    ended ??= Promise.resolve(end());
    await ended;
  };
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
