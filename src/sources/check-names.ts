// What must hold between the names that a federation publishes and everything else that has
// names: nothing published twice, nothing put out of reach. It knows objects, model and zones as
// they were read; it reads nothing and changes nothing.

import type { Problem } from "../config/problem.ts";
import { formatName, isSubdomain, nameKey, namesEqual } from "../dns/name.ts";
import type { Model } from "../federation/model.ts";
import { federatedNames } from "../federation/names.ts";
import type { SourceObject } from "./source-objects.ts";
import type { ZoneFile } from "./zone-files.ts";

/**
 * Regions, and zones of a region, that differ in case only: DNS cannot tell their names apart
 * (RFC 4343), although routing does.
 */
export function checkSpellings(objects: readonly SourceObject[]): Problem[] {
  const first = new Map<string, { text: string; where: string }>();
  const problems: Problem[] = [];
  for (const object of objects) {
    if (object.kind !== "Cluster" || object.value === undefined) continue;
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

/** Federated names that are equal, that a name server has, or that lie in another zone of ours. */
export function checkFederatedNames(
  model: Model,
  objects: readonly SourceObject[],
  zoneFiles: readonly ZoneFile[],
): Problem[] {
  const federation = objects.find((each) => each.kind === "Federation");
  if (!federation) return [];
  const { name, file, place, placeOf } = federation;
  const { domain, nameservers } = model.federation;
  const zones = zoneFiles.flatMap(({ file, origin }) =>
    origin && isSubdomain(origin, domain) && !namesEqual(origin, domain) ? [{ file, origin }] : [],
  );
  const owners = new Map<string, string>();
  const coveredBy = new Map<string, Problem>();
  const problems: Problem[] = [];
  for (const [owner, { service }] of federatedNames(model)) {
    const key = `${service.namespace}/${service.name}`;
    const other = owners.get(nameKey(owner));
    if (other !== undefined) {
      const message = `cannot use Federation "${name}": ${formatName(owner)} is a name of service ${other} and of service ${key}`;
      problems.push({ file, ...place, message });
    }
    owners.set(nameKey(owner), key);
    for (const zone of zones) {
      if (coveredBy.has(zone.file) || !isSubdomain(owner, zone.origin)) continue;
      const message = `cannot use zone ${formatName(zone.origin)}: the name ${formatName(owner)} of service ${key} lies in it`;
      coveredBy.set(zone.file, { file: zone.file, line: 1, column: 1, message });
    }
  }
  for (const [index, { name: server }] of nameservers.entries()) {
    const key = owners.get(nameKey(server));
    if (key === undefined) continue;
    const message = `cannot use Federation "${name}": name server ${formatName(server)} has a name of service ${key}`;
    problems.push({ file, ...placeOf(["spec", "nameservers", index, "name"]), message });
  }
  return [...problems, ...coveredBy.values()];
}
