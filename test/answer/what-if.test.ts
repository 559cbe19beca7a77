// What-ifs decide nothing themselves: what is explained under assumptions is what is explained where
// they are true, and a replay counts what `answer` answers in both states.

import { expect } from "chai";
import { answer } from "../../src/answer/answer.ts";
import { type Asker, askerOf } from "../../src/answer/asker.ts";
import { type Assumptions, readAssumptions } from "../../src/answer/assumptions.ts";
import { explain } from "../../src/answer/explain.ts";
import type { Explanation } from "../../src/answer/explanation.ts";
import type { AnswerState } from "../../src/answer/federated-answer.ts";
import { type ReplayReport, replay } from "../../src/answer/replay.ts";
import { servedState } from "../../src/answer/served-state.ts";
import { assumedState, explainAssumed } from "../../src/answer/what-if.ts";
import { atOnce } from "../../src/cli/what-if-slices.ts";
import { formatAddress, parseAddress } from "../../src/dns/address.ts";
import { serviceKey } from "../../src/federation/model.ts";
import { stateBySeed } from "../kit/compile-world.ts";
import { Dice } from "../kit/dice.ts";
import { decoded } from "../kit/dns-client.ts";
import { queryOf } from "../kit/generated-queries.ts";
import { firstClusterIn } from "./first-cluster.ts";
import { type Query, type WhatIfCase, whatIfCase } from "./what-if-cases.ts";

const federations = 25;
const nothing: Assumptions = { verdicts: [], drain: [], undrain: [] };

describe("an explanation under assumptions", () => {
  it("is that of what is where nothing is assumed, but for its head", () => {
    for (const each of cases(3)) {
      const state = stateBySeed(each.world.snapshot, each.seed);
      for (const query of each.queries) {
        const { assuming, ...explained } = whatIf(each, query, state, nothing);
        expect(explained, label(each)).to.deep.equal(explanationOf(each, query, state));
        expect(assuming).to.deep.equal({ health: [], drain: [], undrain: [] });
      }
    }
  });

  it("is that of a state with those drains, but for its head", () => {
    for (const each of cases(6)) {
      const { drain = [], undrain = [] } = each.texts;
      const state = stateBySeed(each.world.snapshot, each.seed);
      const drained = new Set([...state.drained, ...drain]);
      for (const name of undrain) drained.delete(name);
      for (const query of each.queries) {
        const assumed = assumptionsOf(each, { drain, undrain });
        const { assuming, ...explained } = whatIf(each, query, state, assumed);
        const done = explanationOf(each, query, { ...state, drained });
        expect(explained, label(each)).to.deep.equal(done);
        expect(assuming).to.deep.equal({ health: [], drain, undrain });
      }
    }
  });

  it("is that of services with those verdicts, TTL and all, but for who says so", () => {
    const kinds = new Set<string>();
    for (const each of cases(10)) {
      const { health = [] } = each.texts;
      const state = servedState(each.world.snapshot, [], () => 0);
      const assumed = assumptionsOf(each, { health });
      const explained = each.queries.map((query) => whatIf(each, query, state, assumed));
      setVerdicts(each, health);
      for (const [at, query] of each.queries.entries()) {
        const { assuming, ...then } = explained[at] ?? expect.fail();
        const done = explanationOf(each, query, state);
        expect(withoutVerdicts(then), label(each)).to.deep.equal(withoutVerdicts(done));
        expect(assuming?.health).to.deep.equal(health);
        for (const { routes } of done.steps)
          for (const route of routes) kinds.add(route.ttlBy.kind);
      }
    }
    expect([...kinds]).to.include.members(["verdict", "fail-open"]);
  });
});

describe("a replay", () => {
  it("finds no shift where nothing is assumed", () => {
    for (const each of cases(3)) {
      const state = stateBySeed(each.world.snapshot, each.seed);
      const report = replayed(each, state, assumedState(state, nothing));
      expect([report.moved, report.moves], label(each)).to.deep.equal([0, []]);
      expect(report.km.after).to.equal(report.km.before);
      expect(report.answeredNothing.after).to.equal(report.answeredNothing.before);
      for (const { before, after } of report.clusters) expect(after).to.equal(before);
    }
  });

  it("counts the answers that are given in both states", () => {
    let [queries, moved, empty] = [0, 0, 0];
    for (const each of cases(federations)) {
      const state = stateBySeed(each.world.snapshot, each.seed);
      const then = assumedState(state, assumptionsOf(each, each.texts));
      const report = replayed(each, state, then);
      const counted = countAnswers(each, state, then);
      expect(report.clusters, label(each)).to.deep.equal(counted.clusters);
      expect(report.answeredNothing, label(each)).to.deep.equal(counted.answeredNothing);
      expect([report.queries, report.weight, report.moved], label(each)).to.deep.equal([
        each.queries.length,
        counted.weight,
        counted.moved,
      ]);
      expect(report.km.known, label(each)).to.equal(counted.km.known);
      expect(report.km.before ?? -1, label(each)).to.be.closeTo(counted.km.before, 1e-6);
      expect(report.km.after ?? -1, label(each)).to.be.closeTo(counted.km.after, 1e-6);
      const moves = report.moves.reduce((sum, { count }) => sum + count, 0);
      expect(moves, label(each)).to.equal(counted.moved);
      queries += report.queries;
      moved += report.moved;
      empty += report.answeredNothing.after;
    }
    expect(queries).to.be.at.least(1000);
    expect([moved, empty].map((each) => each > 80)).to.deep.equal([true, true]);
  });
});

function* cases(count: number): Generator<WhatIfCase> {
  for (let seed = 0; seed < count; seed++) yield whatIfCase(seed);
}

function label({ seed, texts }: WhatIfCase): string {
  return `seed ${seed}, ${JSON.stringify(texts)}`;
}

function assumptionsOf({ world }: WhatIfCase, texts: WhatIfCase["texts"]): Assumptions {
  const { model } = world.snapshot;
  const read = atOnce(readAssumptions(texts, { model, drained: new Set() }));
  if (!read.ok) throw new Error(read.message);
  return read.assumptions;
}

function whoAsks({ world }: WhatIfCase, { source, ecs }: Query): Asker {
  const { settings, views } = world.snapshot;
  return askerOf(source, ecs, settings.trustedResolvers, views);
}

function explanationOf(each: WhatIfCase, query: Query, state: AnswerState): Explanation {
  const asker = whoAsks(each, query);
  return explain(query.name, query.type, asker, each.world.locations, state);
}

function whatIf(each: WhatIfCase, query: Query, state: AnswerState, assumed: Assumptions) {
  const { locations } = each.world;
  return explainAssumed(query.name, query.type, whoAsks(each, query), locations, state, assumed);
}

/** Sets the verdicts as voters would who have agreed for long, the narrowest last. */
function setVerdicts({ world: { services } }: WhatIfCase, health: readonly string[]): void {
  const breadth = (text: string): number => {
    if (parseAddress(text.replace(/=.*/, ""))) return 2;
    return text.includes("/") ? 1 : 0;
  };
  for (const text of [...health].sort((a, b) => breadth(a) - breadth(b))) {
    const [subject = "", word] = text.split("=");
    for (const service of services.values()) {
      const key = serviceKey(service);
      for (const { cluster, clusterIps, external } of service.clusters) {
        for (const address of [...clusterIps, ...external]) {
          const isMeant = [cluster, `${cluster}/${key}`, formatAddress(address)].includes(subject);
          if (!isMeant) continue;
          const { fall, rise } = service.healthCheck ?? expect.fail("no health check");
          const isUp = word === "up";
          const verdict = { health: isUp ? 1 : 0, checksToFlip: isUp ? fall : rise };
          expect(services.setVerdict(key, cluster, address, verdict)).to.equal(true);
        }
      }
    }
  }
}

function withoutVerdicts(explanation: Omit<Explanation, "assuming">): unknown {
  return JSON.parse(
    JSON.stringify(explanation, (key, value) => (key === "verdict" ? undefined : value)),
  );
}

/** How many times the query at this place counts. */
function countOf({ seed }: WhatIfCase, at: number): number {
  return new Dice(seed * 1000 + at).integer(1, 5);
}

function replayed(each: WhatIfCase, before: AnswerState, after: AnswerState): ReplayReport {
  const queries = each.queries.map((query, at) => {
    const { name, type } = query;
    return { name, type, asker: whoAsks(each, query), client: `${at}`, count: countOf(each, at) };
  });
  return atOnce(replay(queries, before, after, each.world.locations));
}

/** The same sums from the octets of answers, and distances from explanations. */
function countAnswers(each: WhatIfCase, before: AnswerState, after: AnswerState) {
  const clusters = [...each.world.snapshot.model.clusters.keys()].map((cluster) => ({
    ...{ cluster, before: 0, after: 0 },
  }));
  const answeredNothing = { before: 0, after: 0 };
  const km = { before: 0, after: 0, known: 0 };
  let [weight, moved] = [0, 0];
  for (const [at, query] of each.queries.entries()) {
    const count = countOf(each, at);
    weight += count;
    const both = { before: firstOf(query, before), after: firstOf(query, after) };
    for (const when of ["before", "after"] as const) {
      const sum = clusters.find(({ cluster }) => cluster === both[when]);
      if (sum) sum[when] += count;
      if (both[when] === "nothing") answeredNothing[when] += count;
    }
    const isCluster = (text: string): boolean => clusters.some(({ cluster }) => cluster === text);
    const [from, to] = [both.before, both.after].map((text) => (isCluster(text) ? text : ""));
    if (from !== to) moved += count;
    if (!from || !to) continue;
    const [kmBefore, kmAfter] = [
      distanceIn(explanationOf(each, query, before), from),
      distanceIn(explanationOf(each, query, after), to),
    ];
    if (kmBefore === null || kmAfter === null) continue;
    km.known += count;
    km.before += kmBefore * count;
    km.after += kmAfter * count;
  }
  const mean = (sum: number): number => (km.known > 0 ? sum / km.known : -1);
  const means = { before: mean(km.before), after: mean(km.after), known: km.known };
  return { clusters, answeredNothing, weight, moved, km: means };
}

/** Of the wire answer. */
function firstOf({ source, ecs, ...question }: Query, state: AnswerState): string {
  const octets = queryOf(question, ecs);
  const response = answer({ octets, source, sourcePort: 53, transport: "tcp" }, state, 0);
  return firstClusterIn(decoded(response ?? expect.fail("silence")));
}

function distanceIn({ steps }: Explanation, name: string): number | null {
  const routes = steps.at(-1)?.routes ?? [];
  const candidates = routes.flatMap(({ levels }) => levels.flatMap((level) => level.candidates));
  return candidates.find(({ cluster }) => cluster === name)?.distanceKm ?? null;
}
