// A mirror's life where things fail: the cloud, single changes, its own end. All in virtual time.

import { expect } from "chai";
import type { RecordSet } from "../../src/mirror/record-set.ts";
import { globalName, World } from "./mirror-loop-world.ts";

const s0 = globalName("s0");
const both = ["198.18.0.0", "198.19.0.0"];

describe("a mirror's life", () => {
  describe("after failures", () => {
    it("tries again, later each time, and makes all good", async () => {
      const world = new World(5);
      await world.check();
      world.takeTold();
      world.zone.fail("apply", "unavailable", "quota", "denied", "unavailable");
      const callsAt: number[] = [];
      const startSeconds = world.seconds();
      world.zone.beforeCall = (operation) => {
        if (operation === "apply") callsAt.push(world.seconds() - startSeconds);
      };
      world.down("198.18.0.0");
      await world.run(100);
      expect(callsAt).to.deep.equal([2, 7, 17, 37, 77]);
      expect(world.zone.values(s0, "A")).to.deep.equal(["198.19.0.0"]);
      expect(world.takeTold()).to.deep.equal([
        "cannot apply: it is unavailable",
        "cannot apply: it is quota",
        "cannot apply: it is denied",
        "cannot apply: it is unavailable",
        "changed +1 ~2 -1 drift 0",
      ]);
    });

    it("is failing no more when what failed has gone well, and not before", async () => {
      const world = new World(4);
      await world.check();
      world.zone.fail("apply", "unavailable");
      world.down("198.18.0.1");
      await world.run(3);
      expect(world.loop.status().lastError).to.be.a("string");
      await world.run(10);
      expect(world.loop.status().lastError).to.equal(null);
    });

    it("does not try sooner because something changes meanwhile", async () => {
      const world = new World(5, { latencyMs: 1000 });
      await world.check();
      const startSeconds = world.seconds();
      const callsAt: number[] = [];
      world.zone.beforeCall = (operation) => {
        if (operation !== "apply") return;
        callsAt.push(world.seconds() - startSeconds);
        if (callsAt.length < 4) world.zone.fail("apply", "denied");
        world.down("198.18.0.1");
      };
      world.down("198.18.0.0");
      await world.run(60);
      expect(callsAt).to.deep.equal([2.5, 8, 18.5, 39]);
    });

    it("waits no longer than five minutes", async () => {
      const world = new World(5);
      world.zone.fail("open", ...Array.from({ length: 40 }, () => "credentials" as const));
      await world.check();
      await world.run(3600);
      const opens = world.zone.calls.open;
      await world.run(1200);
      expect(world.zone.calls.open - opens).to.equal(4);
      expect(world.time.pending).to.equal(1);
    });

    it("takes what it had to write in a failed comparison for its own, not for drift", async () => {
      const world = new World(5);
      await world.check();
      world.takeTold();
      world.down("198.18.0.0");
      world.zone.fail("apply", "denied");
      await world.check();
      await world.run(10);
      expect(world.zone.values(s0, "A")).to.deep.equal(["198.19.0.0"]);
      expect(world.takeTold()).to.deep.equal([
        "cannot apply: it is denied",
        "changed +1 ~2 -1 drift 0",
      ]);
    });

    it("counts what a failed run had done", async () => {
      const world = new World(20, { batchSize: 80 });
      world.zone.beforeCall = (operation) => {
        if (operation === "apply" && world.zone.calls.apply === 2)
          world.zone.fail("apply", "quota");
      };
      await world.check();
      expect(world.loop.status().changes.created).to.equal(40);
      await world.run(10);
      expect(world.loop.status().changes.created).to.equal(80);
      expect(world.zone.sets.size).to.equal(160);
    });

    it("does not know what became of a change, looks, and does not do it twice", async () => {
      const world = new World(5);
      await world.check();
      world.zone.fail("apply", "unavailable-after");
      world.down("198.18.0.0");
      await world.run(3);
      world.takeBatches();
      await world.run(60);
      expect(world.takeBatches()).to.deep.equal([]);
      expect(world.zone.values(s0, "A")).to.deep.equal(["198.19.0.0"]);
    });
  });

  describe("with conflicts", () => {
    it("tells a foreign record once, and writes the name when it is gone", async () => {
      const world = new World(5);
      world.zone.put(byHand("A"));
      await world.check();
      await world.check();
      world.down("198.18.0.0");
      await world.run(10);
      expect(world.takeTold().filter((text) => text.startsWith("conflict"))).to.deep.equal([
        `conflict foreign A ${s0}`,
      ]);
      expect(world.loop.status().conflicts.count).to.equal(1);
      expect(world.meter["conflicts"]).to.equal(1);
      expect(world.zone.values(s0, "A")).to.deep.equal(["192.0.2.66"]);
      world.zone.remove(s0, "A");
      world.takeTold();
      await world.check();
      await world.run(20);
      expect(world.zone.values(s0, "A")).to.deep.equal(["198.19.0.0"]);
      expect(world.takeTold()).to.deep.equal(["changed +1 ~0 -0 drift 0"]);
      expect(world.loop.status().conflicts).to.deep.equal({ count: 0, examples: [] });
      expect(world.meter["conflicts"]).to.equal(0);
    });

    it("tells once what the provider never takes, and goes on when it does", async () => {
      const world = new World(5);
      world.zone.refuses = ({ name }) => name === s0;
      await world.check();
      for (let check = 0; check < 3; check++) {
        await world.run(300);
        await world.check();
      }
      expect(world.takeTold()).to.deep.equal([
        "changed +19 ~0 -0 drift 0",
        `conflict refused A ${s0}`,
      ]);
      expect(world.loop.status().conflicts.count).to.equal(1);
      world.zone.refuses = () => false;
      await world.check();
      await world.check();
      expect(world.zone.values(s0, "A")).to.deep.equal(both);
      expect(world.loop.status().conflicts.count).to.equal(0);
    });
  });

  describe("that is stopped", () => {
    const moments: readonly { name: string; before: (world: World) => Promise<void> }[] = [
      { name: "before it began", before: async () => undefined },
      {
        name: "while it lists",
        before: (world) => {
          void world.loop.check();
          return world.run(1.5);
        },
      },
      {
        name: "while it applies",
        before: (world) => {
          void world.loop.check();
          return world.run(2.5);
        },
      },
      {
        name: "while it waits for changes, and for what stays",
        before: async (world) => {
          await world.check();
          world.zone.put(byHand("A"));
          await world.check();
          world.down("198.18.0.1");
        },
      },
      {
        name: "while it waits to try again",
        before: (world) => {
          world.zone.fail("open", "denied", "denied");
          void world.loop.check();
          return world.run(6);
        },
      },
      {
        name: "while something hinders",
        before: async (world) => {
          await world.check();
          world.hindrance = "no quorum";
          world.down("198.18.0.1");
          await world.check();
          await world.run(20);
        },
      },
      {
        name: "while one run waits for another",
        before: async (world) => {
          await world.check();
          world.down("198.18.0.1");
          await world.run(2);
          void world.loop.check();
          await world.run(0.1);
          world.down("198.18.0.2");
        },
      },
    ];
    for (const { name, before } of moments) {
      it(`ends at once and for good: ${name}`, async () => {
        const world = new World(20, { latencyMs: 1000, batchSize: 8 });
        await before(world);
        const atMs = world.time.now();
        await world.time.until(world.loop.stop());
        expect(world.time.now() - atMs).to.equal(0);
        expect(world.time.pending).to.equal(0);
        const calls = { ...world.zone.calls };
        world.takeTold();
        world.down("198.18.0.3");
        await world.check();
        await world.run(1000);
        expect(world.zone.calls).to.deep.equal(calls);
        expect(world.takeTold()).to.deep.equal([]);
        expect(world.zone.broken).to.deep.equal([]);
      });
    }
  });
});

/** What somebody writes at the name of `s0`. */
function byHand(type: string): RecordSet {
  return { name: s0, type, parts: [{ ttlSeconds: 60, values: ["192.0.2.66"] }] };
}
