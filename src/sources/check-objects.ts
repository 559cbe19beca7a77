// What must hold between the objects of all files together: nothing twice, nothing that refers to
// what is not there, no name too long. It knows the objects as they were read; it reads nothing
// and changes nothing.

import type { ClusterObject, FederationObject } from "../config/federation-schemas.ts";
import { suggestion } from "../config/fields.ts";
import type { Problem } from "../config/problem.ts";
import type { Path, Place } from "../config/yaml-documents.ts";
import { formatNetwork } from "../dns/address.ts";
import { formatName, isSubdomain, maxNameLength, type Name, nameKey } from "../dns/name.ts";
import { serviceTtl } from "./merge.ts";
import type { ObjectIndex } from "./object-index.ts";
import type { SourceObject } from "./source-objects.ts";

/** The objects of all files, and what else is needed to judge them. */
export interface CheckedSources {
  /** The folder that everything was read from; the place of what is nowhere. */
  readonly zonesFolder: string;
  readonly index: ObjectIndex;
  /** The services whose names may be too long: the others were checked before. */
  readonly services: Iterable<ServiceObject>;
  /** By NAME of a folder `clusters/NAME/`: the first file in it. */
  readonly clusterFolders: ReadonlyMap<string, string>;
  /** Keys of the names that `.zone` files of the federation's domain give an address. */
  readonly addressedNames: ReadonlySet<string>;
  /** False if an object may be missing from `index`: then nothing is said to be absent. */
  readonly isComplete: boolean;
}

type ServiceObject = Extract<SourceObject, { kind: "Service" }>;

/** Every problem between objects, in no order. */
export function checkObjects(sources: CheckedSources): Problem[] {
  const { index, services } = sources;
  const own = index.ownObjects();
  return [
    ...checkDuplicates(index),
    ...(sources.isComplete ? checkPresence(sources) : []),
    ...checkNetworks(own),
    ...checkNameservers(own, sources.addressedNames),
    ...checkTtls(own),
    ...checkNameLengths(own, services),
  ];
}

/** One Federation; one object of a kind and name, for Kubernetes objects in each cluster. */
function checkDuplicates(index: ObjectIndex): Problem[] {
  const problems: Problem[] = [];
  for (const [first, ...others] of index.doubled()) {
    if (first === undefined) continue;
    const { file, place } = first.object;
    const where = `${file}:${place.line}:${place.column}`;
    for (const { object } of others) {
      const message =
        object.kind === "Federation"
          ? `cannot use ${title(object)}: a server has one Federation, the other is at ${where}`
          : `cannot use ${title(object)}: there are two, the other is at ${where}`;
      problems.push({ file: object.file, ...object.place, message });
    }
  }
  return problems;
}

/** There is a Federation; every cluster that anything is of has its object. */
function checkPresence({ zonesFolder, index, clusterFolders }: CheckedSources): Problem[] {
  const problems: Problem[] = [];
  if (index.federations.length === 0) {
    const message = "cannot serve: there is no Federation object";
    problems.push({ file: zonesFolder, line: 1, column: 1, message });
  }
  const clusters = index.clusters.map(({ object }) => object.name);
  const known = new Set(clusters);
  for (const [name, file] of clusterFolders) {
    if (known.has(name)) continue;
    const message = `cannot use folder clusters/${name}: there is no Cluster object "${name}"${suggestion(name, clusters)}`;
    problems.push({ file, line: 1, column: 1, message });
  }
  const isKnown = (cluster: string) => known.has(cluster) || clusterFolders.has(cluster);
  if ([...index.clusterCounts.keys()].every(isKnown)) return problems;
  for (const object of index.clusterObjects()) {
    const { cluster, file } = object;
    if (cluster === "" || isKnown(cluster)) continue;
    const message = `cannot use ${title(object)}: there is no Cluster object "${cluster}"${suggestion(cluster, clusters)}`;
    problems.push({ file, ...object.clusterPlace, message });
  }
  return problems;
}

/** No network is inside two clusters; that one holds another is fine, the longest prefix wins. */
function checkNetworks(objects: readonly SourceObject[]): Problem[] {
  const first = new Map<string, { name: string; file: string; place: Place }>();
  const problems: Problem[] = [];
  for (const object of objects) {
    if (object.kind !== "Cluster" || object.value === undefined) continue;
    const { name, file } = object;
    for (const [index, network] of object.value.spec.networks.entries()) {
      const text = formatNetwork(network);
      const place = object.placeOf(["spec", "networks", index]);
      const other = first.get(text);
      if (other === undefined) first.set(text, { name, file, place });
      else if (other.name !== name) {
        const where = `${other.file}:${other.place.line}:${other.place.column}`;
        const message = `cannot use Cluster "${name}": network ${text} is also in Cluster "${other.name}" at ${where}`;
        problems.push({ file, ...place, message });
      }
    }
  }
  return problems;
}

/** A name server inside the domain has addresses: nobody else could give them. */
function checkNameservers(
  objects: readonly SourceObject[],
  addressedNames: ReadonlySet<string>,
): Problem[] {
  const problems: Problem[] = [];
  for (const object of objects) {
    if (object.kind !== "Federation" || object.value === undefined) continue;
    const { domain, nameservers } = object.value.spec;
    for (const [index, { name, addresses }] of nameservers.entries()) {
      const isOurs = isSubdomain(name, domain);
      if (!isOurs || addresses.length > 0 || addressedNames.has(nameKey(name))) continue;
      const message = `cannot use Federation "${object.name}": name server ${formatName(name)} is inside the domain and has no addresses`;
      const place = object.placeOf(["spec", "nameservers", index, "name"]);
      problems.push({ file: object.file, ...place, message });
    }
  }
  return problems;
}

/** The least TTL of a service is not above its greatest, wherever that comes from. */
function checkTtls(objects: readonly SourceObject[]): Problem[] {
  const federation = federationOf(objects);
  if (federation === undefined) return [];
  return objects.flatMap((object) => {
    if (object.kind !== "FederatedService" || object.value === undefined) return [];
    const ttl = serviceTtl(federation.spec.ttl, object.value.spec.ttl);
    if (ttl.minSeconds <= ttl.maxSeconds) return [];
    const message = `cannot use ${title(object)}: ttl.min is above ttl.max of the Federation, got ${ttl.minSeconds}, allowed 0 to ${ttl.maxSeconds}`;
    return [{ file: object.file, ...object.placeOf(["spec", "ttl", "min"]), message }];
  });
}

/** No generated name is longer than DNS allows. */
function checkNameLengths(
  objects: readonly SourceObject[],
  services: Iterable<ServiceObject>,
): Problem[] {
  const federation = federationOf(objects);
  if (federation === undefined) return [];
  const { domain } = federation.spec;
  const problems: Problem[] = [];
  const report = (object: SourceObject, path: Path, name: string, length: number): void => {
    if (length <= maxNameLength) return;
    const place = path.length > 0 ? object.placeOf(path) : object.place;
    const message = `cannot use ${title(object)}: ${name} is too long a name, got ${length} octets, allowed ${maxNameLength}`;
    problems.push({ file: object.file, ...place, message });
  };
  const clusters = new Map<string, ClusterObject>();
  for (const object of objects) {
    if (object.kind === "Federation") {
      report(object, ["spec", "domain"], "hostmaster.DOMAIN", nameLength(domain, ["hostmaster"]));
    }
    if (object.kind === "Cluster" && object.value) clusters.set(object.name, object.value);
  }
  for (const object of services) {
    if (object.value === undefined) continue;
    const { name, namespace, cluster } = object;
    const most = mostOctets(federation, cluster, clusters.get(cluster));
    const own = name.length + namespace.length;
    const port = longest((object.value.spec.ports ?? []).map((each) => each.name ?? "")).length;
    const names = {
      "CLUSTER.SERVICE.NAMESPACE.FEDERATION.DOMAIN": own - most.name,
      "_PORT._tcp.SERVICE.NAMESPACE.FEDERATION.svc.ZONE.REGION.DOMAIN":
        own + portOctets(port) - most.withPort,
    };
    for (const [form, octets] of Object.entries(names)) {
      report(object, [], form, maxNameLength + octets);
    }
  }
  return problems;
}

/**
 * How many octets name and namespace of a service may have together, and how many with
 * `portOctets` of its longest port, so that no name in this cluster is too long.
 */
export function mostOctets(
  { metadata, spec: { domain } }: FederationObject,
  cluster: string,
  object: ClusterObject | undefined,
): { name: number; withPort: number } {
  const service = ["", "", metadata.name];
  const place = [longest(object?.spec.zones ?? []), object?.spec.region ?? ""];
  const labels = [...service, "svc", ...place.filter((label) => label !== "")];
  return {
    name: maxNameLength - nameLength(domain, [cluster, ...service]),
    withPort: maxNameLength - nameLength(domain, labels),
  };
}

/** Octets that `_PORT._tcp` adds to a name, by those of PORT. */
export function portOctets(port: number): number {
  return port === 0 ? 0 : port + "._._tcp".length;
}

function nameLength(domain: Name, labels: readonly string[]): number {
  return labels.reduce((length, label) => length + label.length + 1, domain.length);
}

function longest(texts: readonly string[]): string {
  return texts.reduce((best, each) => (each.length > best.length ? each : best), "");
}

function federationOf(objects: readonly SourceObject[]) {
  for (const object of objects) if (object.kind === "Federation") return object.value;
  return undefined;
}

function title({ kind, namespace, name }: SourceObject): string {
  return `${kind} "${namespace === "" ? name : `${namespace}/${name}`}"`;
}
