// Five voters whose network is cut in two, played with the server's own elections: what each says and
// what each holds, over time. It must not know what is drawn.

import type { Ballot } from "../../src/health/ballot.ts";
import { ballotIntervalMs, type Clock } from "../../src/health/ballot-box.ts";
import { Election } from "../../src/health/election.ts";
import { quorumOf } from "../../src/health/electorate.ts";
import { targetsOf } from "../../src/health/target.ts";
import { healthCheck } from "../../test/kit/health-check.ts";
import { exampleOf } from "./example.ts";

export const voters = ["ns1", "ns2", "ns3", "ns4", "ns5"] as const;
/** Who is cut off, from the other voters and from both endpoints. */
const minority: readonly string[] = ["ns4", "ns5"];

/** What happens, in seconds. */
export const story = { cut: 20, dies: 35, healed: 90, returns: 110, end: 150 } as const;
/** The endpoint that dies, and the one that only the minority cannot reach. */
export const clusters = { dying: "virginia", well: "oregon" } as const;

/** What a server said of an endpoint, held of it, and whether it heard a majority, at a moment. */
export interface Held {
  readonly word: "up" | "down";
  readonly verdict: "up" | "down";
  readonly hasQuorum: boolean;
}

/** By voter, then by cluster: one for each second. */
export type Partition = Readonly<Record<string, Readonly<Record<string, readonly Held[]>>>>;

const stepMs = 100;
const intervalSeconds = 10;

export function playPartition(): Partition {
  const { service } = exampleOf([clusters.dying, clusters.well]);
  const check = healthCheck({ intervalSeconds, fall: 3, rise: 2 });
  const targets = targetsOf({ ...service, healthCheck: check });
  const electorate = {
    voters: voters.map((name) => ({ name, cluster: undefined, region: "" })),
    electors: voters.length,
  };
  const clockAt = (nowMs: number): Clock => ({ nowMs, wallMs: Date.UTC(2026, 0, 1) + nowMs });
  const servers = voters.map((name, at) => {
    const election = new Election({ name, boot: `boot of ${name}`, isVoter: true });
    election.setElectorate(electorate, clockAt(0));
    election.setTargets("shop/checkout", targets, clockAt(0));
    // Voters probe, and send all their words, at moments of their own.
    return { name, election, probesAtMs: at * 2000, sendsAtMs: at * 1000 };
  });
  const history: Record<string, Record<string, Held[]>> = Object.fromEntries(
    voters.map((name) => [name, Object.fromEntries(targets.map(({ cluster }) => [cluster, []]))]),
  );
  // A minute before the picture begins, all have found both endpoints up.
  for (let nowMs = -60_000; nowMs <= story.end * 1000; nowMs += stepMs) {
    const clock = clockAt(nowMs);
    const sent: { from: string; ballot: Ballot }[] = [];
    for (const { name, election, probesAtMs, sendsAtMs } of servers) {
      election.tick(clock);
      if (isDue(nowMs - probesAtMs, intervalSeconds * 1000)) {
        for (const { id, cluster } of targets) {
          const isSuccess = reaches(name, cluster, nowMs / 1000);
          election.observe(
            id,
            { isSuccess, reason: isSuccess ? "status 200" : "timeout after 3000 ms" },
            clock,
          );
        }
      }
      const kind = isDue(nowMs - sendsAtMs, ballotIntervalMs) ? "full" : "change";
      const ballot = election.ballot(kind, clock);
      if (ballot) sent.push({ from: name, ballot });
    }
    for (const { from, ballot } of sent) {
      for (const { name, election } of servers) {
        if (name !== from && !isCut(name, from, nowMs / 1000)) election.receive(ballot, clock);
      }
    }
    if (nowMs < 0 || nowMs % 1000 !== 0) continue;
    for (const { name, election } of servers) {
      const hasQuorum = election.liveVoters(nowMs).length >= quorumOf(voters.length);
      for (const { id, cluster } of targets) {
        const contest = election.contest(id);
        const own =
          contest && election.votes(contest, nowMs).find(({ voter }) => voter === name)?.word;
        history[name]?.[cluster]?.push({
          word: own?.isUp === false ? "down" : "up",
          verdict: contest?.verdict === "down" ? "down" : "up",
          hasQuorum,
        });
      }
    }
  }
  return history;
}

function isDue(sinceMs: number, everyMs: number): boolean {
  return ((sinceMs % everyMs) + everyMs) % everyMs === 0;
}

function reaches(voter: string, cluster: string, seconds: number): boolean {
  const isDead = cluster === clusters.dying && seconds >= story.dies && seconds < story.returns;
  return !isDead && !(minority.includes(voter) && isCutNow(seconds));
}

function isCut(one: string, other: string, seconds: number): boolean {
  return isCutNow(seconds) && minority.includes(one) !== minority.includes(other);
}

function isCutNow(seconds: number): boolean {
  return seconds >= story.cut && seconds < story.healed;
}
