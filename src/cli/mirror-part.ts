// The mirrors as a part of the running server: each change of services, drains and clusters is handed
// to them, all is compared when cron says so, and nothing is changed by a state that is known in part
// only. It must not know how records are made or written. Does I/O: timers, cron, the files of what
// was written.

import { isDeepStrictEqual } from "node:util";
import type { ScheduledTask } from "node-cron";
import type { MirrorConfig } from "../config/mirror-config.ts";
import type { ServiceTable } from "../federation/service-table.ts";
import { MirrorLoop } from "../mirror/mirror-loop.ts";
import type { MirrorMeter } from "../mirror/mirror-meter.ts";
import { MirrorSource } from "../mirror/mirror-source.ts";
import type { MirrorStatus } from "../mirror/mirror-status.ts";
import type { Pace } from "../mirror/pace.ts";
import type { WrittenRecords } from "../mirror/written-records.ts";
import type { Logger } from "./log.ts";
import { mirrorLog } from "./mirror-log.ts";
import { meterOf, mirrorNames } from "./mirror-names.ts";
import { mirroredDomain, mirrorLabel, openMirror } from "./mirror-provider.ts";
import type { World } from "./world.ts";

/** What mirrors depend on, of the running server. */
export interface MirrorSurroundings {
  readonly drained: () => ReadonlySet<string>;
  readonly hasVotes: boolean;
  /** Why nothing may be changed now, in one sentence; `undefined`: it may. */
  readonly hindrance: () => string | undefined;
  readonly meter: MirrorMeter;
  readonly log: Logger;
}

/** How often changes of services are looked for, and whether what was written is to be kept. */
const lookMs = 500;
const keepMs = 1000;
/** Of very many records the file takes long to write: at most so small a part of all time. */
const keepShare = 0.01;
/** A mirror that cannot be made ready (a key file that is not there yet) or kept is tried again. */
const retryMs = 30_000;

/** All mirrors of a server. */
export class MirrorPart {
  readonly #surroundings: MirrorSurroundings;
  #world: World;
  #table: ServiceTable;
  #running: readonly RunningMirror[] = [];
  #pace: Promise<Pace> | undefined;
  readonly #timers: NodeJS.Timeout[];
  /** One start or end of mirrors after the other. */
  #last: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(world: World, surroundings: MirrorSurroundings) {
    this.#surroundings = surroundings;
    this.#world = world;
    this.#table = world.sources.model.services;
    this.#timers = [
      setInterval(() => this.#look(), lookMs),
      setInterval(() => void this.#keep(), keepMs),
    ];
    this.#restart();
  }

  /** Mirrors this world from now on. */
  use(next: World): void {
    const former = this.#world;
    this.#world = next;
    this.#table = next.sources.model.services;
    if (isSameMirroring(former, next)) {
      if (former.snapshot !== next.snapshot) this.changed();
    } else {
      this.#restart();
    }
  }

  /** What all services are given may be other than before. */
  changed(): void {
    for (const each of this.#running) each.loop?.changed("all");
  }

  status(): readonly MirrorStatus[] {
    return this.#running.map((each) => each.status());
  }

  /** As metrics name them. */
  names(): readonly string[] {
    return this.#running.map(({ name }) => name);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const timer of this.#timers) clearInterval(timer);
    await this.#last;
    await Promise.all(this.#running.map((each) => each.stop()));
  }

  #look(): void {
    if (this.#running.length === 0) return;
    const changes = this.#table.takeChanges();
    if (changes === "all" || changes.size > 0) {
      for (const each of this.#running) each.loop?.changed(changes);
    }
  }

  async #keep(): Promise<void> {
    for (const each of this.#running) await each.keep();
  }

  /** Ends the mirrors there are and begins those of the world as it is now. */
  #restart(): void {
    const former = this.#running;
    const { config, sources } = this.#world;
    const names = mirrorNames(config.mirror, sources.model.federation.name);
    const next = config.mirror.map(
      (each, at) => new RunningMirror(each, names[at] ?? mirrorLabel(each), this.#contextOf()),
    );
    this.#running = next;
    this.#last = this.#last.then(async () => {
      await Promise.all(former.map((each) => each.stop()));
      if (this.#isStopped) return;
      for (const each of next) await each.start();
    });
  }

  #contextOf(): MirrorContext {
    return {
      ...this.#surroundings,
      world: () => this.#world,
      hear: () => this.#look(),
      // Accounts are bounded, not zones.
      pace: () => {
        this.#pace ??= import("../mirror/route53.ts").then(({ route53Pace }) => route53Pace());
        return this.#pace;
      },
    };
  }
}

interface MirrorContext extends MirrorSurroundings {
  readonly world: () => World;
  /** Hands on what has changed since it was looked for. */
  readonly hear: () => void;
  readonly pace: () => Promise<Pace>;
}

/** One mirror between its start and its end. */
class RunningMirror {
  readonly name: string;
  readonly #config: MirrorConfig;
  readonly #context: MirrorContext;
  loop: MirrorLoop | undefined;
  #task: ScheduledTask | undefined;
  #written: { readonly records: WrittenRecords; readonly file: string } | undefined;
  #retry: NodeJS.Timeout | undefined;
  #failure: string | undefined;
  #keepAfterMs = 0;
  #isStopped = false;

  constructor(config: MirrorConfig, name: string, context: MirrorContext) {
    this.name = name;
    this.#config = config;
    this.#context = { ...context, meter: meterOf(context.meter, name) };
  }

  async start(): Promise<void> {
    if (this.#isStopped) return;
    const { world, meter, log, pace } = this.#context;
    const { config, sources } = world();
    const { federation } = sources.model;
    try {
      const counted = {
        called: (operation: string) => meter.called(this.#label, operation),
        throttled: () => meter.throttled(this.#label),
      };
      const { mirror, writtenFile } = await openMirror(
        this.#config,
        federation,
        config.dataDir,
        counted,
        this.#config.provider === "route53" ? await pace() : undefined,
      );
      this.#written = { records: mirror.written, file: writtenFile };
      this.loop = new MirrorLoop({
        mirror,
        domain: mirroredDomain(federation),
        maxDeletePercent: this.#config.maxDeletePercent,
        dryRun: this.#config.dryRun,
        source: (zone) => this.#source(zone),
        hindrance: this.#context.hindrance,
        meter,
        events: mirrorLog(log),
        hear: this.#context.hear,
        schedule: (callback, delayMs) => {
          const timer = setTimeout(callback, delayMs);
          return () => clearTimeout(timer);
        },
        pause: () => new Promise((resolve) => setImmediate(resolve)),
        now: () => Date.now(),
      });
      this.#failure = undefined;
    } catch (error) {
      if (this.#isStopped) return;
      this.#failure = error instanceof Error ? error.message : String(error);
      mirrorLog(log).onFailure(this.#label, error);
      this.#retry = setTimeout(() => void this.start(), retryMs);
      return;
    }
    const { schedule } = await import("node-cron");
    if (this.#isStopped) return;
    const { loop } = this;
    this.#task = schedule(this.#config.schedule, () => loop.check(), {
      noOverlap: true,
      logger: cronLogger(log),
    });
    void loop.check();
  }

  status(): MirrorStatus {
    if (this.loop) return this.loop.status();
    const { owner, dryRun } = this.#config;
    return {
      mirror: this.#label,
      owner: owner ?? this.#context.world().sources.model.federation.name,
      dryRun,
      waitingFor: this.#failure === undefined ? "it is being made ready" : null,
      lastSuccess: null,
      lastError: this.#failure ?? null,
      records: null,
      changes: { created: 0, updated: 0, deleted: 0, drift: 0 },
      conflicts: { count: 0, examples: [] },
    };
  }

  /** What was written is known to the next start, and to the command. */
  async keep(): Promise<void> {
    const beganMs = performance.now();
    if (beganMs < this.#keepAfterMs) return;
    this.#keepAfterMs = Number.POSITIVE_INFINITY;
    let restMs: number;
    try {
      await this.#written?.records.write(this.#written.file);
      restMs = (performance.now() - beganMs) / keepShare;
    } catch (error) {
      mirrorLog(this.#context.log).onFailure(this.#label, error);
      restMs = retryMs;
    }
    this.#keepAfterMs = performance.now() + restMs;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#retry);
    await this.#task?.destroy();
    await this.loop?.stop();
    this.#keepAfterMs = 0;
    await this.keep();
  }

  #source(zone: ConstructorParameters<typeof MirrorSource>[2]): MirrorSource {
    const { world, drained, hasVotes } = this.#context;
    const { model } = world().sources;
    const { services } = model;
    return new MirrorSource(
      {
        model,
        drained: drained(),
        hasVotes,
        health: (service, cluster, address) => services.health(service, cluster, address),
      },
      this.#config,
      zone,
    );
  }

  get #label(): string {
    return mirrorLabel(this.#config);
  }
}

/** Whether the same mirrors go on: what they are made of is the same. */
function isSameMirroring(one: World, other: World): boolean {
  const partsOf = ({ config, sources }: World) => {
    const { name, domain } = sources.model.federation;
    return { mirror: config.mirror, dataDir: config.dataDir, name, domain };
  };
  return isDeepStrictEqual(partsOf(one), partsOf(other));
}

/** node-cron tells of runs that it left out as others went on: that is as it should be. */
function cronLogger(log: Logger) {
  const failed = (error: string | Error): void => {
    const reason = error instanceof Error ? error.message : error;
    log.error({ event: "schedule-failed", reason }, "a scheduled comparison failed");
  };
  return { info: ignore, warn: ignore, debug: ignore, error: failed };
}

function ignore(): void {
  // See `cronLogger`.
}
