// Changes of which a mirror hears a little later than they are so, as a running server looks for them
// only now and then: they are its own wishes all the same, and never taken for what others did.

import { expect } from "chai";
import { globalName, World } from "./mirror-loop-world.ts";

describe("MirrorLoop and changes that are told late", () => {
  it("writes what turned before it compared, as its own", async () => {
    const world = await compared();
    world.downUntold("198.18.0.1");
    await world.check();
    expect(world.zone.values(globalName("s1"), "A")).to.deep.equal(["198.19.0.1"]);
    expect(world.takeTold()).to.deep.equal(["changed +1 ~2 -1 drift 0"]);
  });

  it("writes what turned while it listed, as its own", async () => {
    const world = await compared();
    const checking = world.loop.check();
    await world.run(0.1);
    world.downUntold("198.18.0.1");
    await world.time.until(checking);
    expect(world.zone.values(globalName("s1"), "A")).to.deep.equal(["198.19.0.1"]);
    expect(world.takeTold()).to.deep.equal(["changed +1 ~2 -1 drift 0"]);
  });

  it("writes what turned while it planned, as its own", async () => {
    const world = await compared();
    world.onPause = () => {
      world.onPause = () => undefined;
      for (let at = 0; at < services; at++) world.downUntold(`198.18.0.${at}`);
    };
    await world.check();
    await world.run(5);
    for (let at = 0; at < services; at++) {
      const left = world.zone.values(globalName(`s${at}`), "A");
      expect(left).to.deep.equal([`198.19.0.${at}`]);
    }
    expect(world.takeTold().join()).not.to.include("drift s");
  });

  it("suspects what others did at the same time", async () => {
    const world = await compared();
    world.zone.remove(globalName("s2"), "A");
    world.downUntold("198.18.0.1");
    await world.check();
    expect(world.takeTold()).to.deep.equal([
      `drift ${globalName("s2")}`,
      "changed +1 ~2 -1 drift 0",
    ]);
    expect(world.zone.get(globalName("s2"), "A")).to.equal(undefined);
  });
});

/** More than are planned at once. */
const services = 40;

/** All of them compared once, with nothing told of it. */
async function compared(): Promise<World> {
  const world = new World(services, { latencyMs: 200 });
  await world.check();
  world.takeTold();
  return world;
}
