// The table of a run as Markdown. It takes results as data; it must not measure or write anything.

import {
  type BenchResults,
  type CaseResult,
  type Figures,
  figuresOf,
  type ServerResult,
} from "./results.ts";

/** The whole page; `chart` is the chart's file beside it. */
export function reportText(results: BenchResults, chart: string): string {
  const { machine, date, rounds, seconds, missing, cases } = results;
  return [
    "# Benchmark",
    "",
    "Written by `npm run bench`; the raw results stand beside this page in `results.json`.",
    "",
    `![Answers per second on one core](${chart})`,
    "",
    `- Date: ${date}`,
    `- Machine: ${machine.cpu}, ${machine.cores} cores, ${machine.kernel}, Node ${machine.node}`,
    `- Servers: ${versions(cases).join(", ")}${missing.length > 0 ? `; not there: ${missing.join(", ")}` : ""}`,
    `- Medians of ${rounds} interleaved ${rounds === 1 ? "round" : "rounds"} of ${seconds} s each; ratios are medians of the ratios within each round.`,
    "- Every server has one worker for each transport and is pinned, as a whole process, to core 0;",
    "  the load has core 1. Servers that are not being measured are stopped. Only a server with two",
    "  workers, which is there for its memory, has both cores.",
    "- Latency is taken at half of the server's own top rate, from when a query was due.",
    "- CPU is all that the kernel accounts to the server's processes, for each query answered.",
    "- A server that uses less than its whole core at its top rate waited for the load: its rate is",
    "  then the load's, and CPU per answer tells more.",
    "",
    ...cases.flatMap(caseLines),
  ].join("\n");
}

const titles = [
  "server",
  "answers/s",
  "core used",
  "CPU µs/answer",
  "p50 µs",
  "p99 µs",
  "p99.9 µs",
  "memory MiB",
  "peak MiB",
  "× echo",
  "× gdnsd",
  "ready s",
  "dnsperf/s",
  "lost",
];

function caseLines(result: CaseResult): string[] {
  const { id, title, hosts, networks, note, servers } = result;
  const size = `${count(hosts)} names${networks > 0 ? `, ${count(networks)} networks` : ""}`;
  return [
    `## ${id}: ${title}`,
    "",
    note === undefined ? `${size}.` : `${size}. ${note}`,
    "",
    line(titles),
    line(titles.map((_, at) => (at === 0 ? "---" : "---:"))),
    ...servers.map((server) => line(cells(server, figuresOf(server, result)))),
    "",
    ...notes(servers),
    "",
  ];
}

function cells(server: ServerResult, figures: Figures): string[] {
  const { rounds, readyMs, dnsperfRate, title } = server;
  if (rounds.length === 0 && readyMs === undefined) {
    return [title, "–", ...titles.slice(2).map(() => "")];
  }
  return [
    title,
    count(figures.rate),
    fixed(100 * figures.busy, 0, " %"),
    fixed(figures.cpuUs, 2),
    fixed(figures.p50Us, 0),
    fixed(figures.p99Us, 0),
    fixed(figures.p999Us, 0),
    fixed(figures.rssMib, 0),
    fixed(figures.peakMib, 0),
    fixed(figures.toEcho, 2),
    fixed(figures.toGdnsd, 2),
    fixed((readyMs ?? Number.NaN) / 1000, 2),
    count(dnsperfRate ?? Number.NaN),
    fixed(100 * figures.lostShare, 3, " %"),
  ];
}

/** What was checked, and why there are no figures where there are none. */
function notes(servers: readonly ServerResult[]): string[] {
  return servers.flatMap(({ title, failure, check }) => {
    const [problem] = check?.problems ?? [];
    if (failure !== undefined)
      return [`- ${title}: ${[failure, problem].filter(Boolean).join(": ")}`];
    if (!check) return [];
    const remarks = check.remarks.length > 0 ? ` (${check.remarks.join(", ")})` : "";
    return [`- ${title}: ${check.checked} answers checked, all right${remarks}`];
  });
}

function versions(cases: readonly CaseResult[]): string[] {
  const named = cases.flatMap(({ servers }) =>
    servers.map(({ title, version }) => `${title} ${version}`.trim()),
  );
  return [...new Set(named)];
}

function line(parts: readonly string[]): string {
  return `| ${parts.join(" | ")} |`;
}

function count(value: number): string {
  return Number.isNaN(value) ? "" : Math.round(value).toLocaleString("en-US");
}

function fixed(value: number, digits: number, unit = ""): string {
  return Number.isNaN(value) ? "" : `${value.toFixed(digits)}${unit}`;
}
