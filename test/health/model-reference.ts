// What one server may hold, by the rules alone (semantics 7): it keeps every ballot that was taken,
// and reads from that list which words are live at a moment. It knows nothing of how the election
// keeps its own books, but the results of the machine of one endpoint.

import type { Ballot } from "../../src/health/ballot.ts";
import type { Clock } from "../../src/health/election.ts";
import type { Electorate } from "../../src/health/electorate.ts";
import { advance, type EndpointOpinion } from "../../src/health/endpoint-machine.ts";
import type { Refusal } from "../../src/health/refusal.ts";
import type { Target } from "../../src/health/target.ts";

export type Held = "up" | "down" | "none";

interface Taken {
  readonly ballot: Ballot;
  readonly atMs: number;
}

/** Who votes: the list as everyone has it, and what its ballots bear. */
export interface Constitution {
  readonly electorate: Electorate;
  readonly hash: string;
  /** By the target's id. */
  readonly electors: ReadonlyMap<string, readonly string[]>;
}

/** One run of one server. */
export class Reference {
  readonly name: string;
  readonly boot: string;
  readonly isVoter: boolean;
  rules: Constitution;
  /** Verdicts by endpoint; none that is missing. */
  readonly held = new Map<string, Held>();
  readonly #own = new Map<string, EndpointOpinion>();
  readonly #taken = new Map<string, Taken[]>();
  #lookedAtMs: number;
  #deafUntilMs = Number.NEGATIVE_INFINITY;

  constructor(name: string, boot: string, isVoter: boolean, rules: Constitution, nowMs: number) {
    this.name = name;
    this.boot = boot;
    this.isVoter = isVoter;
    this.rules = rules;
    this.#lookedAtMs = nowMs;
  }

  /** After standing still for more than 5 s it takes nothing for 2 s. */
  look(nowMs: number): void {
    if (nowMs - this.#lookedAtMs > 5000) this.#deafUntilMs = nowMs + 2000;
    this.#lookedAtMs = nowMs;
  }

  observe(target: Target, isSuccess: boolean, nowMs: number): void {
    if (!this.votesOn(target.id)) return;
    const result = { isSuccess, reason: "" };
    this.#own.set(target.id, advance(this.#own.get(target.id), result, target.check, nowMs));
  }

  votesOn(id: string): boolean {
    return this.isVoter && (this.rules.electors.get(id) ?? []).includes(this.name);
  }

  /** Under other rules it forgets its opinion of what it does not vote on. */
  adopt(rules: Constitution): void {
    this.rules = rules;
    for (const id of [...this.#own.keys()]) {
      if (!this.votesOn(id)) this.#own.delete(id);
    }
    for (const voter of [...this.#taken.keys()]) {
      if (this.#isVoter(voter)) continue;
      this.#taken.delete(voter);
    }
  }

  /** After its endpoint was gone, for less than an hour: one that was down comes back as down. */
  forget(id: string): void {
    this.#own.delete(id);
    if (this.held.get(id) !== "down") this.held.delete(id);
  }

  /** Whether and why a ballot must be refused; nothing is changed by asking. */
  refusalOf(ballot: Ballot, { nowMs, wallMs }: Clock): Refusal | undefined {
    const { voter, boot, sequence, sentAtMs } = ballot;
    if (nowMs < this.#deafUntilMs) return "stalled";
    if (voter === this.name) return "own-name";
    if (!this.#isVoter(voter)) return "unknown-voter";
    if (wallMs - sentAtMs > 60_000) return "too-old";
    if (sentAtMs - wallMs > 60_000) return "future";
    const last = this.#taken.get(voter)?.at(-1)?.ballot;
    if (last && boot !== last.boot && sentAtMs <= last.sentAtMs) return "retired-boot";
    if (last && boot === last.boot && sequence <= last.sequence) return "replayed";
    if (boot === this.boot || this.#isAnothers(voter, boot)) return "foreign-boot";
    return ballot.configuration === this.rules.hash ? undefined : "other-configuration";
  }

  take(ballot: Ballot, nowMs: number): void {
    const { voter } = ballot;
    const list = this.#taken.get(voter) ?? [];
    list.push({ ballot, atMs: nowMs });
    this.#taken.set(voter, list);
  }

  /** What a voter says of an endpoint now, if that counts: up (true), down or nothing. */
  liveWord(voter: string, id: string, nowMs: number): boolean | undefined {
    if (voter === this.name) return this.isVoter ? this.#own.get(id)?.isUp : undefined;
    const list = this.#taken.get(voter) ?? [];
    const last = list.at(-1)?.ballot;
    if (!last || last.configuration !== this.rules.hash) return undefined;
    let said: boolean | undefined;
    for (let at = list.length - 1; at >= 0; at--) {
      const each = list[at];
      if (!each || each.ballot.boot !== last.boot) return undefined;
      if (each.ballot.configuration !== last.configuration) return undefined;
      said ??= each.ballot.words.get(id)?.isUp;
      if (each.ballot.isFull) return nowMs - each.atMs < 15_000 ? said : undefined;
    }
    return undefined;
  }

  /** How many live words say so, and how many are a majority. */
  count(id: string, nowMs: number): { up: number; down: number; quorum: number } {
    const electors = this.rules.electors.get(id) ?? [];
    let up = 0;
    let down = 0;
    for (const voter of electors) {
      const said = this.liveWord(voter, id, nowMs);
      if (said === true) up++;
      if (said === false) down++;
    }
    return { up, down, quorum: Math.floor(electors.length / 2) + 1 };
  }

  /** Lets the words that are live now turn the verdict, if they can. */
  judge(id: string, nowMs: number): Held {
    const { up, down, quorum } = this.count(id, nowMs);
    const former = this.held.get(id) ?? "none";
    const verdict = down >= quorum ? "down" : up >= quorum ? "up" : former;
    this.held.set(id, verdict);
    return verdict;
  }

  #isVoter(name: string): boolean {
    return this.rules.electorate.voters.some((each) => each.name === name);
  }

  #isAnothers(voter: string, boot: string): boolean {
    return [...this.#taken].some(
      ([name, list]) => name !== voter && list.at(-1)?.ballot.boot === boot,
    );
  }
}
