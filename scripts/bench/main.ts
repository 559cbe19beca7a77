// `npm run bench`: servers beside each other on the same core, and what that gives as a table, a
// chart and raw results. It installs nothing. Does I/O.

import os from "node:os";
import { LoadClient } from "./load-client.ts";
import { loadCore, measureCases } from "./measure.ts";
import { readOptions, usage } from "./options.ts";
import type { BenchResults } from "./results.ts";
import { findProgram, findServers, serverIds } from "./servers.ts";

const read = readOptions(process.argv.slice(2), serverIds);
if (!read.ok) {
  console.error(`${read.problems.join("\n")}\n${usage}`);
  process.exit(64);
}
const { options } = read;
if (process.platform !== "linux" || os.availableParallelism() < 2 || !findProgram("taskset")) {
  console.error("cannot run the benchmark: it needs Linux, two cores and taskset (util-linux)");
  process.exit(1);
}
const { found, missing } = findServers(options.servers);
for (const { title, version } of found) console.log(`found ${title} ${version}`);
if (!findProgram("dnsperf")) console.log("missing dnsperf: apt-get install dnsperf");
for (const { id, packages } of missing) console.log(`missing ${id}: apt-get install ${packages}`);

const load = await LoadClient.start(loadCore);
try {
  const results: BenchResults = {
    date: new Date().toISOString().slice(0, 10),
    machine: {
      cpu: os.cpus()[0]?.model ?? "unknown",
      cores: os.cpus().length,
      kernel: `${os.type()} ${os.release()}`,
      node: process.version,
    },
    rounds: options.rounds,
    seconds: options.seconds,
    missing: missing.map(({ id }) => id),
    cases: await measureCases(found, load, options),
  };
  console.log(JSON.stringify(results).length);
} finally {
  await load.stop();
}
