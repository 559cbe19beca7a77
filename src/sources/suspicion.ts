// Finds out from hashes and lengths alone which plain services of large files may break a rule
// between objects. Who is suspected is read again and judged as any other object is.

import type { FederationObject } from "../config/federation-schemas.ts";
import { mostOctets } from "./check-objects.ts";
import type { ObjectIndex } from "./object-index.ts";
import { hashesOf } from "./service-hashes.ts";
import type { StreamedServices, Suspicion } from "./streamed-file.ts";

export interface SuspicionInput {
  readonly services: StreamedServices;
  /** As `services.repeated` gives it. */
  readonly repeated: ReadonlyMap<string, ReadonlySet<string>>;
  readonly index: ObjectIndex;
  /** Services with objects in the index that may be in `services` too. */
  readonly keys: Iterable<string>;
  readonly federation: FederationObject | undefined;
  readonly clusterFolders: ReadonlyMap<string, unknown>;
  /** False if an object may be missing: then no cluster is unknown. */
  readonly isComplete: boolean;
}

/**
 * Services that are there twice, of a cluster that there is not, or with too long a name;
 * `undefined` if there is none.
 */
export function suspicionOf(input: SuspicionInput): Suspicion | undefined {
  const doubled = doubledServices(input);
  const unknown = new Set<string>();
  const limits = new Map<string, { name: number; withPort: number }>();
  const { services, index, federation, clusterFolders, isComplete } = input;
  const clusters = new Map(index.clusters.map(({ object }) => [object.name, object.value]));
  for (const [cluster, streamed] of services.byCluster) {
    if (isComplete && !clusters.has(cluster) && !clusterFolders.has(cluster)) unknown.add(cluster);
    const limit = federation && mostOctets(federation, cluster, clusters.get(cluster));
    const isLong = streamed.some(
      ({ most }) => limit && (most.name > limit.name || most.withPort > limit.withPort),
    );
    if (limit && isLong) limits.set(cluster, limit);
  }
  if (doubled.size === 0 && unknown.size === 0 && limits.size === 0) return undefined;
  return (cluster, first, second, { name, withPort }) => {
    const limit = limits.get(cluster);
    return (
      unknown.has(cluster) ||
      doubled.get(cluster)?.has(`${first} ${second}`) === true ||
      (limit !== undefined && (name > limit.name || withPort > limit.withPort))
    );
  };
}

/** By cluster: hashes of services that stand in large files twice, or also in a small one. */
function doubledServices({ services, repeated, index, keys }: SuspicionInput) {
  const doubled = new Map<string, Set<string>>();
  for (const [cluster, hashes] of repeated) doubled.set(cluster, new Set(hashes));
  for (const key of keys) {
    for (const { object } of index.services.get(key) ?? []) {
      const hashes = hashesOf(key);
      if (!services.has(object.cluster, ...hashes)) continue;
      const known = doubled.get(object.cluster) ?? new Set();
      doubled.set(object.cluster, known.add(hashes.join(" ")));
    }
  }
  return doubled;
}
