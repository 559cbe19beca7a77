// The page of the benchmarks of voting, as Markdown: what was asked for and what was measured, in one
// table. It takes results as data; it must not measure or write anything.

import { median } from "./statistics.ts";
import {
  type AttackResult,
  attackCostUs,
  attackRate,
  type Comparison,
  compare,
  coreShare,
  type ProbeRunResult,
  p99,
  pacedP99,
  scheduleOf,
  startBound,
  topMainShare,
  topRate,
  type VotingResults,
} from "./voting-results.ts";

/** Of the answers at full load at least this share is left under attack. */
const leastRateRatio = 0.95;
/** The p99 at half load grows by this factor at most while endpoints are probed. */
const mostP99Ratio = 1.5;
/** Of all starts at least this share is in time. */
const leastInTime = 0.99;

/** With more than this, other processes take their part of the cores. */
const quietLoad = 0.5;

interface Row {
  readonly what: string;
  readonly without?: string;
  readonly with: string;
  readonly ratio?: string;
  readonly range?: string;
  readonly goal?: string;
  readonly isMet?: boolean;
}

/** The whole page. */
export function votingReport(results: VotingResults): string {
  const { date, machine, version, seconds, loadBefore, attack, probes } = results;
  const rounds = attack?.rounds.length ?? probes[0]?.rounds.length ?? 0;
  return [
    "# Benchmarks of voting",
    "",
    "Written by `npm run bench:voting`; the raw results stand beside this page in `voting.json`.",
    "",
    `- Date: ${date}`,
    `- Machine: ${machine.cpu}, ${machine.cores} cores, ${machine.kernel}, Node ${machine.node}`,
    `- Meridian ${version}, one worker`,
    `- ${rounds} ${rounds === 1 ? "round" : "rounds"}, without and with by turns, of at least ${seconds} s each; medians, and medians of the ratios within each round`,
    `- Before the run the machine had a load of ${loadBefore.toFixed(1)}${loadBefore > quietLoad ? ": others used its cores too, do not trust these figures" : ""}`,
    "- The server has core 0 with all of its threads: what its main thread does for the vote is taken",
    "  from the worker that answers. The DNS load, the attacker and what answers probes share core 1.",
    "- Latency is from when a query was due, with and without at the same rate: half of what is answered",
    "  at most without.",
    "",
    ...(attack ? attackLines(attack) : []),
    ...probes.flatMap(probeLines),
  ].join("\n");
}

function attackLines(result: AttackResult): string[] {
  const rate = compare(result.rounds, topRate);
  const latency = compare(result.rounds, pacedP99);
  const main = compare(result.rounds, topMainShare);
  const refused = result.refused.map(
    ({ reason, sent, counted }) =>
      `${reason} ${count(counted)}${counted === sent ? "" : ` (sent ${count(sent)})`}`,
  );
  return [
    `## Attack on the ballots: ${count(attackRate(result))} of ${count(result.rate)} bad requests a second`,
    "",
    "Three voters, 40 endpoints. In equal parts unsigned, wrongly signed, replayed, old, from the future,",
    "truncated, 10 MB, deeply nested, of an unknown voter, of the server itself, with another voter's boot",
    "id, with an earlier sequence; and once a second 10 MB whose length is not said, which must be read.",
    "Requests that were due while 400 connections waited for answers were not sent.",
    "",
    ...table([
      {
        what: "answers/s at full load",
        ...numbers(rate, count),
        goal: `≥ ${leastRateRatio}`,
        isMet: rate.ratio >= leastRateRatio,
      },
      { what: "p99 at half load, µs", ...numbers(latency, count) },
      {
        what: "main thread at full load, share of the core",
        ...numbers(main, percent),
        ratio: "",
        range: "",
      },
      { what: "main thread, CPU µs/bad request", with: count(attackCostUs(result)) },
    ]),
    "",
    `- Refused, by the server's own count: ${refused.join(", ")}`,
    `- Honest ballots were taken meanwhile within ${medianOf(result).toFixed(0)} ms (median), ${longestOf(result).toFixed(0)} ms at most`,
    result.changed.length === 0
      ? "- Nothing changed: quorum, verdicts and answers are as before"
      : `- CHANGED: ${result.changed.join("; ")}`,
    "",
  ];
}

function medianOf({ rounds }: AttackResult): number {
  return median(rounds.flatMap(({ attack }) => attack.honestMs));
}

function longestOf({ rounds }: AttackResult): number {
  return Math.max(...rounds.flatMap(({ attack }) => attack.honestMs));
}

function probeLines(result: ProbeRunResult): string[] {
  const { type, endpoints, intervalSeconds, rounds, queryRate, outcomes, watchedSeconds } = result;
  const latency = compare(rounds, p99);
  const middle = compare(rounds, ({ load }) => load.latencyUs?.p50 ?? Number.NaN);
  const main = compare(rounds, ({ mainShare }) => mainShare);
  const core = compare(rounds, coreShare);
  const schedule = scheduleOf(result);
  const failures = outcomes["failure"] ?? 0;
  return [
    `## ${count(endpoints)} endpoints, ${type} every ${intervalSeconds} s`,
    "",
    `Half load is ${count(queryRate)} queries a second.`,
    "",
    ...table([
      {
        what: "p99 at half load, µs",
        ...numbers(latency, count),
        goal: `≤ ${mostP99Ratio}`,
        isMet: latency.ratio <= mostP99Ratio,
      },
      { what: "p50 at half load, µs", ...numbers(middle, count) },
      {
        what: `starts within ${startBound * 1000} ms of due`,
        with: `${(100 * schedule.inTime).toFixed(2)} %`,
        goal: `≥ ${100 * leastInTime} %`,
        isMet: schedule.inTime >= leastInTime,
      },
      { what: "start delay, p99", with: `${(1000 * schedule.p99Seconds).toFixed(0)} ms` },
      { what: "core used", ...numbers(core, percent), ratio: "", range: "" },
      { what: "main thread, share of the core", ...numbers(main, percent), ratio: "", range: "" },
      { what: "main thread, CPU µs/probe", with: count(schedule.cpuUs) },
    ]),
    "",
    `- ${(100 * schedule.kept).toFixed(1)} % of the probes that were due in ${watchedSeconds.toFixed(0)} s started; ${count(failures)} failed`,
    "",
  ];
}

function numbers(
  { without, with: after, ratio, least, most }: Comparison,
  format: (value: number) => string,
): Pick<Row, "without" | "with" | "ratio" | "range"> {
  return {
    without: format(without),
    with: format(after),
    ratio: ratio.toFixed(2),
    range: `${least.toFixed(2)}–${most.toFixed(2)}`,
  };
}

function table(rows: readonly Row[]): string[] {
  return [
    "| | without | with | ratio | of rounds | goal | |",
    "| --- | ---: | ---: | ---: | ---: | ---: | --- |",
    ...rows.map((row) => {
      const met = row.isMet === undefined ? "" : row.isMet ? "met" : "MISSED";
      const { what, without = "", with: value, ratio = "", range = "", goal = "" } = row;
      return `| ${[what, without, value, ratio, range, goal, met].join(" | ")} |`;
    }),
  ];
}

function count(value: number): string {
  return Number.isNaN(value) ? "" : Math.round(value).toLocaleString("en-US");
}

function percent(value: number): string {
  return `${(100 * value).toFixed(1)} %`;
}
