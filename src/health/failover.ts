// How long it takes until clients have left an endpoint that died: the formula, from the checks,
// the votes, the TTL by vote and what resolvers make of it. Pure arithmetic; it must not know
// services, and no clock or chance has a part in it. docs/failover.md tells it in words.

import type { TtlRange } from "../federation/model.ts";
import { quorumOf } from "./electorate.ts";
import { askingAfter, type LifeFrom, type Span, shareBy } from "./failover-caches.ts";

/** What caches between the answer and the client do. */
export interface ResolverBehaviour {
  /** Share of the clients whose resolver keeps answers longer than their TTL; 0 to 1. */
  readonly ignoreTtlShare: number;
  /** Such a resolver keeps every answer at least so long. */
  readonly ignoreTtlSeconds: number;
  /** Programs keep an answer so long whatever its TTL, and then ask their resolver; 0: not at all. */
  readonly clientCacheSeconds: number;
}

/**
 * What is assumed where nothing is said. The share: 8.74 % of 8,524 measured resolvers extend TTLs
 * (Bhowmick and others, "TTL Violation of DNS Resolvers in the Wild", PAM 2023,
 * doi:10.1007/978-3-031-28486-1_23), rounded up. The five minutes are chosen, not measured.
 */
export const defaultResolvers: ResolverBehaviour = {
  ignoreTtlShare: 0.1,
  ignoreTtlSeconds: 300,
  clientCacheSeconds: 0,
};

/** From a voter's result to answers that follow it, in seconds: a ballot and a write to memory. */
export const defaultExchangeSeconds = 0.1;

/** What users may hold the defaults to: this share of clients has moved after this time. */
export const failoverGoal = { share: 0.9, seconds: 180 };

export interface FailoverSettings {
  readonly intervalSeconds: number;
  readonly timeoutSeconds: number;
  /** 1 or more. */
  readonly fall: number;
  /** All who vote on the endpoint; 1 or more. */
  readonly voters: number;
  /** A dead endpoint refuses (each probe fails at once) or says nothing (each costs its time-out). */
  readonly deadKind: "refused" | "silent";
  readonly ttl: TtlRange;
  readonly exchangeSeconds: number;
  readonly resolvers: ResolverBehaviour;
}

/** One part of the time. The means of all parts add up to the mean, the worst to the worst. */
export interface FailoverPart {
  readonly meanSeconds: number;
  readonly worstSeconds: number;
}

export interface FailoverBudget {
  readonly votesNeeded: number;
  /** TTL of answers while all is well, and of the last that bear the dead endpoint. */
  readonly ttlSeconds: number;
  readonly lastTtlSeconds: number;
  readonly parts: {
    /** Until the voter whose word makes the majority starts its first failing probe. */
    readonly firstProbe: FailoverPart;
    /** Until that voter has all its failures. */
    readonly failures: FailoverPart;
    /** Until answers follow its word. */
    readonly exchange: FailoverPart;
    /** Until the resolver asks again. */
    readonly resolvers: FailoverPart;
    /** Until the program asks its resolver again. */
    readonly clientCaches: FailoverPart;
  };
  /** From death until answers no longer bear the endpoint: the first three parts. */
  readonly detection: FailoverPart;
  /** Seconds from death until such a share of clients has moved. */
  readonly moved: {
    readonly p50: number;
    readonly p90: number;
    readonly p99: number;
    readonly all: number;
  };
}

/**
 * The budget of one endpoint's death, which comes at a moment that no probe knows of. Exact up to
 * the numeric integration over the voters' phases (some thousandths of the interval); rounded to
 * the millisecond.
 * @throws RangeError if there is no voter, or a number is out of its range.
 */
export function failoverBudget(settings: FailoverSettings): FailoverBudget {
  const model = modelOf(settings);
  const { intervalSeconds, voters, exchangeSeconds, resolvers } = settings;
  const { spans, verdictSeconds, lastSeconds } = model;
  const votesNeeded = quorumOf(voters);
  const firstProbe = part((intervalSeconds * votesNeeded) / (voters + 1), intervalSeconds);
  const meanAsking = spans.reduce(
    (sum, { fromSeconds, toSeconds, share }) => sum + (share * (fromSeconds + toSeconds)) / 2,
    0,
  );
  const { clientCacheSeconds } = resolvers;
  const failures = verdictSeconds - exchangeSeconds;
  return {
    votesNeeded,
    ttlSeconds: ttlWith(settings.fall, settings),
    lastTtlSeconds: ttlWith(1, settings),
    parts: {
      firstProbe,
      failures: part(failures, failures),
      exchange: part(exchangeSeconds, exchangeSeconds),
      resolvers: part(meanAsking - verdictSeconds, lastSeconds - verdictSeconds),
      clientCaches: part(clientCacheSeconds / 2, clientCacheSeconds),
    },
    detection: part(
      firstProbe.meanSeconds + verdictSeconds,
      firstProbe.worstSeconds + verdictSeconds,
    ),
    moved: {
      p50: quantile(0.5, model, settings),
      p90: quantile(0.9, model, settings),
      p99: quantile(0.99, model, settings),
      all: toMillisecond(latest(model, settings)),
    },
  };
}

/**
 * The share of clients, 0 to 1, that have moved so many seconds after the death.
 * @throws RangeError as `failoverBudget`.
 */
export function movedShare(seconds: number, settings: FailoverSettings): number {
  return shareMoved(seconds, modelOf(settings), settings);
}

/** All of it that does not depend on chance between the voters. Times count from the start of the
 * deciding voter's first failing probe. */
interface FailoverModel {
  /** When answers no longer bear the endpoint. */
  readonly verdictSeconds: number;
  /** When resolvers first ask after that. */
  readonly spans: readonly Span[];
  readonly lastSeconds: number;
  /** How likely that probe starts in each of equal parts of the interval. */
  readonly phases: readonly number[];
}

/**
 * Voters fail in the order of their phases and each is one failure further every period. So the
 * quorum-th voter in that order decides both: the verdict is its last failure, and the checks that
 * are still needed at the quorum (semantics 7) are its own.
 */
function modelOf(settings: FailoverSettings): FailoverModel {
  checkSettings(settings);
  const { fall, exchangeSeconds, resolvers } = settings;
  const { ignoreTtlShare, ignoreTtlSeconds } = resolvers;
  const seenAt = (failure: number): number =>
    (failure - 1) * periodSeconds(settings) + failureSeconds(settings) + exchangeSeconds;
  const verdictSeconds = seenAt(fall);
  const livesOf = (leastSeconds: number): LifeFrom[] =>
    Array.from({ length: fall }, (_, failures) => ({
      atSeconds: failures === 0 ? 0 : seenAt(failures),
      lifeSeconds: Math.max(ttlWith(fall - failures, settings), leastSeconds),
    }));
  const spans = [
    ...scaled(askingAfter(verdictSeconds, livesOf(0)), 1 - ignoreTtlShare),
    ...scaled(askingAfter(verdictSeconds, livesOf(ignoreTtlSeconds)), ignoreTtlShare),
  ];
  const lastSeconds = spans.reduce((last, { toSeconds }) => Math.max(last, toSeconds), 0);
  return { verdictSeconds, spans, lastSeconds, phases: phasesOf(settings.voters) };
}

/** TTL of an answer while so many more failures at the quorum would turn the verdict. */
function ttlWith(checks: number, { intervalSeconds, ttl }: FailoverSettings): number {
  return Math.min(Math.max(intervalSeconds * checks, ttl.minSeconds), ttl.maxSeconds);
}

function failureSeconds({ deadKind, timeoutSeconds }: FailoverSettings): number {
  return deadKind === "silent" ? timeoutSeconds : 0;
}

/** Between two failing probes: a start that comes while the one before still runs is left out. */
function periodSeconds(settings: FailoverSettings): number {
  const { intervalSeconds } = settings;
  return intervalSeconds * (Math.floor(failureSeconds(settings) / intervalSeconds) + 1);
}

const phaseCount = 128;

/**
 * The quorum-th smallest of `voters` independent even phases: its density is that of the order
 * statistic, x^(q-1) (1-x)^(n-q), taken at the middle of each part and made to add up to 1.
 */
function phasesOf(voters: number): number[] {
  const quorum = quorumOf(voters);
  const weights = Array.from({ length: phaseCount }, (_, part) => {
    const x = (part + 0.5) / phaseCount;
    return x ** (quorum - 1) * (1 - x) ** (voters - quorum);
  });
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

function shareMoved(
  seconds: number,
  { spans, phases }: FailoverModel,
  { intervalSeconds, resolvers }: FailoverSettings,
): number {
  let share = 0;
  for (const [part, likelihood] of phases.entries()) {
    const sinceProbe = seconds - (intervalSeconds * (part + 0.5)) / phaseCount;
    for (const span of spans) {
      share += likelihood * shareBy(sinceProbe, span, resolvers.clientCacheSeconds);
    }
  }
  return share;
}

/** The earliest time at which such a share has moved, by halving. */
function quantile(share: number, model: FailoverModel, settings: FailoverSettings): number {
  let least = 0;
  let most = latest(model, settings);
  for (let step = 0; step < 40; step++) {
    const middle = (least + most) / 2;
    if (shareMoved(middle, model, settings) < share) least = middle;
    else most = middle;
  }
  return toMillisecond(most);
}

function latest({ lastSeconds }: FailoverModel, settings: FailoverSettings): number {
  return settings.intervalSeconds + lastSeconds + settings.resolvers.clientCacheSeconds;
}

function scaled(spans: readonly Span[], by: number): Span[] {
  return by > 0 ? spans.map((span) => ({ ...span, share: span.share * by })) : [];
}

function part(meanSeconds: number, worstSeconds: number): FailoverPart {
  return { meanSeconds: toMillisecond(meanSeconds), worstSeconds: toMillisecond(worstSeconds) };
}

function toMillisecond(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}

function checkSettings({ voters, fall, intervalSeconds, resolvers }: FailoverSettings): void {
  refuseUnless(Number.isInteger(voters) && voters >= 1, "voters is no count from 1", voters);
  refuseUnless(Number.isInteger(fall) && fall >= 1, "fall is no count from 1", fall);
  refuseUnless(intervalSeconds > 0, "the interval is not above 0 s", intervalSeconds);
  const { ignoreTtlShare } = resolvers;
  const isShare = ignoreTtlShare >= 0 && ignoreTtlShare <= 1;
  refuseUnless(isShare, "the share that ignores TTLs is not from 0 to 1", ignoreTtlShare);
}

function refuseUnless(isFine: boolean, problem: string, value: number): void {
  if (!isFine) throw new RangeError(`cannot compute failover: ${problem}, got ${value}`);
}
