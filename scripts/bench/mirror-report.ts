// The page of the benchmark of mirrors, as Markdown: what was asked for and what was measured. It
// takes results as data; it must not measure or write anything.

import type { CommandFigures, MirrorFigures } from "./mirror-run.ts";
import type { Machine } from "./results.ts";

export interface MirrorResults {
  readonly date: string;
  readonly machine: Machine;
  /** The machine's load over the minute before. */
  readonly loadBefore: number;
  readonly runs: readonly MirrorFigures[];
}

/** With more than this, other processes take their part of the cores. */
const quietLoad = 0.5;
const goals = { planSeconds: 5, fullness: 0.95, requestsPerSecond: 5 };

/** The whole page. */
export function mirrorReport({ date, machine, loadBefore, runs }: MirrorResults): string {
  const { cpu, cores, kernel, node } = machine;
  const lines = [
    "# Benchmark of mirrors",
    "",
    "Written by `npm run bench:mirror`; the raw results stand beside this page in `mirror.json`.",
    "",
    `- Date: ${date}`,
    `- Machine: ${cpu}, ${cores} cores, ${kernel}, Node ${node}`,
    "- The real command, with stand-ins of both services on the same machine, without latency; that of",
    "  Route 53 refuses more than five requests in any second. Ten thousand services are more than one",
    "  zone holds by its first quota: both services raise it.",
    "- Each service runs in three clusters with a region and a zone each, one address each.",
  ];
  if (loadBefore > quietLoad) {
    const load = loadBefore.toFixed(1);
    lines.push(
      `- Before the run the machine had a load of ${load}: others used its cores too, the times are no`,
      "  better than an upper bound",
    );
  }
  return `${[...lines, ...runs.flatMap(runLines)].join("\n")}\n`;
}

function runLines(run: MirrorFigures): string[] {
  const { provider, services, recordSets, checkSeconds, firstPlan, namesOfOneDown } = run;
  const isRoute53 = provider === "route53";
  const own = firstPlan.seconds - checkSeconds;
  const rate = run.mostInASecond;
  const changes = run.firstApply.changes;
  return [
    "",
    `## ${isRoute53 ? "Route 53" : "Cloud DNS"}: ${number(services)} services, ${number(recordSets)} record sets and as many TXT`,
    "",
    "| | seconds | requests | changes |",
    "| --- | ---: | ---: | ---: |",
    `| \`meridian check\`: reading the files | ${checkSeconds.toFixed(1)} | | |`,
    row("first plan, as JSON, empty zone", firstPlan),
    row("first apply", run.firstApply),
    row("second plan, nothing to do", run.secondPlan),
    row("one endpoint goes down, apply", run.afterOneDown),
    "",
    "| | measured | goal | |",
    "| --- | ---: | ---: | --- |",
    goal(
      "first plan beside files and network, s",
      own.toFixed(1),
      `≤ ${goals.planSeconds}`,
      own <= goals.planSeconds,
    ),
    goal(
      `least use of a limit, ${changes} changes but the last`,
      `${(100 * run.leastFullness).toFixed(1)} %`,
      `≥ ${100 * goals.fullness} %`,
      run.leastFullness >= goals.fullness,
    ),
    ...(isRoute53
      ? [
          goal(
            "most requests in any second",
            String(rate),
            `≤ ${goals.requestsPerSecond}`,
            rate <= goals.requestsPerSecond,
          ),
        ]
      : []),
    goal("requests refused as too many", String(run.throttled), "0", run.throttled === 0),
    goal(
      "changes for one endpoint",
      String(run.afterOneDown.changes),
      "1",
      run.afterOneDown.changes === 1,
    ),
    goal("names in it", String(namesOfOneDown.length), "4", namesOfOneDown.length === 4),
  ];
}

function row(what: string, { seconds, requests, changes }: CommandFigures): string {
  return `| ${what} | ${seconds.toFixed(1)} | ${number(requests)} | ${number(changes)} |`;
}

function goal(what: string, measured: string, wanted: string, isMet: boolean): string {
  return `| ${what} | ${measured} | ${wanted} | ${isMet ? "met" : "MISSED"} |`;
}

function number(value: number): string {
  return value.toLocaleString("en-US");
}
