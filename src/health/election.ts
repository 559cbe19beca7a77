// The vote as one server sees it (semantics 7): its own opinions, what the other voters say, and the
// verdicts that follow. Time arrives as an argument; what answers must know of it is taken out as
// effects. It must not know sockets, timers or signatures.

import type { Ballot, Word } from "./ballot.ts";
import { BallotBox, type Clock } from "./ballot-box.ts";
import { heldIn, rampedHealth } from "./ejection.ts";
import { configurationHash, type Electorate, electorsOf, quorumOf } from "./electorate.ts";
import {
  advance,
  checksToFlip,
  type EndpointOpinion,
  type ProbeResult,
} from "./endpoint-machine.ts";
import type { Refusal } from "./refusal.ts";
import type { Target } from "./target.ts";
import { checksUntilFlip, nextVerdict, tally, type Verdict } from "./verdict.ts";

export type { Clock } from "./ballot-box.ts";

/** The server whose view this is. */
export interface ElectionSelf {
  readonly name: string;
  /** Another one at each start. */
  readonly boot: string;
  readonly isVoter: boolean;
}

/** What answers must know of an endpoint. */
export interface Effect {
  readonly target: Target;
  /** 0 (out of the answers) to 1. */
  readonly health: number;
  /** Probes in a row until the verdict could flip; `fall` of its check while all is well. */
  readonly checksToFlip: number;
}

/** A verdict that turned, and the words that turned it. */
export interface VerdictEvent {
  readonly target: Target;
  readonly verdict: "up" | "down";
  readonly votes: readonly HeardVote[];
}

/** What is heard of one who votes on an endpoint, at this moment. */
export interface HeardVote {
  readonly voter: string;
  /** `undefined`: it is not heard, or has not probed it yet. */
  readonly word: LiveWord | undefined;
}

/** A word that counts; `sinceMs` is of the own clock. */
export interface LiveWord {
  readonly isUp: boolean;
  readonly sinceMs: number;
  readonly checksToFlip: number;
  readonly reason: string;
}

/** An endpoint that is voted on. */
export interface Contest {
  readonly target: Target;
  /** In order of name. */
  readonly electors: readonly string[];
  readonly verdict: Verdict;
  /** When it turned, by the wall clock; `undefined` for none. */
  readonly sinceWallMs: number | undefined;
  /** Down by vote, and yet in the answers. */
  readonly isHeldIn: boolean;
  readonly health: number;
  readonly checksToFlip: number;
}

interface OwnContest extends Contest {
  target: Target;
  electors: readonly string[];
  verdict: Verdict;
  sinceWallMs: number | undefined;
  /** The same by the own clock: what came first stays first when the other is set. */
  sinceMs: number;
  isHeldIn: boolean;
  health: number;
  checksToFlip: number;
  /** What this voter thinks of it itself, and what it last told others. */
  opinion: EndpointOpinion | undefined;
  told: { readonly isUp: boolean; readonly checksToFlip: number } | undefined;
  rampFromMs: number | undefined;
}

/** An endpoint that is not known now, and was down. */
interface AbsentDown {
  readonly sinceMs: number;
  readonly sinceWallMs: number;
  /** It is forgotten then. */
  readonly untilMs: number;
}

/** An endpoint that comes back within an hour is as down as it was. */
const absentMs = 3_600_000;
/** A server that did not look at its clock for so long stood still: what it hears then is of then. */
const stallMs = 5000;
/** So long after that it takes no ballots: until what waited for it is read and thrown away. */
const deafMs = 2000;

/** A voter that runs twice is told of for so long. */
const twiceMs = 60_000;

/** Votes and verdicts; `tick` must be called at least once a second. */
export class Election {
  readonly self: ElectionSelf;
  #electorate: Electorate = { voters: [], electors: 1 };
  #configuration = "";
  #boxes = new Map<string, BallotBox>();
  readonly #strangers = new Map<string, number>();
  readonly #contests = new Map<string, OwnContest>();
  readonly #byService = new Map<string, OwnContest[]>();
  /** Endpoints that were down when they were last known: of a former run, or that left the files. */
  readonly #absent = new Map<string, AbsentDown>();
  readonly #ramping = new Set<OwnContest>();
  readonly #toTell = new Set<OwnContest>();
  #effects = new Set<OwnContest>();
  #verdicts: VerdictEvent[] = [];
  #live = "";
  #sequence = 0;
  #lookedAtMs: number | undefined;
  #deafUntilMs = Number.NEGATIVE_INFINITY;

  constructor(self: ElectionSelf) {
    this.self = self;
  }

  get electorate(): Electorate {
    return this.#electorate;
  }

  /** What ballots must bear to count here. */
  get configuration(): string {
    return this.#configuration;
  }

  /** Every endpoint that is voted on. */
  contests(): Iterable<Contest> {
    return this.#contests.values();
  }

  /** Those of one service. */
  contestsOf(service: string): readonly Contest[] {
    return this.#byService.get(service) ?? [];
  }

  contest(id: string): Contest | undefined {
    return this.#contests.get(id);
  }

  /** Sets who votes on what; ballots that were made under another configuration count no more. */
  setElectorate({ voters, electors }: Electorate, clock: Clock): void {
    this.#look(clock.nowMs);
    const sorted = [...voters].sort((a, b) => (a.name < b.name ? -1 : 1));
    this.#electorate = { voters: sorted, electors };
    this.#configuration = configurationHash(this.#electorate);
    const former = this.#boxes;
    this.#boxes = new Map(
      sorted
        .filter(({ name }) => name !== this.self.name)
        .map(({ name }) => [name, former.get(name) ?? new BallotBox()]),
    );
    for (const contest of this.#contests.values()) {
      contest.electors = this.#electorsOf(contest.target);
      if (this.votesOn(contest)) continue;
      contest.opinion = undefined;
      contest.told = undefined;
      this.#toTell.delete(contest);
    }
    this.#evaluateAll(clock);
  }

  /** Sets a service's endpoints; those that stay keep all that is known of them. */
  setTargets(service: string, targets: readonly Target[], clock: Clock): void {
    const next = new Map(targets.map((target) => [target.id, target]));
    for (const former of this.#byService.get(service) ?? []) {
      const same = next.get(former.target.id);
      // A clusterIP that becomes external has other electors, who have reached no verdict yet.
      if (same?.isInternal === former.target.isInternal) continue;
      if (!same && former.verdict === "down") {
        const { sinceMs, sinceWallMs = clock.wallMs } = former;
        this.#absent.set(former.target.id, {
          sinceMs,
          sinceWallMs,
          untilMs: clock.nowMs + absentMs,
        });
      }
      this.#contests.delete(former.target.id);
      this.#ramping.delete(former);
      this.#effects.delete(former);
      this.#toTell.delete(former);
    }
    const contests = targets.map((target) => this.#contestFor(target, clock));
    if (contests.length === 0) this.#byService.delete(service);
    else this.#byService.set(service, contests);
    for (const contest of contests) {
      this.#contests.set(contest.target.id, contest);
      this.#evaluate(contest, clock);
      this.#effects.add(contest);
    }
    this.#budget(service, clock);
  }

  /** Endpoints that were down when the former run ended, and since when by the wall clock. */
  restore(down: Iterable<{ readonly id: string; readonly sinceMs: number }>, clock: Clock): void {
    for (const { id, sinceMs: sinceWallMs } of down) {
      const sinceMs = clock.nowMs - Math.max(0, clock.wallMs - sinceWallMs);
      this.#absent.set(id, { sinceMs, sinceWallMs, untilMs: clock.nowMs + absentMs });
    }
  }

  /** Endpoints that are down, for `restore`. */
  *down(): Generator<{ readonly id: string; readonly sinceMs: number }> {
    for (const { target, verdict, sinceWallMs } of this.#contests.values()) {
      if (verdict === "down") yield { id: target.id, sinceMs: sinceWallMs ?? 0 };
    }
    for (const [id, { sinceWallMs }] of this.#absent) yield { id, sinceMs: sinceWallMs };
  }

  /** Whether there is something new to say in a ballot. */
  get hasChanges(): boolean {
    return this.self.isVoter && this.#toTell.size > 0;
  }

  /** Whether this server votes on an endpoint, and so must probe it. */
  votesOn({ electors }: Contest): boolean {
    return this.self.isVoter && electors.includes(this.self.name);
  }

  /** Takes the result of an own probe. */
  observe(id: string, result: ProbeResult, clock: Clock): void {
    const contest = this.#contests.get(id);
    if (!contest || !this.votesOn(contest)) return;
    contest.opinion = advance(contest.opinion, result, contest.target.check, clock.nowMs);
    const { isUp } = contest.opinion;
    const checks = this.#ownChecks(contest.opinion, contest.target);
    if (contest.told?.isUp !== isUp || contest.told.checksToFlip !== checks) {
      this.#toTell.add(contest);
    } else this.#toTell.delete(contest);
    this.#evaluate(contest, clock);
  }

  /** Takes a ballot whose signature was verified, or says why not; then nothing is changed. */
  receive(ballot: Ballot, clock: Clock): Refusal | undefined {
    this.#look(clock.nowMs);
    if (clock.nowMs < this.#deafUntilMs) return "stalled";
    const { voter, boot, configuration } = ballot;
    if (voter === this.self.name) return "own-name";
    const box = this.#boxes.get(voter);
    if (!box) return "unknown-voter";
    const refusal = box.refusalOf(ballot, clock);
    if (refusal) return refusal;
    const isForeign =
      boot === this.self.boot ||
      [...this.#boxes].some(([name, each]) => name !== voter && each.knows(boot));
    if (isForeign) return "foreign-boot";
    if (configuration !== this.#configuration) {
      this.#strangers.set(voter, clock.nowMs);
      return "other-configuration";
    }
    this.#strangers.delete(voter);
    box.take(ballot, clock.nowMs);
    if (ballot.isFull) {
      this.#evaluateAll(clock);
      return undefined;
    }
    for (const id of ballot.words.keys()) {
      const contest = this.#contests.get(id);
      if (contest) this.#evaluate(contest, clock);
    }
    return undefined;
  }

  /** Lets time pass: voters fall silent, recovered endpoints come back by and by. */
  tick(clock: Clock): void {
    this.#look(clock.nowMs);
    if (this.liveVoters(clock.nowMs).join() !== this.#live) this.#evaluateAll(clock);
    for (const contest of [...this.#ramping]) this.#weigh(contest, clock);
    for (const [id, { untilMs }] of this.#absent) {
      if (untilMs <= clock.nowMs) this.#absent.delete(id);
    }
  }

  /**
   * What this voter says: of all endpoints, or of those of which it says something else than in its
   * last ballot. `undefined` if it is no voter, or has nothing new to say.
   */
  ballot(kind: "full" | "change", { nowMs, wallMs }: Clock): Ballot | undefined {
    if (!this.self.isVoter) return undefined;
    const isFull = kind === "full";
    const words = new Map<string, Word>();
    for (const contest of isFull ? this.#contests.values() : this.#toTell) {
      const { opinion, target } = contest;
      if (!opinion || !this.votesOn(contest)) continue;
      const { isUp, sinceMs, reason } = opinion;
      const checks = this.#ownChecks(opinion, target);
      contest.told = { isUp, checksToFlip: checks };
      words.set(target.id, { isUp, forMs: nowMs - sinceMs, checksToFlip: checks, reason });
    }
    this.#toTell.clear();
    if (!isFull && words.size === 0) return undefined;
    const { name: voter, boot } = this.self;
    const configuration = this.#configuration;
    this.#sequence++;
    return {
      voter,
      boot,
      sequence: this.#sequence,
      sentAtMs: wallMs,
      configuration,
      isFull,
      words,
    };
  }

  /** What answers must know that they were not told yet. */
  takeEffects(): Effect[] {
    const effects = [...this.#effects].map(({ target, health, checksToFlip }) => ({
      target,
      health,
      checksToFlip,
    }));
    this.#effects = new Set();
    return effects;
  }

  /** The verdicts that turned and were not taken yet. */
  takeVerdicts(): VerdictEvent[] {
    const verdicts = this.#verdicts;
    this.#verdicts = [];
    return verdicts;
  }

  /** The voters that are heard, this one counted if it is one, in order of name. */
  liveVoters(nowMs: number): string[] {
    return this.#electorate.voters
      .map(({ name }) => name)
      .filter((name) => this.isLive(name, nowMs));
  }

  isLive(voter: string, nowMs: number): boolean {
    if (voter === this.self.name) return this.self.isVoter;
    return this.#boxes.get(voter)?.isLive(this.#configuration, nowMs) ?? false;
  }

  /** When a voter's last full ballot was taken. */
  heardAtMs(voter: string): number | undefined {
    return this.#boxes.get(voter)?.fullAtMs;
  }

  /** When a voter was last refused for another configuration; `undefined` if not since it was taken. */
  strangeSinceMs(voter: string): number | undefined {
    return this.#strangers.get(voter);
  }

  /** Whether ballots of two starts of a voter came by turns in the last minute: it runs twice. */
  isTwice(voter: string, nowMs: number): boolean {
    const returnedAtMs = this.#boxes.get(voter)?.returnedAtMs;
    return returnedAtMs !== undefined && nowMs - returnedAtMs < twiceMs;
  }

  /** What is heard of those who vote on an endpoint. */
  votes({ electors, target }: Contest, nowMs: number): HeardVote[] {
    return electors.map((voter) => ({ voter, word: this.#wordOf(voter, target.id, nowMs) }));
  }

  #contestFor(target: Target, { nowMs }: Clock): OwnContest {
    const known = this.#contests.get(target.id);
    if (known) {
      known.target = target;
      known.electors = this.#electorsOf(target);
      return known;
    }
    const former = this.#absent.get(target.id);
    this.#absent.delete(target.id);
    return {
      target,
      electors: this.#electorsOf(target),
      verdict: former ? "down" : "none",
      sinceWallMs: former?.sinceWallMs,
      sinceMs: former?.sinceMs ?? nowMs,
      isHeldIn: false,
      health: former ? 0 : 1,
      checksToFlip: target.check.fall,
      opinion: undefined,
      told: undefined,
      rampFromMs: undefined,
    };
  }

  #electorsOf(target: Target): string[] {
    return electorsOf(target, this.#electorate).sort();
  }

  #ownChecks(opinion: EndpointOpinion, { check }: Target): number {
    return Math.max(1, checksToFlip(opinion, check));
  }

  #wordOf(voter: string, id: string, nowMs: number): LiveWord | undefined {
    if (voter !== this.self.name) {
      return this.isLive(voter, nowMs) ? this.#boxes.get(voter)?.word(id) : undefined;
    }
    const contest = this.#contests.get(id);
    if (!contest?.opinion || !this.self.isVoter) return undefined;
    const { isUp, sinceMs, reason } = contest.opinion;
    const checks = this.#ownChecks(contest.opinion, contest.target);
    return { isUp, sinceMs, reason, checksToFlip: checks };
  }

  #evaluateAll(clock: Clock): void {
    this.#live = this.liveVoters(clock.nowMs).join();
    for (const contest of this.#contests.values()) this.#evaluate(contest, clock);
  }

  #evaluate(contest: OwnContest, clock: Clock): void {
    const { electors, target } = contest;
    if (electors.length === 0 || target.port === undefined) {
      this.#release(contest, clock);
      return;
    }
    const quorum = quorumOf(electors.length);
    const votes = this.votes(contest, clock.nowMs);
    const words = votes.map(({ word }) => word);
    const former = contest.verdict;
    const verdict = nextVerdict(former, tally(words), quorum);
    const checks = checksUntilFlip(verdict, words, quorum);
    if (checks !== contest.checksToFlip) {
      contest.checksToFlip = checks;
      this.#effects.add(contest);
    }
    if (verdict === former) return;
    contest.verdict = verdict;
    contest.sinceWallMs = clock.wallMs;
    contest.sinceMs = clock.nowMs;
    const isBack = former === "down" && !contest.isHeldIn && target.check.rampSeconds > 0;
    contest.rampFromMs = isBack ? clock.nowMs : undefined;
    // That an endpoint is up is no news at a start.
    const isNews = verdict === "down" || former === "down";
    if (isNews && verdict !== "none") this.#verdicts.push({ target, verdict, votes });
    this.#budget(target.service, clock);
    this.#weigh(contest, clock);
  }

  /** Takes back what was said of an endpoint that nobody can vote on any more: it counts as up. */
  #release(contest: OwnContest, clock: Clock): void {
    contest.opinion = undefined;
    contest.told = undefined;
    this.#toTell.delete(contest);
    if (contest.verdict === "none") return;
    contest.verdict = "none";
    contest.sinceWallMs = undefined;
    contest.sinceMs = clock.nowMs;
    contest.rampFromMs = undefined;
    contest.checksToFlip = contest.target.check.fall;
    this.#effects.add(contest);
    this.#budget(contest.target.service, clock);
    this.#weigh(contest, clock);
  }

  /** Spends a service's ejection budget anew. */
  #budget(service: string, clock: Clock): void {
    const external = (this.#byService.get(service) ?? []).filter(
      ({ target }) => !target.isInternal,
    );
    const [first] = external;
    if (!first) return;
    const down = external
      .filter(({ verdict }) => verdict === "down")
      .map(({ target, sinceMs }) => ({ id: target.id, downSinceMs: sinceMs }));
    const held = heldIn(down, external.length, first.target.check.maxEjectPercent);
    for (const contest of external) {
      const isHeldIn = held.has(contest.target.id);
      if (isHeldIn === contest.isHeldIn) continue;
      contest.isHeldIn = isHeldIn;
      this.#weigh(contest, clock);
    }
  }

  /** Works out how much an endpoint counts. */
  #weigh(contest: OwnContest, { nowMs }: Clock): void {
    const { verdict, isHeldIn, rampFromMs, target } = contest;
    let health = verdict === "down" && !isHeldIn ? 0 : 1;
    if (health > 0 && rampFromMs !== undefined) {
      health = rampedHealth(nowMs - rampFromMs, target.check.rampSeconds);
    }
    if (health > 0 && health < 1) this.#ramping.add(contest);
    else this.#ramping.delete(contest);
    if (health === contest.health) return;
    contest.health = health;
    this.#effects.add(contest);
  }

  #look(nowMs: number): void {
    const lookedAtMs = this.#lookedAtMs ?? nowMs;
    if (nowMs - lookedAtMs > stallMs) this.#deafUntilMs = nowMs + deafMs;
    this.#lookedAtMs = nowMs;
  }
}
