// `npm run bench`: servers beside each other on the same core, and what that gives as a table, a
// chart and raw results; or a long run, or a profile. It installs nothing. Does I/O.

import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { barChart } from "./chart.ts";
import { LoadClient } from "./load-client.ts";
import { loadCore, measureCases, servedWorld } from "./measure.ts";
import { type BenchOptions, readOptions, usage } from "./options.ts";
import { profile } from "./profile.ts";
import { findProgram } from "./programs.ts";
import { reportText } from "./report.ts";
import { type BenchResults, figuresOf } from "./results.ts";
import { type BenchServer, findServers, serverIds } from "./servers.ts";
import { soak, soakText } from "./soak.ts";
import { thisMachine, today } from "./this-machine.ts";

const chartFile = "rates.svg";
/** Services of the long run: many, beside the one that changes. */
const soakServices = 10_000;
/** Cases that are profiled. */
const profiledCases = ["a", "b"];

const read = readOptions(process.argv.slice(2), serverIds);
if (read.ok) process.exitCode = await run(read.options);
else {
  console.error(`${read.problems.join("\n")}\n${usage}`);
  process.exitCode = 64;
}

async function run(options: BenchOptions): Promise<number> {
  if (process.platform !== "linux" || os.availableParallelism() < 2 || !findProgram("taskset")) {
    console.error("cannot run the benchmark: it needs Linux, two cores and taskset (util-linux)");
    return 1;
  }
  // This process itself keeps away from the servers' core.
  spawnSync("taskset", ["-apc", loadCore, String(process.pid)]);
  const load = await LoadClient.start(loadCore);
  try {
    if (options.mode === "table") await table(options, load);
    else {
      const [own] = findServers(
        options.servers.filter((id) => id.startsWith("meridian")),
        options.list,
      ).found;
      if (!own) throw new Error("cannot run: --servers names no Meridian");
      console.log(`${own.title} ${own.version}`);
      if (options.mode === "soak") await longRun(own, options, load);
      else await profileRun(own, options, load);
    }
    return 0;
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    return 1;
  } finally {
    await load.stop();
  }
}

async function table(options: BenchOptions, load: LoadClient): Promise<void> {
  const { found, missing } = findServers(options.servers, options.list);
  for (const { title, version } of found) console.log(`found ${title} ${version}`.trim());
  for (const { id, packages } of missing) console.log(`missing ${id}: apt-get install ${packages}`);
  if (!findProgram("dnsperf")) console.log("missing dnsperf: apt-get install dnsperf");
  const results: BenchResults = {
    date: today(),
    machine: thisMachine(),
    rounds: options.rounds,
    seconds: options.seconds,
    missing: missing.map(({ id }) => id),
    cases: await measureCases(found, load, options),
  };
  const text = reportText(results, chartFile);
  write(options, {
    "results.json": `${JSON.stringify(results, withoutProcesses, 1)}\n`,
    "README.md": text,
    [chartFile]: chartOf(results),
  });
  console.log(text);
}

async function longRun(own: BenchServer, options: BenchOptions, load: LoadClient): Promise<void> {
  const world = servedWorld("services", soakServices);
  const result = await soak(own, world, load, options.minutes);
  const text = soakText(result);
  const head = `# Long run\n\n${today()}, ${own.title} ${own.version}, ${machineText()}, ${soakServices} services, one of which changes every 100 ms.\n`;
  write(options, {
    "soak.md": `${head}\n${text.replaceAll(/^/gm, "- ")}\n`,
    "soak.json": `${JSON.stringify(result, null, 1)}\n`,
  });
  console.log(text);
}

async function profileRun(
  own: BenchServer,
  options: BenchOptions,
  load: LoadClient,
): Promise<void> {
  const sections = await profile(own, profiledCases, load, options.seconds);
  const head = `# Where the time goes\n\n${today()}, ${own.title} ${own.version}, ${machineText()}, one worker at full load, sampled by perf.\n`;
  write(options, { "profile.md": `${head}\n${sections}` });
  console.log(sections);
}

/** The first case of each letter: the chart shows the speed of one core. */
function chartOf({ cases }: BenchResults): string {
  const groups = cases.map((result) => ({
    title: `${result.id}: ${result.title}`,
    bars: result.servers.map((server) => ({
      label: server.title,
      value: figuresOf(server, result).rate,
      isOwn: server.id === "meridian",
    })),
  }));
  return barChart("Answers per second on one core", groups);
}

function write({ output }: BenchOptions, files: Readonly<Record<string, string>>): void {
  mkdirSync(output, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(path.join(output, name), text);
    console.log(`wrote ${path.join(output, name)}`);
  }
}

function machineText(): string {
  const { cpu, cores, kernel, node } = thisMachine();
  return `${cpu}, ${cores} cores, ${kernel}, Node ${node}`;
}

/** Where a server ran and with which process says nothing about its results. */
function withoutProcesses(key: string, value: unknown): unknown {
  return key === "running" ? undefined : value;
}
