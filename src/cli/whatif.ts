// `meridian whatif`: replays clients and names as things are and as they would be, by the running
// server or by the files. Does I/O.

import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import type { AssumptionTexts } from "../answer/assumptions.ts";
import type { ReplayReport } from "../answer/replay.ts";
import { servedState } from "../answer/served-state.ts";
import { whatIfReportSchema } from "../control/api-schemas.ts";
import { callControl, findServer, type ServerOptions } from "./control-client.ts";
import { readWorld } from "./open-world.ts";
import { ExitStatus, printProblems, shortPath } from "./output.ts";
import { printable } from "./server-status.ts";
import { mostQueries, type ReplayTexts, replayTexts } from "./what-if-part.ts";
import { mostProblems, type ReadQueries, readQueries } from "./what-if-queries.ts";
import { whatIfText } from "./what-if-text.ts";

export interface WhatIfCommandOptions extends ServerOptions, AssumptionTexts {
  /** A list of queries, `-` for standard input. Default: those of the server's sample. */
  readonly queries?: string | undefined;
  readonly json?: boolean | undefined;
}

/** The server does it in slices, after what others asked for, and 100,000 queries take it seconds. */
const timeoutMs = 180_000;
const defaultConfig = "meridian.yaml";

/** Resolves with the exit status. */
export async function whatIfCommand(options: WhatIfCommandOptions): Promise<number> {
  const { config, server, queries: file } = options;
  if (config !== undefined && server !== undefined) {
    console.error("cannot replay: --config asks files and --server a server; allowed one");
    return ExitStatus.BAD_USAGE;
  }
  if (config !== undefined && file === undefined) {
    console.error("cannot replay: files keep no sample of queries; --queries FILE gives some");
    return ExitStatus.BAD_USAGE;
  }
  const listed = file === undefined ? undefined : await readList(file);
  if (typeof listed === "number") return listed;
  if (config !== undefined && listed) return replayFiles(listed, options, config);

  if (listed && listed.length > mostQueries) {
    const message = `a server replays at most ${mostQueries} different queries at a time`;
    console.error(`cannot replay: ${message}, got ${listed.length}; --config replays them here`);
    return ExitStatus.BAD_INPUT;
  }
  const found = findServer(options);
  if (!found.ok) return found.status;
  const body = { ...assumptionsIn(options), ...(listed && { queries: listed }) };
  const reply = await callControl(found.target, "POST", "/v1/whatif", body, timeoutMs);
  if (reply.ok) return printReply(reply.body, options);
  console.error(printable(reply.message));
  if (server !== undefined || !reply.isAbsent || !listed) return ExitStatus.FAILED;
  console.error(`replaying by what the files say, as ${defaultConfig} names them`);
  return replayFiles(listed, options, defaultConfig);
}

/** The queries of a list, or an exit status; what is wrong has been printed then. */
async function readList(file: string): Promise<readonly ReplayTexts[] | number> {
  const name = file === "-" ? "standard input" : file;
  let read: ReadQueries;
  try {
    const input = file === "-" ? process.stdin : createReadStream(file);
    // An error of the stream must reach this loop, which the lines alone would not tell.
    const failed = new Promise<never>((_resolve, reject) => input.once("error", reject));
    const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
    read = await Promise.race([readQueries(name, lines), failed]);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    console.error(`cannot read queries: ${reason}`);
    return ExitStatus.BAD_INPUT;
  }
  const { queries, leftOut, problems } = read;
  if (problems.length > 0) {
    printProblems(problems.map((each) => ({ ...each, message: printable(each.message) })));
    if (problems.length >= mostProblems) console.error("the rest was not read");
    return ExitStatus.BAD_INPUT;
  }
  if (leftOut > 0) {
    console.error(`left out ${leftOut} of its queries: no answer can be replayed for them`);
  }
  if (queries.length === 0) {
    console.error(`cannot replay: there is no query in it, got ${name}`);
    return ExitStatus.BAD_INPUT;
  }
  return queries;
}

/** No votes and no drains are known here. */
async function replayFiles(
  queries: readonly ReplayTexts[],
  options: WhatIfCommandOptions,
  config: string,
): Promise<number> {
  const world = await readWorld(config);
  if (!world) return ExitStatus.BAD_INPUT;
  const state = servedState(world.snapshot, [], () => 0);
  const outcome = await replayTexts(queries, assumptionsIn(options), world, state);
  if (outcome.ok) return print(outcome.report, options);
  console.error(printable(outcome.message));
  return ExitStatus.BAD_INPUT;
}

/** Whatever answers at a URL may say anything. */
function printReply(body: unknown, options: WhatIfCommandOptions): number {
  const report = whatIfReportSchema.safeParse(body).data;
  if (report) return print(report, options);
  console.error("cannot read the server's answer: it is no report of a what-if");
  return ExitStatus.FAILED;
}

function print(report: ReplayReport, options: WhatIfCommandOptions): number {
  const { queries, json = false } = options;
  const source =
    queries === undefined
      ? "of the server's sample"
      : `of ${queries === "-" ? "standard input" : shortPath(queries)}`;
  const assuming = assumptionsIn(options);
  const text = json
    ? JSON.stringify({ assuming, ...report }, null, 2)
    : whatIfText(report, assuming, source);
  console.log(text.split("\n").map(printable).join("\n"));
  return ExitStatus.FINE;
}

function assumptionsIn({ health = [], drain = [], undrain = [] }: AssumptionTexts) {
  return { health: [...health], drain: [...drain], undrain: [...undrain] };
}
