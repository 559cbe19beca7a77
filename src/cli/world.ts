// The world: everything that files say, read and compiled into what answers are made from. It
// joins configuration, sources and geography; it must not know listeners or signals. Does I/O.

import { randomBytes } from "node:crypto";
import path from "node:path";
import { compileFederationZone } from "../answer/federation-zone.ts";
import { type AnswerSettings, compileSnapshot, type Snapshot } from "../answer/snapshot.ts";
import { compileViews, type Views } from "../answer/views.ts";
import { suggestion } from "../config/fields.ts";
import { sameOwnerProblems } from "../config/mirror-rules.ts";
import { compareProblems, formatProblem, type Problem } from "../config/problem.ts";
import {
  type OtherInputs,
  readServerConfig,
  type ServerConfig,
  type ServerConfigResult,
} from "../config/server-config.ts";
import type { Cluster } from "../federation/model.ts";
import { type CompiledDatabases, compileLocations, type LocationMap } from "../geo/locations.ts";
import type { Override } from "../geo/overrides.ts";
import { defaultTcpLimits } from "../server/tcp.ts";
import type { ResolveHostname } from "../sources/merge.ts";
import { type OverridesResult, readOverrides } from "../sources/overrides.ts";
import {
  readSources,
  SourceReader,
  type SourceReaderOptions,
  type SourceResult,
} from "../sources/read-sources.ts";
import type { Reading } from "../sources/reload.ts";
import type { SourceState } from "../sources/source-state.ts";
import { nextSerial } from "../zone/serial.ts";
import { DatabaseReader } from "./databases.ts";
import { VersionedFile, type VersionedReading } from "./versioned-file.ts";
import { VoterFileReader, type VoterFiles } from "./voter-files.ts";

/** Everything that is served, and what it was made from. */
export interface World {
  readonly config: ServerConfig;
  readonly sources: SourceState;
  readonly locations: LocationMap;
  readonly databaseNames: readonly string[];
  readonly overrideCount: number;
  readonly snapshot: Snapshot;
  /** Seconds that it took to read the files and compile the snapshot, when it was made. */
  readonly buildSeconds: number;
  /** The secrets of this server's voter. */
  readonly voterFiles: VoterFiles;
}

/** The UDP payload size of DNS Flag Day 2020 (https://www.dnsflagday.net/2020/). */
const udpPayloadSize = 1232;

/** A world that is read many times; while nothing changed, the very same object is given. */
export class WorldReader {
  readonly #configFile: string;
  readonly #options: SourceReaderOptions;
  readonly #config = new VersionedFile<ServerConfigResult>();
  readonly #overrides = new VersionedFile<OverridesResult>();
  readonly #databases = new DatabaseReader();
  readonly #voterFiles = new VoterFileReader();
  readonly #cookieSecret = randomBytes(16);
  #sources: { readonly folder: string; readonly reader: SourceReader } | undefined;
  #geography: Geography | undefined;
  #last: { readonly parts: readonly unknown[]; readonly world: World } | undefined;
  #serial: number | undefined;

  /** @param resolveHostname what is known of a load balancer's hostname; default: nothing. */
  constructor(configFile: string, resolveHostname?: ResolveHostname) {
    this.#configFile = path.resolve(configFile);
    this.#options = resolveHostname ? { resolveHostname } : {};
  }

  /** Reads what changed: a whole world, or every problem of every file in order of place. */
  async read(): Promise<Reading<World>> {
    const begunMs = performance.now();
    const configured = this.#config.read(this.#configFile, "", () =>
      readServerConfig(this.#configFile),
    );
    if (!configured.value.ok) {
      const problems = [...configured.value.problems];
      if (configured.value.others) problems.push(...(await otherProblems(configured.value.others)));
      problems.sort(compareProblems);
      return { ok: false, problems, retryAfterMs: configured.retryAfterMs };
    }
    const { config, placeOf } = configured.value;
    const sources = await this.#readSources(config);
    const overrides = this.#readOverrides(config, sources);
    const databases = this.#databases.read(config.geoip.databases, this.#configFile, (index) =>
      placeOf(["spec", "geoip", "databases", index]),
    );
    const voterFiles = this.#voterFiles.read(config.health, this.#configFile, placeOf);
    const retryAfterMs = soonest([configured, sources, overrides, databases, voterFiles]);
    const strangers = sources.ok
      ? [
          ...this.#checkNamedClusters(configured.value, sources.state),
          ...sameOwnerProblems(
            config.mirror,
            sources.state.model.federation.name,
            this.#configFile,
            placeOf,
          ),
        ]
      : [];
    const clashes = sources.ok ? this.#clashes(sources) : [];
    const isFine = strangers.length === 0 && clashes.length === 0;
    if (!sources.ok || !overrides.value.ok || !databases.ok || !voterFiles.ok || !isFine) {
      const problems = [sources, overrides.value, databases, voterFiles].flatMap((each) =>
        each.ok ? [] : each.problems,
      );
      problems.push(...strangers, ...clashes);
      return { ok: false, problems: problems.sort(compareProblems), retryAfterMs };
    }

    const { model, zones, federationRecords } = sources.state;
    const geography = this.#compileGeography(
      model.clusters,
      overrides.value.overrides,
      databases.databases,
    );
    const compiledParts = [config, model, zones, federationRecords, geography];
    const parts = [...compiledParts, sources.state, voterFiles.files];
    const last = this.#last;
    if (last && isSameList(last.parts, parts)) return { ok: true, state: last.world, retryAfterMs };
    // All that could be wrong has been looked at: from here on answers change.
    // Nobody sees what is new with the serial of before.
    this.#serial = nextSerial(this.#serial, Math.floor(Date.now() / 1000));
    model.services.setSerial(this.#serial);
    await sources.commit();
    const isCompiled =
      last !== undefined && isSameList(last.parts.slice(0, compiledParts.length), compiledParts);
    const snapshot = isCompiled
      ? last.world.snapshot
      : this.#compile(sources.state, geography, config);
    const world: World = {
      config,
      sources: sources.state,
      locations: geography.locations,
      databaseNames: databases.names,
      overrideCount: overrides.value.overrides.length,
      snapshot,
      buildSeconds: isCompiled ? last.world.buildSeconds : (performance.now() - begunMs) / 1000,
      voterFiles: voterFiles.files,
    };
    this.#last = { parts, world };
    return { ok: true, state: world, retryAfterMs };
  }

  #compile(sources: SourceState, { views }: Geography, config: ServerConfig): Snapshot {
    const { snapshot, problems } = compileSnapshot({
      ...sources,
      views,
      settings: this.#settings(config),
    });
    const [problem] = problems;
    if (problem) throw new Error(`cannot compile what was checked: ${formatProblem(problem)}`);
    return snapshot;
  }

  /** The problems that compiling would see, of services as they will be. */
  #clashes(sources: Extract<SourceResult, { ok: true }>): readonly Problem[] {
    if (sources.state === this.#last?.world.sources) return [];
    return compileFederationZone(sources.pending, sources.state.federationRecords).problems;
  }

  async #readSources(config: ServerConfig): Promise<SourceResult> {
    if (this.#sources?.folder !== config.zones) {
      this.#sources = {
        folder: config.zones,
        reader: new SourceReader(config.zones, this.#options),
      };
    }
    return this.#sources.reader.read();
  }

  /** The clusters that this instance and the other voters run in are the federation's. */
  #checkNamedClusters(
    { config: { cluster, health }, placeOf }: Extract<ServerConfigResult, { ok: true }>,
    { model }: SourceState,
  ): Problem[] {
    const named = [
      { cluster, path: ["spec", "cluster"] },
      ...(health?.peers ?? []).map((peer, index) => ({
        cluster: peer.cluster,
        path: ["spec", "health", "peers", index, "cluster"],
      })),
    ];
    return named.flatMap(({ cluster, path }) => {
      if (cluster === undefined || model.clusters.has(cluster)) return [];
      const near = suggestion(cluster, [...model.clusters.keys()]);
      const message = `cannot use Server: there is no Cluster object "${cluster}"${near}`;
      return [{ file: this.#configFile, ...placeOf(path), message }];
    });
  }

  #readOverrides(config: ServerConfig, sources: SourceResult): VersionedReading<OverridesResult> {
    const file = config.geoip.overrides;
    if (file === undefined) return { value: noOverrides, retryAfterMs: undefined };
    // Which clusters there are is not known while their files have problems.
    const clusters = sources.ok ? [...sources.state.model.clusters.keys()] : undefined;
    const key = JSON.stringify([file, clusters]);
    return this.#overrides.read(file, key, () => readOverrides(file, clusters));
  }

  #compileGeography(
    clusters: ReadonlyMap<string, Cluster>,
    overrides: readonly Override[],
    databases: CompiledDatabases,
  ): Geography {
    const list = [...clusters.values()];
    const places = list.map(({ name, region, zones, location, networks }) => {
      const octets = networks.map(({ address, prefixLength }) => [...address, prefixLength]);
      return { name, region, zones, location, octets };
    });
    const key = JSON.stringify(places);
    const known = this.#geography;
    if (known?.key === key && known.overrides === overrides && known.databases === databases) {
      return known;
    }
    const locations = compileLocations(list, overrides, databases);
    const views = compileViews(locations, clusters);
    this.#geography = { key, overrides, databases, locations, views };
    return this.#geography;
  }

  #settings(config: ServerConfig): AnswerSettings {
    return {
      instance: config.name,
      version: config.version,
      udpPayloadSize,
      tcpIdleSeconds: defaultTcpLimits.idleMs / 1000,
      trustedResolvers: config.trustedResolvers,
      cookieSecret: this.#cookieSecret,
      hasVotes: config.health !== undefined,
    };
  }
}

/** The problems of what a broken configuration leads to; nothing of it is kept. */
async function otherProblems({ zones, overrides }: OtherInputs): Promise<readonly Problem[]> {
  const sources = await readSources(zones);
  const clusters = sources.ok ? sources.state.model.clusters.keys() : undefined;
  const results = [
    sources,
    overrides === undefined ? noOverrides : readOverrides(overrides, clusters),
  ];
  return results.flatMap((each) => (each.ok ? [] : each.problems));
}

const noOverrides: OverridesResult = { ok: true, overrides: [] };

/** Tables made from clusters (told apart by `key`), overrides and databases. */
interface Geography {
  readonly key: string;
  readonly overrides: readonly Override[];
  readonly databases: CompiledDatabases;
  readonly locations: LocationMap;
  readonly views: Views;
}

function isSameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((each, at) => each === b[at]);
}

function soonest(readings: readonly { retryAfterMs: number | undefined }[]): number | undefined {
  const times = readings.flatMap(({ retryAfterMs }) => retryAfterMs ?? []);
  return times.length > 0 ? Math.min(...times) : undefined;
}

/** How many vote on one endpoint; 0 on a server that hears no votes. */
export function votersOnEndpoint({ config: { health } }: World): number {
  if (!health) return 0;
  return Math.min(health.electors, health.peers.length + (health.voter ? 1 : 0));
}
