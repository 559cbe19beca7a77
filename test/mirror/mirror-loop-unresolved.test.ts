// A mirror's life with load balancer hostnames that were never resolved: what stands in the zone may be
// their addresses.

import { expect } from "chai";
import type { IngressHostname } from "../../src/federation/model.ts";
import type { ServiceTable } from "../../src/federation/service-table.ts";
import type { Model } from "../../src/federation/whole-model.ts";
import { modelOf } from "../kit/federation.ts";
import { loopFor, sourceFor, World } from "./mirror-loop-world.ts";

const key = "default/s0";

/** One service in two clusters; in tokyo a hostname stands for its address. */
function modelWith(state: IngressHostname["state"], tokyo: readonly string[]): Model<ServiceTable> {
  const model = modelOf({
    name: "fed",
    domain: "mydomain.com",
    clusters: { london: { region: "eu" }, tokyo: { region: "asia" } },
    services: {
      [key]: { in: { london: { external: ["192.0.2.1"] }, tokyo: { external: tokyo } } },
    },
  });
  const service = model.services.get(key);
  if (!service) throw new Error("the sketch has no service");
  const hostnames = [{ hostname: "lb.example.net", state }];
  const clusters = service.clusters.map((each) =>
    each.cluster === "tokyo" ? { ...each, hostnames } : each,
  );
  model.services.put({ ...service, clusters });
  return model;
}

describe("a mirror that has just started", () => {
  it("takes nothing away for a hostname that was never resolved, for ten minutes", async () => {
    const world = new World(0);
    let model = modelWith("resolved", ["192.0.2.2"]);
    const source: World["source"] = (zone) => sourceFor(model, () => false, zone);
    const former = loopFor(world, "former", { maxDeletePercent: 100, dryRun: false, source });
    await world.time.until(former.check());
    await world.time.until(former.stop());
    const before = world.zone.text();

    model = modelWith("unresolved", []);
    const loop = loopFor(world, "later", { maxDeletePercent: 100, dryRun: false, source });
    world.takeTold();
    await world.time.until(loop.check());
    await world.run(590);
    expect(world.zone.text()).to.deep.equal(before);
    expect(world.takeTold().join("\n")).to.include("lb.example.net");

    await world.run(60);
    expect(world.zone.text()).to.not.deep.equal(before);
    await world.time.until(loop.stop());
  });

  it("goes on at once when the hostname is resolved after all", async () => {
    const world = new World(0);
    let model = modelWith("resolved", ["192.0.2.2"]);
    const source: World["source"] = (zone) => sourceFor(model, () => false, zone);
    const former = loopFor(world, "former", { maxDeletePercent: 100, dryRun: false, source });
    await world.time.until(former.check());
    await world.time.until(former.stop());

    model = modelWith("unresolved", []);
    const loop = loopFor(world, "later", { maxDeletePercent: 100, dryRun: false, source });
    await world.time.until(loop.check());
    model = modelWith("resolved", ["192.0.2.3"]);
    loop.changed([key]);
    await world.run(5);
    expect(JSON.stringify(world.zone.text())).to.include("192.0.2.3");
    await world.time.until(loop.stop());
  });
});
