// The fast path says octet for octet what `answer` says, or leaves it to `answer`: over generated
// federations, every kind of question, client, EDNS form, rotation, verdict and drain, with votes and
// without, while services come, change and go.

import { expect } from "chai";
import { answer, type Received } from "../../src/answer/answer.ts";
import { AnswerNote, unknownView } from "../../src/answer/answer-note.ts";
import { ClusterNumbers } from "../../src/answer/cluster-numbers.ts";
import { FastPath, notFast } from "../../src/answer/fast-path.ts";
import { messageMemory } from "../../src/answer/fast-query.ts";
import type { AnswerState } from "../../src/answer/federated-answer.ts";
import { servedState } from "../../src/answer/served-state.ts";
import { Turns } from "../../src/answer/turns.ts";
import { WireCache } from "../../src/answer/wire-cache.ts";
import type { EdnsOption } from "../../src/dns/edns.ts";
import { encodeMessage } from "../../src/dns/message.ts";
import type { Service } from "../../src/federation/model.ts";
import { serviceKey } from "../../src/federation/model.ts";
import { ServiceTable } from "../../src/federation/service-table.ts";
import { type CompiledWorld, compileWorld } from "../kit/compile-world.ts";
import { Dice } from "../kit/dice.ts";
import { emptyQuery } from "../kit/dns-client.ts";
import {
  type GeneratedAsker,
  generateAsker,
  generateQuestion,
  namesOf,
} from "../kit/generated-queries.ts";
import { generateWorld } from "../kit/generators.ts";
import { healthCheck } from "../kit/health-check.ts";
import { casesOf } from "../kit/length.ts";
import { mutated } from "../kit/mutated-packets.ts";

const federations = casesOf(400, 150);
const stepsEach = 60;

describe("the fast path", () => {
  it(`answers as answer does, in ${federations} federations that change`, () => {
    let fast = 0;
    let all = 0;
    for (let seed = 0; seed < federations; seed++) {
      const run = new Run(seed);
      for (let step = 0; step < stepsEach; step++) {
        if (run.dice.chance(0.15)) run.change();
        const { received, label } = run.query(step);
        all++;
        if (run.compare(received, label)) fast++;
      }
    }
    // What it leaves to `answer` is rare or odd; if this falls, queries have become slow.
    expect(fast / all).to.be.above(0.6);
  }).timeout(180_000);

  it("answers damaged packets as answer does, or not at all", () => {
    for (let seed = 0; seed < 40; seed++) {
      const run = new Run(seed);
      for (let step = 0; step < 200; step++) {
        const { received, label } = run.query(step);
        const octets = mutated(received.octets, [received.octets], run.dice);
        run.compare({ ...received, octets }, `${label}, damaged`);
      }
    }
  }).timeout(120_000);

  it("keeps to the memory that it was given, whatever is asked", () => {
    const run = new Run(3, 4096);
    for (let step = 0; step < 3000; step++) {
      const { received, label } = run.query(step);
      run.compare(received, label);
    }
  }).timeout(60_000);
});

/** Turns that the test sets. */
class SetTurns extends Turns {
  turn = 0;

  constructor() {
    super(() => 0);
  }

  override next(): number {
    return this.turn;
  }
}

/** One federation, both ways of answering, and changes. */
class Run {
  readonly dice: Dice;
  readonly #label: string;
  readonly #world: CompiledWorld;
  readonly #table: ServiceTable;
  readonly #turns = new SetTurns();
  readonly #numbers = new ClusterNumbers();
  readonly #note = new AnswerNote();
  readonly #cache: WireCache;
  #state: AnswerState;
  #fast: FastPath;
  readonly #generated: ReturnType<typeof generateWorld>;
  readonly #names: ReturnType<typeof namesOf>;
  readonly #all: readonly Service[];
  readonly #query = messageMemory(new Uint8Array(4096));
  readonly #out = messageMemory(new Uint8Array(0x10020));
  #asked: { question: ReturnType<typeof generateQuestion>; asker: GeneratedAsker }[] = [];

  constructor(seed: number, cacheOctets = 1 << 18) {
    this.#label = `seed ${seed}`;
    this.dice = new Dice(seed);
    this.#generated = generateWorld(seed);
    this.#world = compileWorld(this.#generated);
    const { services } = this.#world.snapshot.model;
    if (!(services instanceof ServiceTable)) throw new Error("the services cannot be changed");
    this.#table = services;
    // Every other service has its health checked.
    for (const service of [...services.values()]) {
      if (!this.dice.chance(0.5)) continue;
      services.put({ ...service, healthCheck: this.dice.pick(sampleChecks) });
    }
    this.#all = [...services.values()];
    this.#names = namesOf(this.#generated, this.#world.snapshot.model);
    this.#cache = new WireCache(cacheOctets);
    this.#state = this.#anyState();
    this.#fast = new FastPath(this.#state, this.#turns, this.#cache);
  }

  /** The snapshot with votes or without, clusters drained or not. */
  #anyState(): AnswerState {
    const { dice } = this;
    const { snapshot } = this.#world;
    const drained = dice.some([...snapshot.model.clusters.keys()], dice.pick([0.1, 0.1, 1]));
    const settings = { ...snapshot.settings, hasVotes: dice.chance(0.7) };
    const state = servedState({ ...snapshot, settings }, drained, () => this.#turns.turn);
    return { ...state, clusterNumbers: this.#numbers.of(snapshot.model.clusters.keys()) };
  }

  /** As the data plane takes up a new snapshot. */
  #renew(): void {
    this.#state = this.#anyState();
    this.#cache.clear();
    this.#fast = new FastPath(this.#state, this.#turns, this.#cache);
  }

  /** Takes a service out, puts it in again as it was or otherwise, or changes verdicts or drains. */
  change(): void {
    const { dice } = this;
    if (dice.chance(0.1)) this.#renew();
    if (this.#all.length === 0) return;
    const service = dice.pick(this.#all);
    const key = serviceKey(service);
    switch (dice.pick(["verdicts", "verdicts", "checks", "delete", "put", "put"])) {
      case "delete":
        this.#table.delete(key);
        break;
      case "put": {
        const clusters = dice.some(service.clusters, 0.8);
        const ttl = { maxSeconds: dice.integer(1, 0x12345), minSeconds: 1 };
        this.#table.put({ ...service, clusters, ...(dice.chance(0.5) && { ttl }) });
        break;
      }
      case "checks": {
        // One address, as by most ballots.
        const { cluster, clusterIps, external } = dice.pick(service.clusters);
        const addresses = [...clusterIps, ...external];
        if (addresses.length === 0) break;
        const checksToFlip = dice.integer(0, 4);
        this.#table.setVerdict(key, cluster, dice.pick(addresses), { health: 1, checksToFlip });
        break;
      }
      case "verdicts":
        for (const { cluster, clusterIps, external } of service.clusters) {
          for (const address of [...clusterIps, ...external]) {
            const health = dice.pick([0, 0, 0.4, 1, 1, 1]);
            const checksToFlip = dice.pick([undefined, undefined, 0, 1, 2, 40]);
            this.#table.setVerdict(key, cluster, address, { health, checksToFlip });
          }
        }
    }
    this.#table.setSerial(dice.integer(0, 0xffffffff));
  }

  /** A new question, or one that was asked before. */
  query(step: number): { received: Received; label: string } {
    const { dice } = this;
    const isAgain = this.#asked.length > 0 && dice.chance(0.5);
    const asked = isAgain
      ? dice.pick(this.#asked)
      : {
          question: generateQuestion(dice, this.#names),
          asker: generateAsker(dice, this.#generated),
        };
    this.#asked.push(asked);
    this.#turns.turn = dice.integer(0, 63);
    const { source, ecs } = asked.asker;
    const options = dice.some(
      [...(ecs ? [ecs, ecs] : []), ...otherOptions(dice)],
      ecs ? 0.7 : 0.15,
    );
    const edns = {
      udpSize: dice.pick([0, 512, 700, 1232, 1232, 4096, 65535]),
      version: 0,
      dnssecOk: dice.chance(0.5),
      flags: dice.chance(0.1) ? 1 : 0,
      options,
    };
    const octets = encodeMessage({
      ...emptyQuery(),
      id: dice.integer(0, 0xffff),
      recursionDesired: dice.chance(0.5),
      checkingDisabled: dice.chance(0.1),
      questions: [asked.question],
      ...(dice.chance(0.75) && { edns }),
    });
    const transport = dice.chance(0.2) ? "tcp" : "udp";
    return {
      received: { octets, source, sourcePort: 4242, transport },
      label: `${this.#label}, query ${step}: ${Buffer.from(octets).toString("hex")} from ${source.join(".")} turn ${this.#turns.turn}`,
    };
  }

  /** Asks both ways; whether the fast one answered. */
  compare(received: Received, label: string): boolean {
    const { octets, source, transport } = received;
    this.#query.octets.fill(0xee);
    this.#query.octets.set(octets);
    const length = this.#fast.respond(
      {
        memory: this.#query,
        at: 0,
        length: octets.length,
        source,
        sourceAt: 0,
        family: source.length === 4 ? 4 : 6,
        transport,
      },
      this.#out,
      0,
      1_700_000_000,
    );
    if (length === notFast) return false;
    const fast = Buffer.from(this.#out.octets.subarray(0, length)).toString("hex");
    const response = answer(received, this.#state, 1_700_000_000, this.#note);
    const plain = Buffer.from(response ?? []).toString("hex");
    expect(fast, label).to.equal(plain);
    this.#compareNotes(this.#fast.note, this.#note, label);
    return true;
  }

  /** The fast path may not have looked for the view; all else is noted alike. */
  #compareNotes(fast: AnswerNote, plain: AnswerNote, label: string): void {
    const { cluster, level, rcode, type, isTruncated } = plain;
    const isAlike =
      fast.cluster === cluster &&
      fast.level === level &&
      fast.rcode === rcode &&
      fast.type === type &&
      fast.isTruncated === isTruncated &&
      (fast.view === unknownView || plain.view === unknownView || fast.view === plain.view);
    if (!isAlike) expect(fast, label).to.deep.equal(plain);
  }
}

const sampleChecks = [
  healthCheck({ type: "tcp" }),
  healthCheck({ type: "tcp", intervalSeconds: 40, fall: 2 }),
];

function otherOptions(dice: Dice): EdnsOption[] {
  return [
    { kind: "nsid", id: new Uint8Array(dice.pick([0, 3])) },
    {
      kind: "cookie",
      client: dice.octets(8),
      server: dice.octets(dice.pick([0, 0, 16])),
    },
    { kind: "padding", length: dice.integer(0, 20) },
    { kind: "unknown", code: 65001, data: dice.octets(3) },
    ...(dice.chance(0.1) ? [{ kind: "keepalive", timeout: undefined } as const] : []),
  ];
}
