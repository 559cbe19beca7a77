// Makes the state that is served of everything that files declare, or names every problem. Of a
// change it works out what it touches and nothing else. It takes what was read and hostnames as
// resolved; it must not read anything itself.

import { isDeepStrictEqual } from "node:util";
import type { ClusterObject } from "../config/federation-schemas.ts";
import { compareProblems, formatProblem, type Problem } from "../config/problem.ts";
import { type Cluster, type Federation, serviceKey } from "../federation/model.ts";
import type { ServiceReader } from "../federation/service-reader.ts";
import type { ServicePolicy } from "../federation/service-shape.ts";
import type { ServiceTable } from "../federation/service-table.ts";
import type { Model } from "../federation/whole-model.ts";
import type { BuiltZone } from "../zone/build.ts";
import type { LocatedRecord } from "../zone/master-file.ts";
import { checkFederatedNames, checkSpellings } from "./check-names.ts";
import { checkObjects } from "./check-objects.ts";
import { addressedNamesOf, type ComposedZones, composeZones } from "./compose-zones.ts";
import {
  clustersOf,
  federationOf,
  policyOf,
  type Resolution,
  type ResolveHostname,
} from "./merge.ts";
import { ObjectIndex } from "./object-index.ts";
import { PendingServices } from "./pending-services.ts";
import { type Changes, loadingPolicy, ServiceKeeper } from "./service-changes.ts";
import type { SourceFile, SourceObject } from "./source-objects.ts";
import { type StreamedFile, StreamedServices, type Suspicion } from "./streamed-file.ts";
import { suspicionOf } from "./suspicion.ts";
import type { ZoneFile } from "./zone-files.ts";

/** All that the sources say, whole. Services may change in it; all else is as it was. */
export interface SourceState {
  readonly model: Model<ServiceTable>;
  /** Zones of `.zone` files, by no order; none is the federation's own. */
  readonly zones: readonly BuiltZone[];
  /** Records that `.zone` files add to the federation's own zone. */
  readonly federationRecords: readonly LocatedRecord[];
  /** Kubernetes objects that are not read: how many of each kind. */
  readonly otherKinds: ReadonlyMap<string, number>;
  /** The load balancer hostnames of all services. */
  readonly hostnames: readonly string[];
}

/** Everything that was read of a zones folder. */
export interface SourceFiles {
  readonly zonesFolder: string;
  readonly objectFiles: readonly SourceFile[];
  readonly zoneFiles: readonly ZoneFile[];
  readonly streamedFiles?: readonly StreamedFile[];
  /** By NAME of a folder `clusters/NAME/`: the first file in it. */
  readonly clusterFolders: ReadonlyMap<string, string>;
}

/**
 * A state, which holds from `commit` on; or every problem. Until then nobody sees any change, and
 * `pending` is the model as it will be.
 */
export type StateResult =
  | {
      readonly ok: true;
      readonly state: SourceState;
      readonly pending: Model;
      readonly commit: () => Promise<void>;
    }
  | { readonly ok: false; readonly problems: readonly Problem[] };

export interface ComposerOptions {
  readonly resolveHostname: ResolveHostname;
  /** Lets others work between the steps of a large change. */
  readonly pause?: () => Promise<unknown>;
}

/** The state of all files together, or all problems of all files in order of place. */
export function composeState(files: SourceFiles, resolveHostname: ResolveHostname): StateResult {
  const composer = new SourceComposer({ resolveHostname });
  composer.update(files.objectFiles);
  return composer.compose(files);
}

/**
 * Composes again and again. The first state's services go into its table at once: nobody has it
 * yet. If that state has problems, the table is of no more use, and so is the composer.
 */
export class SourceComposer {
  readonly #services = new ServiceKeeper();
  readonly #resolveHostname: ResolveHostname;
  readonly #pause: () => Promise<unknown>;
  readonly #index = new ObjectIndex();
  #objectFiles: ReadonlySet<SourceFile> = new Set();
  /** What the services' hostnames were resolved to when they were last merged. */
  readonly #resolutions = new Map<string, Resolution>();
  /** Services that may not be in the table as they should be. */
  readonly #dirty = new Set<string>();
  #frame: Frame | undefined;
  #zones: Zones | undefined;
  #streams: Streams = { files: [], services: new StreamedServices([]), repeated: new Map() };
  #committed: Committed | undefined;

  constructor(options: ComposerOptions) {
    this.#resolveHostname = options.resolveHostname;
    this.#pause = options.pause ?? (() => Promise.resolve());
  }

  /** The services in memory, for plain ones to be loaded into. */
  get table(): ServiceTable {
    return this.#services.table;
  }

  /** Takes in which objects there are now. */
  update(objectFiles: readonly SourceFile[]): void {
    const next = new Set(objectFiles);
    for (const file of this.#objectFiles) {
      if (!next.has(file)) this.#index.replace(file.objects, []);
    }
    for (const file of next) {
      if (!this.#objectFiles.has(file)) this.#index.replace([], file.objects);
    }
    this.#objectFiles = next;
    for (const key of this.#index.touched) this.#dirty.add(key);
    this.#index.touched.clear();
  }

  /** What plain services are read by: endpoint filters, and the policy of the first reading. */
  rules(): PlainRules {
    const { clusters, policy } = this.#frameNow();
    return { clusters, policy: policy && loadingPolicy(policy) };
  }

  /** The state of these files; `update` has seen all objects, `suspects` are told by `suspicion`. */
  compose(files: SourceFiles, suspects: readonly SourceFile[] = []): StateResult {
    const frame = this.#frameNow();
    this.#touch(frame, files.streamedFiles ?? []);
    const zones = this.#zonesOf(files.zoneFiles, frame);
    const problems = this.#problemsOf(files, frame, zones, suspects);
    const { federation, clusters, federationObject } = frame;
    if (!federation || !federationObject?.value || problems.length > 0) {
      return { ok: false, problems: sorted(problems) };
    }
    const changes = this.#services.changes(this.#dirty, {
      index: this.#index,
      rules: { federation: federationObject.value, clusters, resolveHostname: this.#resolved },
      streams: this.#streams,
    });
    const isFirst = this.#committed === undefined;
    if (isFirst) this.#services.load(changes);
    const services = isFirst
      ? this.table
      : new PendingServices(this.table, changes.put, changes.deleted);
    const pending = { federation, clusters, services };
    const keys = this.#keysToCheck(frame, services);
    const nameProblems = checkFederatedNames(pending, keys, federationObject, files.zoneFiles);
    if (nameProblems.length > 0) return { ok: false, problems: sorted(nameProblems) };

    const state = this.#stateOf(frame, federation, zones, changes);
    if (isFirst) this.#settle(frame, state);
    const commit = isFirst ? async () => {} : () => this.#commit(changes, frame, state);
    return { ok: true, state, pending, commit };
  }

  /**
   * Which plain services may have problems; `undefined` if none. Their objects are then wanted by
   * `compose`, so that their problems are told as any others.
   */
  suspicion(files: SourceFiles): Suspicion | undefined {
    const frame = this.#frameNow();
    this.#touch(frame, files.streamedFiles ?? []);
    const isCommitted = this.#committed?.streams === this.#streams;
    return suspicionOf({
      ...this.#streams,
      index: this.#index,
      keys: isCommitted ? this.#dirty : this.#index.services.keys(),
      federation: frame.federationObject?.value,
      clusterFolders: files.clusterFolders,
      isComplete: files.objectFiles.every((each) => each.isComplete),
    });
  }

  #frameNow(): Frame {
    const object = this.#index.federations[0]?.object;
    const clusterObjects = this.#index.clusters.map(({ object: { value } }) => value);
    const known = this.#frame;
    if (
      known !== undefined &&
      known.federationObject === object &&
      isSameList(known.clusterObjects, clusterObjects)
    ) {
      return known;
    }
    const declared = object?.value;
    this.#frame = {
      federationObject: object,
      clusterObjects,
      federation: declared && federationOf(declared),
      clusters: clustersOf(this.#index.clusters.map((each) => each.object)),
      policy: declared && policyOf(declared, undefined),
    };
    return this.#frame;
  }

  /** What a hostname was resolved to when this reading began. */
  readonly #resolved: ResolveHostname = (hostname) =>
    this.#resolutions.get(hostname) ?? this.#resolveHostname(hostname);

  #zonesOf(zoneFiles: readonly ZoneFile[], frame: Frame): Zones {
    const known = this.#zones;
    if (known && known.frame === frame && isSameList(known.files, zoneFiles)) return known;
    const composed = composeZones(zoneFiles, frame.federation?.domain);
    const addressedNames = addressedNamesOf(composed.federationRecords);
    this.#zones = { files: zoneFiles, frame, composed, addressedNames };
    return this.#zones;
  }

  /** The last state, if nothing is different in it. */
  #stateOf(frame: Frame, federation: Federation, zones: Zones, changes: Changes): SourceState {
    const last = this.#committed?.state;
    const isSameFrame = this.#committed?.frame === frame;
    const otherKinds = countEach([...this.#objectFiles].flatMap((each) => each.otherKinds));
    const { zones: built, federationRecords } = zones.composed;
    const isSame =
      isSameFrame &&
      changes.isNone &&
      last?.zones === built &&
      last.federationRecords === federationRecords &&
      isDeepStrictEqual(last.otherKinds, otherKinds);
    if (last && isSame) return last;
    const { clusters } = frame;
    return {
      model: last && isSameFrame ? last.model : { federation, clusters, services: this.table },
      zones: built,
      federationRecords,
      otherKinds,
      hostnames: [...this.#index.servicesByHostname.keys()],
    };
  }

  /** Services whose names may newly be those of others. */
  *#keysToCheck({ federation }: Frame, services: ServiceReader): Generator<string> {
    if (this.#committed?.frame.federation === federation) {
      yield* this.#dirty;
    } else if (federation?.name === "svc") {
      for (const service of services.values()) yield serviceKey(service);
    }
  }

  /** Finds out which services may have changed since the last commit. */
  #touch(frame: Frame, streamedFiles: readonly StreamedFile[]): void {
    const { servicesByHostname, services, slices, policies } = this.#index;
    const committed = this.#committed;
    for (const [hostname, keys] of servicesByHostname) {
      const resolution = this.#resolveHostname(hostname);
      if (this.#resolutions.get(hostname) === resolution) continue;
      this.#resolutions.set(hostname, resolution);
      for (const key of keys) this.#dirty.add(key);
    }
    for (const hostname of this.#resolutions.keys()) {
      if (!servicesByHostname.has(hostname)) this.#resolutions.delete(hostname);
    }
    if (committed !== undefined && committed.frame !== frame) {
      for (const map of [services, slices, policies]) {
        for (const key of map.keys()) this.#dirty.add(key);
      }
    }
    if (isSameList(this.#streams.files, streamedFiles)) return;
    const streamed = new StreamedServices(streamedFiles);
    this.#streams = { files: streamedFiles, services: streamed, repeated: streamed.repeated() };
    for (const { fresh } of streamedFiles) {
      for (const { namespace, name } of fresh?.values() ?? []) {
        this.#dirty.add(`${namespace}/${name}`);
      }
    }
    if (committed === undefined) return;
    for (const key of this.#services.gone(committed.streams.services, streamed)) {
      this.#dirty.add(key);
    }
  }

  #problemsOf(
    { objectFiles, zoneFiles, zonesFolder, clusterFolders }: SourceFiles,
    frame: Frame,
    zones: Zones,
    suspects: readonly SourceFile[],
  ): Problem[] {
    const index = suspects.length > 0 ? indexWith(objectFiles, suspects) : this.#index;
    const isAll = suspects.length > 0 || this.#committed?.frame !== frame;
    const keys = isAll ? index.services.keys() : this.#dirty;
    const services = [...keys].flatMap((key) =>
      (index.services.get(key) ?? []).map(({ object }) => object),
    );
    const isComplete = objectFiles.every((each) => each.isComplete);
    const { addressedNames } = zones;
    return [
      ...objectFiles.flatMap((each) => each.problems),
      ...zoneFiles.flatMap((each) => each.problems),
      ...zones.composed.problems,
      ...checkSpellings(index.clusters.map(({ object }) => object)),
      ...checkObjects({ zonesFolder, index, services, clusterFolders, addressedNames, isComplete }),
    ];
  }

  async #commit(changes: Changes, frame: Frame, state: SourceState): Promise<void> {
    await this.#services.apply(changes, this.#pause);
    this.#settle(frame, state);
  }

  /** From here on the services in memory are as the files say. */
  #settle(frame: Frame, state: SourceState): void {
    for (const each of this.#streams.files) each.fresh = undefined;
    this.#dirty.clear();
    this.#committed = { frame, state, streams: this.#streams };
  }
}

/** What plain services are read by. */
export interface PlainRules {
  readonly clusters: ReadonlyMap<string, Cluster>;
  /** `undefined` where there is no Federation, so no state. */
  readonly policy: ServicePolicy | undefined;
}

/** Federation and clusters: the same object as long as they are. */
interface Frame {
  readonly federationObject: Extract<SourceObject, { kind: "Federation" }> | undefined;
  readonly clusterObjects: readonly (ClusterObject | undefined)[];
  readonly federation: Federation | undefined;
  readonly clusters: ReadonlyMap<string, Cluster>;
  /** Of a service without a policy of its own. */
  readonly policy: ServicePolicy | undefined;
}

interface Zones {
  readonly files: readonly ZoneFile[];
  readonly frame: Frame;
  readonly composed: ComposedZones;
  readonly addressedNames: ReadonlySet<string>;
}

interface Streams {
  readonly files: readonly StreamedFile[];
  readonly services: StreamedServices;
  readonly repeated: ReadonlyMap<string, ReadonlySet<string>>;
}

/** What the table is made of. */
interface Committed {
  readonly frame: Frame;
  readonly state: SourceState;
  readonly streams: Streams;
}

/** All objects with some that were read again, each file's in order of place. */
function indexWith(files: readonly SourceFile[], suspects: readonly SourceFile[]): ObjectIndex {
  const byFile = new Map<string, SourceObject[]>();
  for (const object of [...files, ...suspects].flatMap((each) => each.objects)) {
    const known = byFile.get(object.file);
    if (known) known.push(object);
    else byFile.set(object.file, [object]);
  }
  const index = new ObjectIndex();
  for (const objects of byFile.values()) {
    objects.sort(({ place: a }, { place: b }) => a.line - b.line || a.column - b.column);
    index.replace([], objects);
  }
  return index;
}

function isSameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((each, at) => each === b[at]);
}

function sorted(problems: readonly Problem[]): Problem[] {
  // A file that two files include has its problems twice.
  const byText = new Map(problems.map((problem) => [formatProblem(problem), problem]));
  return [...byText.values()].sort(compareProblems);
}

function countEach(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
