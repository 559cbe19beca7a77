// Measures what probes cost the DNS answers, and whether they keep their times: two servers with the
// same world, one of which probes it, at the same rate of queries, by turns. Does I/O.

import { setTimeout as delay } from "node:timers/promises";
import { endpointsOfHost, type VotingWorld } from "./configs/voting.ts";
import type { LoadClient } from "./load-client.ts";
import { bucketsOf, byLabel, type MetricsReading, riseOf } from "./prometheus-text.ts";
import type { Responder } from "./responder.ts";
import { rateOf } from "./results.ts";
import type { BenchServer } from "./servers.ts";
import { type LoadStretch, type ProbeRound, type ProbeRunResult, p99 } from "./voting-results.ts";
import {
  firstWarmSeconds,
  loadOn,
  metricsOf,
  type RunningVoter,
  startVoter,
  warmSeconds,
} from "./voting-server.ts";

const hosts = 2500;
const intervalSeconds = 10;
/** Probes are watched for at least so long, in all rounds together. */
const leastWatchedSeconds = 30;
/**
 * A server that was held finds all endpoints due at once: so long after that, and after its start,
 * it probes each at its own time again.
 */
const settleSeconds = 5;
const startDelayMetric = "meridian_probe_start_delay_seconds";

export interface ProbeRunOptions {
  readonly type: "http" | "tcp";
  readonly rounds: number;
  /** Of each measurement; longer where probes must be watched for longer. */
  readonly seconds: number;
  readonly responder: Responder;
  readonly nodeArgs?: readonly string[];
}

export async function measureProbes(
  own: BenchServer,
  load: LoadClient,
  { type, rounds, seconds, responder, nodeArgs = [] }: ProbeRunOptions,
): Promise<ProbeRunResult> {
  const { addresses, port } = responder;
  const check = { type, port, intervalSeconds };
  const world: VotingWorld = { hosts, addresses, check, checkedHosts: hosts };
  const stretchSeconds = Math.max(seconds, leastWatchedSeconds / rounds);
  const servers: RunningVoter[] = [];
  try {
    const idle = await startVoter(own, world, undefined);
    servers.push(idle);
    const top = await loadOn(idle, load, hosts, { warmSeconds: firstWarmSeconds, seconds });
    const rate = rateOf(top.load) / 2;
    idle.hold();
    const voter = await startVoter(own, world, { voter: true }, nodeArgs);
    servers.push(voter);
    // The first interval, in which every endpoint gets its first verdict.
    await loadOn(voter, load, hosts, { warmSeconds: 0, seconds: intervalSeconds + 2, rate });
    voter.hold();

    const stretch = { warmSeconds, seconds: stretchSeconds, rate };
    const done: ProbeRound[] = [];
    const watched: { readonly rise: MetricsReading; readonly seconds: number }[] = [];
    for (let round = 0; round < rounds; round++) {
      idle.goOn();
      const without = await loadOn(idle, load, hosts, stretch);
      idle.hold();
      voter.goOn();
      await delay(settleSeconds * 1000);
      const before = await metricsOf(voter);
      const startMs = performance.now();
      const probing = await loadOn(voter, load, hosts, stretch);
      const rise = riseOf(before, await metricsOf(voter));
      watched.push({ rise, seconds: (performance.now() - startMs) / 1000 });
      voter.hold();
      done.push({ without, with: probing });
      console.log(`  ${type} probes: without ${lineOf(without)}; with ${lineOf(probing)}`);
    }
    const total = summed(watched.map(({ rise }) => rise));
    return {
      type,
      endpoints: hosts * endpointsOfHost,
      intervalSeconds,
      queryRate: rate,
      rounds: done,
      delays: bucketsOf(total, startDelayMetric),
      watchedSeconds: watched.reduce((sum, each) => sum + each.seconds, 0),
      outcomes: Object.fromEntries(byLabel(total, "meridian_probes_total", "outcome")),
    };
  } finally {
    for (const server of servers) await server.stop();
  }
}

function summed(readings: readonly MetricsReading[]): MetricsReading {
  const total = new Map<string, number>();
  for (const reading of readings) {
    for (const [name, value] of reading) total.set(name, (total.get(name) ?? 0) + value);
  }
  return total;
}

function lineOf(stretch: LoadStretch): string {
  const { load, mainShare } = stretch;
  const busy = ((100 * load.serverCpuSeconds) / load.seconds).toFixed(0);
  return `p50 ${load.latencyUs?.p50.toFixed(0)} p99 ${p99(stretch).toFixed(0)} µs, core ${busy} %, main thread ${(100 * mainShare).toFixed(1)} %, lost ${load.lost}`;
}
