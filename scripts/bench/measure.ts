// The run: for each world starts the servers that can serve it, checks their answers, and measures
// them in rounds, one at a time, in another order each round. Does I/O.

import { type Check, type CheckResult, drawChecks, problemOf, remarksOf } from "./answer-check.ts";
import { ask, askOctets, queryOctets } from "./ask.ts";
import { clientNetworks, clientSubnets } from "./bench-world.ts";
import { type BenchCase, benchCases } from "./cases.ts";
import type { ServedWorld, WorldKind } from "./configs/config.ts";
import { dnsperfRate } from "./dnsperf.ts";
import type { LoadClient } from "./load-client.ts";
import type { LoadCounts, LoadJob } from "./load-counts.ts";
import type { BenchOptions } from "./options.ts";
import { memoryUse } from "./process-use.ts";
import { type CaseResult, type RoundResult, rateOf, type ServerResult } from "./results.ts";
import { type RunningServer, startServer } from "./running-server.ts";
import { seededRandom } from "./seeded-random.ts";
import type { BenchServer } from "./servers.ts";

export const serverCore = "0";
export const loadCore = "1";
/**
 * Queries under way. A socket with the kernel's own buffer size, as most servers have, holds about
 * 150 datagrams: with more there, a server that is held up for a moment loses some.
 */
export const loadWindow = 128;
const pacedWindow = 4096;
const warmSeconds = 1;
/** Before the first round: Node's compiler wants to have seen everything. */
const firstWarmSeconds = 3;
const checkCount = 200;
const subnetsChecked = 10_000;
/** For a thousand hosts, and for a million. */
const readyTimeoutMs = { few: 20_000, many: 120_000 };
const smallHosts = 1000;
const networkCount = 20_000;

/** Measures the chosen cases; says on standard output what it does. */
export async function measureCases(
  servers: readonly BenchServer[],
  load: LoadClient,
  options: BenchOptions,
): Promise<CaseResult[]> {
  const cases = benchCases.filter(({ letter }) => options.cases.includes(letter));
  const worlds = [...new Set(cases.map(({ world }) => world))];
  const results: CaseResult[] = [];
  for (const kind of worlds) {
    const world = servedWorld(kind, options.services);
    const ofWorld = cases.filter((each) => each.world === kind);
    results.push(...(await measureWorld(world, ofWorld, servers, load, options)));
  }
  return results.sort((a, b) => a.id.localeCompare(b.id));
}

/** A world with as many hosts and networks as its cases ask for. */
export function servedWorld(kind: WorldKind, services: number): ServedWorld {
  return {
    kind,
    hosts: kind === "services" ? services : smallHosts,
    networks: kind === "geo" ? clientNetworks(networkCount) : [],
  };
}

/** One server's results in one case while they come in. */
interface Entry {
  readonly benchCase: BenchCase;
  readonly running: RunningServer;
  check?: CheckResult;
  dnsperfRate?: number | undefined;
  readonly rounds: RoundResult[];
}

async function measureWorld(
  world: ServedWorld,
  cases: readonly BenchCase[],
  servers: readonly BenchServer[],
  load: LoadClient,
  options: BenchOptions,
): Promise<CaseResult[]> {
  const results: { [id: string]: ServerResult[] } = {};
  const add = (benchCase: BenchCase, server: BenchServer, rest: Partial<ServerResult>): void => {
    const { id, title, version } = server;
    results[benchCase.id] ??= [];
    results[benchCase.id]?.push({ id, title, version, rounds: [], ...rest });
  };
  const started: RunningServer[] = [];
  const entries: Entry[] = [];
  try {
    for (const server of servers) {
      if (server.isForMemory && world.kind !== "services") continue;
      const why = server.without[world.kind];
      const usable = cases.filter(({ transport }) => !server.isEcho || transport === "udp");
      if (why !== undefined) {
        for (const benchCase of usable) add(benchCase, server, { failure: why });
        continue;
      }
      try {
        const running = await start(server, world, usable[0]);
        say(`${server.title}: ready in ${Math.round(running.readyMs)} ms`);
        started.push(running);
        if (server.isForMemory) {
          const [first] = usable;
          if (first) await load.run(jobOf(first, running, world, options, true));
          const memory = memoryUse(running.pid);
          for (const benchCase of usable) {
            add(benchCase, server, { readyMs: running.readyMs, memory });
          }
          await running.stop();
          continue;
        }
        for (const benchCase of usable) {
          const entry: Entry = { benchCase, running, rounds: [] };
          if (!server.isEcho) entry.check = await check(running.port, benchCase, world);
          if (entry.check && entry.check.problems.length > 0) {
            say(`  case ${benchCase.id}: ${entry.check.problems[0]}`);
            add(benchCase, server, { failure: "wrong answers", check: entry.check });
          } else entries.push(entry);
        }
        running.hold();
      } catch (error) {
        const failure = error instanceof Error ? error.message : String(error);
        say(failure);
        for (const benchCase of usable) add(benchCase, server, { failure: failure.split("\n")[0] });
      }
    }
    for (let round = 0; round < options.rounds; round++) {
      for (const benchCase of cases) {
        const ofCase = entries.filter((entry) => entry.benchCase === benchCase);
        for (const entry of rotated(ofCase, round)) {
          await measureOnce(entry, world, load, options, round === 0);
        }
      }
    }
    for (const entry of entries) {
      const { server, readyMs } = entry.running;
      add(entry.benchCase, server, { ...entry, readyMs });
    }
  } finally {
    for (const running of started) await running.stop();
  }
  return cases.map(({ id, title, note }) => ({
    id,
    title,
    note,
    hosts: world.hosts,
    networks: world.networks.length,
    servers: inOrder(results[id] ?? [], servers),
  }));
}

async function measureOnce(
  entry: Entry,
  world: ServedWorld,
  load: LoadClient,
  options: BenchOptions,
  isFirst: boolean,
): Promise<void> {
  const { running, benchCase } = entry;
  running.goOn();
  try {
    const job = jobOf(benchCase, running, world, options, isFirst);
    const top = await load.run(job);
    const paced =
      benchCase.transport === "tcp"
        ? undefined
        : await load.run({
            ...job,
            kind: "paced",
            rate: rateOf(top) / 2,
            window: pacedWindow,
            warmSeconds: warmSeconds / 2,
          });
    if (isFirst && benchCase.dnsperf && !running.server.isEcho) {
      entry.dnsperfRate = await dnsperfRate(running, job.pool, loadCore, options.seconds);
    }
    entry.rounds.push({ top, paced, memory: memoryUse(running.pid) });
    say(`  ${benchCase.id} ${running.server.title}: ${lineOf(top, paced)}`);
  } finally {
    running.hold();
  }
}

function jobOf(
  { transport, pool }: BenchCase,
  { port, pid }: RunningServer,
  { hosts, networks }: ServedWorld,
  { seconds }: BenchOptions,
  isFirst: boolean,
): LoadJob {
  return {
    kind: transport === "tcp" ? "tcp" : "top",
    port,
    pool: pool(hosts),
    networks: networks.length,
    warmSeconds: isFirst ? firstWarmSeconds : warmSeconds,
    seconds,
    window: loadWindow,
    rate: 0,
    serverPid: pid,
  };
}

function lineOf(top: LoadCounts, paced: LoadCounts | undefined): string {
  const cpuUs = (1e6 * top.serverCpuSeconds) / top.answered;
  const busy = Math.round((100 * top.serverCpuSeconds) / top.seconds);
  const latency = paced?.latencyUs;
  return [
    `${Math.round(rateOf(top))}/s`,
    `${cpuUs.toFixed(2)} µs CPU`,
    `${busy} % busy`,
    `lost ${top.lost} (${top.kernelDrops} in the kernel)`,
    `rcodes ${JSON.stringify(top.rcodes)}`,
    latency ? `p50 ${latency.p50.toFixed(0)} p99 ${latency.p99.toFixed(0)} µs` : "",
  ].join(", ");
}

/** Starts a server for a world; it is ready when a first question is rightly answered. */
export async function start(
  server: BenchServer,
  world: ServedWorld,
  benchCase: BenchCase | undefined,
  more: { readonly wrapper?: readonly string[]; readonly nodeArgs?: readonly string[] } = {},
): Promise<RunningServer> {
  const pool = (benchCase ?? benchCases[0])?.pool(world.hosts);
  if (!pool) throw new Error("cannot start a server: there is no case");
  const [first] = drawChecks({ ...pool, randomShare: 0 }, subnetsOf(world), 1, seededRandom(4));
  return startServer(server, {
    world,
    isReady: (port) => isRight(server, port, world, first),
    timeoutMs: world.kind === "services" ? readyTimeoutMs.many : readyTimeoutMs.few,
    cores: server.isForMemory ? `${serverCore},${loadCore}` : serverCore,
    ...more,
  });
}

async function isRight(
  server: BenchServer,
  port: number,
  world: ServedWorld,
  first: Check | undefined,
): Promise<boolean> {
  if (!first) return false;
  if (server.isEcho) {
    const octets = await askOctets(port, first.question);
    return octets?.length === queryOctets(first.question).length;
  }
  const answer = await ask(port, first.question).catch(() => undefined);
  // What is wrong with it for good shows in the checks.
  return (
    answer !== undefined && (answer.rcode === 0 || problemOf(first, world, answer) === undefined)
  );
}

async function check(port: number, benchCase: BenchCase, world: ServedWorld): Promise<CheckResult> {
  const pool = benchCase.pool(world.hosts);
  const checks = drawChecks(pool, subnetsOf(world), checkCount, seededRandom(5));
  const problems: string[] = [];
  const remarks = new Map<string, number>();
  for (const each of checks) {
    try {
      const answer = await ask(port, each.question, benchCase.transport, 2000);
      const problem = problemOf(each, world, answer);
      if (problem !== undefined) problems.push(problem);
      for (const remark of answer ? remarksOf(answer) : []) {
        remarks.set(remark, (remarks.get(remark) ?? 0) + 1);
      }
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error));
    }
  }
  return {
    checked: checks.length,
    problems: problems.slice(0, 10),
    remarks: [...remarks].map(([remark, count]) => `${remark}: ${count}`),
  };
}

const subnetsByWorld = new WeakMap<ServedWorld, Uint32Array>();

function subnetsOf(world: ServedWorld): Uint32Array {
  const made = subnetsByWorld.get(world) ?? clientSubnets(world.networks, subnetsChecked);
  subnetsByWorld.set(world, made);
  return made;
}

function rotated<Element>(elements: readonly Element[], by: number): Element[] {
  const at = by % Math.max(1, elements.length);
  return [...elements.slice(at), ...elements.slice(0, at)];
}

function inOrder(results: ServerResult[], servers: readonly BenchServer[]): ServerResult[] {
  const place = (id: string): number => servers.findIndex((server) => server.id === id);
  return results.sort((a, b) => place(a.id) - place(b.id));
}

function say(line: string): void {
  console.log(line);
}
