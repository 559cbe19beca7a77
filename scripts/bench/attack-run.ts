// Measures what bad ballots cost the DNS answers: the same server at full and at half load, with and
// without the attack, by turns. Does I/O.

import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { readKeyFile, writeNewKey } from "../../src/health/key-file.ts";
import { ask } from "./ask.ts";
import { AttackClient } from "./attack-client.ts";
import type { AttackCounts } from "./attack-counts.ts";
import { clusters, hostLabel, hostName, namespace } from "./bench-world.ts";
import { endpointAddresses, endpointsOfHost, ownName, type VotingWorld } from "./configs/voting.ts";
import type { LoadClient } from "./load-client.ts";
import { byLabel, type MetricsReading, riseOf } from "./prometheus-text.ts";
import type { Responder } from "./responder.ts";
import { rateOf } from "./results.ts";
import { freePort } from "./running-server.ts";
import type { BenchServer } from "./servers.ts";
import { type AttackArm, type AttackResult, type AttackRound, p99, sum } from "./voting-results.ts";
import {
  firstWarmSeconds,
  loadCore,
  loadOn,
  metricsOf,
  type RunningVoter,
  startVoter,
  warmSeconds,
} from "./voting-server.ts";

export const attackRequestsPerSecond = 1000;
const hosts = 1000;
/** Services that are voted on: their words are some 3 KB in each ballot. */
const checkedHosts = 10;
const voters = [ownName, "ns2", "ns3"] as const;

export interface AttackOptions {
  readonly rounds: number;
  readonly seconds: number;
  readonly responder: Responder;
  readonly nodeArgs?: readonly string[];
}

export async function measureAttack(
  own: BenchServer,
  load: LoadClient,
  { rounds, seconds, responder, nodeArgs = [] }: AttackOptions,
): Promise<AttackResult> {
  const { addresses, port } = responder;
  const check = { type: "tcp", port, intervalSeconds: 10 } as const;
  const world: VotingWorld = { hosts, addresses, check, checkedHosts };
  const folder = mkdtempSync(path.join(os.tmpdir(), "meridian-bench-key-"));
  const stops: (() => Promise<void>)[] = [];
  try {
    const secretFile = path.join(folder, "peers.key");
    const key = newKey(secretFile);
    // Nobody listens there: this server's own ballots are of no concern.
    const peers: { name: string; url: string }[] = [];
    for (const name of voters.slice(1)) {
      peers.push({ name, url: `http://127.0.0.1:${await freePort()}` });
    }
    const server = await startVoter(own, world, { voter: true, secretFile, peers }, nodeArgs);
    stops.push(server.stop);
    const attacker = await AttackClient.start(loadCore);
    stops.push(() => attacker.stop());
    await attacker.meet({
      port: server.httpPort,
      key: key.toString("base64"),
      voters,
      endpoints: endpointIds(world),
    });

    await loadOn(server, load, hosts, { warmSeconds: 0, seconds: firstWarmSeconds });
    const before = await metricsOf(server);
    const done: AttackRound[] = [];
    for (let round = 0; round < rounds; round++) {
      const without = await measureArm(server, load, seconds);
      await attacker.begin(attackRequestsPerSecond);
      const attacked = await measureArm(server, load, seconds, rateOf(without.top.load) / 2);
      const attack = await attacker.end();
      done.push({ without, with: attacked, attack });
      console.log(`  attack: without ${lineOf(without)}; with ${lineOf(attacked)}`);
    }
    const after = await metricsOf(server);
    return {
      rate: attackRequestsPerSecond,
      rounds: done,
      refused: refusedBy(before, after, done),
      changed: await changesIn(server, after, world),
    };
  } finally {
    for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Full load, then half load: the rate of queries given, or half of what was answered just now. */
async function measureArm(
  server: RunningVoter,
  load: LoadClient,
  seconds: number,
  halfRate?: number,
): Promise<AttackArm> {
  const top = await loadOn(server, load, hosts, { warmSeconds, seconds });
  const rate = halfRate ?? rateOf(top.load) / 2;
  const paced = await loadOn(server, load, hosts, { warmSeconds: warmSeconds / 2, seconds, rate });
  return { top, paced };
}

function lineOf({ top, paced }: AttackArm): string {
  const main = (100 * top.mainShare).toFixed(1);
  return `${Math.round(rateOf(top.load))}/s, main thread ${main} %, p99 ${p99(paced).toFixed(0)} µs`;
}

function newKey(file: string): Buffer {
  const written = writeNewKey(file);
  const read = written.ok ? readKeyFile(file) : written;
  if (!read.ok) throw new Error(read.message);
  const [key] = read.keys;
  if (!key) throw new Error("cannot make a key: there is none in its file");
  return key;
}

function endpointIds(world: VotingWorld): string[] {
  return Array.from({ length: world.checkedHosts }, (_, host) =>
    endpointAddresses(world, host).flatMap((addresses, cluster) =>
      addresses.map(
        (address) => `${namespace}/${hostLabel(host)} ${clusters[cluster]?.name} ${address}`,
      ),
    ),
  ).flat();
}

function refusedBy(
  before: MetricsReading,
  after: MetricsReading,
  rounds: readonly AttackRound[],
): AttackResult["refused"] {
  const name = "meridian_ballots_refused_total";
  const counted = byLabel(riseOf(before, after), name, "reason");
  const sentAs = (reason: string): number =>
    sum(rounds.map(({ attack }: { attack: AttackCounts }) => attack.sent[reason] ?? 0));
  return [...counted]
    .map(([reason, count]) => ({ reason, sent: sentAs(reason), counted: count }))
    .filter(({ sent, counted: count }) => sent > 0 || count > 0);
}

/** Refused ballots change nothing: all endpoints are up, in the answers, and the quorum is held. */
async function changesIn(
  server: RunningVoter,
  after: MetricsReading,
  world: VotingWorld,
): Promise<string[]> {
  const wanted: readonly [string, number][] = [
    ["meridian_quorum", 1],
    ["meridian_voters_live", 2],
    ['meridian_endpoints{verdict="up"}', checkedHosts * endpointsOfHost],
    ['meridian_endpoints{verdict="down"}', 0],
    ["meridian_endpoints_frozen", 0],
  ];
  const changed = wanted
    .filter(([name, value]) => after.get(name) !== value)
    .map(([name, value]) => `${name}: ${value} wanted, got ${after.get(name)}`);
  for (let host = 0; host < world.checkedHosts; host++) {
    const answer = await ask(server.port, { name: hostName(host), type: "A" }, "udp", 2000);
    const count = answer?.answers.length ?? 0;
    if (count === endpointsOfHost) continue;
    changed.push(`${hostName(host)}: ${endpointsOfHost} addresses wanted, got ${count}`);
  }
  return changed;
}
