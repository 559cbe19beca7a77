// Generated federations with health checks, and what might be assumed of them, by the seed. It must
// not know what follows from an assumption.

import type { AssumptionTexts } from "../../src/answer/assumptions.ts";
import { formatAddress } from "../../src/dns/address.ts";
import { RRType } from "../../src/dns/record-types.ts";
import { serviceKey } from "../../src/federation/model.ts";
import { type CompiledWorld, compileWorld } from "../kit/compile-world.ts";
import { Dice } from "../kit/dice.ts";
import { federatedNames } from "../kit/federated-names.ts";
import { generateAsker, generateQuestion, namesOf } from "../kit/generated-queries.ts";
import { generateWorld } from "../kit/generators.ts";
import { healthCheck } from "../kit/health-check.ts";

export type Query = ReturnType<typeof generateQuestion> & ReturnType<typeof generateAsker>;

export interface WhatIfCase {
  readonly world: CompiledWorld;
  readonly queries: readonly Query[];
  readonly texts: AssumptionTexts;
  readonly seed: number;
}

/** A federation that votes, queries about it, and assumptions that all name something of it. */
export function whatIfCase(seed: number, { names = 5, askers = 8 } = {}): WhatIfCase {
  const generated = generateWorld(seed);
  const compiled = compileWorld(generated);
  const dice = new Dice(seed + 7_000_000);
  const { services } = compiled;
  for (const service of [...services.values()]) {
    const check = { intervalSeconds: 5, fall: dice.integer(1, 4), rise: dice.integer(1, 4) };
    services.put({ ...service, healthCheck: healthCheck(check) });
  }
  const { settings } = compiled.snapshot;
  const snapshot = { ...compiled.snapshot, settings: { ...settings, hasVotes: true } };
  const world = { ...compiled, snapshot };
  const all = namesOf(generated, snapshot.model);
  const federated = [...federatedNames(snapshot.model)].map(([name]) => name);
  const questions = Array.from({ length: names }, () => {
    const known = federated.length > 0 && dice.chance(0.7) ? federated : all;
    const question = generateQuestion(dice, known);
    return dice.chance(0.5) ? { ...question, type: RRType.A } : question;
  });
  const who = Array.from({ length: askers }, () => generateAsker(dice, generated));
  const queries = questions.flatMap((question) => who.map((asker) => ({ ...question, ...asker })));
  return { world, queries, texts: textsFor(dice, world), seed };
}

function textsFor(dice: Dice, { snapshot, services }: CompiledWorld): AssumptionTexts {
  const clusters = [...snapshot.model.clusters.keys()];
  const isAllDown = dice.chance(0.15);
  if (isAllDown) return { health: clusters.map((each) => `${each}=down`) };
  const subjects = new Set(dice.some(clusters, 0.2));
  for (const service of services.values()) {
    for (const { cluster, clusterIps, external } of service.clusters) {
      if (dice.chance(0.2)) subjects.add(`${cluster}/${serviceKey(service)}`);
      for (const each of dice.some([...clusterIps, ...external], 0.2)) {
        subjects.add(formatAddress(each));
      }
    }
  }
  const drain = dice.some(clusters, 0.3);
  return {
    health: [...subjects].map((each) => `${each}=${dice.pick(["up", "down", "down"])}`),
    drain,
    undrain: dice.some(clusters, 0.3).filter((each) => !drain.includes(each)),
  };
}
