// An election as plain data for those who look at it: each voter, each endpoint with each voter's
// word, and what would flip it. It decides nothing, and must not know how it is printed.

import { formatAddress } from "../dns/address.ts";
import type { Clock, Contest, Election, HeardVote } from "./election.ts";
import { quorumOf } from "./electorate.ts";
import type { EndpointStatus, HealthStatus, VoterStatus, VoteStatus } from "./health-status.ts";
import { tally } from "./verdict.ts";

/**
 * The status now.
 * @param lastSent how the last ballot to a voter went.
 * @param warnings what else an operator should mend.
 */
export function healthStatus(
  election: Election,
  clock: Clock,
  lastSent: (voter: string) => string | undefined,
  warnings: readonly string[],
): HealthStatus {
  const { self, electorate } = election;
  const live = new Set(election.liveVoters(clock.nowMs));
  const votersNeeded = quorumOf(electorate.voters.length);
  const voters = electorate.voters.map(({ name }): VoterStatus => {
    const heardAtMs = election.heardAtMs(name);
    return {
      name,
      isSelf: name === self.name,
      isLive: live.has(name),
      lastBallotSecondsAgo: heardAtMs === undefined ? null : (clock.nowMs - heardAtMs) / 1000,
      hasOtherConfiguration: election.strangeSinceMs(name) !== undefined,
      lastSent: lastSent(name) ?? null,
    };
  });
  const endpoints = [...election.contests()]
    .map((contest) => ({ contest, key: orderOf(contest) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ contest }) => endpointStatus(election, contest, clock));
  const twins = electorate.voters
    .filter(({ name }) => election.isTwice(name, clock.nowMs))
    .map(({ name }) => `${name} runs more than once: ballots of two starts of it come by turns`);
  return {
    role: self.isVoter ? "voter" : "listener",
    quorum: live.size >= votersNeeded ? "held" : "lost",
    votersNeeded,
    votersLive: live.size,
    voters,
    electors: electorate.electors,
    warnings: [...warnings, ...warningsOf(voters, endpoints), ...twins],
    endpoints,
  };
}

/** How many endpoints are what. */
export interface EndpointCounts {
  readonly up: number;
  readonly down: number;
  readonly none: number;
  /** Whose verdict stays as it is, as no majority says either; what nobody votes on cannot freeze. */
  readonly frozen: number;
  readonly heldIn: number;
}

/** Counts endpoints without telling each. */
export function countEndpoints(election: Election, { nowMs }: Clock): EndpointCounts {
  const counts = { up: 0, down: 0, none: 0, frozen: 0, heldIn: 0 };
  for (const contest of election.contests()) {
    counts[contest.verdict]++;
    if (contest.isHeldIn) counts.heldIn++;
    const votes = election.votes(contest, nowMs);
    const isVotedOn = votes.length > 0;
    if (isVotedOn && frozenReason(votes, quorumOf(votes.length)) !== undefined) counts.frozen++;
  }
  return counts;
}

/** One endpoint as it is now. */
export function endpointStatus(election: Election, contest: Contest, clock: Clock): EndpointStatus {
  const { target, verdict, sinceWallMs, isHeldIn, health } = contest;
  const votes = election.votes(contest, clock.nowMs);
  const votesNeeded = quorumOf(votes.length);
  const frozenBecause = frozenReason(votes, votesNeeded);
  return {
    service: target.service,
    cluster: target.cluster,
    address: formatAddress(target.address),
    port: target.port ?? null,
    isInternal: target.isInternal,
    verdict,
    verdictSince: sinceWallMs === undefined ? null : new Date(sinceWallMs).toISOString(),
    frozenBecause: frozenBecause ?? null,
    isHeldIn,
    health,
    votesNeeded,
    votes: votes.map((vote) => voteStatus(vote, clock)),
    flip: flipSentence(contest, votes, votesNeeded),
  };
}

function voteStatus({ voter, word }: HeardVote, { nowMs, wallMs }: Clock): VoteStatus {
  if (!word) return { voter, word: "none", since: null, reason: null, checksToFlip: null };
  const { isUp, sinceMs, reason, checksToFlip } = word;
  const since = new Date(wallMs - (nowMs - sinceMs)).toISOString();
  return { voter, word: isUp ? "up" : "down", since, reason, checksToFlip };
}

/** Why the verdict stays as it is; `undefined` while a majority says the one or the other. */
function frozenReason(votes: readonly HeardVote[], needed: number): string | undefined {
  const { up, down } = tally(votes.map(({ word }) => word));
  if (votes.length === 0) return "nobody votes on it: no voter is known to run in its cluster";
  if (up >= needed || down >= needed) return undefined;
  const heard = up + down;
  if (heard < needed) return `${heard} of ${votes.length} voters heard, ${needed} needed`;
  return `no majority: ${up} say up, ${down} say down, ${needed} needed`;
}

/** What would flip the verdict. */
function flipSentence(contest: Contest, votes: readonly HeardVote[], needed: number): string {
  const { verdict, target, checksToFlip } = contest;
  const side = verdict === "down" ? "up" : "down";
  if (votes.length === 0) return "nothing: nobody votes on it";
  if (target.port === undefined) return "nothing: its cluster's Service has no port to probe";
  const { up, down } = tally(votes.map(({ word }) => word));
  const agreeing = side === "up" ? up : down;
  const silent = votes.length - up - down;
  const seconds = checksToFlip * target.check.intervalSeconds;
  const result = side === "down" ? "failed" : "good";
  const soonest = `at the soonest after ${checksToFlip} more ${result} ${checksToFlip === 1 ? "probe" : "probes in a row"} (${seconds} s)`;
  const unheard = silent > 0 ? `, ${silent} not heard` : "";
  return `${side} when ${needed} of ${votes.length} say ${side}: ${agreeing} now${unheard}; ${soonest}`;
}

function warningsOf(
  voters: readonly VoterStatus[],
  endpoints: readonly EndpointStatus[],
): string[] {
  const strangers = voters.filter((each) => each.hasOtherConfiguration);
  const unprobed = endpoints.filter((each) => each.port === null);
  const services = [...new Set(unprobed.map(({ service, cluster }) => `${service} in ${cluster}`))];
  return [
    ...strangers.map(
      ({ name }) =>
        `${name} has other voters, regions or electors configured: its ballots count for nothing here`,
    ),
    ...services.map((each) => `cannot probe ${each}: its Service has no such port`),
  ];
}

/** By service, cluster, clusterIPs first, and address. */
function orderOf({ target: { service, cluster, isInternal, address } }: Contest): string {
  const octets = Buffer.from(address).toString("hex");
  return [service, cluster, isInternal ? "0" : "1", octets.length, octets].join(" ");
}
