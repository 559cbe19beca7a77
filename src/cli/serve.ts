// `meridian serve`: the life of the running server, from the first reading of its files over each
// change of them to its end. Does I/O.

import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Problem } from "../config/problem.ts";
import { readDrains } from "../control/drains.ts";
import { EventLog } from "../control/event-log.ts";
import type { UdpMode } from "../server/data-plane.ts";
import { batchUnavailable } from "../server/linux-sockets.ts";
import { formatListenAddress, type ListenAddress } from "../server/listener.ts";
import { Reload } from "../sources/reload.ts";
import { ControlFiles } from "./control-files.ts";
import { Handover } from "./handover-taker.ts";
import { createLogger, type Logger } from "./log.ts";
import { tellSupervisor } from "./notify.ts";
import { hostnameFailure, hostnamesOf, openWorld } from "./open-world.ts";
import { ExitStatus, printProblems, problemText } from "./output.ts";
import { Reloads } from "./reloads.ts";
import { drainableClusters, type ServerParts, startParts } from "./server-parts.ts";
import { digLines, summaryLines } from "./summary.ts";
import type { World } from "./world.ts";
import { WorldWatch } from "./world-watch.ts";

/** What the command line says of the server. */
export interface ServeOptions {
  /** How UDP is answered; `undefined`: in batches if that can be. */
  readonly udp?: UdpMode;
  /** Whether to take the place of a server that runs with the same data folder, if one does. */
  readonly replace?: boolean;
}

/** Runs until SIGTERM or SIGINT; resolves with the exit status. */
export async function serve(configFile: string, options: ServeOptions = {}): Promise<number> {
  let isStopping = false;
  const stopSignal = nextSignal("SIGTERM", "SIGINT").then((signal) => {
    isStopping = true;
    return signal;
  });
  // Whoever rotates logs tells every process: one that starts or ends must not be ended by it.
  let isHungUp = false;
  let onHangUp = (): void => {
    isHungUp = true;
  };
  process.on("SIGHUP", () => onHangUp());
  let reload: Reload<World> | undefined;
  const log = createLogger();
  const noBatch = options.udp === "dgram" ? undefined : batchUnavailable();
  if (options.udp === "batch" && noBatch !== undefined) {
    console.error(`cannot read UDP in batches: ${noBatch}`);
    return ExitStatus.FAILED;
  }
  const udp = noBatch === undefined ? (options.udp ?? "batch") : "dgram";
  const opened = await openWorld(configFile, {
    onChange: () => void reload?.trigger(),
    onFailure: (hostname, reason) =>
      log.warn({ event: "unresolved", hostname, reason }, hostnameFailure(hostname, reason)),
  });
  const { reader, hostnames } = opened;
  let { first, tried } = opened;
  if (options.replace && tried) {
    // The server that runs knows these hostnames: nobody may be given less than it gives.
    await tried;
    first = await reader.read();
    tried = undefined;
  }
  const secrets = new ControlFiles(path.resolve(configFile));
  first = secrets.read(first, () => undefined);
  if (!first.ok) {
    hostnames.stop();
    printProblems(first.problems);
    return ExitStatus.BAD_INPUT;
  }
  const world = first.state;
  let current = world;
  const tls = secrets.readTls(world.config.control);
  if (!tls.ok) {
    hostnames.stop();
    printProblems([tls.problem]);
    return ExitStatus.BAD_INPUT;
  }
  const drainsFile = path.join(world.config.dataDir, "drains.json");
  const drainsNow = () =>
    readDrains(drainsFile, {
      clusters: () => drainableClusters(current),
      onChange: (drained) =>
        log.warn({ event: "drains", drained: [...drained] }, "the drained clusters have changed"),
    });
  const kept = drainsNow();
  if (!kept.ok) {
    hostnames.stop();
    printProblems([kept]);
    return ExitStatus.BAD_INPUT;
  }
  let lastReload = reloadStatus(0);
  const events = new EventLog();
  const reloads = new Reloads<World>(path.dirname(path.resolve(configFile)), events);
  // While a hostname was never tried, or what came of it was not read, what its cluster has is not
  // known.
  const trying = new Set<Promise<void>>();
  const tryFor = (trial: Promise<void>): void => {
    const read = trial.then(() => reload?.trigger());
    trying.add(read);
    read.catch(onError).finally(() => trying.delete(read));
  };
  const onError = (error: unknown): void => {
    reloads.failed();
    log.error({ event: "reload-failed", err: error }, "reload failed");
  };
  let parts: ServerParts;
  try {
    const { drains } = kept;
    const hindrance = udp === "batch" ? undefined : (noBatch ?? "--udp dgram was asked for");
    const { dataDir } = world.config;
    const handover = options.replace ? await Handover.begin(dataDir, hindrance) : undefined;
    if (options.replace && !handover) {
      log.info({ event: "nothing-to-replace" }, "no server runs here: starting as the first");
    }
    parts = await startParts(world, {
      udp,
      drains,
      readDrains: () => {
        const read = drainsNow();
        if (!read.ok) throw new Error(problemText(read));
        return read.drains;
      },
      handover,
      isStopping: () => isStopping,
      log,
      lastReload: () => lastReload,
      events,
      tokens: () => secrets.tokens,
      tls: tls.tls,
      reloads: () => reloads.counts,
      reload: () => reloads.now(async () => reload?.trigger()),
      isWhole: () => trying.size === 0 && (tried === undefined || reload !== undefined),
    });
  } catch (error) {
    hostnames.stop();
    console.error(error instanceof Error ? error.message : String(error));
    return ExitStatus.FAILED;
  }

  const use = async (next: World): Promise<void> => {
    warnOfLateSettings(log, current, next);
    const known = new Set(hostnamesOf(current));
    current = next;
    const tracked = hostnames.track(hostnamesOf(next));
    if (hostnamesOf(next).some((each) => !known.has(each))) tryFor(tracked);
    watch.use(next).catch(onError);
    await parts.use(next);
    log.info({ event: "reloaded", ...countsOf(next) }, "answering from the new state");
  };
  reload = new Reload<World>({
    read: async () => {
      const reading = secrets.read(await reader.read(), () => {
        log.info({ event: "tokens" }, "the tokens of the control API have changed");
        parts.endStreams();
        reloads.changed(Promise.resolve());
      });
      reloads.read(reading);
      return reading;
    },
    onState: (next) => {
      lastReload = reloadStatus(0);
      if (next !== current) reloads.changed(use(next).catch(onError));
    },
    onProblems: (problems) => {
      lastReload = reloadStatus(problems.length);
      reloads.refused();
      logProblems(log, problems);
    },
    onError,
  });
  if (tried) tryFor(tried);
  const watch = new WorldWatch(configFile, log, () => void reload?.trigger());
  await watch.use(world);
  onHangUp = () => {
    log.info({ event: "reload" }, "SIGHUP: reading everything again");
    parts.reopenLogs();
    void reload?.trigger();
  };
  if (isHungUp) onHangUp();
  const { listen, http } = parts;
  printWelcome(world, listen);
  if (noBatch !== undefined) {
    log.warn({ event: "no-batch", reason: noBatch }, "UDP is read one by one, by one thread");
  }
  if (udp === "dgram") warnOfWildcards(log, listen);
  log.info({ event: "serving", udp, listen, http, ...countsOf(world) }, "serving");
  tellSupervisor("READY=1", log);

  const end = await Promise.race([stopSignal, parts.replaced]);
  const isReplaced = typeof end === "object";
  tellSupervisor("STOPPING=1", log);
  log.info(
    { event: "draining", ...(isReplaced ? {} : { signal: end }) },
    "finishing what has begun",
  );
  onHangUp = () => parts.reopenLogs();
  watch.stop();
  reload.stop();
  hostnames.stop();
  await (isReplaced ? parts.leave(end) : parts.stop());
  log.info({ event: "stopped" }, "stopped");
  return ExitStatus.FINE;
}

/** The first of these signals; a second one then ends the process as signals do. */
function nextSignal(...signals: NodeJS.Signals[]): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of signals) process.once(signal, resolve);
  });
}

function reloadStatus(problems: number): { at: string; problems: number } {
  return { at: new Date().toISOString(), problems };
}

/** Over node:dgram the system picks the address that an answer to a wildcard socket leaves from. */
function warnOfWildcards(log: Logger, addresses: readonly ListenAddress[]): void {
  for (const { address, port } of addresses) {
    if (address !== "0.0.0.0" && address !== "::") continue;
    const message =
      "on a host with several addresses list each one: UDP answers may leave from another";
    log.warn({ event: "wildcard", address, port }, message);
  }
}

/** Settings that only a new start takes up are said so, each time that they change. */
function warnOfLateSettings(log: Logger, before: World, after: World): void {
  for (const [setting, read] of lateSettings) {
    if (isDeepStrictEqual(read(before), read(after))) continue;
    log.warn({ event: "needs-restart", setting }, "changed at the next start only");
  }
}

const lateSettings: readonly [string, (world: World) => unknown][] = [
  ["metadata.name", ({ config }) => config.name],
  ["spec.listen", ({ config }) => config.listen],
  ["spec.control.tls", ({ config }) => config.control.tls],
  ["spec.workers", ({ config }) => config.workers],
  ["spec.answerCacheMiB", ({ config }) => config.answerCacheMiB],
  ["spec.resolvers", ({ config }) => config.resolvers],
  ["spec.dataDir", ({ config }) => config.dataDir],
  ["spec.health", ({ config }) => config.health !== undefined],
  ["spec.health.voter", ({ config }) => config.health?.voter],
  ["spec.health.listen", ({ config }) => config.health?.listen],
  ["spec.health.tls", ({ voterFiles }) => voterFiles.tls],
];

function logProblems(log: Logger, problems: readonly Problem[]): void {
  for (const problem of problems) {
    log.error({ event: "problem", ...problem }, problemText(problem));
  }
  const message = "nothing is changed: answering from the last good state";
  log.error({ event: "reload-refused", problems: problems.length }, message);
}

function countsOf({ sources }: World): { clusters: number; services: number; zones: number } {
  const { model, zones } = sources;
  return { clusters: model.clusters.size, services: model.services.size, zones: zones.length };
}

function printWelcome(world: World, listen: readonly ListenAddress[]): void {
  const places = listen.map(formatListenAddress).join(", ");
  console.log(`Meridian ${world.config.name} answers on ${places} (UDP and TCP)`);
  for (const line of summaryLines(world)) console.log(`  ${line}`);
  const queries = digLines(world.sources.model, listen);
  if (queries.length > 0) console.log(`Try:\n${queries.map((query) => `  ${query}`).join("\n")}`);
}
