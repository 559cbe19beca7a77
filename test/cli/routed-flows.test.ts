// Where clients of all countries would go: that countries count alike, whom a drain moves, and that the
// thread that tells it is left often.

import { expect } from "chai";
import { routedFlows } from "../../src/cli/routed-flows.ts";
import { atOnce } from "../../src/cli/what-if-slices.ts";
import type { Flow } from "../../src/control/api-schemas.ts";
import { modelOf } from "../kit/federation.ts";

const { federation, clusters } = modelOf({
  clusters: {
    europe: { at: [50, 8] },
    america: { at: [40, -95] },
    asia1: { at: [35, 135] },
    asia2: { at: [35, 135] },
  },
  services: {},
});

function flowsOf(drained: readonly string[]): Flow[] {
  return atOnce(routedFlows(federation, clusters, new Set(drained)));
}

function sharesOf(flows: readonly Flow[], label: string): Record<string, number> {
  const own = flows.filter(({ from }) => from.label === label);
  return Object.fromEntries(own.map(({ cluster, share }) => [cluster, share]));
}

describe("flows by routing", () => {
  it("count each country alike", () => {
    const flows = flowsOf([]);
    const sum = flows.reduce((all, { share }) => all + share, 0);
    const labels = new Set(flows.map(({ from }) => from.label));
    expect(labels.size).to.be.above(200);
    for (const label of labels) {
      const own = Object.values(sharesOf(flows, label)).reduce((all, each) => all + each, 0);
      expect(own, label).to.be.closeTo(sum / labels.size, 1e-9);
    }
    expect(Object.keys(sharesOf(flows, "Germany"))).to.deep.equal(["europe"]);
    expect(sharesOf(flows, "Japan")).to.have.any.keys("asia1", "asia2");
  });

  it("go elsewhere while a cluster is drained", () => {
    expect(flowsOf(["europe"]).map(({ cluster }) => cluster)).to.not.contain("europe");
    expect(Object.keys(sharesOf(flowsOf(["asia1"]), "Japan"))).to.deep.equal(["asia2"]);
  });

  it("are made in many steps, as others have their turn in between", () => {
    const steps = routedFlows(federation, clusters, new Set());
    let count = 0;
    while (!steps.next().done) count++;
    expect(count).to.be.above(200);
  });
});
