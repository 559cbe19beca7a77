// What `meridian explain --failover` prints for a service: the times, what they rest on, and why a
// service's clients never move.

import { expect } from "chai";
import { explainFailover, failoverJson } from "../../src/cli/failover-text.ts";
import type { HealthCheck, Service } from "../../src/federation/model.ts";
import { defaultResolvers } from "../../src/health/failover.ts";
import { address } from "../geo/addresses.ts";
import { healthCheck } from "../kit/health-check.ts";

describe("the failover budget of a service", () => {
  it("is printed with all that it rests on", () => {
    expect(explainFailover(service(), 3).split("\n")).to.deep.equal([
      "How long until clients have left an endpoint of n/s that died",
      "",
      "check     http every 10 s, time-out 3 s; 3 failures are down",
      "votes     2 of 3 voters must say down",
      "ttl       30 s until the verdict (ttl.min 30, ttl.max 180)",
      "assumed   10 % of clients behind resolvers that keep answers 300 s or longer",
      "          programs keep no answers of their own; a vote is in the answers after 0.1 s",
      "",
      "                                   it refuses  it is silent",
      "out of the answers, on average         25.1 s        28.1 s",
      "out of the answers, at the latest      30.1 s        33.1 s",
      "50 % of clients moved                  41.6 s        44.6 s",
      "90 % of clients moved                  56.6 s        59.6 s",
      "99 % of clients moved                 295.1 s       298.1 s",
      "all clients moved                     330.1 s       333.1 s",
      "",
      "goal      90 % within 180 s: met",
    ]);
  });

  it("goes by the service's own check and TTL, and by the resolvers that are given", () => {
    const text = explainFailover(
      service({
        check: { type: "tcp", intervalSeconds: 60, timeoutSeconds: 5, fall: 1 },
        ttl: { minSeconds: 20, maxSeconds: 50 },
      }),
      1,
      { ignoreTtlShare: 0, ignoreTtlSeconds: 0, clientCacheSeconds: 30 },
    );
    expect(text.split("\n").slice(2, 7)).to.deep.equal([
      "check     tcp every 60 s, time-out 5 s; 1 failure is down",
      "votes     the one voter decides",
      "ttl       50 s until the verdict (ttl.min 20, ttl.max 50)",
      "assumed   all resolvers heed the TTL",
      "          programs keep answers 30 s of their own; a vote is in the answers after 0.1 s",
    ]);
    // 60 s until the probe, its time-out, the vote, the TTL and the program's own 30 s.
    expect(text).to.match(/all clients moved +140\.1 s +145\.1 s/);
  });

  it("says how the TTL shrinks while failures add up", () => {
    const text = explainFailover(service({ ttl: { minSeconds: 5, maxSeconds: 25 } }), 3);
    expect(text).to.include(
      "ttl       25 s while all is well, 10 s just before the verdict (ttl.min 5, ttl.max 25)",
    );
  });

  it("says that the goal is not met, judged by the slower death", () => {
    const slow = service({ check: { intervalSeconds: 55, fall: 3, timeoutSeconds: 30 } });
    const { deaths, goal } = failoverJson(slow, 3);
    expect(goal).to.deep.equal({ share: 0.9, seconds: 180, isMet: false });
    expect(deaths?.silent.moved.p90).to.be.above(180);
    expect(explainFailover(slow, 3)).to.include("goal      90 % within 180 s: not met");
  });

  const neverRows: { name: string; service: Service; voters: number; because: string }[] = [
    {
      name: "it has no health check",
      service: { ...service(), healthCheck: undefined },
      voters: 3,
      because: "it has no health check, so nobody notices that an endpoint died",
    },
    {
      name: "nobody votes",
      service: service(),
      voters: 0,
      because: "this server hears no votes: it has no voters configured",
    },
    {
      name: "it has no external address",
      service: service({ external: { a: [] } }),
      voters: 3,
      because: "it has no external address that could be probed",
    },
    {
      name: "no cluster has its port",
      service: service({ check: { port: "admin" } }),
      voters: 3,
      because: "none of its clusters has a port for the health check, so nothing is probed",
    },
    {
      name: "the ejection budget is less than one endpoint",
      service: service({ check: { maxEjectPercent: 49 } }),
      voters: 3,
      because: "maxEjectPercent 49 holds any of its 2 endpoints in the answers",
    },
  ];
  for (const { name, service: given, voters, because } of neverRows) {
    it(`is endless where ${name}, and says why`, () => {
      expect(failoverJson(given, voters)).to.deep.include({ never: because, deaths: null });
      expect(explainFailover(given, voters).split("\n").slice(1)).to.deep.equal([
        "",
        `never     ${because}`,
      ]);
    });
  }

  it("notes a cluster that is not probed", () => {
    const two = service();
    const clusters = two.clusters.map((entry) =>
      entry.cluster === "a" ? { ...entry, ports: [] } : entry,
    );
    expect(failoverJson({ ...two, clusters }, 3).notes).to.deep.equal([
      "a has no port that can be probed: its endpoints stay in the answers",
    ]);
  });

  it("notes that a service of one endpoint has no other to move to", () => {
    const one = service({ external: { a: ["192.0.2.1"] } });
    const note =
      "it has one endpoint, so there is no other to move to: it is answered when down too";
    expect(explainFailover(one, 3)).to.match(new RegExp(`\nnote +${note}$`));
  });

  it("is plain data that JSON keeps", () => {
    const report = failoverJson(service(), 3);
    expect(JSON.parse(JSON.stringify(report))).to.deep.equal(report);
    expect(report).to.deep.include({
      service: "n/s",
      never: null,
      voters: 3,
      check: { type: "http", intervalSeconds: 10, timeoutSeconds: 3, fall: 3 },
      ttl: { minSeconds: 30, maxSeconds: 180 },
      assumed: { ...defaultResolvers, exchangeSeconds: 0.1 },
    });
    expect(report.deaths?.silent.moved.p90).to.equal(59.613);
  });
});

/** A service with TCP port 80 in clusters a and b, an external address in each. */
function service({
  check = {},
  ttl = { minSeconds: 30, maxSeconds: 180 },
  external = { a: ["192.0.2.1"], b: ["192.0.2.2"] },
}: {
  check?: Partial<HealthCheck>;
  ttl?: Service["ttl"];
  external?: Record<string, string[]>;
} = {}): Service {
  return {
    namespace: "n",
    name: "s",
    answer: { mode: "ordered", maxAddresses: 8 },
    ttl,
    minHealthyPercent: 70,
    onAllDown: "open",
    healthCheck: healthCheck(check),
    clusters: Object.entries(external).map(([cluster, addresses]) => ({
      cluster,
      isFiltered: false,
      ports: [{ name: "web", protocol: "tcp", port: 80 }],
      isHeadless: false,
      clusterIps: [address("10.0.0.1")],
      external: addresses.map(address),
      hostnames: [],
      endpoints: undefined,
    })),
  };
}
