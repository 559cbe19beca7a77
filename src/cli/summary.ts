// What a server holds, in a few lines, and queries to try on it. It must not know where the world
// came from.

import { voterAdvice } from "../config/voter-advice.ts";
import { formatNetwork } from "../dns/address.ts";
import { formatName, nameOf } from "../dns/name.ts";
import { type HealthCheck, type Service, serviceKey } from "../federation/model.ts";
import type { ServiceReader } from "../federation/service-reader.ts";
import type { Model } from "../federation/whole-model.ts";
import { type Electorate, electorsOf, quorumOf, type Voter } from "../health/electorate.ts";
import { type Target, targetsOf } from "../health/target.ts";
import type { ListenAddress } from "../server/listener.ts";
import { mirrorLabel } from "./mirror-provider.ts";
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
    ...healthLines(world),
    ...mirrorLines(world),
  );
  return lines;
}

/**
 * What may be meant and is hardly wanted, a sentence each: the number of voters, and services that
 * cannot be probed in a cluster. It stops nothing, as a cluster may be amid a change.
 */
export function warnings(world: World): string[] {
  const { model } = world.sources;
  const electorate = electorateOf(world);
  if (!electorate) return [];
  const advice = voterAdvice(electorate.voters.length, model.clusters.size);
  const unprobed = new Set<string>();
  for (const targets of checkedTargets(model.services)) {
    for (const { service, cluster, check, port } of targets) {
      if (port === undefined) {
        unprobed.add(
          `cannot probe ${service} in ${cluster}: its Service has no ${portText(check)}`,
        );
      }
    }
  }
  const told = [...unprobed].sort().slice(0, mostWarnings);
  const untold = unprobed.size - told.length;
  return [
    ...(advice === undefined ? [] : [advice]),
    ...told,
    ...(untold > 0 ? [`cannot probe ${untold} more for want of a port`] : []),
  ];
}

const mostWarnings = 20;

/** The zones that are kept like our own answers. */
function mirrorLines({ config }: World): string[] {
  return config.mirror.map((each) => {
    const how = each.strategy === "plain" ? "plain" : each.policy;
    return `mirror: ${mirrorLabel(each)}, ${how}${each.dryRun ? ", dry run" : ""}`;
  });
}

/** Who votes here, and on how much. */
function healthLines(world: World): string[] {
  const { services } = world.sources.model;
  const electorate = electorateOf(world);
  if (!electorate) {
    const checked = [...services.checkedKeys()].length;
    if (checked === 0) return [];
    const have = checked === 1 ? "has a health check that is" : "have health checks that are";
    return [`health: no voters configured, ${count(checked, "service")} ${have} not used`];
  }
  const { voters, electors } = electorate;
  const names = voters.map(({ name }) => name).sort();
  const deciding = Math.min(voters.length, electors);
  const quorum =
    deciding < voters.length
      ? `${deciding} vote on each endpoint, quorum ${quorumOf(deciding)}`
      : `quorum ${quorumOf(deciding)}`;
  let endpoints = 0;
  let served = 0;
  const isVotedOn = (target: Target): boolean =>
    target.port !== undefined && electorsOf(target, electorate).length > 0;
  for (const targets of checkedTargets(services)) {
    const number = targets.filter(isVotedOn).length;
    endpoints += number;
    if (number > 0) served++;
  }
  const role = world.config.health?.voter ? "voter" : "listener";
  const are = endpoints === 1 ? "is" : "are";
  return [
    `health: ${role}, ${count(voters.length, "voter")} (${shortList(names)}), ${quorum}, ` +
      `${count(endpoints, "endpoint")} in ${count(served, "service")} ${are} voted on`,
  ];
}

/** All voters, this server among them if it is one; regions are left out, they change no number. */
function electorateOf({ config }: World): Electorate | undefined {
  const { health, name, cluster } = config;
  if (!health) return undefined;
  const own: Voter[] = health.voter ? [{ name, cluster, region: "" }] : [];
  const others = health.peers.map((peer) => ({ ...peer, region: "" }));
  return { voters: [...own, ...others], electors: health.electors };
}

/** The endpoints of each service that has a health check. */
function* checkedTargets(services: ServiceReader): Generator<Target[]> {
  for (const key of services.checkedKeys()) {
    const service = services.get(key);
    if (service) yield targetsOf(service);
  }
}

/** As `targetsOf` chooses it: DNS is asked over UDP, all else over TCP. */
function portText({ type, port }: HealthCheck): string {
  const kind = type === "dns" ? "port for DNS" : "TCP port";
  return port === undefined ? kind : `${kind} named "${port}"`;
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
