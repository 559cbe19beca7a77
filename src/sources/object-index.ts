// The objects that files declare, found by what merging and checking ask for: by service, by
// name, by kind. A change of one file touches what stands in that file and nothing else; which
// services that is stays written down. It must not know files' syntax or what is merged of it.

import { type KubernetesService, serviceNameLabel } from "./kubernetes.ts";
import type { SourceObject } from "./source-objects.ts";

type ObjectOf<Kind extends SourceObject["kind"]> = Extract<SourceObject, { kind: Kind }>;

/** An object and its number in its file. */
export interface IndexedObject<Object extends SourceObject = SourceObject> {
  readonly object: Object;
  readonly order: number;
}

/** Objects that are alike in some way, in order of file and of their place in it. */
type Bucket<Object extends SourceObject> = IndexedObject<Object>[];

/** All maps by service key are by `namespace/name`. */
export class ObjectIndex {
  readonly federations: Bucket<ObjectOf<"Federation">> = [];
  readonly clusters: Bucket<ObjectOf<"Cluster">> = [];
  readonly policies = new Map<string, Bucket<ObjectOf<"FederatedService">>>();
  readonly services = new Map<string, Bucket<ObjectOf<"Service">>>();
  readonly slices = new Map<string, Bucket<ObjectOf<"EndpointSlice">>>();
  /** The services that have a load balancer's hostname. */
  readonly servicesByHostname = new Map<string, Set<string>>();
  /** How many Kubernetes objects each cluster has. */
  readonly clusterCounts = new Map<string, number>();
  /** By what must not be there twice, whatever has that name. */
  readonly #named = new Map<string, Bucket<SourceObject>>();
  readonly #doubled = new Set<string>();
  /** Keys of the services that objects were added to or taken from; who has seen to them clears it. */
  readonly touched = new Set<string>();

  /** Takes a file's former objects out and puts its new ones in. */
  replace(former: readonly SourceObject[], next: readonly SourceObject[]): void {
    for (const object of former) this.#remove(object);
    for (const [order, object] of next.entries()) this.#add({ object, order });
  }

  /** Objects of one name, two or more of them. */
  *doubled(): Generator<readonly IndexedObject[]> {
    for (const name of this.#doubled) {
      const bucket = this.#named.get(name);
      if (bucket) yield bucket;
    }
  }

  /** Objects of our own kinds: there are few of them. */
  ownObjects(): SourceObject[] {
    return [...this.federations, ...this.clusters, ...[...this.policies.values()].flat()].map(
      ({ object }) => object,
    );
  }

  /** All objects that belong to a cluster. */
  *clusterObjects(): Generator<SourceObject> {
    for (const bucket of this.services.values()) for (const { object } of bucket) yield object;
    for (const bucket of this.slices.values()) for (const { object } of bucket) yield object;
  }

  #add(added: IndexedObject): void {
    const { object } = added;
    const name = uniqueName(object);
    if (name !== undefined) {
      const bucket = insert(this.#named, name, added);
      if (bucket.length > 1) this.#doubled.add(name);
    }
    const key = serviceOf(object);
    if (key !== undefined) this.touched.add(key);
    if (object.kind === "Federation") insertSorted(this.federations, { ...added, object });
    if (object.kind === "Cluster") insertSorted(this.clusters, { ...added, object });
    if (key === undefined) return;
    if (object.kind === "FederatedService") insert(this.policies, key, { ...added, object });
    if (object.kind === "EndpointSlice") insert(this.slices, key, { ...added, object });
    if (object.kind === "Service") {
      insert(this.services, key, { ...added, object });
      for (const hostname of object.value ? hostnamesOf(object.value) : []) {
        const known = this.servicesByHostname.get(hostname);
        if (known) known.add(key);
        else this.servicesByHostname.set(hostname, new Set([key]));
      }
    }
    this.#countCluster(object, 1);
  }

  #remove(object: SourceObject): void {
    const name = uniqueName(object);
    if (name !== undefined) {
      const left = take(this.#named, name, object);
      if (left < 2) this.#doubled.delete(name);
    }
    if (object.kind === "Federation") takeFrom(this.federations, object);
    if (object.kind === "Cluster") takeFrom(this.clusters, object);
    const key = serviceOf(object);
    if (key === undefined) return;
    this.touched.add(key);
    if (object.kind === "FederatedService") take(this.policies, key, object);
    if (object.kind === "EndpointSlice") take(this.slices, key, object);
    if (object.kind === "Service") {
      take(this.services, key, object);
      for (const hostname of object.value ? hostnamesOf(object.value) : []) {
        if (this.#hasHostname(key, hostname)) continue;
        const known = this.servicesByHostname.get(hostname);
        known?.delete(key);
        if (known?.size === 0) this.servicesByHostname.delete(hostname);
      }
    }
    this.#countCluster(object, -1);
  }

  #hasHostname(key: string, hostname: string): boolean {
    return (this.services.get(key) ?? []).some(
      ({ object: { value } }) => value && hostnamesOf(value).includes(hostname),
    );
  }

  #countCluster({ cluster }: SourceObject, by: 1 | -1): void {
    if (cluster === "") return;
    const count = (this.clusterCounts.get(cluster) ?? 0) + by;
    if (count === 0) this.clusterCounts.delete(cluster);
    else this.clusterCounts.set(cluster, count);
  }
}

/** The load balancer hostnames of a service, each once, in order. */
export function hostnamesOf({ spec, status }: KubernetesService): string[] {
  if (spec.type === "ExternalName") return [];
  const hostnames = (status?.loadBalancer?.ingress ?? []).flatMap((each) => each.hostname ?? []);
  return hostnames.length < 2 ? hostnames : [...new Set(hostnames)].sort();
}

/** What must not be there twice; `undefined` for what may have no name, or has a bad one. */
function uniqueName({ kind, cluster, namespace, name }: SourceObject): string | undefined {
  if (name === "") return undefined; // reported when it was read; slices may have none
  return kind === "Federation" ? kind : `${kind} ${cluster} ${namespace} ${name}`;
}

/** The key of the service that an object says something of. */
function serviceOf(object: SourceObject): string | undefined {
  const { kind, namespace, name, value } = object;
  if (kind === "Service" || kind === "FederatedService") return `${namespace}/${name}`;
  if (kind !== "EndpointSlice") return undefined;
  return `${namespace}/${value?.metadata.labels[serviceNameLabel] ?? ""}`;
}

function insert<Object extends SourceObject>(
  buckets: Map<string, Bucket<Object>>,
  key: string,
  added: IndexedObject<Object>,
): Bucket<Object> {
  const bucket = buckets.get(key);
  if (bucket === undefined) {
    const made = [added];
    buckets.set(key, made);
    return made;
  }
  insertSorted(bucket, added);
  return bucket;
}

function insertSorted<Object extends SourceObject>(
  bucket: Bucket<Object>,
  added: IndexedObject<Object>,
): void {
  let at = bucket.length;
  while (at > 0 && isBefore(added, bucket[at - 1])) at--;
  bucket.splice(at, 0, added);
}

function isBefore(a: IndexedObject, b: IndexedObject | undefined): boolean {
  if (b === undefined || a.object.file !== b.object.file) {
    return b !== undefined && a.object.file < b.object.file;
  }
  return a.order < b.order;
}

/** Takes an object out; how many are left beside it. */
function take<Object extends SourceObject>(
  buckets: Map<string, Bucket<Object>>,
  key: string,
  object: Object,
): number {
  const bucket = buckets.get(key);
  if (bucket === undefined) return 0;
  takeFrom(bucket, object);
  if (bucket.length === 0) buckets.delete(key);
  return bucket.length;
}

function takeFrom<Object extends SourceObject>(bucket: Bucket<Object>, object: Object): void {
  const at = bucket.findIndex((each) => each.object === object);
  if (at >= 0) bucket.splice(at, 1);
}
