// Schedules of what happens in a federation of voters, drawn from whole numbers: each number is one
// step, and 0 is the plainest. A schedule ends with all healed, and everyone's agreement. It must
// not know how elections are checked.

import type { Ballot } from "../../src/health/ballot.ts";
import type { WorldSketch } from "./model-setting.ts";
import { type Node, World } from "./model-world.ts";

/** One schedule, as it is drawn. */
export interface Schedule {
  readonly voters: number;
  readonly setup: number;
  readonly steps: readonly number[];
}

/** Runs a schedule; throws at what the rules forbid. `story` takes what happens, in words. */
export function runSchedule({ voters, setup, steps }: Schedule, story?: string[]): void {
  const draw = new Draw(setup);
  const world = new World(sketchOf(voters, draw), story);
  for (const step of steps) takeStep(world, new Draw(step));
  heal(world, draw);
}

/** Choices out of one number: what is left of it after one choice makes the next. */
class Draw {
  #rest: number;

  constructor(number: number) {
    this.#rest = number;
  }

  below(bound: number): number {
    const choice = this.#rest % bound;
    this.#rest = Math.floor(this.#rest / bound);
    return choice;
  }

  of<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error("cannot choose: there is nothing");
    return item;
  }
}

const daySeconds = 86_400;

function sketchOf(voters: number, draw: Draw): WorldSketch {
  const endpoints = draw.of([1, 1, 2, 1, 1, 3]);
  const hasListener = draw.below(6) === 5;
  const fall = draw.of([1, 2, 1, 3]);
  const rise = draw.of([1, 2]);
  // Most clocks are nearly right; one server's may be off by up to a day.
  const offset = draw.of([0, 0, 0, 20, 50, -50, 61, -61, daySeconds, -daySeconds]) * 1000;
  const wallOffsetsMs = [0, 0, 0, 0, 0];
  wallOffsetsMs[draw.below(3)] = offset;
  return { voters, endpoints, fall, rise, hasListener, wallOffsetsMs };
}

type Step = (world: World, draw: Draw) => void;

/** By how often they are drawn. */
const kinds: readonly (readonly [times: number, step: Step])[] = [
  [1, nothing],
  [6, probeOne],
  [5, probeByAll],
  [4, post],
  [7, deliverOne],
  [3, deliverAll],
  [2, lose],
  [4, replay],
  [3, exchange],
  [6, passTime],
  [2, die],
  [3, start],
  [2, restart],
  [1, standStill],
  [1, reconfigure],
  [1, republish],
  [1, forge],
];
const allSteps = kinds.flatMap(([times, step]) => Array.from({ length: times }, () => step));

function takeStep(world: World, draw: Draw): void {
  draw.of(allSteps)(world, draw);
}

/** What a step that does not matter shrinks to. */
function nothing(): void {}

function probeOne(world: World, draw: Draw): void {
  world.probe(draw.of(world.nodes), draw.of(world.targets), draw.below(2) === 0);
}

/** Each voter finds what it finds. */
function probeByAll(world: World, draw: Draw): void {
  const target = draw.of(world.targets);
  const failing = draw.below(256);
  for (const [at, node] of world.nodes.entries()) {
    world.probe(node, target, ((failing >> at) & 1) === 0);
  }
}

function post(world: World, draw: Draw): void {
  const ballot = world.write(draw.of(world.nodes), draw.of(["full", "change"]));
  if (ballot) world.post(ballot);
}

/** Any of the letters that are under way, so they overtake each other; some come once more. */
function deliverOne(world: World, draw: Draw): void {
  if (world.letters.length === 0) return;
  const isDoubled = draw.below(4) === 3;
  const [letter] = world.letters.splice(draw.below(world.letters.length), 1);
  if (!letter) return;
  world.deliver(letter);
  if (isDoubled) world.letters.push(letter);
}

function deliverAll(world: World, draw: Draw): void {
  const letters = world.letters.splice(0);
  if (draw.below(3) === 2) letters.reverse();
  for (const letter of letters) world.deliver(letter);
}

function lose(world: World, draw: Draw): void {
  if (world.letters.length === 0) return;
  const [letter] = world.letters.splice(draw.below(world.letters.length), 1);
  world.tell(() => `a letter to ${letter?.to.name} is lost`);
}

/** Any ballot that ever was sent, or one of a former boot, to anyone. */
function replay(world: World, draw: Draw): void {
  const to = draw.of(world.nodes);
  const former = draw.below(3) === 0 ? world.sent.filter((each) => world.isFormer(each)) : [];
  const ballots = former.length > 0 ? former : world.sent;
  if (ballots.length > 0) world.deliver({ to, ballot: draw.of(ballots) });
}

/** Every voter sends all that it says, and those hear it who are on its side of the net. */
function exchange(world: World, draw: Draw): void {
  const kind = draw.of(["full", "full", "change"] as const);
  const sides = draw.of([0, 0, draw.below(256)]);
  const side = (node: Node) => (sides >> world.nodes.indexOf(node)) & 1;
  for (const from of world.nodes) {
    const ballot = world.write(from, kind);
    if (!ballot) continue;
    for (const to of world.nodes) {
      if (to !== from && side(to) === side(from)) world.deliver({ to, ballot });
    }
  }
}

function passTime(world: World, draw: Draw): void {
  world.pass(draw.of([100, 1000, 5000, 14_999, 1, 10_000, 3000, 16_000, 31_000, 61_000]));
}

function die(world: World, draw: Draw): void {
  world.die(draw.of(world.nodes));
}

function start(world: World, draw: Draw): void {
  const dead = world.nodes.filter(({ run }) => !run);
  if (dead.length > 0) world.start(draw.of(dead), draw.below(2) === 1);
}

/** It is back at once, and says so. */
function restart(world: World, draw: Draw): void {
  const node = draw.of(world.nodes);
  world.die(node);
  world.start(node, draw.below(2) === 1);
  const ballot = world.write(node, "full");
  if (!ballot) return;
  for (const to of world.nodes) if (to !== node) world.deliver({ to, ballot });
}

function standStill(world: World, draw: Draw): void {
  const node = draw.of(world.nodes);
  world.standStill(node, draw.of([30_000, 4000, 6000]));
}

function reconfigure(world: World, draw: Draw): void {
  const node = draw.of(world.nodes);
  world.reconfigure(node, node.rules === world.rules ? world.otherRules : world.rules);
}

function republish(world: World, draw: Draw): void {
  world.republish(draw.of(world.nodes), draw.of(world.targets));
}

/**
 * A ballot under another's name, or a name that nobody knows. Who has the key can lie for any voter
 * that was not heard yet, so only those are handed over that can be told.
 */
function forge(world: World, draw: Draw): void {
  const ballot = world.sent.at(-1);
  if (!ballot) return;
  const voter = draw.of(["v1", "v2", "v3", "stranger"]);
  if (voter === ballot.voter) return;
  const forged: Ballot = { ...ballot, voter, sequence: ballot.sequence + draw.below(3) };
  const to = draw.of(world.nodes);
  if (world.mustRefuse(to, forged)) world.deliver({ to, ballot: forged });
}

/**
 * All is well again, but that one voter may keep another configuration. Each voter probes until it
 * is sure; after two rounds of ballots all that are connected hold what the majority found.
 */
function heal(world: World, draw: Draw): void {
  const { nodes, targets, letters } = world;
  const stranger = draw.below(8) === 7 ? nodes[draw.below(nodes.length)] : undefined;
  world.tell(() => "all is healed");
  letters.splice(0);
  const stillUntilMs = Math.max(...nodes.map((each) => each.stillUntilMs));
  // A clock that was ahead is set right: a start after that is heard when it passes where it was.
  const aheadMs = Math.max(...nodes.map((each) => each.wallOffsetMs));
  const waitMs = Math.max(stillUntilMs - world.nowMs, aheadMs < 120_000 ? aheadMs : 0);
  if (waitMs > 0) world.pass(waitMs);
  for (const node of nodes) {
    node.wallOffsetMs = 0;
    world.start(node, draw.below(2) === 0);
    world.reconfigure(node, node === stranger ? world.otherRules : world.rules);
  }
  const connected = nodes.filter((node) => node !== stranger);
  const failing = draw.below(256);
  const isWell = (node: Node, target: number) =>
    ((failing >> (nodes.indexOf(node) + target)) & 1) === 0;
  for (const [at, target] of targets.entries()) {
    const probes = Math.max(target.check.fall, target.check.rise);
    for (const node of nodes) {
      for (let count = 0; count < probes; count++) world.probe(node, target, isWell(node, at));
    }
  }
  for (let round = 0; round < 2; round++) {
    for (const from of nodes) {
      const ballot = world.write(from, "full");
      if (!ballot) continue;
      for (const to of nodes) if (to !== from) world.deliver({ to, ballot });
    }
    if (round === 0) world.pass(5000);
  }
  for (const [at, { id }] of targets.entries()) {
    const electors = world.rules.electors.get(id) ?? [];
    const voices = connected.filter(({ name }) => electors.includes(name));
    const well = voices.filter((node) => isWell(node, at)).length;
    const quorum = Math.floor(electors.length / 2) + 1;
    if (well < quorum && voices.length - well < quorum) continue;
    const expected = well >= quorum ? "up" : "down";
    for (const { name, run } of connected) {
      const verdict = run?.election.contest(id)?.verdict;
      if (verdict !== expected) {
        throw new Error(`in the end ${name} should hold ${id} ${expected}, got ${verdict}`);
      }
    }
  }
}
