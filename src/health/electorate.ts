// Who votes on what (semantics 7 and 8, and "electors"): all voters on every endpoint, or, where
// there are more voters than electors, so many of them chosen by rendezvous hashing with regions
// spread first. Everyone computes the same from the same configuration. It must not know verdicts.

import { createHash } from "node:crypto";
import type { Target } from "./target.ts";

/** A voter as it is configured, present or not. */
export interface Voter {
  readonly name: string;
  /** The cluster that it runs in; `undefined` where it is not said. */
  readonly cluster: string | undefined;
  /** `''` where it is not known; an empty region equals no other. */
  readonly region: string;
}

/** All voters, and how many of them vote on one endpoint. */
export interface Electorate {
  /** In order of name. */
  readonly voters: readonly Voter[];
  readonly electors: number;
}

/** The least number of votes that is a majority of so many voters. */
export function quorumOf(voters: number): number {
  return Math.floor(voters / 2) + 1;
}

/** The names of those who vote on a target; none for a clusterIP of a cluster without voters. */
export function electorsOf(target: Target, { voters, electors }: Electorate): string[] {
  if (target.isInternal) {
    return voters.filter((each) => each.cluster === target.cluster).map(({ name }) => name);
  }
  if (voters.length <= electors) return voters.map(({ name }) => name);
  const ranked = voters
    .map((voter) => ({ voter, score: scoreOf(target.id, voter.name) }))
    .sort((a, b) => (a.score < b.score ? 1 : -1));
  const chosen: string[] = [];
  // Round by round: one voter of each region, in order of rank.
  let waiting = ranked.map(({ voter }) => voter);
  while (chosen.length < electors && waiting.length > 0) {
    const seen = new Set<string>();
    const passed: Voter[] = [];
    for (const voter of waiting) {
      if (voter.region !== "" && seen.has(voter.region)) passed.push(voter);
      else {
        seen.add(voter.region);
        if (chosen.length < electors) chosen.push(voter.name);
      }
    }
    waiting = passed;
  }
  return chosen;
}

/** Equal where the same voters vote on the same endpoints. Regions count where they decide. */
export function configurationHash({ voters, electors }: Electorate): string {
  const isChosen = voters.length > electors;
  const parts = voters.map(({ name, region }) => (isChosen ? [name, region] : [name]));
  const text = JSON.stringify([parts, electors]);
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

function scoreOf(id: string, voter: string): string {
  return createHash("sha256").update(`${voter} ${id}`).digest("hex").slice(0, 16);
}
