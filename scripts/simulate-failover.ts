// Plays the death of an endpoint many times, event by event: probes through the real up/down
// machine, verdicts by counting words, TTLs at each question of thousands of resolvers. It shares
// no code with the formula in src/health/failover.ts, which it is there to check. Run it to see
// both: npx tsx scripts/simulate-failover.ts --interval 10 --fall 3 --ignore-share 0.1

import { parseArgs } from "node:util";
import {
  advance,
  checksToFlip,
  type EndpointOpinion,
  type ProbeResult,
} from "../src/health/endpoint-machine.ts";
import {
  defaultExchangeSeconds,
  defaultResolvers,
  type FailoverSettings,
  failoverBudget,
} from "../src/health/failover.ts";
import { below, seededRandom } from "./bench/seeded-random.ts";

export interface SimulationSize {
  readonly seed: number;
  /** How often an endpoint dies, each time between other probes. */
  readonly deaths: number;
  readonly resolversPerDeath: number;
}

/** For each client the seconds from the death until it was given another endpoint, in rising order. */
export function simulateFailover(settings: FailoverSettings, size: SimulationSize): number[] {
  const random = seededRandom(size.seed);
  const unit: Chance = () => random() / 2 ** 32;
  const moved: number[] = [];
  const { ignoreTtlShare, ignoreTtlSeconds } = settings.resolvers;
  let ignoring = 0;
  for (let death = 0; death < size.deaths; death++) {
    const answers = answersAround(settings, unit);
    for (let resolver = 0; resolver < size.resolversPerDeath; resolver++) {
      const clients = 1 + below(random, 3);
      // Every so many resolvers one that ignores the TTL: what share does is given, not drawn.
      ignoring += ignoreTtlShare;
      const leastLife = ignoring >= 1 ? ignoreTtlSeconds : 0;
      if (ignoring >= 1) ignoring--;
      moved.push(...clientsOfResolver({ clients, leastLife }, answers, settings, unit));
    }
  }
  return moved.sort((a, b) => a - b);
}

/** The time by which such a share of the clients has moved. */
export function simulatedQuantile(share: number, moved: readonly number[]): number {
  return moved[Math.min(Math.ceil(share * moved.length), moved.length) - 1] ?? 0;
}

/** The share of the clients that have moved by then; they are in rising order. */
export function simulatedShare(seconds: number, moved: readonly number[]): number {
  let least = 0;
  let most = moved.length;
  while (least < most) {
    const middle = (least + most) >>> 1;
    if ((moved[middle] ?? 0) <= seconds) least = middle + 1;
    else most = middle;
  }
  return least / moved.length;
}

/** A number in [0,1). */
type Chance = () => number;

/** What a server answers from a moment on; the endpoint dies at 0. */
interface Answer {
  readonly atSeconds: number;
  readonly ttlSeconds: number;
  readonly hasEndpoint: boolean;
}

/** One voter's timetable and what it holds of the endpoint. */
interface SimulatedVoter {
  opinion: EndpointOpinion;
  dueSeconds: number;
  /** Of a probe that runs: when it ends and how. */
  running: { endSeconds: number; result: ProbeResult } | undefined;
}

/** All answers from before the death to the verdict, the latest first. */
function answersAround(settings: FailoverSettings, unit: Chance): Answer[] {
  const { voters: count, intervalSeconds, exchangeSeconds } = settings;
  const voters = Array.from({ length: count }, () =>
    newVoter(-intervalSeconds * (1 + unit()), settings),
  );
  const answers: Answer[] = [answerBy(voters, Number.NEGATIVE_INFINITY, settings)];
  while (answers[0]?.hasEndpoint) {
    const next = voters.reduce((soonest, each) =>
      nextEvent(each) < nextEvent(soonest) ? each : soonest,
    );
    const nowSeconds = nextEvent(next);
    if (happen(next, nowSeconds, settings)) {
      answers.unshift(answerBy(voters, nowSeconds + exchangeSeconds, settings));
    }
  }
  return answers;
}

function newVoter(dueSeconds: number, settings: FailoverSettings): SimulatedVoter {
  const opinion = advance(undefined, success, thresholds(settings), 0);
  return { opinion, dueSeconds, running: undefined };
}

const success: ProbeResult = { isSuccess: true, reason: "status 200" };

function thresholds({ fall }: FailoverSettings): { fall: number; rise: number } {
  return { fall, rise: 2 };
}

/** The end of a probe, or the next start; the start comes first, as a timer that was set before. */
function nextEvent({ dueSeconds, running }: SimulatedVoter): number {
  return running ? Math.min(running.endSeconds, dueSeconds) : dueSeconds;
}

/** True if the voter's opinion may have changed. */
function happen(voter: SimulatedVoter, nowSeconds: number, settings: FailoverSettings): boolean {
  if (voter.dueSeconds <= nowSeconds) {
    voter.dueSeconds += settings.intervalSeconds;
    voter.running ??= probe(nowSeconds, settings);
    return false;
  }
  if (!voter.running) return false;
  const { result } = voter.running;
  voter.running = undefined;
  voter.opinion = advance(voter.opinion, result, thresholds(settings), nowSeconds * 1000);
  return true;
}

function probe(
  startSeconds: number,
  { deadKind, timeoutSeconds }: FailoverSettings,
): { endSeconds: number; result: ProbeResult } {
  if (startSeconds < 0) return { endSeconds: startSeconds, result: success };
  const isSilent = deadKind === "silent";
  const reason = isSilent ? "timeout" : "connect refused";
  const endSeconds = startSeconds + (isSilent ? timeoutSeconds : 0);
  return { endSeconds, result: { isSuccess: false, reason } };
}

/** Semantics 7 by counting: the majority's word, and the TTL at the quorum-th soonest voter. */
function answerBy(
  voters: readonly SimulatedVoter[],
  atSeconds: number,
  settings: FailoverSettings,
): Answer {
  const majority = Math.floor(voters.length / 2) + 1;
  const down = voters.filter(({ opinion }) => !opinion.isUp).length;
  const checks = voters
    .map(({ opinion }) => (opinion.isUp ? checksToFlip(opinion, thresholds(settings)) : 0))
    .sort((a, b) => a - b);
  const soonest = settings.intervalSeconds * (checks[majority - 1] ?? 0);
  const { minSeconds, maxSeconds } = settings.ttl;
  return {
    atSeconds,
    ttlSeconds: soonest < minSeconds ? minSeconds : soonest > maxSeconds ? maxSeconds : soonest,
    hasEndpoint: down < majority,
  };
}

/** When each client of one resolver, which is asked all the time, got an answer of after the verdict. */
function clientsOfResolver(
  { clients, leastLife }: { readonly clients: number; readonly leastLife: number },
  answers: readonly Answer[],
  { resolvers: { clientCacheSeconds } }: FailoverSettings,
  unit: Chance,
): number[] {
  const lifeOf = ({ ttlSeconds }: Answer): number => Math.max(ttlSeconds, leastLife);
  const first = answers.at(-1);
  // So long before the death that nothing is left of how it began.
  let nowSeconds = first ? -lifeOf(first) * (2 + unit()) : 0;
  let answer = answerAt(nowSeconds, answers);
  while (answer.hasEndpoint) {
    // What is not kept at all is asked again at the next question, a twentieth of a second later.
    nowSeconds += Math.max(lifeOf(answer), 0.05);
    answer = answerAt(nowSeconds, answers);
  }
  return Array.from({ length: clients }, () => {
    if (clientCacheSeconds === 0) return nowSeconds;
    let asksAt = clientCacheSeconds * unit();
    while (asksAt < nowSeconds) asksAt += clientCacheSeconds;
    return asksAt;
  });
}

function answerAt(seconds: number, answers: readonly Answer[]): Answer {
  const found = answers.find(({ atSeconds }) => atSeconds <= seconds);
  if (!found) throw new Error(`cannot answer: there is no answer yet, got ${seconds}`);
  return found;
}

function main(): void {
  const { values } = parseArgs({
    options: {
      interval: { type: "string", default: "10" },
      timeout: { type: "string", default: "3" },
      fall: { type: "string", default: "3" },
      voters: { type: "string", default: "3" },
      silent: { type: "boolean", default: false },
      "ttl-min": { type: "string", default: "30" },
      "ttl-max": { type: "string", default: "180" },
      "ignore-share": { type: "string", default: String(defaultResolvers.ignoreTtlShare) },
      "ignore-seconds": { type: "string", default: String(defaultResolvers.ignoreTtlSeconds) },
      "client-cache": { type: "string", default: "0" },
      seed: { type: "string", default: "1" },
    },
  });
  const settings: FailoverSettings = {
    intervalSeconds: Number(values.interval),
    timeoutSeconds: Number(values.timeout),
    fall: Number(values.fall),
    voters: Number(values.voters),
    deadKind: values.silent ? "silent" : "refused",
    ttl: { minSeconds: Number(values["ttl-min"]), maxSeconds: Number(values["ttl-max"]) },
    exchangeSeconds: defaultExchangeSeconds,
    resolvers: {
      ignoreTtlShare: Number(values["ignore-share"]),
      ignoreTtlSeconds: Number(values["ignore-seconds"]),
      clientCacheSeconds: Number(values["client-cache"]),
    },
  };
  const { p50, p90, p99 } = failoverBudget(settings).moved;
  const moved = simulateFailover(settings, {
    seed: Number(values.seed),
    deaths: 5000,
    resolversPerDeath: 20,
  });
  for (const [share, formula] of [
    [0.5, p50],
    [0.9, p90],
    [0.99, p99],
  ] as const) {
    const simulated = simulatedQuantile(share, moved).toFixed(1);
    console.log(
      `${share * 100} % moved after: formula ${formula.toFixed(1)} s, ${simulated} s here`,
    );
  }
}

if (process.argv[1] === import.meta.filename) main();
