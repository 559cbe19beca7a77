// What must hold between the names that a federation publishes and everything else that has
// names: nothing published twice, nothing put out of reach. It knows objects, model and zones as
// they were read; it reads nothing and changes nothing.

import type { Problem } from "../config/problem.ts";
import { formatName, isSubdomain, type Name, nameKey, namesEqual } from "../dns/name.ts";
import { type Service, serviceKey } from "../federation/model.ts";
import { clusterName, FederatedNames } from "../federation/names.ts";
import type { Model } from "../federation/whole-model.ts";
import type { SourceObject } from "./source-objects.ts";
import type { ZoneFile } from "./zone-files.ts";

type ClusterObject = Extract<SourceObject, { kind: "Cluster" }>;

/**
 * Regions, and zones of a region, that differ in case only: DNS cannot tell their names apart
 * (RFC 4343), although routing does.
 */
export function checkSpellings(objects: readonly ClusterObject[]): Problem[] {
  const first = new Map<string, { text: string; where: string }>();
  const problems: Problem[] = [];
  for (const object of objects) {
    if (object.value === undefined) continue;
    const { region = "", zones } = object.value.spec;
    const words = [
      { kind: "region", text: region, key: region, path: ["spec", "region"] },
      ...zones.map((zone, index) => ({
        kind: "zone",
        text: zone,
        key: `${zone}.${region}`,
        path: ["spec", "zones", index],
      })),
    ];
    for (const { kind, text, key, path } of words) {
      const { line, column } = object.placeOf(path);
      const other = first.get(key.toLowerCase());
      if (other === undefined) {
        first.set(key.toLowerCase(), { text, where: `${object.file}:${line}:${column}` });
      } else if (other.text !== text) {
        const message = `cannot use Cluster "${object.name}": ${kind} "${text}" differs in case only from "${other.text}" at ${other.where}`;
        problems.push({ file: object.file, line, column, message });
      }
    }
  }
  return problems;
}

/**
 * Federated names that are equal, that a name server has, or that lie in another zone of ours.
 * @param keys of the services that may have equal names: the others were checked before.
 */
export function checkFederatedNames(
  model: Model,
  keys: Iterable<string>,
  { name, file, place, placeOf }: SourceObject,
  zoneFiles: readonly ZoneFile[],
): Problem[] {
  const { domain, nameservers } = model.federation;
  const names = new FederatedNames(model.federation, model.clusters.values(), model.services);
  const problems: Problem[] = [];
  for (const { owner, services } of equalNames(model, keys)) {
    const message = `cannot use Federation "${name}": ${formatName(owner)} is a name of service ${services.join(" and of service ")}`;
    problems.push({ file, ...place, message });
  }
  for (const { file, origin } of zoneFiles) {
    if (!origin || !isSubdomain(origin, domain) || namesEqual(origin, domain)) continue;
    const found = names.find(origin);
    if (found === undefined) continue;
    const whose =
      found === "empty"
        ? "federated services have names"
        : `service ${serviceKey(found.service)} has a name`;
    const message = `cannot use zone ${formatName(origin)}: ${whose} in it`;
    problems.push({ file, line: 1, column: 1, message });
  }
  for (const [index, { name: server }] of nameservers.entries()) {
    const found = names.find(server);
    if (found === undefined || found === "empty") continue;
    const message = `cannot use Federation "${name}": name server ${formatName(server)} has a name of service ${serviceKey(found.service)}`;
    problems.push({ file, ...placeOf(["spec", "nameservers", index, "name"]), message });
  }
  return problems;
}

/**
 * Names that two services would have. Only in a federation called `svc` there are any: a cluster's
 * name for a service of namespace `svc`, `C.S.svc.svc.D`, is the global name of service C in
 * namespace S. In all other forms the labels that are fixed stand in different places.
 */
function equalNames(
  { federation, services }: Model,
  keys: Iterable<string>,
): { owner: Name; services: string[] }[] {
  if (federation.name !== "svc") return [];
  const found = new Map<string, { owner: Name; services: string[] }>();
  const compare = (service: Service | undefined, cluster: string): void => {
    const other = service && services.get(`${service.name}/${cluster}`);
    if (!other || !service.clusters.some((each) => each.cluster === cluster)) return;
    const owner = clusterName(federation, service, cluster);
    found.set(nameKey(owner), { owner, services: [serviceKey(service), serviceKey(other)] });
  };
  for (const key of keys) {
    const slash = key.indexOf("/");
    const [namespace, name] = [key.slice(0, slash), key.slice(slash + 1)];
    // A service may be either of two that have one name, or both.
    compare(services.get(`svc/${namespace}`), name);
    if (namespace !== "svc") continue;
    const service = services.get(key);
    for (const { cluster } of service?.clusters ?? []) compare(service, cluster);
  }
  return [...found.values()];
}
