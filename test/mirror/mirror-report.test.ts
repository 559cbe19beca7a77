// What a mirror tells, where it could tell too much or too late.

import { expect } from "chai";
import { globalName, World } from "./mirror-loop-world.ts";

describe("the report of a mirror", () => {
  it("tells twenty conflicts of a comparison one by one, how many more there are, and each once", async () => {
    const world = new World(25);
    for (let at = 0; at < 25; at++) world.zone.put(foreign(at));
    await world.check();
    const told = world.takeTold();
    expect(told.filter((text) => text.startsWith("conflict"))).to.have.length(20);
    expect(told).to.include("5 more conflicts");
    expect(world.meter["conflicts"]).to.equal(25);
    await world.check();
    expect(world.takeTold()).to.deep.equal([]);
    world.zone.put(foreign(25));
    world.set({ "default/s25": { in: { london: { external: ["198.18.0.25"], ports: [] } } } });
    await world.run(20);
    expect(world.takeTold()).to.include(`conflict foreign A ${globalName("s25")}`);
  });

  it("says what hinders as long as it does, also while nothing is to be done", async () => {
    const world = new World(1);
    await world.check();
    world.hindrance = "quorum is lost";
    expect(world.loop.status().waitingFor).to.equal("quorum is lost");
    world.hindrance = undefined;
    expect(world.loop.status().waitingFor).to.equal(null);
  });

  it("counts the records of the zone as soon as they are changed", async () => {
    const world = new World(5);
    await world.check();
    expect(world.meter["records"]).to.equal(20);
    world.set({ "default/s1": undefined });
    await world.run(5);
    expect(world.meter["records"]).to.equal(16);
  });
});

/** What somebody wrote by hand where the mirror wants to write. */
function foreign(at: number) {
  const parts = [{ ttlSeconds: 60, values: ["192.0.2.66"] }];
  return { name: globalName(`s${at}`), type: "A", parts };
}
