// A server of the benchmarks of voting: Meridian with the world, the vote and the HTTP address that a
// benchmark asks for, and what it says of itself. Does I/O.

import { ask } from "./ask.ts";
import { hostName } from "./bench-world.ts";
import { type VotingWorld, votingConfig } from "./configs/voting.ts";
import type { LoadClient } from "./load-client.ts";
import type { LoadJob } from "./load-counts.ts";
import { mainThreadSeconds } from "./process-use.ts";
import { type MetricsReading, readMetrics } from "./prometheus-text.ts";
import { freePort, type RunningServer, startServer } from "./running-server.ts";
import { type BenchServer, findServers } from "./servers.ts";
import type { LoadStretch } from "./voting-results.ts";

export const serverCore = "0";
export const loadCore = "1";
export const firstWarmSeconds = 3;
export const warmSeconds = 1;
const topWindow = 128;
const pacedWindow = 4096;
const readyTimeoutMs = 30_000;

export interface RunningVoter extends RunningServer {
  readonly httpPort: number;
}

/** Meridian as it is built; throws if it does not start. */
export function ownServer(): BenchServer {
  const [own] = findServers(["meridian"], "ndjson").found;
  if (!own) throw new Error("cannot run: Meridian does not answer UDP in batches here");
  return own;
}

/** Starts it on the server's core; `health` is its `spec.health`, if any. */
export async function startVoter(
  own: BenchServer,
  world: VotingWorld,
  health: object | undefined,
  nodeArgs: readonly string[] = [],
): Promise<RunningVoter> {
  const httpPort = await freePort();
  const id = health ? "voter" : "no-voter";
  const server: BenchServer = {
    ...own,
    id,
    config: (_, place) => votingConfig(world, { httpPort, health }, place),
  };
  const running = await startServer(server, {
    world: { kind: "services", hosts: world.hosts, networks: [] },
    isReady: (port) => isAnswering(port),
    timeoutMs: readyTimeoutMs,
    cores: serverCore,
    nodeArgs,
  });
  return { ...running, httpPort };
}

async function isAnswering(port: number): Promise<boolean> {
  const answer = await ask(port, { name: hostName(0), type: "A" }).catch(() => undefined);
  return answer?.rcode === 0 && answer.answers.length > 0;
}

/** What it counts, as it says itself. */
export async function metricsOf({ httpPort }: RunningVoter): Promise<MetricsReading> {
  const response = await fetch(`http://127.0.0.1:${httpPort}/metrics`);
  if (!response.ok)
    throw new Error(`cannot read metrics: the server refuses, got ${response.status}`);
  return readMetrics(await response.text());
}

/** A stretch of load on it, at a rate or, without, as fast as it answers. */
export async function loadOn(
  { port, pid }: RunningServer,
  load: LoadClient,
  hosts: number,
  stretch: Pick<LoadJob, "seconds" | "warmSeconds"> & { readonly rate?: number },
): Promise<LoadStretch> {
  const { rate, ...times } = stretch;
  const startMs = performance.now();
  const before = mainThreadSeconds(pid);
  const counts = await load.run({
    kind: rate === undefined ? "top" : "paced",
    port,
    pool: { type: "A", hosts, withSubnet: false, randomShare: 0 },
    networks: 0,
    window: rate === undefined ? topWindow : pacedWindow,
    rate: rate ?? 0,
    serverPid: pid,
    ...times,
  });
  const used = mainThreadSeconds(pid) - before;
  return { load: counts, mainShare: used / ((performance.now() - startMs) / 1000) };
}
