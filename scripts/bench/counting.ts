// What counting costs: Meridian as built beside the same build with counting taken out, or beside
// another build, one after the other in short slices on the same core. As a table. Does I/O.

import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { type BenchCase, benchCases } from "./cases.ts";
import { meridianConfig } from "./configs/meridian.ts";
import { countingReport, type Slice } from "./counting-report.ts";
import { LoadClient } from "./load-client.ts";
import { loadCore, loadWindow, servedWorld, start } from "./measure.ts";
import { findProgram } from "./programs.ts";
import type { RunningServer } from "./running-server.ts";
import type { BenchServer } from "./servers.ts";
import { thisMachine, today } from "./this-machine.ts";

const usage =
  "npm run build && tsx scripts/bench/counting.ts [--pairs 1..1000] [--seconds 1..60] [--against FOLDER] [--output FILE]";
const root = path.resolve(import.meta.dirname, "../..");
/** By ready answers, by plans, by templates: each counts otherwise. */
const caseIds = ["a", "b", "c"];
/** Node's compiler wants to have seen everything. */
const warmSeconds = 5;
const sliceWarmSeconds = 0.2;

/** What a build has in place of counting, behind the end of these files. */
const withoutCounting: Readonly<Record<string, string>> = {
  "dist/server/query-counts.js": `
for (const name of ["received", "answered", "silent", "took"]) QueryCounts.prototype[name] = () => {};
QueryCounts.prototype.isTimed = () => false;
`,
  "dist/answer/answer-note.js": `
AnswerNote.prototype.write = () => {};
`,
};

process.exitCode = await main(process.argv.slice(2));

async function main(words: readonly string[]): Promise<number> {
  const options = readOptions(words);
  if (typeof options === "string") {
    console.error(`${options}\n${usage}`);
    return 64;
  }
  if (process.platform !== "linux" || os.availableParallelism() < 2 || !findProgram("taskset")) {
    console.error("cannot run the benchmark: it needs Linux, two cores and taskset (util-linux)");
    return 1;
  }
  const loadBefore = os.loadavg()[0] ?? 0;
  spawnSync("taskset", ["-apc", loadCore, String(process.pid)]);
  const bare = options.against === undefined ? buildWithoutCounting() : undefined;
  const load = await LoadClient.start(loadCore);
  try {
    const builds = [server("counting", root), server("without", options.against ?? bare ?? root)];
    const results = [];
    for (const benchCase of benchCases.filter(({ id }) => caseIds.includes(id))) {
      const slices = await measurePairs(benchCase, builds, load, options);
      results.push({ id: benchCase.id, title: benchCase.title, slices });
    }
    const text = countingReport({
      date: today(),
      machine: thisMachine(),
      loadBefore,
      loadAfter: os.loadavg()[0] ?? 0,
      other: options.against === undefined ? "the same build without counting" : "another build",
      ...options,
      results,
    });
    mkdirSync(path.dirname(options.output), { recursive: true });
    writeFileSync(options.output, text);
    console.log(text);
    return 0;
  } finally {
    await load.stop();
    if (bare !== undefined) rmSync(bare, { recursive: true, force: true });
  }
}

/** Slices of both builds in turn, the first of each pair another one each time. */
async function measurePairs(
  benchCase: BenchCase,
  builds: readonly BenchServer[],
  load: LoadClient,
  { pairs, seconds }: { readonly pairs: number; readonly seconds: number },
): Promise<Slice[]> {
  const world = servedWorld(benchCase.world, 0);
  const started: RunningServer[] = [];
  const slices: Slice[] = [];
  const slice = async (running: RunningServer, warm: number): Promise<Slice> => {
    running.goOn();
    const counts = await load.run({
      kind: "top",
      port: running.port,
      pool: benchCase.pool(world.hosts),
      networks: world.networks.length,
      warmSeconds: warm,
      seconds,
      window: loadWindow,
      rate: 0,
      serverPid: running.pid,
    });
    running.hold();
    const { answered, serverCpuSeconds } = counts;
    return { isCounting: running.server.id === "counting", answered, serverCpuSeconds, seconds };
  };
  try {
    for (const build of builds) {
      const running = await start(build, world, benchCase);
      started.push(running);
      await slice(running, warmSeconds);
    }
    for (let pair = 0; pair < pairs; pair++) {
      const order = pair % 2 === 0 ? started : [...started].reverse();
      for (const running of order) slices.push(await slice(running, sliceWarmSeconds));
    }
  } finally {
    for (const running of started) await running.stop();
  }
  return slices;
}

function server(id: "counting" | "without", folder: string): BenchServer {
  return {
    id,
    title: id,
    command: [process.execPath, path.join(folder, "dist/cli/main.js")],
    version: "",
    without: {},
    config: (world, place) => meridianConfig(world, place, { workers: 1 }),
    isEcho: false,
    isForMemory: false,
  };
}

/** The same build in a folder of its own, which who calls removes. */
function buildWithoutCounting(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), "meridian-bench-bare-"));
  cpSync(path.join(root, "dist"), path.join(folder, "dist"), { recursive: true });
  for (const name of ["node_modules", "package.json", "geoip"]) {
    symlinkSync(path.join(root, name), path.join(folder, name));
  }
  for (const [file, text] of Object.entries(withoutCounting)) {
    appendFileSync(path.join(folder, file), text);
  }
  return folder;
}

interface Options {
  readonly pairs: number;
  readonly seconds: number;
  readonly against: string | undefined;
  readonly output: string;
}

/** The options, or what is wrong with them. */
function readOptions(words: readonly string[]): Options | string {
  try {
    const { values } = parseArgs({
      args: [...words],
      options: {
        pairs: { type: "string", default: "20" },
        seconds: { type: "string", default: "2" },
        against: { type: "string" },
        output: { type: "string", default: "docs/bench/counting.md" },
      },
    });
    const [pairs, seconds] = [Number(values.pairs), Number(values.seconds)];
    if (!Number.isInteger(pairs) || pairs < 1 || pairs > 1000) {
      return `cannot use --pairs: allowed 1 to 1000, got ${values.pairs}`;
    }
    if (!(seconds >= 1 && seconds <= 60)) {
      return `cannot use --seconds: allowed 1 to 60, got ${values.seconds}`;
    }
    const against = values.against === undefined ? undefined : path.resolve(values.against);
    return { pairs, seconds, against, output: values.output };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
