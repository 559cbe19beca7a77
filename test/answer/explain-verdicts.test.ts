// What an explanation tells of verdicts, drains and TTLs: each address with what the voters hold of
// it, also where all are down and given all the same.

import { expect } from "chai";
import { askerOf } from "../../src/answer/asker.ts";
import { explain, type VerdictOf } from "../../src/answer/explain.ts";
import type { ExplainedRoute, ExplainedVerdict } from "../../src/answer/explanation.ts";
import { servedState } from "../../src/answer/served-state.ts";
import { formatAddress } from "../../src/dns/address.ts";
import { RRType } from "../../src/dns/record-types.ts";
import { serviceKey } from "../../src/federation/model.ts";
import { address } from "../geo/addresses.ts";
import { compileWorld } from "../kit/compile-world.ts";
import { filesOf } from "../kit/federation.ts";
import { wireNameOf } from "../kit/generated-queries.ts";

const files = filesOf({
  clusters: { one: { at: [0, 0] }, two: { at: [0, 40] } },
  services: {
    "a/web": {
      ttl: { max: 100, min: 5 },
      healthCheck: { intervalSeconds: 10, fall: 3 },
      in: {
        one: { external: ["198.18.1.1"], endpoints: [["10.9.0.1", true]] },
        two: { external: ["198.18.1.2", "198.18.1.3"] },
      },
    },
  },
});
const down: ExplainedVerdict = {
  word: "down",
  since: "2026-11-21T12:03:11.000Z",
  frozenBecause: null,
  heldIn: false,
  votes: [
    {
      voter: "ns1",
      word: "down",
      since: "2026-11-21T12:03:09.000Z",
      reason: "connect refused",
      checksToFlip: 2,
    },
  ],
};

/** The route of the service's name while these addresses are down; two checks from up again. */
function routeWith(
  downs: readonly string[],
  { drained = [], hasVotes = true }: { drained?: readonly string[]; hasVotes?: boolean } = {},
): ExplainedRoute | undefined {
  const { snapshot: compiled, services, locations } = compileWorld({ files });
  const snapshot = { ...compiled, settings: { ...compiled.settings, hasVotes } };
  for (const each of downs) {
    const cluster = each === "198.18.1.1" ? "one" : "two";
    services.setVerdict("a/web", cluster, address(each), { health: 0, checksToFlip: 2 });
  }
  const verdictOf: VerdictOf = (service, cluster, each) => {
    const isAsked = serviceKey(service) === "a/web" && ["one", "two"].includes(cluster);
    return isAsked && downs.includes(formatAddress(each)) ? down : undefined;
  };
  const name = wireNameOf("web.a.my-federation.my-domain.com");
  const asker = askerOf(address("203.0.113.1"), undefined, [], snapshot.views);
  const state = servedState(snapshot, drained, () => 0);
  return explain(name, RRType.A, asker, locations, state, verdictOf).steps[0]?.routes[0];
}

/** `ADDRESS HEALTH WORD`, of each candidate's addresses and of its endpoints, by cluster. */
function told(route: ExplainedRoute | undefined): Record<string, [string[], string[]]> {
  const text = ({ address, health, verdict }: { address: string; health: number } & Told) =>
    `${address} ${health} ${verdict?.word ?? "-"}`;
  const candidates = route?.levels.flatMap((level) => level.candidates) ?? [];
  return Object.fromEntries(
    candidates.map(({ cluster, given, endpoints }) => [
      cluster,
      [given.map(text), endpoints.map(text)],
    ]),
  );
}
type Told = { readonly verdict: ExplainedVerdict | null };

describe("what an explanation tells of verdicts", () => {
  it("is there for each address that is left out, endpoint or not", () => {
    const route = routeWith(["198.18.1.1", "198.18.1.2"]);
    expect(told(route)).to.deep.equal({
      // Where slices say what is healthy, the pods are sick with their only external address.
      one: [["198.18.1.1 0 down"], ["10.9.0.1 0 -"]],
      two: [
        ["198.18.1.2 0 down", "198.18.1.3 1 -"],
        ["198.18.1.2 0 down", "198.18.1.3 1 -"],
      ],
    });
    expect(route?.order).to.deep.equal(["two"]);
    expect([route?.ttlSeconds, route?.ttlBy]).to.deep.equal([
      20,
      {
        kind: "verdict",
        cluster: "one",
        address: "198.18.1.1",
        checks: 2,
        intervalSeconds: 10,
        clampedTo: null,
      },
    ]);
  });

  it("is each address's own where it fails open and all count as healthy", () => {
    const route = routeWith(["198.18.1.1", "198.18.1.2", "198.18.1.3"]);
    expect(told(route)).to.deep.equal({
      one: [["198.18.1.1 0 down"], ["10.9.0.1 1 -"]],
      two: [
        ["198.18.1.2 0 down", "198.18.1.3 0 down"],
        ["198.18.1.2 1 down", "198.18.1.3 1 down"],
      ],
    });
    expect(route?.failOpen).to.equal(true);
    expect([route?.ttlSeconds, route?.ttlBy]).to.deep.equal([5, { kind: "fail-open" }]);
  });

  it("is no TTL where there are no votes", () => {
    const route = routeWith([], { hasVotes: false });
    expect([route?.ttlSeconds, route?.ttlBy]).to.deep.equal([100, { kind: "no-vote" }]);
  });

  it("is the drain of each cluster where all are drained", () => {
    const route = routeWith([], { drained: ["one", "two"] });
    expect(route?.leftOut.map(({ cluster, rule }) => `${cluster} ${rule}`)).to.have.members([
      "one drained",
      "two drained",
    ]);
    expect([route?.outcome, route?.order]).to.deep.equal(["nodata", []]);
  });
});
