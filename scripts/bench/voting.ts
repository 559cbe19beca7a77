// `npm run bench:voting`: what bad ballots and many probes cost the DNS answers, as a table and raw
// results. It installs nothing. Does I/O.

import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { measureAttack } from "./attack-run.ts";
import { LoadClient } from "./load-client.ts";
import { measureProbes } from "./probe-run.ts";
import { findProgram } from "./programs.ts";
import { startResponder } from "./responder.ts";
import { thisMachine, today } from "./this-machine.ts";
import { readVotingOptions, type VotingBenchOptions, votingUsage } from "./voting-options.ts";
import { votingReport } from "./voting-report.ts";
import type { AttackResult, ProbeRunResult, VotingResults } from "./voting-results.ts";
import { loadCore, ownServer } from "./voting-server.ts";

const read = readVotingOptions(process.argv.slice(2));
if (read.ok) process.exitCode = await run(read.options);
else {
  console.error(`${read.problems.join("\n")}\n${votingUsage}`);
  process.exitCode = 64;
}

async function run(options: VotingBenchOptions): Promise<number> {
  if (process.platform !== "linux" || os.availableParallelism() < 2 || !findProgram("taskset")) {
    console.error("cannot run the benchmark: it needs Linux, two cores and taskset (util-linux)");
    return 1;
  }
  // This process itself keeps away from the server's core.
  spawnSync("taskset", ["-apc", loadCore, String(process.pid)]);
  const load = await LoadClient.start(loadCore);
  try {
    const results = await measure(options, load);
    const text = votingReport(results);
    mkdirSync(options.output, { recursive: true });
    writeFileSync(
      path.join(options.output, "voting.json"),
      `${JSON.stringify(results, finite, 1)}\n`,
    );
    writeFileSync(path.join(options.output, "voting.md"), text);
    console.log(text);
    return 0;
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    return 1;
  } finally {
    await load.stop();
  }
}

async function measure(options: VotingBenchOptions, load: LoadClient): Promise<VotingResults> {
  const { parts, rounds, seconds, nodeArgs } = options;
  const [loadBefore = 0] = os.loadavg();
  const own = ownServer();
  const responder = await startResponder(loadCore);
  try {
    let attack: AttackResult | undefined;
    const probes: ProbeRunResult[] = [];
    const common = { rounds, seconds, responder, nodeArgs };
    for (const part of parts) {
      if (part === "attack") attack = await measureAttack(own, load, common);
      else probes.push(await measureProbes(own, load, { ...common, type: part }));
    }
    const { version } = own;
    return {
      date: today(),
      machine: thisMachine(),
      version,
      seconds,
      loadBefore,
      attack,
      probes,
    };
  } finally {
    await responder.stop();
  }
}

/** JSON has no word for the bound of a histogram's last bucket. */
function finite(_: string, value: unknown): unknown {
  return value === Infinity ? "+Inf" : value;
}
