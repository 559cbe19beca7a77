// The life of one mirror: when it writes what, what it waits for, and what it tells.

import { expect } from "chai";
import type { RecordSet } from "../../src/mirror/record-set.ts";
import { globalName, service, settings, World } from "./mirror-loop-world.ts";

const s0 = globalName("s0");
const both = ["198.18.0.0", "198.19.0.0"];

describe("a mirror's life", () => {
  it("fills the zone with the first comparison, and the next finds nothing to do", async () => {
    const world = new World(5);
    await world.check();
    expect(world.zone.values(s0, "A")).to.deep.equal(both);
    expect(world.zone.values("s0.default.fed.mydomain.com.", "A")).to.deep.equal(both);
    expect(world.zone.values("s0.default.fed.svc.eu.mydomain.com.", "A")).to.deep.equal([
      "198.18.0.0",
    ]);
    expect(world.takeTold()).to.deep.equal(["changed +20 ~0 -0 drift 0"]);
    world.takeBatches();
    await world.check();
    expect(world.takeBatches()).to.deep.equal([]);
    expect(world.takeTold()).to.deep.equal([]);
    expect(world.time.pending).to.equal(0);
  });

  it("says in its status and meter what it did and what stands", async () => {
    const world = new World(5);
    const { status } = statusOf(world);
    expect(status()).to.include({ records: null, lastSuccess: null, lastError: null });
    await world.check();
    world.down("198.18.0.0");
    world.set({ "default/s1": undefined, "default/new": service(99) });
    await world.run(10);
    expect(status()).to.deep.equal({
      mirror: "memory a",
      owner: "fed",
      dryRun: false,
      waitingFor: null,
      lastSuccess: "2026-01-01T00:00:00.000Z",
      lastError: null,
      records: 20,
      changes: { created: 25, updated: 2, deleted: 5, drift: 0 },
      conflicts: { count: 0, examples: [] },
    });
    expect(world.meter).to.deep.equal({
      create: 25,
      update: 2,
      delete: 5,
      drift: 0,
      conflicts: 0,
      records: 20,
      success: 2,
      succeeded: Date.UTC(2026, 0, 1) / 1000,
    });
  });

  describe("where something changes", () => {
    it("writes changes of two seconds at once", async () => {
      const world = new World(5);
      await world.check();
      world.takeBatches();
      world.down("198.18.0.0");
      await world.run(1);
      world.down("198.18.0.1");
      await world.run(0.999);
      expect(world.takeBatches()).to.deep.equal([]);
      await world.run(0.001);
      expect(world.takeBatches()).to.have.length(1);
      expect(world.zone.values(s0, "A")).to.deep.equal(["198.19.0.0"]);
      expect(world.zone.values(globalName("s1"), "A")).to.deep.equal(["198.19.0.1"]);
      await world.run(100);
      expect(world.takeBatches()).to.deep.equal([]);
    });

    it("touches with one endpoint of 500 services only its names, in one call", async () => {
      const world = new World(500);
      await world.check();
      world.takeBatches();
      const { apply, list, read } = world.zone.calls;
      world.down("198.19.1.4");
      await world.run(10);
      expect(world.takeBatches()).to.deep.equal([
        [
          "s260.default.fed.svc.asia.mydomain.com.",
          "s260.default.fed.mydomain.com.",
          "s260.default.fed.svc.mydomain.com.",
        ],
      ]);
      expect(world.zone.calls).to.include({ apply: apply + 1, list, read });
      expect(world.zone.broken).to.deep.equal([]);
    });

    it("loses nothing that changes while a run goes on", async () => {
      const world = new World(5, { latencyMs: 4000 });
      await world.check();
      world.down("198.18.0.0");
      await world.run(3);
      world.up("198.18.0.0");
      world.down("198.18.0.1");
      await world.run(20);
      expect(world.zone.values(s0, "A")).to.deep.equal(both);
      expect(world.zone.values(globalName("s1"), "A")).to.deep.equal(["198.19.0.1"]);
    });

    it("loses nothing that changes while the first comparison goes on", async () => {
      const world = new World(40, { latencyMs: 4000, pageSize: 10, batchSize: 40 });
      const checking = world.loop.check();
      await world.run(20);
      world.down("198.18.0.7");
      await world.time.until(checking);
      await world.run(20);
      expect(world.zone.values(globalName("s7"), "A")).to.deep.equal(["198.19.0.7"]);
      expect(world.loop.status().changes.drift).to.equal(0);
    });

    it("takes away what is mirrored no more, and brings it back", async () => {
      const world = new World(5);
      await world.check();
      const before = world.zone.text();
      world.config = { ...settings, exclude: { namespaces: [], names: ["s3"] } };
      world.loop.changed(["default/s3"]);
      await world.run(3);
      expect(world.zone.text().filter((text) => text.includes("s3.default"))).to.deep.equal([]);
      world.config = settings;
      world.loop.changed("all");
      await world.run(3);
      expect(world.zone.text()).to.deep.equal(before);
    });

    it("keeps all addresses where all are down", async () => {
      const world = new World(2);
      await world.check();
      world.down("198.18.0.0", "198.19.0.0");
      await world.run(3);
      expect(world.zone.values(s0, "A")).to.deep.equal(both);
    });
  });

  describe("while something hinders", () => {
    it("changes nothing, says why once, and makes all good after", async () => {
      const world = new World(5);
      await world.check();
      world.takeTold();
      world.hindrance = "no quorum";
      world.down("198.18.0.0");
      world.set({ "default/s1": undefined, "default/new": service(99) });
      const { apply } = world.zone.calls;
      await world.run(100);
      await world.check();
      await world.run(200);
      expect(world.zone.calls.apply).to.equal(apply);
      expect(world.takeTold()).to.deep.equal(["held: no quorum"]);
      expect(world.loop.status().waitingFor).to.equal("no quorum");
      world.hindrance = undefined;
      await world.run(8);
      expect(world.zone.values(s0, "A")).to.deep.equal(["198.19.0.0"]);
      expect(world.zone.values(globalName("s1"), "A")).to.deep.equal([]);
      expect(world.zone.values(globalName("new"), "A")).to.deep.equal([
        "198.18.0.99",
        "198.19.0.99",
      ]);
      expect(world.loop.status().waitingFor).to.equal(null);
      expect(world.takeTold().filter((text) => text.startsWith("drift"))).to.deep.equal([]);
    });

    it("does not compare at first, and does so within seconds after", async () => {
      const world = new World(5);
      world.hindrance = "not all files were read";
      await world.check();
      await world.run(60);
      expect(world.zone.calls).to.deep.equal({ open: 0, list: 0, read: 0, apply: 0 });
      world.hindrance = undefined;
      await world.run(5);
      expect(world.zone.sets.size).to.equal(40);
    });

    for (const [name, seconds] of [
      ["while the zone is listed", 1.5],
      ["between two batches", 3.5],
    ] as const) {
      it(`stops what had begun before: ${name}`, async () => {
        const world = new World(20, { latencyMs: 1000, batchSize: 40 });
        void world.loop.check();
        await world.run(seconds);
        world.hindrance = "no quorum";
        // What was sent is on its way.
        await world.run(1);
        const { apply } = world.zone.calls;
        await world.run(60);
        expect(world.zone.calls.apply).to.equal(apply);
        expect(world.zone.sets.size).to.be.below(160);
        expect(world.loop.status().lastError).to.equal(null);
        world.hindrance = undefined;
        await world.run(20);
        expect(world.zone.sets.size).to.equal(160);
      });
    }

    it("does not forget what it was to put back", async () => {
      const world = new World(5);
      await world.check();
      world.zone.put(byHand("A"));
      await world.check();
      await world.run(50);
      world.hindrance = "no quorum";
      await world.run(60);
      expect(world.zone.values(s0, "A")).to.deep.equal(["192.0.2.66"]);
      world.hindrance = undefined;
      await world.run(10);
      expect(world.zone.values(s0, "A")).to.deep.equal(both);
    });
  });

  it("changes nothing in a dry run, ever, and takes its own wishes for no drift", async () => {
    const world = new World(5, { dryRun: true });
    await world.check();
    world.down("198.18.0.0");
    await world.run(100);
    await world.check();
    await world.run(100);
    expect(world.zone.calls.apply).to.equal(0);
    expect(world.takeTold()).to.deep.equal([
      "would change +20 ~0 -0 drift 0",
      "would change +4 ~0 -0 drift 0",
      "would change +20 ~0 -0 drift 0",
    ]);
    expect(world.loop.status().changes).to.include({ created: 0 });
  });
});

function statusOf({ loop }: World) {
  return { status: () => loop.status() };
}

/** What somebody writes at the name of `s0`. */
function byHand(type: string): RecordSet {
  return { name: s0, type, parts: [{ ttlSeconds: 60, values: ["192.0.2.66"] }] };
}
