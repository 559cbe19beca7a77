// Plans for all services of a shape: made of one that is well, and of nothing else. The rest of
// what plans say is held to `answer` by the fast path's test.

import { expect } from "chai";
import { servedState } from "../../src/answer/served-state.ts";
import { type ServicePlan, ServicePlans } from "../../src/answer/service-plan.ts";
import type { FederatedName } from "../../src/federation/names.ts";
import { shapeMask, sickBit } from "../../src/federation/service-reader.ts";
import { insidePlace } from "../../src/routing/place.ts";
import { address } from "../geo/addresses.ts";
import { compileWorld } from "../kit/compile-world.ts";
import { type FederationSketch, filesOf, type PlacedSketch } from "../kit/federation.ts";

const rotation = (_federated: FederatedName): number => 0;

/** Two services of one shape, `a/one` and `a/two`, in cluster c, as clients inside it are answered. */
function planned(one: PlacedSketch, two: PlacedSketch) {
  const sketch: FederationSketch = {
    clusters: { c: {} },
    services: {
      "a/one": { healthCheck: {}, in: { c: one } },
      "a/two": { healthCheck: {}, in: { c: two } },
    },
  };
  const { snapshot, services } = compileWorld({ files: filesOf(sketch) });
  const [cluster] = snapshot.model.clusters.values();
  if (!cluster) throw new Error("there is no cluster");
  const served = servedState(snapshot, [], rotation);
  /** What happens while the next plan is made. */
  const meanwhile: (() => void)[] = [];
  const state: typeof served = {
    ...served,
    health: (...asked) => {
      meanwhile.pop()?.();
      return served.health(...asked);
    },
  };
  const place = insidePlace(cluster, [cluster]);
  const plans = new ServicePlans(state, { count: 2, placeOf: () => place });
  const find = (key: string): ServicePlan | null => {
    const ref = services.refOf(key);
    const tag = services.map.tagOf(ref);
    return plans.find(ref, tag & shapeMask, (tag & sickBit) !== 0, 0, 4);
  };
  return { services, meanwhile, find };
}

describe("a plan for all services of a shape", () => {
  const at = (last: number): PlacedSketch => ({ clusterIps: [`10.0.0.${last}`] });

  it("is one for all that are well", () => {
    const { find } = planned(at(1), at(2));
    expect(find("a/one")?.level).to.equal(0);
    expect(find("a/two")).to.equal(find("a/one"));
  });

  it("is not made of a service that falls sick while it is made", () => {
    const { services, meanwhile, find } = planned(at(1), at(2));
    const down = { health: 0, checksToFlip: undefined };
    meanwhile.push(() => services.setVerdict("a/one", "c", address("10.0.0.1"), down));
    expect(find("a/one")).to.equal(null);
    // That one fails open; the other is as it was.
    expect(find("a/one")?.ttlSeconds).to.equal(30);
    expect(find("a/two")?.ttlSeconds).to.equal(180);
  });

  it("is not made of one that has another check to go while it is made", () => {
    const { services, meanwhile, find } = planned(at(1), at(2));
    const failing = { health: 1, checksToFlip: 1 };
    meanwhile.push(() => services.setVerdict("a/one", "c", address("10.0.0.1"), failing));
    expect(find("a/one")).to.equal(null);
    expect(find("a/two")).not.to.equal(find("a/one"));
  });

  it("does not hold for a headless service whose endpoints are of another family", () => {
    const headless = (pod: string): PlacedSketch => ({
      isHeadless: true,
      clusterIps: [],
      endpoints: [[pod, true]],
    });
    const { find } = planned(headless("fd00::1"), headless("10.9.0.1"));
    // The first has no IPv4 address to give, so there is a plan: NODATA. No plan names pods.
    expect(find("a/one")?.level).to.equal(-1);
    expect(find("a/two")).to.equal(null);
  });
});
