// A mirror's life with what it did not do itself: changes by hand, the schedule that finds them, and
// mistakes that would delete much. All in virtual time.

import { expect } from "chai";
import { ownershipName } from "../../src/mirror/ownership.ts";
import type { RecordSet } from "../../src/mirror/record-set.ts";
import { globalName, service, settings, World } from "./mirror-loop-world.ts";

const s0 = globalName("s0");
const both = ["198.18.0.0", "198.19.0.0"];

describe("a mirror's life", () => {
  describe("against changes by hand", () => {
    const rows: readonly { name: string; change: (world: World) => void; told: string }[] = [
      { name: "another value", change: ({ zone }) => zone.put(byHand("A")), told: "~1 -0 drift 1" },
      {
        name: "a record set that is gone",
        change: ({ zone }) => zone.remove(s0, "A"),
        told: "~0 -0 drift 1",
      },
      {
        name: "both gone, record set and ownership",
        change: ({ zone }) => {
          zone.remove(s0, "A");
          zone.remove(ownershipName(s0, "A"), "TXT");
        },
        told: "~0 -0 drift 0",
      },
    ];
    for (const { name, change, told } of rows) {
      it(`reports and, once it has stayed, puts back ${name}`, async () => {
        const world = new World(5);
        await world.check();
        world.takeTold();
        const before = world.zone.text();
        change(world);
        await world.check();
        expect(world.takeTold()).to.deep.equal([`drift ${s0}`]);
        await world.run(59.9);
        expect(world.zone.text()).not.to.deep.equal(before);
        await world.run(0.1);
        expect(world.zone.text()).to.deep.equal(before);
        expect(world.takeTold()).to.have.length(1).with.property("0").that.includes(told);
        await world.check();
        await world.run(300);
        expect(world.takeTold()).to.deep.equal([]);
        expect(world.time.pending).to.equal(0);
      });
    }

    it("changes nothing where it went away by itself", async () => {
      const world = new World(5);
      await world.check();
      const former = world.zone.get(s0, "A");
      world.zone.put(byHand("A"));
      await world.check();
      await world.run(30);
      if (former) world.zone.put(former);
      world.takeBatches();
      await world.run(120);
      await world.check();
      expect(world.takeBatches()).to.deep.equal([]);
      expect(world.time.pending).to.equal(0);
    });

    it("takes for its own what differs as it did once, but was right between", async () => {
      const world = new World(5, { maxDeletePercent: 100 });
      await world.check();
      world.zone.put(byHand("A"));
      await world.check();
      // For a while what stands there is what is wanted.
      world.config = { ...settings, ttlSeconds: 60 };
      world.set({ "default/s0": { in: { london: { external: ["192.0.2.66"], ports: [] } } } });
      await world.run(20);
      expect(world.zone.values(s0, "A")).to.deep.equal(["192.0.2.66"]);
      world.config = settings;
      world.set({ "default/s0": service(0) });
      await world.run(3);
      expect(world.zone.values(s0, "A")).to.deep.equal(both);
    });

    it("counts the time of each by itself, and tells each once", async () => {
      const world = new World(5);
      await world.check();
      world.takeTold();
      world.zone.put(byHand("A"));
      await world.check();
      await world.run(50);
      world.zone.put({ ...byHand("A"), name: globalName("s1") });
      await world.check();
      await world.run(10);
      expect(world.zone.values(s0, "A")).to.deep.equal(both);
      expect(world.zone.values(globalName("s1"), "A")).to.deep.equal(["192.0.2.66"]);
      await world.run(50);
      expect(world.zone.values(globalName("s1"), "A")).to.deep.equal(["198.18.0.1", "198.19.0.1"]);
      expect(world.takeTold().filter((text) => text.startsWith("drift"))).to.deep.equal([
        `drift ${s0}`,
        `drift ${globalName("s1")}`,
      ]);
    });

    it("waits ten seconds with what another was quicker to write, and takes it for no drift", async () => {
      const world = new World(5);
      await world.check();
      world.takeTold();
      world.zone.put(byHand("A"));
      world.down("198.18.0.0");
      await world.run(2);
      world.takeTold();
      await world.check();
      await world.run(9);
      expect(world.zone.values(s0, "A")).to.deep.equal(["192.0.2.66"]);
      await world.run(4);
      expect(world.zone.values(s0, "A")).to.deep.equal(["198.19.0.0"]);
      expect(world.takeTold()).to.deep.equal(["changed +0 ~1 -0 drift 1"]);
    });

    it("puts back within seconds what must be written anyway", async () => {
      const world = new World(5);
      await world.check();
      world.zone.put(byHand("A"));
      world.down("198.18.0.0");
      await world.run(20);
      expect(world.zone.values(s0, "A")).to.deep.equal(["198.19.0.0"]);
    });

    it("keeps what it was to put back through a failure", async () => {
      const world = new World(5);
      await world.check();
      world.zone.put(byHand("A"));
      await world.check();
      world.takeTold();
      world.zone.fail("read", "unavailable");
      await world.run(70);
      expect(world.zone.values(s0, "A")).to.deep.equal(both);
      expect(world.takeTold()).to.have.length(2);
    });
  });

  describe("by schedule", () => {
    it("does not begin a comparison while one goes on", async () => {
      const world = new World(5, { latencyMs: 1000 });
      const first = world.loop.check();
      await world.run(0.5);
      expect(world.loop.check()).to.equal(first);
      await world.time.until(first);
      expect(world.zone.calls.open).to.equal(1);
      await world.check();
      expect(world.zone.calls.open).to.equal(2);
    });

    it("makes one change at a time", async () => {
      const world = new World(20, { latencyMs: 3000, batchSize: 40 });
      let applying = 0;
      let most = 0;
      const provider = world.zone;
      provider.beforeCall = (operation) => {
        if (operation !== "apply") return;
        applying++;
        most = Math.max(most, applying);
        world.time.schedule(() => applying--, 1499);
      };
      await world.check();
      world.down("198.18.0.0");
      await world.run(2);
      const checking = world.loop.check();
      world.down("198.18.0.1");
      await world.time.until(checking);
      await world.run(30);
      expect(most).to.equal(1);
      expect(world.zone.values(s0, "A")).to.deep.equal(["198.19.0.0"]);
    });
  });

  describe("where much would be deleted", () => {
    const text =
      "cannot change memory a: it would delete 24 of 40 record sets (60 %), allowed 25 % (maxDeletePercent); meridian mirror apply --force does it";
    const gone = Object.fromEntries([0, 1, 2, 3, 4, 5].map((at) => [`default/s${at}`, undefined]));

    it("deletes nothing, says how it is done, and goes on with other services", async () => {
      const world = new World(10);
      await world.check();
      world.takeTold();
      world.set(gone);
      world.down("198.18.0.9");
      await world.run(3);
      expect(world.takeTold()).to.deep.equal([text, "changed +1 ~2 -1 drift 0"]);
      expect(world.loop.status().lastError).to.equal(text);
      expect(world.zone.values(s0, "A")).to.deep.equal(both);
      world.set({ "default/new": service(99) });
      await world.run(3);
      expect(world.zone.values(globalName("new"), "A")).to.have.length(2);
      world.takeTold();
      await world.check();
      await world.run(300);
      expect(world.takeTold()).to.deep.equal([
        text.replace("24 of 40", "24 of 44").replace("60 %", "54.5 %"),
      ]);
      await world.check();
      await world.run(300);
      expect(world.takeTold(), "told once").to.deep.equal([]);
      expect(world.zone.values(s0, "A")).to.deep.equal(both);
    });

    it("goes on when they are back, or when somebody has deleted them", async () => {
      const world = new World(10);
      await world.check();
      world.set(gone);
      await world.run(3);
      world.set({ "default/s0": service(0), "default/s1": service(1), "default/s2": service(2) });
      world.set({ "default/s3": service(3) });
      await world.run(3);
      await world.check();
      expect(world.zone.values(globalName("s4"), "A")).to.deep.equal([]);
      expect(world.zone.values(s0, "A")).to.deep.equal(both);
      expect(world.loop.status()).to.deep.include({ lastError: null, records: 32 });
    });

    it("holds at a start too, and mirrors all else", async () => {
      const world = new World(10);
      await world.check();
      const next = new World(10);
      for (const set of world.zone.sets.values()) next.zone.put(set);
      next.set({ ...gone, "default/new": service(99) });
      await next.check();
      expect(next.takeTold()).to.deep.equal([text, "changed +4 ~0 -0 drift 0"]);
      next.down("198.18.0.9");
      await next.run(3);
      expect(next.zone.values(globalName("s9"), "A")).to.deep.equal(["198.19.0.9"]);
    });

    it("does not count what others have written and this one does not know yet", async () => {
      const world = new World(10);
      await world.check();
      const ahead = new World(40);
      await ahead.check();
      for (const set of ahead.zone.sets.values()) world.zone.put(set);
      world.takeTold();
      world.set({ "default/s0": undefined });
      await world.check();
      expect(world.takeTold()[0]).to.match(/^drift /);
      await world.run(3);
      expect(world.zone.values(s0, "A")).to.deep.equal([]);
      expect(world.loop.status().lastError).to.equal(null);
    });
  });
});

/** What somebody writes at the name of `s0`. */
function byHand(type: string): RecordSet {
  return { name: s0, type, parts: [{ ttlSeconds: 60, values: ["192.0.2.66"] }] };
}
