// Servers, a network between them that loses, doubles, delays and reorders, and clocks that are
// off: a federation of voters in one place. After each thing that happens to a server it holds the
// election to the reference. It must not know how schedules are made.

import type { Ballot } from "../../src/health/ballot.ts";
import { type Clock, Election } from "../../src/health/election.ts";
import { healthStatus } from "../../src/health/election-status.ts";
import type { Refusal } from "../../src/health/refusal.ts";
import type { Target } from "../../src/health/target.ts";
import { type Constitution, Reference } from "./model-reference.ts";
import { rulesOf, targetsWith, type WorldSketch } from "./model-setting.ts";

/** One server, or the place of one while it is dead. */
export interface Node {
  readonly name: string;
  readonly isVoter: boolean;
  run: { readonly election: Election; readonly reference: Reference } | undefined;
  boots: number;
  wallOffsetMs: number;
  rules: Constitution;
  /** It stands still until then, by the time of the world. */
  stillUntilMs: number;
  /** Verdicts that its former run left. */
  left: { readonly id: string; readonly sinceMs: number }[];
  /** Health of endpoints as its answers have it. */
  readonly answers: Map<string, number>;
}

export interface Letter {
  readonly to: Node;
  readonly ballot: Ballot;
}

/** Of so many refusals in a world the whole status is compared; of the others the verdicts. */
const mostPictures = 2;

const beginningMs = 1_700_000_000_000;

export class World {
  readonly targets: readonly Target[];
  readonly nodes: readonly Node[];
  /** What is under way, and every ballot that was ever sent. */
  readonly letters: Letter[] = [];
  readonly sent: Ballot[] = [];
  readonly rules: Constitution;
  readonly otherRules: Constitution;
  nowMs = 0;
  readonly #story: string[] | undefined;
  #pictures = 0;

  /** @param story takes what happens, in words; `undefined` to be quick. */
  constructor(sketch: WorldSketch, story?: string[]) {
    this.#story = story;
    const { endpoints, fall, rise } = sketch;
    this.targets = targetsWith(endpoints, fall, rise);
    this.rules = rulesOf(sketch.voters, false, this.targets);
    this.otherRules = rulesOf(sketch.voters, true, this.targets);
    const names = Array.from({ length: sketch.voters }, (_, at) => `v${at + 1}`);
    if (sketch.hasListener) names.push("listener");
    this.nodes = names.map((name, at) => ({
      name,
      isVoter: name !== "listener",
      run: undefined,
      boots: 0,
      wallOffsetMs: sketch.wallOffsetsMs[at] ?? 0,
      rules: this.rules,
      stillUntilMs: 0,
      left: [],
      answers: new Map(),
    }));
    this.tell(() => {
      const off = this.nodes.filter((each) => each.wallOffsetMs !== 0);
      const clocks = off.map((each) => `, clock of ${each.name} off by ${each.wallOffsetMs} ms`);
      return `${names.join(", ")}; fall ${fall}, rise ${rise}${clocks.join("")}`;
    });
    for (const node of this.nodes) this.start(node, false);
  }

  tell(words: () => string): void {
    this.#story?.push(`${(this.nowMs / 1000).toFixed(1)} s: ${words()}`);
  }

  /** Whether it runs and does not stand still. */
  isAwake(node: Node): boolean {
    return node.run !== undefined && this.nowMs >= node.stillUntilMs;
  }

  start(node: Node, isRestored: boolean): void {
    if (node.run) return;
    node.boots++;
    // Nothing starts and speaks in the very millisecond in which its former run spoke.
    this.nowMs++;
    const { name, isVoter } = node;
    const boot = `${name}-${node.boots}`;
    this.tell(() => `${name} starts${isRestored ? " with the verdicts it left" : ""}`);
    const clock = this.clockOf(node);
    const election = new Election({ name, boot, isVoter });
    const reference = new Reference(name, boot, isVoter, node.rules, clock.nowMs);
    if (isRestored) {
      election.restore(node.left, clock);
      for (const { id } of node.left) reference.held.set(id, "down");
    }
    election.setElectorate(node.rules.electorate, clock);
    election.setTargets("n/s", this.targets, clock);
    election.tick(clock);
    node.answers.clear();
    node.run = { election, reference };
    node.stillUntilMs = 0;
    this.compare(node);
  }

  die(node: Node): void {
    if (!node.run) return;
    this.tell(() => `${node.name} dies`);
    node.left = [...node.run.election.down()];
    node.run = undefined;
  }

  standStill(node: Node, ms: number): void {
    this.tell(() => `${node.name} stands still for ${ms / 1000} s`);
    node.stillUntilMs = this.nowMs + ms;
  }

  reconfigure(node: Node, rules: Constitution): void {
    if (node.rules === rules || (node.run && !this.isAwake(node))) return;
    const which = rules === this.rules ? "the common" : "another";
    this.tell(() => `${node.name} gets ${which} configuration`);
    node.rules = rules;
    node.run?.election.setElectorate(rules.electorate, this.clockOf(node));
    node.run?.reference.adopt(rules);
    this.compare(node);
  }

  /** Its files lose a target and have it again: only that it was down is left. */
  republish(node: Node, target: Target): void {
    if (!node.run || !this.isAwake(node)) return;
    this.tell(() => `${node.name} loses ${target.id} and has it again`);
    const { election, reference } = node.run;
    const others = this.targets.filter((each) => each !== target);
    election.setTargets("n/s", others, this.clockOf(node));
    election.setTargets("n/s", this.targets, this.clockOf(node));
    reference.forget(target.id);
    this.compare(node);
  }

  probe(node: Node, target: Target, isSuccess: boolean): void {
    if (!node.run || !this.isAwake(node)) return;
    this.tell(() => `${node.name} probes ${target.id}: ${isSuccess ? "well" : "failed"}`);
    const clock = this.clockOf(node);
    node.run.election.observe(target.id, { isSuccess, reason: "" }, clock);
    node.run.reference.observe(target, isSuccess, clock.nowMs);
    this.compare(node);
  }

  /** Lets a voter write a ballot; `undefined` if it has none to write. */
  write(node: Node, kind: "full" | "change"): Ballot | undefined {
    if (!node.run || !this.isAwake(node)) return undefined;
    const written = node.run.election.ballot(kind, this.clockOf(node));
    if (!written) return undefined;
    this.tell(() => `${node.name} sends ${inWords(written)}`);
    this.sent.push(written);
    return written;
  }

  post(ballot: Ballot): void {
    for (const to of this.nodes) if (to.name !== ballot.voter) this.letters.push({ to, ballot });
  }

  /** Whether its voter died since it wrote this ballot. */
  isFormer({ voter, boot }: Ballot): boolean {
    const writer = this.nodes.find(({ name }) => name === voter);
    return writer?.run?.election.self.boot !== boot;
  }

  mustRefuse(to: Node, ballot: Ballot): boolean {
    return to.run?.reference.refusalOf(ballot, this.clockOf(to)) !== undefined;
  }

  /** Hands a ballot over to whoever is at home. Refused or taken must be as the rules say. */
  deliver({ to, ballot }: Letter): void {
    if (!to.run || !this.isAwake(to)) return;
    const { election, reference } = to.run;
    const clock = this.clockOf(to);
    reference.look(clock.nowMs);
    const expected = reference.refusalOf(ballot, clock);
    const isPictured = expected !== undefined && this.#pictures++ < mostPictures;
    const before = isPictured ? pictureOf(election, clock) : "";
    const refusal = election.receive(ballot, clock);
    this.tell(() => `${to.name} ${refusal ? `refuses (${refusal})` : "takes"} ${inWords(ballot)}`);
    if (refusal !== expected) {
      throw new Error(`${to.name} should ${done(expected)} ${inWords(ballot)}, got ${refusal}`);
    }
    if (expected === undefined) reference.take(ballot, clock.nowMs);
    else if (isPictured && pictureOf(election, clock) !== before) {
      throw new Error(`${to.name} was changed by a ballot that it refused: ${inWords(ballot)}`);
    }
    this.compare(to);
  }

  /** Lets time pass for all; who is awake looks at its clock at least every 4 s. */
  pass(ms: number): void {
    this.tell(() => `${ms / 1000} s pass`);
    const endMs = this.nowMs + ms;
    while (this.nowMs < endMs) {
      this.nowMs = Math.min(endMs, this.nowMs + 4000);
      for (const node of this.nodes) this.tick(node);
    }
  }

  tick(node: Node): void {
    if (!node.run || !this.isAwake(node)) return;
    const clock = this.clockOf(node);
    node.run.election.tick(clock);
    node.run.reference.look(clock.nowMs);
    this.compare(node);
  }

  clockOf(node: Node): Clock {
    // Each run has a beginning of its own, so that no time of another's clock can pass for its own.
    const wallMs = beginningMs + this.nowMs + node.wallOffsetMs;
    return { nowMs: this.nowMs + node.boots * 1_000_000, wallMs };
  }

  /** Holds the verdicts of a server to the words that are live there at this moment. */
  compare(node: Node): void {
    if (!node.run) return;
    const { election, reference } = node.run;
    const { nowMs } = this.clockOf(node);
    for (const { target, verdict } of election.takeVerdicts()) {
      const { up, down, quorum } = reference.count(target.id, nowMs);
      this.tell(() => `${node.name} turns ${target.id} ${verdict} (${up} up, ${down} down)`);
      if ((verdict === "down" ? down : up) < quorum) {
        const words = `${up} up, ${down} down, quorum ${quorum}`;
        throw new Error(`${node.name} turned ${target.id} ${verdict} without a majority: ${words}`);
      }
    }
    for (const { target, health } of election.takeEffects()) node.answers.set(target.id, health);
    for (const { id } of this.targets) {
      const expected = reference.judge(id, nowMs);
      const contest = election.contest(id);
      if (contest?.verdict !== expected) {
        throw new Error(`${node.name} should hold ${id} ${expected}, got ${contest?.verdict}`);
      }
      if (node.answers.get(id) !== (expected === "down" ? 0 : 1)) {
        const health = node.answers.get(id);
        throw new Error(`${node.name} holds ${id} ${expected}, its answers got health ${health}`);
      }
    }
  }
}

/** The status without what tells an operator of strangers: refusing one is flagged. */
function pictureOf(election: Election, clock: Clock): string {
  const { voters, warnings: _, ...rest } = healthStatus(election, clock, () => undefined, []);
  const heard = voters.map(({ name, isLive, lastBallotSecondsAgo }) => [
    name,
    isLive,
    lastBallotSecondsAgo,
  ]);
  return JSON.stringify([heard, rest]);
}

function inWords({ voter, boot, sequence, isFull, words }: Ballot): string {
  const said = [...words].map(([id, { isUp }]) => `${id} ${isUp ? "up" : "down"}`).join(", ");
  const kind = isFull ? "full" : "change";
  return `${voter}'s ${kind} ballot ${sequence} of boot ${boot} [${said}]`;
}

function done(refusal: Refusal | undefined): string {
  return refusal === undefined ? "take" : `refuse (${refusal})`;
}
