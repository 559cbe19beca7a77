// The load's own process, alone on its core: it takes jobs one after the other from its parent and
// sends back what it counted. Does I/O.

import { clientNetworks, clientSubnets } from "./bench-world.ts";
import type { LoadCounts, LoadJob } from "./load-counts.ts";
import { cpuSeconds, udpDrops } from "./process-use.ts";
import { buildQueryPool, type QueryPool } from "./query-pool.ts";
import { QuerySource } from "./query-source.ts";
import { seededRandom } from "./seeded-random.ts";
import { closeSocket, openUdp } from "./system-calls.ts";
import { TcpLoad } from "./tcp-load.ts";
import { type StretchCounts, UdpLoad } from "./udp-load.ts";

/** Queries in a pool: for few hosts it stays in the core's cache, for many it asks most of them. */
const smallPool = 16_384;
const largePool = 262_144;
/** Not in step with either pool, so that hosts and clients meet in ever new pairs. */
const subnetCount = 1_000_003;

const pools = new Map<string, QueryPool>();
const subnets = new Map<number, Uint32Array>();

process.on("message", (job: LoadJob) => {
  try {
    process.send?.({ counts: run(job) });
  } catch (error) {
    process.send?.({ failure: error instanceof Error ? error.message : String(error) });
  }
});
process.on("disconnect", () => process.exit());
process.send?.({ ready: true });

function run(job: LoadJob): LoadCounts {
  const source = new QuerySource(poolOf(job), subnetsOf(job));
  if (job.kind === "tcp") {
    const load = new TcpLoad(job.port, source);
    try {
      return measure(job, (seconds) => load.top(seconds));
    } finally {
      load.close();
    }
  }
  const fd = openUdp("connect", job.port);
  try {
    const load = new UdpLoad(fd, source, job.window);
    const counts = measure(job, (seconds) =>
      job.kind === "top" ? load.top(seconds) : load.paced(seconds, job.rate),
    );
    const lost = counts.lost + load.drain().lost;
    if (job.kind === "top") return { ...counts, lost };
    const { latency } = load;
    const [p50, p99, p999] = [0.5, 0.99, 0.999].map((share) => latency.percentile(share));
    return { ...counts, lost, latencyUs: { p50: p50 ?? 0, p99: p99 ?? 0, p999: p999 ?? 0 } };
  } finally {
    closeSocket(fd);
  }
}

function measure(job: LoadJob, stretch: (seconds: number) => StretchCounts): LoadCounts {
  if (job.warmSeconds > 0) stretch(job.warmSeconds);
  const before = useOf(job);
  const counts = stretch(job.seconds);
  const after = useOf(job);
  return {
    ...counts,
    kernelDrops: after.drops - before.drops,
    serverCpuSeconds: after.cpu - before.cpu,
  };
}

function useOf({ serverPid, port }: LoadJob): { cpu: number; drops: number } {
  return { cpu: serverPid > 0 ? cpuSeconds(serverPid) : 0, drops: udpDrops(port) };
}

function poolOf({ pool: kind }: LoadJob): QueryPool {
  const key = JSON.stringify(kind);
  const count = kind.hosts > smallPool ? largePool : smallPool;
  const pool = pools.get(key) ?? buildQueryPool(kind, count, seededRandom(3));
  pools.set(key, pool);
  return pool;
}

function subnetsOf({ pool, networks }: LoadJob): Uint32Array {
  if (!pool.withSubnet) return new Uint32Array(1);
  const made = subnets.get(networks) ?? clientSubnets(clientNetworks(networks), subnetCount);
  subnets.set(networks, made);
  return made;
}
