// `npm run bench -- --profile`: where Meridian's time goes under full load, sampled by perf. Does
// I/O.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { benchCases } from "./cases.ts";
import type { LoadClient } from "./load-client.ts";
import { loadWindow, servedWorld, start } from "./measure.ts";
import { profileText, readPerfReport } from "./profile-table.ts";
import { findProgram } from "./programs.ts";
import type { BenchServer } from "./servers.ts";

const warmSeconds = 5;
const samplesPerSecond = 1999;
/** Names for the code that Node compiles go to /tmp/perf-PID.map, where perf looks for them. */
const nodeArgs = ["--perf-basic-prof", "--interpreted-frames-native-stack"];

/** One section for each of these cases; rejects if there is no perf. */
export async function profile(
  server: BenchServer,
  caseIds: readonly string[],
  load: LoadClient,
  seconds: number,
): Promise<string> {
  const perf = findProgram("perf");
  if (perf === undefined) {
    throw new Error("cannot profile: missing perf; on Debian: apt-get install linux-perf");
  }
  const sections: string[] = [];
  for (const benchCase of benchCases.filter(({ id }) => caseIds.includes(id))) {
    const world = servedWorld(benchCase.world, 0);
    const running = await start(server, world, benchCase, { nodeArgs });
    try {
      const job = {
        kind: "top" as const,
        port: running.port,
        pool: benchCase.pool(world.hosts),
        networks: world.networks.length,
        warmSeconds,
        seconds: 0.1,
        window: loadWindow,
        rate: 0,
        serverPid: running.pid,
      };
      await load.run(job);
      const data = path.join(running.folder, "perf.data");
      const what = ["record", "-q", "-F", String(samplesPerSecond), "-o", data];
      const recorder = spawn(
        perf,
        [...what, "-p", String(running.pid), "--", "sleep", String(seconds)],
        { stdio: ["ignore", "ignore", "inherit"] },
      );
      const recorded = once(recorder, "exit");
      await load.run({ ...job, warmSeconds: 0, seconds: seconds + 1 });
      await recorded;
      const report = spawnSync(
        perf,
        [
          "report",
          "-i",
          data,
          "--stdio",
          "--no-children",
          "--sort",
          "dso,symbol",
          "--field-separator=;",
        ],
        { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 },
      );
      const rows = readPerfReport(report.stdout);
      if (rows.length === 0) throw new Error(`cannot profile: no samples, got ${report.stderr}`);
      sections.push(profileText(rows, `${benchCase.id}: ${benchCase.title}`));
    } finally {
      await running.stop();
    }
  }
  return sections.join("\n");
}
