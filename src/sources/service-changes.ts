// Keeps the services in memory as the files say: works out of services that may have changed which
// really did, and makes those changes when all of them are found good. It must not know files.

import { isDeepStrictEqual } from "node:util";
import { type ServiceInCluster, serviceKey } from "../federation/model.ts";
import type { ServicePolicy } from "../federation/service-shape.ts";
import { ServiceTable } from "../federation/service-table.ts";
import { type MergeRules, mergedService, policyOf } from "./merge.ts";
import type { ObjectIndex } from "./object-index.ts";
import { hashesOf } from "./service-hashes.ts";
import type { StreamedFile, StreamedServices } from "./streamed-file.ts";

/** How many services are changed at a stretch. */
const stretch = 500;

/** What is different in memory from what the files say. */
export interface Changes {
  /** Services as they will be, whole. */
  readonly put: ServiceTable;
  readonly deleted: ReadonlySet<string>;
  /** Of services that may have changed: plain entries that have slices, as they are without. */
  readonly bases: ReadonlyMap<string, readonly ServiceInCluster[]>;
  /** The policy of services without one of their own; its `former` gives way in all of them. */
  readonly policy: { readonly former: ServicePolicy | undefined; readonly next: ServicePolicy };
  readonly isNone: boolean;
}

/** What services are made of. */
export interface ServiceSources {
  readonly index: ObjectIndex;
  readonly rules: MergeRules;
  readonly streams: {
    readonly files: readonly StreamedFile[];
    readonly services: StreamedServices;
  };
}

/** The services in memory, and what of large files is not in it. */
export class ServiceKeeper {
  readonly table = new ServiceTable();
  /** Plain entries that have slices, as they are without, by service. */
  readonly #bases = new Map<string, readonly ServiceInCluster[]>();
  #policy: ServicePolicy | undefined;

  /** Merges services that may have changed, and sorts out which did. */
  changes(keys: Iterable<string>, sources: ServiceSources): Changes {
    const next = policyOf(sources.rules.federation, undefined);
    const former = isDeepStrictEqual(this.#policy, next) ? undefined : this.#policy;
    const put = new ServiceTable();
    const deleted = new Set<string>();
    const bases = new Map<string, readonly ServiceInCluster[]>();
    for (const key of keys) {
      const streamed = this.#streamedEntries(key, sources);
      const slices = sources.index.slices.get(key) ?? [];
      const hasSlices = ({ cluster }: ServiceInCluster) =>
        slices.some(({ object }) => object.cluster === cluster);
      bases.set(key, streamed.filter(hasSlices));
      const service = mergedService(key, sources.index, sources.rules, streamed);
      const known = this.table.get(key);
      if (service === undefined) {
        if (known !== undefined) deleted.add(key);
      } else if (former !== undefined || !isDeepStrictEqual(service, known)) {
        // One whose own policy is the federation's former one must not be taken for others.
        put.put(service);
      }
    }
    const isNone = put.size === 0 && deleted.size === 0 && former === undefined;
    return { put, deleted, bases, policy: { former, next }, isNone };
  }

  /** Makes changes in the table that others read; they may work between the steps. */
  async apply(changes: Changes, pause: () => Promise<unknown>): Promise<void> {
    const { former, next } = changes.policy;
    if (former) this.#replacePolicy(former, next);
    let count = 0;
    for (const key of changes.deleted) {
      this.table.delete(key);
      if (++count % stretch === 0) await pause();
    }
    for (const service of changes.put.values()) {
      this.table.put(service);
      if (++count % stretch === 0) await pause();
    }
    this.#keep(changes);
  }

  /** Makes the first changes, in a table that nobody reads and that holds plain services. */
  load(changes: Changes): void {
    for (const key of changes.deleted) this.table.delete(key);
    for (const service of changes.put.values()) this.table.put(service);
    const { next } = changes.policy;
    this.#replacePolicy(loadingPolicy(next), next);
    this.#keep(changes);
  }

  #replacePolicy(former: ServicePolicy, next: ServicePolicy): void {
    this.table.replacePolicy(this.table.internPolicy(former), this.table.internPolicy(next));
  }

  #keep({ bases, policy }: Changes): void {
    for (const [key, entries] of bases) {
      if (entries.length > 0) this.#bases.set(key, entries);
      else this.#bases.delete(key);
    }
    this.#policy = policy.next;
  }

  /** What clusters say of a service in large files, slices left out. */
  #streamedEntries(key: string, { streams }: ServiceSources): ServiceInCluster[] {
    const entries: ServiceInCluster[] = [];
    if (streams.files.length === 0) return entries;
    const hashes = hashesOf(key);
    for (const cluster of streams.services.byCluster.keys()) {
      if (!streams.services.has(cluster, ...hashes)) continue;
      const isOf = (each: ServiceInCluster) => each.cluster === cluster;
      const fresh = streams.files.flatMap((each) => each.fresh?.get(key)?.clusters ?? []);
      const found =
        fresh.find(isOf) ??
        this.#bases.get(key)?.find(isOf) ??
        this.table.get(key)?.clusters.find(isOf);
      if (!found) throw new Error(`cannot find a service that was read, got ${key} in ${cluster}`);
      entries.push(found);
    }
    return entries;
  }

  /** The services that were in some large files and are no more in these. */
  *gone(former: StreamedServices, next: StreamedServices): Generator<string> {
    if (former.isWithin(next)) return;
    for (const service of this.table.values()) {
      const key = serviceKey(service);
      const hashes = hashesOf(key);
      const isGone = service.clusters.some(
        ({ cluster }) => former.has(cluster, ...hashes) && !next.has(cluster, ...hashes),
      );
      if (isGone) yield key;
    }
  }
}

/** The policy that plain services are loaded with: room for health is made at the end, for all of them. */
export function loadingPolicy(policy: ServicePolicy): ServicePolicy {
  return { ...policy, healthCheck: undefined };
}
