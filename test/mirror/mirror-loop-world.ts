// A federation, a zone in memory and a mirror's life between them, in virtual time: the test says
// what is so and when somebody hears of it. It must not know what should come of it.

import type { Route53Config } from "../../src/config/mirror-config.ts";
import { formatAddress } from "../../src/dns/address.ts";
import type { Model } from "../../src/federation/whole-model.ts";
import { MirrorLoop, type MirrorLoopOptions } from "../../src/mirror/mirror-loop.ts";
import { MirrorSource } from "../../src/mirror/mirror-source.ts";
import type { Conflict } from "../../src/mirror/plan-types.ts";
import type { ZoneInfo } from "../../src/mirror/provider.ts";
import { WrittenRecords } from "../../src/mirror/written-records.ts";
import { ZoneMirror } from "../../src/mirror/zone-mirror.ts";
import { modelOf, type ServiceSketch } from "../kit/federation.ts";
import { MemoryZone, type MemoryZoneOptions } from "../kit/memory-zone.ts";
import { VirtualTime } from "../kit/virtual-time.ts";

/** What is so: services by `namespace/name`, and addresses that are down. */
export interface Truth {
  readonly services: Readonly<Record<string, ServiceSketch>>;
  readonly down: ReadonlySet<string>;
}

export const settings: Route53Config = {
  provider: "route53",
  hostedZone: "Z1",
  region: undefined,
  endpoint: undefined,
  profile: undefined,
  credentials: undefined,
  policy: "weighted",
  owner: undefined,
  strategy: "plain",
  ttlSeconds: undefined,
  include: { namespaces: [], names: [] },
  exclude: { namespaces: [], names: [] },
  maxDeletePercent: 25,
  schedule: "*/5 * * * *",
  dryRun: false,
};

/** A service with one address in each of two regions: names of 2 A records and 2 regional ones. */
export function service(at: number): ServiceSketch {
  const high = at >> 8;
  const low = at & 255;
  return {
    in: {
      london: { external: [`198.18.${high}.${low}`], ports: [] },
      tokyo: { external: [`198.19.${high}.${low}`], ports: [] },
    },
  };
}

/** `default/s0` and so on. */
export function services(count: number): Record<string, ServiceSketch> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`default/s${at}`, service(at)]),
  );
}

export function modelFor(found: Truth["services"]): Model {
  const clusters = { london: { region: "eu" }, tokyo: { region: "asia" } };
  return modelOf({ name: "fed", domain: "mydomain.com", clusters, services: found });
}

export function sourceFor(
  model: Model,
  isDown: (address: string) => boolean,
  zone: ZoneInfo,
  config = settings,
): MirrorSource {
  const health = (_service: unknown, _cluster: string, address: Uint8Array): number =>
    isDown(formatAddress(address)) ? 0 : 1;
  return new MirrorSource({ model, health, drained: new Set(), hasVotes: true }, config, zone);
}

/** The global name of `default/NAME`. */
export function globalName(name: string): string {
  return `${name}.default.fed.svc.mydomain.com.`;
}

type LoopSettings = Partial<
  Pick<MirrorLoopOptions, "maxDeletePercent" | "dryRun" | "hindrance" | "source">
>;

/** One mirror's life with all that is told of it. */
export class World {
  readonly time = new VirtualTime(Date.UTC(2026, 0, 1));
  readonly zone: MemoryZone;
  readonly loop: MirrorLoop;
  readonly told: string[] = [];
  readonly conflicts: Conflict[] = [];
  readonly meter: Record<string, number> = {};
  config = settings;
  hindrance: string | undefined;
  /** Called where the loop lets others have the thread. */
  onPause = (): void => undefined;
  readonly #untold = new Set<string>();
  readonly #startMs = this.time.now();
  #services: Record<string, ServiceSketch>;
  #model: Model;
  readonly #down = new Set<string>();

  constructor(
    count: number,
    options: Partial<Omit<MemoryZoneOptions, "time">> & LoopSettings = {},
  ) {
    const { maxDeletePercent = 25, dryRun = false, ...rest } = options;
    this.#services = services(count);
    this.#model = modelFor(this.#services);
    this.zone = new MemoryZone({ time: this.time, ...rest });
    this.loop = loopFor(this, "a", { maxDeletePercent, dryRun });
  }

  source = (zone: ZoneInfo): MirrorSource =>
    sourceFor(this.#model, (address) => this.#down.has(address), zone, this.config);

  /** Compares all, from the beginning to the end. */
  check(): Promise<void> {
    return this.time.until(this.loop.check());
  }

  /** Goes on for so many seconds. */
  run(seconds: number): Promise<void> {
    return this.time.runFor(seconds * 1000);
  }

  down(...addresses: readonly string[]): void {
    for (const each of addresses) this.#down.add(each);
    this.#tell(addresses);
  }

  /** What `hear` tells of. */
  downUntold(...addresses: readonly string[]): void {
    for (const each of addresses) this.#down.add(each);
    for (const key of servicesOf(addresses)) this.#untold.add(key);
  }

  hear = (): void => {
    this.loop.changed(this.#untold);
    this.#untold.clear();
  };

  up(...addresses: readonly string[]): void {
    for (const each of addresses) this.#down.delete(each);
    this.#tell(addresses);
  }

  /** `undefined`: there is none any more. */
  set(changes: Readonly<Record<string, ServiceSketch | undefined>>): void {
    const found = { ...this.#services };
    for (const [key, sketch] of Object.entries(changes)) {
      if (sketch) found[key] = sketch;
      else delete found[key];
    }
    this.#services = found;
    this.#model = modelFor(found);
    this.loop.changed(Object.keys(changes));
  }

  /** Seconds since the beginning. */
  seconds(): number {
    return (this.time.now() - this.#startMs) / 1000;
  }

  /** What was applied since the last time that this was asked: names by batch. */
  takeBatches(): string[][] {
    const batches = this.zone.batches.map(({ groups }) => groups.map(({ name }) => name));
    this.zone.batches.length = 0;
    return batches;
  }

  takeTold(): string[] {
    return this.told.splice(0);
  }

  #tell(addresses: readonly string[]): void {
    this.loop.changed(servicesOf(addresses));
  }
}

/** 198.18.H.L and 198.19.H.L are of number H * 256 + L. */
function servicesOf(addresses: readonly string[]): string[] {
  return addresses.map((address) => {
    const [, , high = 0, low = 0] = address.split(".").map(Number);
    return `default/s${high * 256 + low}`;
  });
}

/** A loop of this world that tells it all. */
export function loopFor(
  world: Pick<World, "time" | "zone" | "told" | "conflicts" | "meter" | "hindrance" | "source"> &
    Partial<Pick<World, "hear" | "onPause">>,
  by: string,
  given: { maxDeletePercent: number; dryRun: boolean; source?: MirrorLoopOptions["source"] },
): MirrorLoop {
  const { time, zone, told, meter } = world;
  const add = (name: string, count: number): void => {
    meter[name] = (meter[name] ?? 0) + count;
  };
  return new MirrorLoop({
    mirror: new ZoneMirror(zone.provider(by), "fed", new WrittenRecords("fed")),
    domain: "mydomain.com.",
    maxDeletePercent: given.maxDeletePercent,
    dryRun: given.dryRun,
    source: given.source ?? ((info) => world.source(info)),
    hindrance: () => world.hindrance,
    meter: {
      called: () => undefined,
      throttled: () => undefined,
      changed: (_, kind, count) => add(kind, count),
      drifted: (_, count) => add("drift", count),
      conflicts: (_, count) => {
        meter["conflicts"] = count;
      },
      records: (_, count) => {
        meter["records"] = count;
      },
      ran: (_, outcome) => add(outcome, 1),
      succeeded: (_, atSeconds) => {
        meter["succeeded"] = atSeconds;
      },
    },
    events: {
      onChanged: (_, { created, updated, deleted, drift }, isDryRun) =>
        told.push(
          `${isDryRun ? "would change" : "changed"} +${created} ~${updated} -${deleted} drift ${drift}`,
        ),
      onDrift: (_, names) => told.push(`drift ${names.join(" ")}`),
      onConflict: (_, conflict) => {
        told.push(`conflict ${conflict.reason} ${conflict.type} ${conflict.name}`);
        world.conflicts.push(conflict);
      },
      onMoreConflicts: (_, count) => told.push(`${count} more conflicts`),
      onHeld: (_, reason) => told.push(`held: ${reason}`),
      onFailure: (_, error) => told.push(error instanceof Error ? error.message : String(error)),
    },
    hear: () => world.hear?.(),
    schedule: time.schedule,
    pause: async () => world.onPause?.(),
    now: time.now,
  });
}
