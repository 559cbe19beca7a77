// The raw results of a run, as they are stored, and the figures of the table that follow from them.
// Plain data and arithmetic.

import type { CheckResult } from "./answer-check.ts";
import type { LoadCounts } from "./load-counts.ts";
import type { MemoryUse } from "./process-use.ts";
import { median } from "./statistics.ts";

/** One server in one round of one case. */
export interface RoundResult {
  readonly top: LoadCounts;
  /** At half of `top`'s rate; TCP has none. */
  readonly paced?: LoadCounts | undefined;
  readonly memory: MemoryUse;
}

/** One server in one case. */
export interface ServerResult {
  readonly id: string;
  readonly title: string;
  readonly version: string;
  /** Why there are no figures. */
  readonly failure?: string | undefined;
  readonly check?: CheckResult | undefined;
  readonly readyMs?: number | undefined;
  /** Of a server that is started for its memory alone: after a load that is not measured. */
  readonly memory?: MemoryUse | undefined;
  /** Answers per second as dnsperf counts them. */
  readonly dnsperfRate?: number | undefined;
  readonly rounds: readonly RoundResult[];
}

export interface CaseResult {
  readonly id: string;
  readonly title: string;
  readonly hosts: number;
  readonly networks: number;
  readonly note?: string | undefined;
  readonly servers: readonly ServerResult[];
}

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly kernel: string;
  readonly node: string;
}

export interface BenchResults {
  readonly date: string;
  readonly machine: Machine;
  readonly rounds: number;
  readonly seconds: number;
  readonly missing: readonly string[];
  readonly cases: readonly CaseResult[];
}

/** Medians over the rounds of one server in one case. NaN where nothing was measured. */
export interface Figures {
  readonly rate: number;
  readonly cpuUs: number;
  /** Share of its core that the server used at its top rate. */
  readonly busy: number;
  readonly p50Us: number;
  readonly p99Us: number;
  readonly p999Us: number;
  readonly rssMib: number;
  readonly peakMib: number;
  /** Of all queries, the share without an answer. */
  readonly lostShare: number;
  /** The rate over the other server's rate in the same round. */
  readonly toEcho: number;
  readonly toGdnsd: number;
}

export function figuresOf(server: ServerResult, { servers }: CaseResult): Figures {
  const { rounds } = server;
  const memories = server.memory ? [server.memory] : rounds.map(({ memory }) => memory);
  const over = (value: (round: RoundResult) => number): number => median(rounds.map(value));
  const ratioTo = (id: string): number => {
    const other = servers.find((each) => each.id === id);
    return median(
      rounds.map((round, at) => {
        const otherRound = other?.rounds[at];
        return otherRound ? rateOf(round.top) / rateOf(otherRound.top) : Number.NaN;
      }),
    );
  };
  return {
    rate: over(({ top }) => rateOf(top)),
    cpuUs: over(({ top }) => (1e6 * top.serverCpuSeconds) / top.answered),
    busy: over(({ top }) => top.serverCpuSeconds / top.seconds),
    p50Us: over(({ paced }) => paced?.latencyUs?.p50 ?? Number.NaN),
    p99Us: over(({ paced }) => paced?.latencyUs?.p99 ?? Number.NaN),
    p999Us: over(({ paced }) => paced?.latencyUs?.p999 ?? Number.NaN),
    rssMib: median(memories.map(({ rssKib }) => rssKib / 1024)),
    peakMib: median(memories.map(({ peakKib }) => peakKib / 1024)),
    lostShare: over(({ top }) => top.lost / (top.lost + top.answered)),
    toEcho: ratioTo("echo"),
    toGdnsd: ratioTo("gdnsd"),
  };
}

/** Answers per second. */
export function rateOf({ answered, seconds }: LoadCounts): number {
  return answered / seconds;
}
