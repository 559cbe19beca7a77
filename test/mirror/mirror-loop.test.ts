// The life of one mirror: when it writes what, what it waits for, and what it tells.

import { expect } from "chai";
import { ownershipName } from "../../src/mirror/ownership.ts";
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

function statusOf({ loop }: World) {
  return { status: () => loop.status() };
}

/** What somebody writes at the name of `s0`. */
function byHand(type: string): RecordSet {
  return { name: s0, type, parts: [{ ttlSeconds: 60, values: ["192.0.2.66"] }] };
}
