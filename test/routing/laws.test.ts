// Laws that every route keeps, for generated federations, clients and states of health.

import { expect } from "chai";
import fc from "fast-check";
import { formatAddress } from "../../src/dns/address.ts";
import { placeKey } from "../../src/routing/place.ts";
import { type Route, route } from "../../src/routing/route.ts";
import { address } from "../geo/addresses.ts";
import { modelOf } from "../kit/federation.ts";
import {
  checks,
  clients,
  demands,
  federations,
  outsiders,
  prefixes,
  verdicts,
} from "./arbitraries.ts";
import { ask, candidatesOf, leftOutOf, orderOf, placeOf, routeInput } from "./ask.ts";

const settings = { seed: 20261121, numRuns: 1000 };
const drains = fc.uniqueArray(fc.constantFrom("a", "b", "c"), { maxLength: 1 });
const askings = fc.record({
  client: clients,
  demand: demands,
  prefix: prefixes,
  health: verdicts,
  drained: drains,
  checks,
});

describe("every route", () => {
  it("has each cluster that runs the service once: as a candidate or left out", () => {
    fc.assert(
      fc.property(federations, askings, (sketch, asking) => {
        const found = ask(sketch, asking);
        const all = [...candidatesOf(found), ...Object.keys(leftOutOf(found))].sort();
        const [service] = Object.values(sketch.services);
        expect(all).to.deep.equal(Object.keys(service?.in ?? {}).sort());
        expect(found.leftOut).to.have.length(Object.keys(leftOutOf(found)).length);
      }),
      settings,
    );
  });

  it("orders exactly the clusters with a healthy endpoint, or all when it fails open", () => {
    fc.assert(
      fc.property(federations, askings, (sketch, asking) => {
        const found = ask(withPolicy(sketch, { mode: "ordered", maxAddresses: 100 }), asking);
        const members = found.levels.flatMap((level) => level.candidates);
        const healthy = members.filter((each) => each.healthy > 0 && each.upAddresses.length > 0);
        const names = healthy.map(({ cluster }) => cluster.name).sort();
        expect(orderOf(found).sort()).to.deep.equal(names);
        expect(found.outcome === "answer").to.equal(names.length > 0);
        if (!found.isFailOpen) return;
        const counted = members.filter((each) => each.total > 0);
        expect(names).to.deep.equal(counted.map(({ cluster }) => cluster.name).sort());
      }),
      settings,
    );
  });

  it("gives the first clusters where there is no room for all", () => {
    fc.assert(
      fc.property(federations, askings, (sketch, asking) => {
        const all = orderOf(ask(withPolicy(sketch, { maxAddresses: 100 }), asking));
        const cut = orderOf(ask(withPolicy(sketch, { maxAddresses: 2 }), asking));
        expect(cut).to.deep.equal(all.slice(0, 2));
      }),
      settings,
    );
  });

  it("begins with the client's level, which nearest gives alone", () => {
    fc.assert(
      fc.property(federations, askings, (sketch, asking) => {
        const ordered = ask(withPolicy(sketch, { mode: "ordered", maxAddresses: 100 }), asking);
        const nearest = ask(withPolicy(sketch, { mode: "nearest", maxAddresses: 100 }), asking);
        const first = ordered.order.filter((each) => each.rank === 0);
        expect(orderOf(nearest)).to.deep.equal(first.map((each) => each.candidate.cluster.name));
        const level = ordered.levels[ordered.clientLevel]?.candidates ?? [];
        for (const { candidate } of first) expect(level).to.include(candidate);
        if (ordered.clientLevel >= 0) expect(first).not.to.deep.equal([]);
      }),
      settings,
    );
  });

  it("has shares that sum to 1, or to 0 where nothing is healthy", () => {
    fc.assert(
      fc.property(federations, askings, (sketch, asking) => {
        const found = ask(sketch, asking);
        const sum = found.levels.reduce((total, level) => total + level.share, 0);
        const isAnyHealthy = found.levels.some((level) => level.healthy > 0);
        expect(sum).to.be.closeTo(isAnyHealthy ? 1 : 0, 1e-9);
      }),
      settings,
    );
  });

  it("has a TTL in the service's range, no longer where a verdict could flip sooner", () => {
    let shorter = 0;
    fc.assert(
      fc.property(federations, askings, checks, (sketch, asking, sooner) => {
        const found = ask(sketch, asking);
        const least = Object.fromEntries(
          Object.entries({ ...asking.checks, ...sooner }).map(([address, each]) => [
            address,
            Math.min(each, asking.checks[address] ?? 3),
          ]),
        );
        const other = ask(sketch, { ...asking, checks: least });
        // The default range.
        expect(other.ttlSeconds).to.be.within(30, 180);
        expect(other.ttlSeconds).to.be.at.most(found.ttlSeconds);
        expect(ask(sketch, { ...asking, hasVotes: false }).ttlSeconds).to.equal(
          found.isFailOpen ? 30 : 180,
        );
        if (other.ttlSeconds < found.ttlSeconds) shorter++;
      }),
      settings,
    );
    expect(shorter).to.be.above(50);
  });

  it("gives internal addresses to clients inside that cluster only", () => {
    fc.assert(
      fc.property(federations, askings, (sketch, asking) => {
        const [service] = Object.values(sketch.services);
        for (const { candidate } of ask(sketch, asking).order) {
          const { name } = candidate.cluster;
          const isInside = asking.client.inside === name;
          const external = (service?.in[name]?.external ?? []).map((text) =>
            formatAddress(address(text)),
          );
          for (const given of candidate.addresses.map(formatAddress)) {
            expect(external.includes(given)).to.equal(!isInside);
          }
        }
      }),
      settings,
    );
  });
});

describe("what a route says that it depends on", () => {
  it("without the prefix, all prefixes have the same order", () => {
    let compared = 0;
    fc.assert(
      fc.property(
        federations,
        askings,
        fc.array(prefixes, { minLength: 4, maxLength: 12 }),
        (sketch, asking, others) => {
          const found = ask(sketch, asking);
          if (found.dependsOn.prefix) return;
          for (const prefix of others) {
            const other = ask(sketch, { ...asking, prefix });
            expect(answerOf(other)).to.deep.equal(answerOf(found));
            compared += orderOf(found).length > 1 ? 1 : 0;
          }
        },
      ),
      settings,
    );
    expect(compared).to.be.above(150);
  });

  it("with the prefix, some prefix has another order", () => {
    const many = Array.from({ length: 100 }, (_, at) => `203.0.${at}.0`);
    let compared = 0;
    fc.assert(
      fc.property(federations, askings, (sketch, asking) => {
        const found = ask(sketch, asking);
        // Shares and weights near 0 or 1 would need more prefixes than this to show.
        const shares = found.levels.map((level) => level.share).filter((share) => share > 0);
        const weights = found.levels.flatMap((level) =>
          level.candidates.map((each) => each.drawWeight),
        );
        const isPlain =
          Math.min(...shares) > 0.1 && weights.every((each) => each === 0 || each > 9);
        if (!found.dependsOn.prefix || !isPlain) return;
        compared++;
        const answers = many.map((prefix) =>
          JSON.stringify(answerOf(ask(sketch, { ...asking, prefix }))),
        );
        expect(new Set(answers).size).to.be.above(1);
      }),
      { ...settings, numRuns: 1500 },
    );
    expect(compared).to.be.above(10);
  });

  it("without the place, clients at all places outside have the same order", () => {
    let compared = 0;
    fc.assert(
      fc.property(federations, askings, outsiders, outsiders, (sketch, asking, here, there) => {
        const found = ask(sketch, { ...asking, client: here });
        if (found.dependsOn.place) return;
        const other = ask(sketch, { ...asking, client: there });
        expect(answerOf(other)).to.deep.equal(answerOf(found));
        compared += orderOf(found).length;
      }),
      settings,
    );
    expect(compared).to.be.above(100);
  });
});

describe("places with equal keys", () => {
  it("have equal routes, whatever clusters run the service", () => {
    let compared = 0;
    const asked = fc.record({
      demand: demands,
      prefix: prefixes,
      health: verdicts,
      drained: drains,
      checks,
    });
    const locations = fc.array(outsiders, { minLength: 20, maxLength: 40 });
    fc.assert(
      fc.property(
        federations,
        locations,
        fc.array(asked, { minLength: 1, maxLength: 3 }),
        (sketch, list, askings) => {
          const model = modelOf(sketch);
          const byKey = new Map<string, Route[]>();
          for (const client of list) {
            const place = placeOf(model.clusters, client);
            const routes = askings.map((asking) => route({ ...routeInput(model, asking), place }));
            const key = placeKey(place, model.clusters.values());
            const known = byKey.get(key);
            if (!known) byKey.set(key, routes);
            else expect(routes.map(shapeOf)).to.deep.equal(known.map(shapeOf));
            compared += known && model.clusters.size > 2 ? 1 : 0;
          }
        },
      ),
      { ...settings, numRuns: 300 },
    );
    expect(compared).to.be.above(1000);
  });

  it("are as many as there are orders and steps: a place a little farther on has the same", () => {
    const sketch = { clusters: { a: { at: [0, 0] }, b: { at: [0, 50] } }, services: {} } as const;
    const { clusters } = modelOf(sketch);
    const keys = [1, 2, 5, 10, 20, 24, 24.9, 25.1, 30, 49].map((longitude) =>
      placeKey(placeOf(clusters, { at: [0, longitude] }), clusters.values()),
    );
    // a first and alone; a first within 5 % of b; b first within 5 %; b first and alone.
    expect(new Set(keys).size).to.equal(4);
  });
});

function withPolicy<Sketch extends { services: object }>(sketch: Sketch, policy: object): Sketch {
  const services = Object.entries(sketch.services).map(([key, each]) => [
    key,
    { ...each, ...policy },
  ]);
  return { ...sketch, services: Object.fromEntries(services) };
}

/** All of a route that shows in an answer. */
function answerOf({ order, outcome, ttlSeconds }: Route) {
  return {
    outcome,
    ttlSeconds,
    clusters: order.map(({ candidate, rank }) => ({
      name: candidate.cluster.name,
      rank,
      weight: candidate.drawWeight,
      addresses: candidate.upAddresses.map(formatAddress),
    })),
  };
}

/** The answer and every step on the way to it, without the distances. */
function shapeOf(found: Route) {
  const { groups, levels, leftOut, clientLevel, dependsOn } = found;
  return {
    ...answerOf(found),
    groups,
    levels: levels.map(({ kind, group, share, candidates }) => ({
      kind,
      group,
      share,
      names: candidates.map(({ cluster }) => cluster.name),
    })),
    leftOut,
    clientLevel,
    dependsOn,
  };
}
