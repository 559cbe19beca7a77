// Counts of services and endpoints by cluster: at once where there are few, in slices where there are many.

import { expect } from "chai";
import { ClusterCounts } from "../../src/cli/cluster-counts.ts";
import { modelOf } from "../kit/federation.ts";

describe("counts of a cluster", () => {
  it("count services, endpoints, and of these what is down or ramps up", () => {
    const clusters = { c1: {}, c2: {}, c3: {} };
    const { services } = modelOf({
      clusters,
      services: {
        "ns/a": {
          healthCheck: { type: "tcp", port: 80 },
          in: { c1: { external: ["192.0.2.1", "192.0.2.2"] }, c2: { external: ["192.0.2.3"] } },
        },
        "ns/b": { in: { c1: { external: ["192.0.2.4"], clusterIps: ["10.0.0.1"] } } },
      },
    });
    services.setVerdict("ns/a", "c1", Uint8Array.of(192, 0, 2, 1), { health: 0, checksToFlip: 1 });
    services.setVerdict("ns/a", "c2", Uint8Array.of(192, 0, 2, 3), {
      health: 0.2,
      checksToFlip: 1,
    });
    const counts = new ClusterCounts().read(services);
    expect(counts?.get("c1")).to.deep.equal({
      services: 2,
      endpoints: { total: 4, healthy: 3, down: 1 },
    });
    const ramping = counts?.get("c2");
    expect([ramping?.services, ramping?.endpoints.down]).to.deep.equal([1, 0]);
    expect(ramping?.endpoints.healthy).to.be.closeTo(0.2, 0.001);
    expect(counts?.has("c3")).to.equal(false);
  });
});
