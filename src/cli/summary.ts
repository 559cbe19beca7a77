// What a server holds, in a few lines, and queries to try on it. It must not know where the world
// came from.

import { formatNetwork } from "../dns/address.ts";
import { formatName, nameOf } from "../dns/name.ts";
import { type Service, serviceKey } from "../federation/model.ts";
import type { ServiceReader } from "../federation/service-reader.ts";
import type { Model } from "../federation/whole-model.ts";
import type { ListenAddress } from "../server/listener.ts";
import type { World } from "./world.ts";

/** What is served, a line for each kind of thing. */
export function summaryLines(world: World): string[] {
  const { model, zones, federationRecords, otherKinds } = world.sources;
  const { federation, clusters, services } = model;
  const clusterTexts = [...clusters.values()].map(
    ({ name, region }) => `${name}${region === "" ? "" : ` (${region})`}`,
  );
  const lines = [
    `federation ${federation.name}, domain ${formatName(federation.domain)}`,
    `${count(clusters.size, "cluster")}: ${clusterTexts.join(", ") || "none"}`,
    `${count(services.size, "service")}: ${shortList(someKeys(services), services.size)}`,
  ];
  if (zones.length > 0) {
    const apexes = zones.map((zone) => formatName(zone.apex));
    lines.push(`${count(zones.length, "zone")} from master files: ${shortList(apexes)}`);
  }
  if (federationRecords.length > 0) {
    lines.push(`${count(federationRecords.length, "record")} from master files in the domain`);
  }
  if (otherKinds.size > 0) {
    const kinds = [...otherKinds].map(([kind, number]) => `${number} ${kind}`);
    lines.push(`not read: ${kinds.join(", ")}`);
  }
  lines.push(
    `geo: ${world.databaseNames.join(", ") || "no database"}, ${count(world.overrideCount, "override")}`,
  );
  return lines;
}

/** The most services that are put in order only to show the first few. */
const mostSorted = 1000;

function someKeys(services: ServiceReader): string[] {
  const keys: string[] = [];
  for (const service of services.values()) {
    keys.push(serviceKey(service));
    if (keys.length > mostSorted) break;
  }
  return keys.sort();
}

/** Two queries for the first service: one from inside a cluster where this machine can, one by ECS. */
export function digLines(model: Model, [listen]: readonly ListenAddress[]): string[] {
  const service = firstPlaced(model.services);
  if (!service || !listen) return [];
  const { federation } = model;
  const name = nameOf([service.name, service.namespace, federation.name], federation.domain);
  const server = `dig @${anyToLoopback(listen.address)} -p ${listen.port}`;
  const text = formatName(name).slice(0, -1);
  const inside = loopbackClient(model, listen);
  const port = service.clusters.flatMap((each) => each.ports).find((each) => each.name !== "");
  const second = port ? `_${port.name}._${port.protocol}.${text} SRV` : text;
  return [
    inside
      ? `${server} -b ${inside.address} ${text}   # as a client inside ${inside.cluster}`
      : `${server} ${text}`,
    `${server} +subnet=81.2.69.0/24 ${second}   # as a client in London`,
  ];
}

/** The first service in order of its key that any cluster runs, of as many as are put in order. */
function firstPlaced(services: ServiceReader): Service | undefined {
  for (const key of someKeys(services)) {
    const service = services.get(key);
    if (service && service.clusters.length > 0) return service;
  }
  return undefined;
}

/** An address of this machine that lies in a cluster's networks, if the server is on loopback too. */
function loopbackClient(
  { clusters }: Model,
  listen: ListenAddress,
): { cluster: string; address: string } | undefined {
  if (!listen.address.startsWith("127.")) return undefined;
  for (const { name, networks } of clusters.values()) {
    const loopback = networks.find((each) => each.address.length === 4 && each.address[0] === 127);
    if (!loopback) continue;
    const address = Uint8Array.from(loopback.address);
    address[3] = (address[3] ?? 0) | (loopback.prefixLength < 32 ? 1 : 0);
    return {
      cluster: name,
      address: formatNetwork({ address, prefixLength: 32 }).replace("/32", ""),
    };
  }
  return undefined;
}

function anyToLoopback(address: string): string {
  if (address === "0.0.0.0") return "127.0.0.1";
  return address === "::" ? "::1" : address;
}

function shortList(names: readonly string[], total = names.length): string {
  const shown = names.slice(0, 5).join(", ");
  return total > 5 ? `${shown}, ... ${total - 5} more` : shown || "none";
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
