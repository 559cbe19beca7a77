// Explanation and answer are one computation: for generated federations, clients and names, what
// is explained is what the octets of the answer say.

import { expect } from "chai";
import { answer } from "../../src/answer/answer.ts";
import { askerOf } from "../../src/answer/asker.ts";
import { explain } from "../../src/answer/explain.ts";
import type { Explanation } from "../../src/answer/explanation.ts";
import type { AnswerState } from "../../src/answer/federated-answer.ts";
import { parseAddress } from "../../src/dns/address.ts";
import { type CompiledWorld, compileWorld, stateBySeed } from "../kit/compile-world.ts";
import { Dice } from "../kit/dice.ts";
import { decoded } from "../kit/dns-client.ts";
import {
  type GeneratedAsker,
  generateAsker,
  generateQuestion,
  namesOf,
  queryOf,
} from "../kit/generated-queries.ts";
import { clusterNameOf, clusterNumberOf, generateWorld } from "../kit/generators.ts";
import { casesOf } from "../kit/length.ts";
import {
  type PlainAnswer,
  plainExplanation,
  plainMessage,
  withoutRotation,
  withoutSpelling,
} from "../kit/plain-answer.ts";

type Question = ReturnType<typeof generateQuestion>;

const federations = casesOf(1000, 200);
const queriesEach = 6;

describe("explain and answer", () => {
  it(`agree for ${federations} federations, with every address in its place`, () => {
    for (const { world, question, asker, state, label } of generatedCases()) {
      const explained = explanationOf(question, asker, state, world);
      const answered = wireAnswer(question, asker, state);
      expect(withoutSpelling(plainExplanation(explained)), label).to.deep.equal(
        withoutSpelling(answered),
      );
      expectOrderAsExplained(explained, label);
    }
  }).timeout(180_000);

  it("agree up to rotation inside a cluster, however far the answer is rotated", () => {
    for (const { world, question, asker, state, label } of generatedCases(100)) {
      const explained = plainExplanation(explanationOf(question, asker, state, world));
      const rotated = wireAnswer(question, asker, { ...state, rotation: () => 5 });
      expect(withoutSpelling(withoutRotation(explained)), label).to.deep.equal(
        withoutSpelling(withoutRotation(rotated)),
      );
      expect(new Set(rotated.answers).size, label).to.equal(rotated.answers.length);
    }
  });

  it("meet every kind of answer on the way", () => {
    const seen = new Set<string>();
    for (const { world, question, asker, state } of generatedCases(200)) {
      const { client, steps, answer } = explanationOf(question, asker, state, world);
      seen.add(answer.rcode).add(`located by ${client.location.by.kind}`);
      if (client.inside !== null) seen.add(client.isEcs ? "inside by ECS" : "inside by source");
      if (client.notBelievedInside !== null) seen.add("not believed");
      for (const { kind, routes } of steps) {
        seen.add(kind);
        for (const route of routes) {
          if (route.failOpen) seen.add("fail-open");
          if (route.clientLevel > 0) seen.add("spill");
          for (const level of route.levels) seen.add(`level ${level.kind}`);
          for (const { rule } of route.leftOut) seen.add(`left out: ${rule}`);
        }
      }
    }
    expect([...seen]).to.include.members([
      ...["NOERROR", "NXDOMAIN", "SERVFAIL", "REFUSED"],
      ...["located by network", "located by override", "located by database", "located by unknown"],
      ...["inside by ECS", "inside by source", "not believed", "fail-open", "spill"],
      ...["service", "local", "cluster", "port"],
      ...["level front", "level zone", "level region", "level distance", "level everywhere"],
      ...["left out: other-cluster", "left out: other-region", "left out: other-zone"],
      ...["left out: no-port", "left out: no-address", "left out: disabled", "left out: drained"],
      ...["left out: filtered", "left out: not-home"],
    ]);
  });
});

interface Case {
  readonly world: CompiledWorld;
  readonly question: Question;
  readonly asker: GeneratedAsker;
  readonly state: AnswerState;
  /** What to type to see it again. */
  readonly label: string;
}

function* generatedCases(count = federations): Generator<Case> {
  for (let seed = 0; seed < count; seed++) {
    const generated = generateWorld(seed);
    const world = compileWorld(generated);
    const names = namesOf(generated, world.snapshot.model);
    const state = stateBySeed(world.snapshot, seed);
    const dice = new Dice(seed);
    for (let at = 0; at < queriesEach; at++) {
      const asker = generateAsker(dice, generated);
      const question = generateQuestion(dice, names);
      yield { world, question, asker, state, label: `seed ${seed}, query ${at}` };
    }
  }
}

function explanationOf(
  { name, type }: Question,
  { source, ecs }: GeneratedAsker,
  state: AnswerState,
  { locations }: CompiledWorld,
): Explanation {
  const { settings, views } = state.snapshot;
  const asker = askerOf(source, ecs, settings.trustedResolvers, views);
  return explain(name, type, asker, locations, state);
}

function wireAnswer(
  question: Question,
  { source, ecs }: GeneratedAsker,
  state: AnswerState,
): PlainAnswer {
  const octets = queryOf(question, ecs);
  const response = answer({ octets, source, sourcePort: 53, transport: "tcp" }, state, 0);
  if (!response) throw new Error("cannot see the answer: there is silence");
  const plain = plainMessage(decoded(response));
  // Source length 0 asks for the resolver's own address: the option is echoed, the scope is 0.
  return ecs?.sourceLength === 0 ? { ...plain, scope: null } : plain;
}

/** The clusters of the address records come in the order that the last step tells. */
function expectOrderAsExplained({ question, steps, answer }: Explanation, label: string): void {
  const last = steps.at(-1);
  const route = last?.routes[0];
  if (!route || !["A", "AAAA"].includes(question.type) || route.addresses !== question.type) return;
  const clusters = answer.answers
    .filter(({ type }) => type === question.type)
    .map(({ data }) => clusterNameOf(clusterNumberOf(parseAddress(data) ?? new Uint8Array(4))));
  const runs = clusters.filter((cluster, at) => cluster !== clusters[at - 1]);
  expect(runs, label).to.deep.equal(route.order);
}
