// The failover budget: that formula and simulation agree, that the parts make the whole, and that
// the defaults keep what is promised.

import { expect } from "chai";
import fc from "fast-check";
import {
  simulatedQuantile,
  simulatedShare,
  simulateFailover,
} from "../../scripts/simulate-failover.ts";
import {
  defaultExchangeSeconds,
  defaultResolvers,
  type FailoverSettings,
  failoverBudget,
  failoverGoal,
  movedShare,
} from "../../src/health/failover.ts";
import { healthCheck } from "../kit/health-check.ts";

const { intervalSeconds, timeoutSeconds, fall } = healthCheck();
const defaults: FailoverSettings = {
  intervalSeconds,
  timeoutSeconds,
  fall,
  voters: 3,
  deadKind: "refused",
  ttl: { minSeconds: 30, maxSeconds: 180 },
  exchangeSeconds: defaultExchangeSeconds,
  resolvers: defaultResolvers,
};
const heeding = { ignoreTtlShare: 0, ignoreTtlSeconds: 0, clientCacheSeconds: 0 };

interface Case {
  readonly name: string;
  readonly given: Partial<FailoverSettings>;
  /**
   * The 90 % are where the clients of well-behaved resolvers end and those of the others begin: there
   * a thousandth of the clients more or less is minutes, so only shares are compared.
   */
  readonly isOnEdge?: boolean;
}

const cases: readonly Case[] = [
  { name: "the defaults", given: {} },
  { name: "a silent endpoint", given: { deadKind: "silent" } },
  { name: "interval 5, fall 2", given: { intervalSeconds: 5, fall: 2, resolvers: heeding } },
  { name: "interval 30", given: { intervalSeconds: 30 } },
  { name: "the first failure is final", given: { fall: 1, resolvers: heeding } },
  {
    name: "TTL 60 to 300, which is always 60 or more",
    given: { ttl: { minSeconds: 60, maxSeconds: 300 }, resolvers: heeding },
  },
  {
    name: "a TTL that shrinks with each failure",
    given: { fall: 6, ttl: { minSeconds: 5, maxSeconds: 300 }, resolvers: heeding },
  },
  {
    name: "a shrinking TTL whose steps are not those of the checks",
    given: { intervalSeconds: 7, fall: 9, ttl: { minSeconds: 11, maxSeconds: 40 } },
  },
  { name: "5 % that keep answers an hour", given: { resolvers: keeping(0.05, 3600) } },
  { name: "20 % that keep answers an hour", given: { resolvers: keeping(0.2, 3600) } },
  {
    name: "10 % that keep answers an hour",
    given: { resolvers: keeping(0.1, 3600) },
    isOnEdge: true,
  },
  { name: "30 % that keep answers 2 minutes", given: { resolvers: keeping(0.3, 120) } },
  {
    name: "programs that keep answers 45 s",
    given: { resolvers: { ...defaultResolvers, clientCacheSeconds: 45 } },
  },
  { name: "one voter", given: { voters: 1, resolvers: heeding } },
  { name: "four voters, of whom three are needed", given: { voters: 4, resolvers: heeding } },
  { name: "five voters", given: { voters: 5, resolvers: heeding } },
  {
    name: "a time-out longer than the interval, so that starts are left out",
    given: { deadKind: "silent", timeoutSeconds: 25, resolvers: heeding },
  },
  {
    name: "TTL 0",
    given: { ttl: { minSeconds: 0, maxSeconds: 0 }, resolvers: heeding },
  },
];

describe("the failover budget", () => {
  for (const { name, given, isOnEdge } of cases) {
    it(`agrees with the simulation: ${name}`, () => {
      const settings = { ...defaults, ...given };
      const { moved, detection, parts } = failoverBudget(settings);
      const seen = simulateFailover(settings, { seed: 7, deaths: 3000, resolversPerDeath: 12 });
      for (const [share, formula] of [
        [0.5, moved.p50],
        [0.9, moved.p90],
        [0.99, moved.p99],
      ] as const) {
        const simulated = simulatedQuantile(share, seen);
        const tolerance = Math.max(1, 0.03 * simulated);
        const isUncertain = isOnEdge && share === 0.9;
        if (!isUncertain) expect(formula, `${share}`).to.be.closeTo(simulated, tolerance);
      }
      for (let step = 1; step < 100; step++) {
        // Closer together where more happens: at the beginning.
        const seconds = moved.all * (step / 100) ** 2;
        const share = movedShare(seconds, settings);
        expect(share, `by ${seconds} s`).to.be.closeTo(simulatedShare(seconds, seen), 0.02);
      }
      expect(seen.at(-1), "the last client").to.be.at.most(moved.all + 0.051);
      const mean = seen.reduce((sum, each) => sum + each, 0) / seen.length;
      const formulaMean =
        detection.meanSeconds + parts.resolvers.meanSeconds + parts.clientCaches.meanSeconds;
      expect(formulaMean, "mean").to.be.closeTo(mean, Math.max(1, 0.03 * mean));
    });
  }

  it("keeps what is promised: with the defaults 90 % of clients have moved within 3 minutes", () => {
    expect(failoverGoal).to.deep.equal({ share: 0.9, seconds: 180 });
    for (const deadKind of ["refused", "silent"] as const) {
      const settings = { ...defaults, deadKind };
      expect(failoverBudget(settings).moved.p90).to.be.below(failoverGoal.seconds);
      expect(movedShare(failoverGoal.seconds, settings)).to.be.above(0.94);
      const seen = simulateFailover(settings, { seed: 11, deaths: 2000, resolversPerDeath: 10 });
      expect(simulatedQuantile(failoverGoal.share, seen)).to.be.below(failoverGoal.seconds);
    }
  });

  it("keeps it also where a tenth of the clients is held for a day, and not for a fifth", () => {
    const day = 86_400;
    const tenth = { ...defaults, resolvers: keeping(0.1, day) };
    const fifth = { ...defaults, resolvers: keeping(0.2, day) };
    expect(failoverBudget(tenth).moved.p90).to.be.below(failoverGoal.seconds);
    expect(failoverBudget(fifth).moved.p90).to.be.above(failoverGoal.seconds);
  });

  it("is, for one voter, an answer's even rest on top of an even wait", () => {
    // Both from 0 to 30 s: a triangle with its top at 30 s, after 2 × 30 s of failures.
    const settings = {
      ...defaults,
      intervalSeconds: 30,
      voters: 1,
      ttl: { minSeconds: 30, maxSeconds: 30 },
      exchangeSeconds: 0,
      resolvers: heeding,
    };
    const { moved } = failoverBudget(settings);
    expect(moved.p50).to.be.closeTo(60 + 30, 0.01);
    expect(moved.p90).to.be.closeTo(60 + 60 - 30 * Math.sqrt(0.2), 0.01);
    expect(moved.all).to.equal(120);
    expect(movedShare(75, settings)).to.be.closeTo(0.125, 1e-4);
  });

  it("says what the time is made of", () => {
    const { votesNeeded, ttlSeconds, lastTtlSeconds, parts, detection } = failoverBudget({
      ...defaults,
      deadKind: "silent",
      ttl: { minSeconds: 5, maxSeconds: 180 },
      resolvers: { ...heeding, clientCacheSeconds: 20 },
    });
    expect({ votesNeeded, ttlSeconds, lastTtlSeconds }).to.deep.equal({
      votesNeeded: 2,
      ttlSeconds: 30,
      lastTtlSeconds: 10,
    });
    expect(parts.firstProbe).to.deep.equal({ meanSeconds: 5, worstSeconds: 10 });
    expect(parts.failures).to.deep.equal({ meanSeconds: 23, worstSeconds: 23 });
    expect(parts.exchange).to.deep.equal({ meanSeconds: 0.1, worstSeconds: 0.1 });
    expect(parts.resolvers.worstSeconds).to.equal(10);
    expect(parts.clientCaches).to.deep.equal({ meanSeconds: 10, worstSeconds: 20 });
    expect(detection).to.deep.equal({ meanSeconds: 28.1, worstSeconds: 33.1 });
  });

  it("rises from 0 to 1, its parts make the whole, and more of anything never makes it shorter", () => {
    fc.assert(
      fc.property(anySettings, (settings) => {
        const { moved, parts } = failoverBudget(settings);
        const { p50, p90, p99, all } = moved;
        expect([0, p50, p90, p99, all]).to.deep.equal(
          [0, p50, p90, p99, all].sort((a, b) => a - b),
        );
        expect(movedShare(0, settings)).to.equal(0);
        expect(movedShare(all + 0.001, settings)).to.be.closeTo(1, 1e-6);
        expect(movedShare(p90 + 0.001, settings)).to.be.at.least(0.9 - 1e-6);
        const worst = Object.values(parts).reduce((sum, { worstSeconds }) => sum + worstSeconds, 0);
        expect(worst).to.be.closeTo(all, 0.01);
        const slower = [
          { ...settings, fall: settings.fall + 1 },
          { ...settings, deadKind: "silent" as const },
          { ...settings, exchangeSeconds: settings.exchangeSeconds + 1 },
          { ...settings, voters: settings.voters + 1 },
        ];
        // A voter more, from an even count, is needed no more than before.
        if (settings.voters % 2 === 0) slower.pop();
        for (const each of slower) {
          expect(failoverBudget(each).moved.p50, JSON.stringify(each)).to.be.at.least(p50 - 0.01);
        }
      }),
      { numRuns: 30, seed: 20 },
    );
  });

  const refused: readonly (Case & { readonly message: string })[] = [
    {
      name: "no voter",
      given: { voters: 0 },
      message: "cannot compute failover: voters is no count from 1, got 0",
    },
    {
      name: "no failure",
      given: { fall: 0 },
      message: "cannot compute failover: fall is no count from 1, got 0",
    },
    {
      name: "no interval",
      given: { intervalSeconds: 0 },
      message: "cannot compute failover: the interval is not above 0 s, got 0",
    },
    {
      name: "a share above 1",
      given: { resolvers: keeping(10, 300) },
      message: "cannot compute failover: the share that ignores TTLs is not from 0 to 1, got 10",
    },
  ];
  for (const { name, given, message } of refused) {
    it(`refuses ${name}`, () => {
      expect(() => failoverBudget({ ...defaults, ...given })).to.throw(RangeError, message);
    });
  }
});

const anySettings: fc.Arbitrary<FailoverSettings> = fc.record({
  intervalSeconds: fc.integer({ min: 1, max: 60 }),
  timeoutSeconds: fc.integer({ min: 1, max: 90 }),
  fall: fc.integer({ min: 1, max: 8 }),
  voters: fc.integer({ min: 1, max: 7 }),
  deadKind: fc.constantFrom("refused" as const, "silent" as const),
  ttl: fc
    .tuple(fc.integer({ min: 0, max: 120 }), fc.integer({ min: 1, max: 300 }))
    .map(([minSeconds, more]) => ({ minSeconds, maxSeconds: minSeconds + more })),
  exchangeSeconds: fc.constantFrom(0, 0.1, 2),
  resolvers: fc.record({
    ignoreTtlShare: fc.constantFrom(0, 0.1, 0.5, 1),
    ignoreTtlSeconds: fc.integer({ min: 0, max: 600 }),
    clientCacheSeconds: fc.constantFrom(0, 15),
  }),
});

function keeping(ignoreTtlShare: number, ignoreTtlSeconds: number): FailoverSettings["resolvers"] {
  return { ignoreTtlShare, ignoreTtlSeconds, clientCacheSeconds: 0 };
}
