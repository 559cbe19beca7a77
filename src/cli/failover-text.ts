// What `meridian explain --failover` prints: how long clients take to leave an endpoint of one
// service that died, by the service's own check and TTL. It must not know the formula, and it asks
// nothing of the network: no verdict of now has a part in it.

import { type HealthCheck, type Service, serviceKey, type TtlRange } from "../federation/model.ts";
import {
  defaultExchangeSeconds,
  defaultResolvers,
  type FailoverBudget,
  failoverBudget,
  failoverGoal,
  type ResolverBehaviour,
} from "../health/failover.ts";
import { targetsOf } from "../health/target.ts";
import { labelled, table } from "./text-layout.ts";

/** What is printed, as plain data. Keys are only ever added. */
export interface FailoverReport {
  /** `namespace/name`. */
  readonly service: string;
  /** Why clients never leave a dead endpoint; `null` if they do. Then `deaths` is there. */
  readonly never: string | null;
  /** What else an operator should know of this service, in sentences. */
  readonly notes: readonly string[];
  readonly voters: number;
  readonly check: Pick<HealthCheck, "type" | "intervalSeconds" | "timeoutSeconds" | "fall"> | null;
  readonly ttl: TtlRange;
  readonly assumed: ResolverBehaviour & { readonly exchangeSeconds: number };
  /** By how the endpoint died: it refuses connections, or it says nothing. */
  readonly deaths: { readonly refused: FailoverBudget; readonly silent: FailoverBudget } | null;
  readonly goal: { readonly share: number; readonly seconds: number; readonly isMet: boolean };
}

/**
 * The report as text.
 * @param voters how many vote on one endpoint: all voters, or the electors if those are fewer; 0 on
 *   a server that hears no votes.
 */
export function explainFailover(
  service: Service,
  voters: number,
  resolvers: ResolverBehaviour = defaultResolvers,
): string {
  return failoverText(failoverJson(service, voters, resolvers));
}

/** The report as `--json` prints it; see `explainFailover`. */
export function failoverJson(
  service: Service,
  voters: number,
  resolvers: ResolverBehaviour = defaultResolvers,
): FailoverReport {
  const { healthCheck, ttl } = service;
  const never = neverBecause(service, voters);
  const budget = (deadKind: "refused" | "silent", check: HealthCheck): FailoverBudget => {
    const { intervalSeconds, timeoutSeconds, fall } = check;
    const exchangeSeconds = defaultExchangeSeconds;
    return failoverBudget({
      ...{ intervalSeconds, timeoutSeconds, fall, voters, deadKind, ttl },
      ...{ exchangeSeconds, resolvers },
    });
  };
  const deaths =
    healthCheck && never === null
      ? { refused: budget("refused", healthCheck), silent: budget("silent", healthCheck) }
      : null;
  const isMet =
    deaths !== null &&
    Math.max(deaths.refused.moved.p90, deaths.silent.moved.p90) <= failoverGoal.seconds;
  return {
    service: serviceKey(service),
    never,
    notes: never === null ? notesOn(service) : [],
    voters,
    check: healthCheck ? checkPart(healthCheck) : null,
    ttl: { minSeconds: ttl.minSeconds, maxSeconds: ttl.maxSeconds },
    assumed: { ...resolvers, exchangeSeconds: defaultExchangeSeconds },
    deaths,
    goal: { ...failoverGoal, isMet },
  };
}

/** A report as lines for a terminal. */
export function failoverText(report: FailoverReport): string {
  const { service, never, check, deaths, notes, goal } = report;
  const title = `How long until clients have left an endpoint of ${service} that died`;
  if (!check || !deaths) return `${title}\n\n${labelled("never", never ?? "")}`;
  const { refused, silent } = deaths;
  const rows: [string, (budget: FailoverBudget) => number][] = [
    ["out of the answers, on average", ({ detection }) => detection.meanSeconds],
    ["out of the answers, at the latest", ({ detection }) => detection.worstSeconds],
    ["50 % of clients moved", ({ moved }) => moved.p50],
    ["90 % of clients moved", ({ moved }) => moved.p90],
    ["99 % of clients moved", ({ moved }) => moved.p99],
    ["all clients moved", ({ moved }) => moved.all],
  ];
  const columns = [
    ["", "it refuses", "it is silent"],
    ...rows.map(([name, of]) => [name, seconds(of(refused)), seconds(of(silent))]),
  ];
  const outcome = goal.isMet ? "met" : "not met";
  return [
    title,
    "",
    labelled("check", checkText(check)),
    labelled("votes", votesText(refused.votesNeeded, report.voters)),
    labelled("ttl", ttlText(refused, report)),
    ...assumedTexts(report).map((text, index) => labelled(index === 0 ? "assumed" : "", text)),
    "",
    ...table(columns, [1, 2]),
    "",
    labelled("goal", `${percent(goal.share)} within ${goal.seconds} s: ${outcome}`),
    ...notes.map((note) => labelled("note", note)),
  ].join("\n");
}

/** Why nobody would take a dead endpoint of this service out of the answers. */
function neverBecause(service: Service, voters: number): string | null {
  const { healthCheck } = service;
  if (!healthCheck) return "it has no health check, so nobody notices that an endpoint died";
  if (voters === 0) return "this server hears no votes: it has no voters configured";
  const targets = targetsOf(service).filter(({ isInternal }) => !isInternal);
  if (targets.length === 0) return "it has no external address that could be probed";
  if (targets.every(({ port }) => port === undefined)) {
    return "none of its clusters has a port for the health check, so nothing is probed";
  }
  // As the ejection budget counts: whole endpoints.
  if (Math.floor((targets.length * healthCheck.maxEjectPercent) / 100) === 0) {
    const of = targets.length === 1 ? "its one endpoint" : `any of its ${targets.length} endpoints`;
    return `maxEjectPercent ${healthCheck.maxEjectPercent} holds ${of} in the answers`;
  }
  return null;
}

function notesOn(service: Service): string[] {
  const targets = targetsOf(service).filter(({ isInternal }) => !isInternal);
  const unprobed = new Set(
    targets.filter(({ port }) => port === undefined).map(({ cluster }) => cluster),
  );
  const notes = [...unprobed].map(
    (cluster) => `${cluster} has no port that can be probed: its endpoints stay in the answers`,
  );
  if (targets.length === 1 && service.onAllDown === "open") {
    notes.push(
      "it has one endpoint, so there is no other to move to: it is answered when down too",
    );
  }
  return notes;
}

function checkPart({ type, intervalSeconds, timeoutSeconds, fall }: HealthCheck) {
  return { type, intervalSeconds, timeoutSeconds, fall };
}

function checkText(check: NonNullable<FailoverReport["check"]>): string {
  const { type, intervalSeconds, timeoutSeconds, fall } = check;
  const failures = fall === 1 ? "1 failure is" : `${fall} failures are`;
  return `${type} every ${intervalSeconds} s, time-out ${timeoutSeconds} s; ${failures} down`;
}

function votesText(needed: number, voters: number): string {
  return voters === 1 ? "the one voter decides" : `${needed} of ${voters} voters must say down`;
}

function ttlText({ ttlSeconds, lastTtlSeconds }: FailoverBudget, { ttl }: FailoverReport): string {
  const range = `ttl.min ${ttl.minSeconds}, ttl.max ${ttl.maxSeconds}`;
  if (ttlSeconds === lastTtlSeconds) return `${ttlSeconds} s until the verdict (${range})`;
  return `${ttlSeconds} s while all is well, ${lastTtlSeconds} s just before the verdict (${range})`;
}

function assumedTexts({ assumed }: FailoverReport): string[] {
  const { ignoreTtlShare, ignoreTtlSeconds, clientCacheSeconds, exchangeSeconds } = assumed;
  const ignoring =
    ignoreTtlShare === 0
      ? "all resolvers heed the TTL"
      : `${percent(ignoreTtlShare)} of clients behind resolvers that keep answers ${ignoreTtlSeconds} s or longer`;
  const programs =
    clientCacheSeconds === 0
      ? "programs keep no answers of their own"
      : `programs keep answers ${clientCacheSeconds} s of their own`;
  return [ignoring, `${programs}; a vote is in the answers after ${exchangeSeconds} s`];
}

function seconds(value: number): string {
  return `${value.toFixed(1)} s`;
}

function percent(share: number): string {
  return `${Math.round(share * 1000) / 10} %`;
}
