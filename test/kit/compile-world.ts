// A generated world compiled in this process, by the readers and compilers of the product, into
// what answers and explanations are made from. It knows no sockets and no clock.

import { type MmdbContents, writeMmdb } from "../../geoip/write-mmdb.ts";
import type { AnswerState } from "../../src/answer/federated-answer.ts";
import { type AnswerSettings, compileSnapshot, type Snapshot } from "../../src/answer/snapshot.ts";
import { compileViews } from "../../src/answer/views.ts";
import { formatProblem, type Problem } from "../../src/config/problem.ts";
import { formatAddress } from "../../src/dns/address.ts";
import type { ServiceTable } from "../../src/federation/service-table.ts";
import { compileDatabases, compileLocations, type LocationMap } from "../../src/geo/locations.ts";
import { type Database, readDatabase } from "../../src/geo/mmdb.ts";
import type { Override } from "../../src/geo/overrides.ts";
import { unitHash } from "../../src/routing/hash.ts";
import type { Resolution } from "../../src/sources/merge.ts";
import { readSourceFile } from "../../src/sources/source-objects.ts";
import { composeState, type SourceState } from "../../src/sources/source-state.ts";
import { readZoneFile } from "../../src/sources/zone-files.ts";
import { address, network } from "../geo/addresses.ts";
import { Dice } from "./dice.ts";
import { databaseFile, type GeneratedOverride, overridesFile } from "./generators.ts";

/** What a world is compiled from; a generated one fits. */
export interface WorldInput {
  /** By path, under `zones/`. */
  readonly files: Readonly<Record<string, string>>;
  readonly overrides?: readonly GeneratedOverride[];
  readonly database?: MmdbContents;
  readonly trustedResolvers?: readonly string[];
  /** What load balancer hostnames resolve to; one that is missing is not resolved. */
  readonly hostnames?: ReadonlyMap<string, readonly string[]>;
}

/** A world that can be asked. */
export interface CompiledWorld {
  readonly snapshot: Snapshot;
  /** The snapshot's own services, to change them. */
  readonly services: ServiceTable;
  /** What the snapshot's tables were made from. */
  readonly locations: LocationMap;
}

/** Compiles a world. Throws if the readers or compilers see a problem in it. */
export function compileWorld(world: WorldInput): CompiledWorld {
  const state = sourceStateOf(world.files, (hostname) => {
    const addresses = world.hostnames?.get(hostname)?.map(address) ?? [];
    return { addresses, state: addresses.length > 0 ? "resolved" : "unresolved" };
  });
  const { clusters, services } = state.model;
  services.setSerial(1);
  const databases = compileDatabases(world.database ? [readMmdb(world.database)] : []);
  const locations = compileLocations([...clusters.values()], overridesOf(world), databases);
  const { snapshot, problems } = compileSnapshot({
    ...state,
    views: compileViews(locations, clusters),
    settings: testSettings(world.trustedResolvers),
  });
  refuse(problems);
  return { snapshot, services, locations };
}

/** What the sources make of files under `zones/`. Throws if there is a problem. */
export function sourceStateOf(
  files: Readonly<Record<string, string>>,
  resolveHostname: (hostname: string) => Resolution,
): SourceState {
  const entries = Object.entries(files);
  const composed = composeState(
    {
      zonesFolder: "zones",
      objectFiles: entries
        .filter(([file]) => !file.endsWith(".zone"))
        .map(([file, text]) =>
          readSourceFile(file, text, /clusters\/([^/]+)\/[^/]+$/.exec(file)?.[1]),
        ),
      zoneFiles: entries
        .filter(([file]) => file.endsWith(".zone"))
        .map(([file, text]) => readZoneFile(file, Buffer.from(text), "zones")),
      clusterFolders: new Map(),
    },
    resolveHostname,
  );
  if (!composed.ok) refuse(composed.problems);
  else return composed.state;
  throw new Error("cannot compile: there is neither a state nor a problem");
}

export function testSettings(trustedResolvers: readonly string[] = []): AnswerSettings {
  return {
    instance: "ns1",
    version: undefined,
    udpPayloadSize: 1232,
    tcpIdleSeconds: 10,
    trustedResolvers: trustedResolvers.map(network),
    cookieSecret: new Uint8Array(16),
    hasVotes: false,
  };
}

/** A state in which everything is up and nothing is rotated. */
export function healthyState(snapshot: Snapshot): AnswerState {
  return { snapshot, drained: new Set(), rotation: () => 0, health: () => 1 };
}

/**
 * A state with addresses that are down or ramp up, and drained clusters, all by the seed; one
 * seed in eight has everything down.
 */
export function stateBySeed(snapshot: Snapshot, seed: number, rotation = 0): AnswerState {
  const dice = new Dice(seed);
  const isAllDown = dice.chance(1 / 8);
  const drained = new Set(dice.some([...snapshot.model.clusters.keys()], 0.12));
  const probability = dice.pick([0, 0, 0.2, 0.5]);
  return {
    snapshot,
    drained,
    rotation: () => rotation,
    health: (service, cluster, address) => {
      if (isAllDown) return 0;
      const text = `${seed} ${service.name} ${cluster} ${formatAddress(address)}`;
      const chance = unitHash(text, address);
      if (chance < probability) return 0;
      return chance < probability * 1.3 ? 0.5 : 1;
    },
  };
}

function readMmdb(contents: MmdbContents): Database {
  const read = readDatabase(writeMmdb(contents), databaseFile);
  if (!read.ok) throw new Error(read.reason);
  return read.database;
}

function overridesOf({ overrides = [] }: WorldInput): Override[] {
  return overrides.map(({ network: text, latitude, longitude, ...rest }, at) => ({
    ...rest,
    network: network(text),
    ...(latitude !== undefined &&
      longitude !== undefined && { coordinates: { latitude, longitude } }),
    place: `${overridesFile}:${at + 1}:1`,
  }));
}

function refuse(problems: readonly Problem[]): void {
  if (problems.length > 0) throw new Error(problems.map(formatProblem).join("\n"));
}
