// `npm run bench:mirror`: how long ten thousand services take to be planned and mirrored, with
// stand-ins of both cloud services on this machine, as a table and raw results. Does I/O.

import { mkdirSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { standKinds } from "../../test/kit/mirror-stands.ts";
import { mirrorReport } from "./mirror-report.ts";
import { type MirrorFigures, measureMirror } from "./mirror-run.ts";
import { thisMachine, today } from "./this-machine.ts";

const usage = "npm run bench:mirror -- [--services 1..50000] [--output FOLDER]";
/** What Route 53 takes of an account; Cloud DNS counts by the minute and takes more. */
const route53PerSecond = 5;

process.exitCode = await main(process.argv.slice(2));

async function main(words: readonly string[]): Promise<number> {
  const options = readOptions(words);
  if (typeof options === "string") {
    console.error(`${options}\n${usage}`);
    return 64;
  }
  const { services, output } = options;
  const [loadBefore = 0] = os.loadavg();
  const runs: MirrorFigures[] = [];
  for (const kind of standKinds) {
    const requestsPerSecond = kind.provider === "route53" ? route53PerSecond : undefined;
    console.error(`${kind.provider}: ${services} services`);
    runs.push(await measureMirror({ kind, services, requestsPerSecond }));
  }
  const results = { date: today(), machine: thisMachine(), loadBefore, runs };
  const text = mirrorReport(results);
  mkdirSync(output, { recursive: true });
  writeFileSync(path.join(output, "mirror.json"), `${JSON.stringify(results, null, 1)}\n`);
  writeFileSync(path.join(output, "mirror.md"), text);
  console.log(text);
  return 0;
}

/** The options, or what is wrong with them. */
function readOptions(words: readonly string[]): { services: number; output: string } | string {
  try {
    const { values } = parseArgs({
      args: [...words],
      options: {
        services: { type: "string", default: "10000" },
        output: { type: "string", default: "docs/bench" },
      },
    });
    const services = Number(values.services);
    if (!Number.isInteger(services) || services < 1 || services > 50_000) {
      return `cannot use --services: allowed 1 to 50000, got ${values.services}`;
    }
    return { services, output: values.output };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
