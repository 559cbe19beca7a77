// When a mirror stops since load balancer hostnames are not resolved: only where something would
// go that may be right.

import { expect } from "chai";
import type { IngressHostname, Service } from "../../src/federation/model.ts";
import type { Plan, PlannedChange } from "../../src/mirror/plan-types.ts";
import type { RecordSet } from "../../src/mirror/record-set.ts";
import { unresolvedRefusal } from "../../src/mirror/unresolved.ts";
import { modelOf } from "../kit/federation.ts";

const name = "web.a.my-federation.my-domain.com.";

function set(type: string, values: readonly string[], ttlSeconds = 60): RecordSet {
  return { name, type, parts: [{ ttlSeconds, values }] };
}

function planOf(change: object, service = "a/web"): Plan {
  const changes = [{ reason: "wanted", isOwnership: false, ...change } as PlannedChange];
  const groups = [{ name, service, changes, lost: 0 }];
  return { groups, conflicts: [], owned: 1, unchanged: 0, lost: 0 };
}

function serviceWith(hostnames: readonly IngressHostname[]): Service {
  const sketch = { clusters: { c1: {} }, services: { "a/web": { in: { c1: { external: [] } } } } };
  const [service] = modelOf(sketch).services.values();
  if (!service) throw new Error("the sketch has no service");
  return { ...service, clusters: service.clusters.map((each) => ({ ...each, hostnames })) };
}

const both = set("A", ["192.0.2.1", "192.0.2.2"]);
const one = set("A", ["192.0.2.2"]);
const alias = set("CNAME", ["up.my-domain.com."]);

const cases = [
  { says: "an address goes", change: { kind: "update", before: both, after: one }, stops: true },
  { says: "a record set goes", change: { kind: "delete", before: one }, stops: true },
  { says: "an address comes", change: { kind: "update", before: one, after: both }, stops: false },
  {
    says: "the TTL changes",
    change: { kind: "update", before: one, after: set("A", ["192.0.2.2"], 5) },
    stops: false,
  },
  { says: "a record set comes", change: { kind: "create", after: one }, stops: false },
  { says: "a CNAME gives way", change: { kind: "delete", before: alias }, stops: false },
];

describe("a plan by hostnames that are not resolved", () => {
  for (const { says, change, stops } of cases) {
    it(`${stops ? "stops" : "goes on"} where ${says}`, () => {
      const service = serviceWith([{ hostname: "lb.example.org", state: "unresolved" }]);
      const refusal = unresolvedRefusal(planOf(change), () => service);
      expect(refusal).to.equal(
        stops
          ? "it would take away what may be right, as load balancer hostnames have no known address (lb.example.org)"
          : undefined,
      );
    });
  }

  it("goes on where hostnames are resolved, stale, or of another service, or the service is gone", () => {
    const change = { kind: "delete", before: one };
    for (const state of ["resolved", "stale"] as const) {
      const service = serviceWith([{ hostname: "lb.example.org", state }]);
      expect(unresolvedRefusal(planOf(change), () => service)).to.equal(undefined);
    }
    const service = serviceWith([{ hostname: "lb.example.org", state: "unresolved" }]);
    const only = (key: string) => (key === "a/web" ? service : undefined);
    expect(unresolvedRefusal(planOf(change, "a/gone"), only)).to.equal(undefined);
  });

  it("says how many hostnames there are", () => {
    const service = serviceWith([
      { hostname: "lb1.example.org", state: "unresolved" },
      { hostname: "lb2.example.org", state: "unresolved" },
    ]);
    const refusal = unresolvedRefusal(planOf({ kind: "delete", before: one }), () => service);
    expect(refusal).to.contain("(lb1.example.org and 1 more)");
  });
});
