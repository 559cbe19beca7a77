// `meridian explain`: what one client would be answered, and why: by a running server, which knows
// votes and drains, or by what the files say. Does I/O.

import { type AssumptionTexts, assumesNothing } from "../answer/assumptions.ts";
import type { Explanation } from "../answer/explanation.ts";
import { servedState } from "../answer/served-state.ts";
import { callControl, findServer } from "./control-client.ts";
import {
  type ExplainQuery,
  explainQuery,
  explainWhatIf,
  readExplainQuery,
} from "./explain-query.ts";
import { explanationText } from "./explain-text.ts";
import { readExplanation } from "./explanation-reader.ts";
import { failoverJson, failoverText } from "./failover-text.ts";
import { readWorld } from "./open-world.ts";
import { ExitStatus, shortPath } from "./output.ts";
import { printable } from "./server-status.ts";
import { votersOnEndpoint } from "./world.ts";

export interface ExplainCommandOptions extends AssumptionTexts {
  /** A source address, or an ECS prefix with `/LEN`; not needed for `failover`. */
  readonly client?: string;
  /** The resolver that sends the ECS prefix. */
  readonly resolver?: string;
  /** Explains what the files say, and asks no server. */
  readonly config?: string;
  /** The URL of a running server. */
  readonly server?: string;
  /** A file with a token for that server. */
  readonly tokenFile?: string;
  readonly json?: boolean;
  /** In place of the explanation: how long clients take to leave a dead endpoint. */
  readonly failover?: boolean;
}

/** Resolves with the exit status. */
export async function explainCommand(
  name: string,
  type: string,
  options: ExplainCommandOptions,
): Promise<number> {
  const { client, resolver, config, server, tokenFile, json = false, failover = false } = options;
  const { health, drain, undrain } = options;
  const assumed: AssumptionTexts = { health, drain, undrain };
  if (config !== undefined && server !== undefined) {
    return badUsage("cannot explain: --config asks files and --server a server; allowed one");
  }
  if (failover && server !== undefined) {
    return badUsage("cannot use --failover with --server: it goes by what the files say");
  }
  if (failover && !assumesNothing(assumed)) {
    return badUsage("cannot use --failover with --health, --drain or --undrain: allowed one");
  }
  if (client === undefined && !failover) {
    return badUsage("cannot explain: --client ADDR or --client ADDR/LEN says for whom");
  }
  const texts = { name, type, client: client ?? anyClient, resolver };
  const read = readExplainQuery(texts);
  if (!read.ok) return badUsage(read.message);
  if (failover) return explainFailover(read.query, config ?? defaultConfig, json);
  if (config === undefined) {
    const found = findServer({ server, tokenFile });
    if (!found.ok) return found.status;
    const reply = await callControl(found.target, "GET", requestPath({ ...texts, ...assumed }));
    if (reply.ok) return printReply(reply.body, !assumesNothing(assumed), json);
    console.error(printable(reply.message));
    // A server that was named, or that is there and says no, is not to be answered for by files.
    if (server !== undefined || !reply.isAbsent) return ExitStatus.FAILED;
    console.error(`explaining what the files say, as ${defaultConfig} names them`);
  }
  return explainFiles(read.query, assumed, config ?? defaultConfig, json);
}

const defaultConfig = "meridian.yaml";
/** Failover does not depend on the client. */
const anyClient = "192.0.2.0";

function requestPath(
  texts: Readonly<Record<string, string | readonly string[] | undefined>>,
): string {
  const query = new URLSearchParams();
  for (const [key, value = []] of Object.entries(texts)) {
    for (const each of typeof value === "string" ? [value] : value) query.append(key, each);
  }
  return `/v1/explain?${query}`;
}

/** No votes and no drains are known here. */
async function explainFiles(
  query: ExplainQuery,
  assumed: AssumptionTexts,
  config: string,
  json: boolean,
): Promise<number> {
  const world = await readWorld(config);
  if (!world) return ExitStatus.BAD_INPUT;
  const state = servedState(world.snapshot, [], () => 0);
  const outcome = await explainWhatIf(query, assumed, world, state);
  if (outcome.ok) return print(outcome.explanation, json);
  console.error(printable(outcome.message));
  return ExitStatus.BAD_INPUT;
}

async function explainFailover(
  query: ExplainQuery,
  config: string,
  json: boolean,
): Promise<number> {
  const world = await readWorld(config);
  if (!world) return ExitStatus.BAD_INPUT;
  const { steps, question } = explainQuery(
    query,
    world,
    servedState(world.snapshot, [], () => 0),
  );
  const service = world.sources.model.services.get(steps[0]?.service ?? "");
  if (!service) {
    console.error(`cannot explain failover: no service has this name, got ${question.name}`);
    return ExitStatus.BAD_INPUT;
  }
  const report = failoverJson(service, votersOnEndpoint(world));
  console.log(json ? JSON.stringify(report, null, 2) : failoverText(report));
  return ExitStatus.FINE;
}

/**
 * Whatever answers at a URL may say anything.
 * @param isWhatIf whether it must be a what-if: what is must not be taken for it.
 */
function printReply(body: unknown, isWhatIf: boolean, json: boolean): number {
  const explanation = readExplanation(body);
  if (explanation && isWhatIf === (explanation.assuming !== undefined)) {
    return print(explanation, json);
  }
  if (explanation) {
    const but = isWhatIf ? "says what is, not what would be" : "assumes what it was not asked to";
    console.error(`cannot read the server's answer: it ${but}`);
    return ExitStatus.FAILED;
  }
  console.error("cannot read the server's answer: it is no explanation of a Meridian server");
  return ExitStatus.FAILED;
}

/** Reasons come from whoever is probed, and from other voters. */
function print(explanation: Explanation, json: boolean): number {
  const text = json
    ? JSON.stringify(explanation, null, 2)
    : explanationText(withShortPlace(explanation));
  console.log(text.split("\n").map(printable).join("\n"));
  return ExitStatus.FINE;
}

/** The same with the place of an override as a person would write it. */
function withShortPlace(explanation: Explanation): Explanation {
  const { client } = explanation;
  const { by } = client.location;
  if (by.kind !== "override") return explanation;
  const location = { ...client.location, by: { ...by, place: shortPath(by.place) } };
  return { ...explanation, client: { ...client, location } };
}

function badUsage(message: string): number {
  console.error(message);
  return ExitStatus.BAD_USAGE;
}
