// What a mirror knows of its zone and how it changes it, where others change the same zone, calls
// fail, and nobody knows what became of them.

import { expect } from "chai";
import fc from "fast-check";
import type { Applied, ApplyOptions } from "../../src/mirror/apply-run.ts";
import { ownershipName, ownershipRecord } from "../../src/mirror/ownership.ts";
import type { Plan, PlannedGroup } from "../../src/mirror/plan-types.ts";
import { MirrorError } from "../../src/mirror/provider.ts";
import type { RecordSet } from "../../src/mirror/record-set.ts";
import { WrittenRecords } from "../../src/mirror/written-records.ts";
import { ZoneMirror } from "../../src/mirror/zone-mirror.ts";
import { Dice } from "../kit/dice.ts";
import { MemoryZone, type MemoryZoneOptions } from "../kit/memory-zone.ts";
import { VirtualTime } from "../kit/virtual-time.ts";

const { signal } = new AbortController();

/** Writers of one zone that all want the same, `name` to value, and know it at once. */
class Setting {
  readonly time = new VirtualTime();
  readonly zone: MemoryZone;
  readonly wanted = new Map<string, string>();

  constructor(options: Omit<MemoryZoneOptions, "time"> = {}) {
    this.zone = new MemoryZone({ time: this.time, ...options });
  }

  mirror(by = "a"): ZoneMirror {
    return new ZoneMirror(this.zone.provider(by), "us", new WrittenRecords("us"));
  }

  plan(mirror: ZoneMirror, names?: readonly string[]): Plan {
    const maker = mirror.plan();
    const known = [...(mirror.zone?.servicesOf("us") ?? [])].map((key) => key.slice("ns/".length));
    for (const name of names ?? new Set([...this.wanted.keys(), ...known])) {
      const value = this.wanted.get(name);
      maker.add({ service: `ns/${name}`, sets: value === undefined ? [] : [record(name, value)] });
    }
    return maker.finish();
  }

  /** Lists, plans and applies. */
  async run(mirror: ZoneMirror, options: Partial<ApplyOptions> = {}): Promise<Applied> {
    await mirror.list(signal);
    return this.apply(mirror, this.plan(mirror).groups, options);
  }

  apply(
    mirror: ZoneMirror,
    groups: readonly PlannedGroup[],
    options: Partial<ApplyOptions> = {},
  ): Promise<Applied> {
    return mirror.apply(groups, {
      signal,
      whenOutpaced: "again",
      replan: ({ name }) => this.plan(mirror, [label(name)]).groups[0],
      ...options,
    });
  }

  /** Another writer's record, with its ownership. */
  byOther(name: string, value: string): void {
    this.zone.put(record(name, value));
    this.zone.put(ownershipRecord(fqdn(name), "A", { owner: "us", service: `ns/${name}` }));
  }

  want(names: readonly string[], value = "192.0.2.1"): void {
    for (const name of names) this.wanted.set(name, value);
  }
}

describe("a zone's mirror", () => {
  it("fills an empty zone, and then has nothing to do", async () => {
    const setting = new Setting({ batchSize: 10 });
    setting.want(names(20));
    const mirror = setting.mirror();
    const applied = await setting.run(mirror);
    expect(counts(applied)).to.deep.equal({ created: 20, updated: 0, deleted: 0, drift: 0 });
    expect(setting.zone.calls.apply).to.equal(4);
    expect(setting.plan(mirror).groups).to.deep.equal([]);
    await mirror.list(signal);
    expect(setting.plan(mirror).groups).to.deep.equal([]);
  });

  it("does not look a zone up as right that the domain is not in", async () => {
    const mirror = new Setting().mirror();
    for (const domain of ["other.com.", "notmydomain.com.", "com."]) {
      let failure: unknown;
      await mirror.open(domain, signal).catch((error: unknown) => {
        failure = error;
      });
      expect(failure, domain).to.be.instanceOf(MirrorError).with.property("code", "no-zone");
    }
    for (const domain of ["mydomain.com.", "a.mydomain.com."]) {
      expect((await mirror.open(domain, signal)).domain).to.equal("mydomain.com.");
    }
  });

  describe("where another writer was quicker between list and change", () => {
    const rows: readonly {
      readonly name: string;
      readonly before: (setting: Setting) => void;
      readonly meanwhile: (setting: Setting) => void;
      readonly again: { readonly value: string; readonly counted: number };
      readonly later: { readonly value: string; readonly outpaced: number };
    }[] = [
      {
        name: "it has written the same: nothing is left to do",
        before: () => undefined,
        meanwhile: (setting) => setting.byOther("n0", "192.0.2.1"),
        again: { value: "192.0.2.1", counted: 1 },
        later: { value: "192.0.2.1", outpaced: 0 },
      },
      {
        name: "it has written another value: overwritten again, or left for later",
        before: () => undefined,
        meanwhile: (setting) => setting.byOther("n0", "192.0.2.9"),
        again: { value: "192.0.2.1", counted: 2 },
        later: { value: "192.0.2.9", outpaced: 1 },
      },
      {
        name: "it has changed what was to be changed",
        before: (setting) => setting.byOther("n0", "192.0.2.8"),
        meanwhile: (setting) => setting.byOther("n0", "192.0.2.9"),
        again: { value: "192.0.2.1", counted: 2 },
        later: { value: "192.0.2.9", outpaced: 1 },
      },
      {
        name: "it has deleted what was to be changed",
        before: (setting) => setting.byOther("n0", "192.0.2.8"),
        meanwhile: ({ zone }) => {
          zone.remove(fqdn("n0"), "A");
          zone.remove(ownershipName(fqdn("n0"), "A"), "TXT");
        },
        again: { value: "192.0.2.1", counted: 2 },
        later: { value: "", outpaced: 1 },
      },
      {
        name: "somebody who is not ours has taken the name: it is left",
        before: () => undefined,
        meanwhile: ({ zone }) => zone.put(record("n0", "198.51.100.1")),
        again: { value: "198.51.100.1", counted: 1 },
        later: { value: "198.51.100.1", outpaced: 0 },
      },
    ];
    for (const row of rows) {
      for (const whenOutpaced of ["again", "later"] as const) {
        it(`${row.name} (${whenOutpaced})`, async () => {
          const setting = new Setting();
          setting.want(["n0", "n1"]);
          row.before(setting);
          const mirror = setting.mirror();
          await mirror.list(signal);
          const { groups } = setting.plan(mirror);
          row.meanwhile(setting);
          const applied = await setting.apply(mirror, groups, { whenOutpaced });
          const expected = row[whenOutpaced];
          expect(setting.zone.values(fqdn("n0"), "A").join()).to.equal(expected.value);
          expect(setting.zone.values(fqdn("n1"), "A")).to.deep.equal(["192.0.2.1"]);
          const done = applied.created + applied.updated + applied.deleted;
          if ("counted" in expected) expect(done).to.equal(expected.counted);
          else expect(applied.outpaced).to.have.length(expected.outpaced);
          expect(applied.conflicts).to.deep.equal([]);
        });
      }
    }

    it("gives up after five attempts at a name that changes each time, and does the rest", async () => {
      const setting = new Setting();
      setting.want(["n0", "n1"]);
      const mirror = setting.mirror();
      let value = 10;
      setting.zone.beforeCall = (operation) => {
        if (operation === "apply") setting.byOther("n0", `198.51.100.${value++}`);
      };
      const applied = await setting.run(mirror);
      expect(applied.outpaced.map(({ name }) => name)).to.deep.equal([fqdn("n0")]);
      expect(applied.created).to.equal(1);
      expect(setting.zone.values(fqdn("n1"), "A")).to.deep.equal(["192.0.2.1"]);
      expect(setting.zone.calls.apply).to.be.at.most(7);
    });
  });

  it("finds the one group of a hundred that is never taken, and applies the others", async () => {
    const setting = new Setting();
    setting.want(names(100));
    setting.zone.refuses = ({ name }) => name === fqdn("n42");
    const applied = await setting.run(setting.mirror());
    expect(applied.created).to.equal(99);
    expect(applied.outpaced).to.deep.equal([]);
    expect(applied.conflicts.map(({ name, type, reason }) => ({ name, type, reason }))).to.eql([
      { name: fqdn("n42"), type: "A", reason: "refused" },
    ]);
    expect(applied.conflicts[0]?.message).to.equal(
      "cannot create A n42.mydomain.com.: cannot apply: it is refused",
    );
    // Once, and two halves at each of seven steps.
    expect(setting.zone.calls.apply).to.be.at.most(15);
    expect(setting.zone.broken).to.deep.equal([]);
  });

  it("finds all of several that are never taken, while others are outpaced", async () => {
    const setting = new Setting();
    setting.want(names(30));
    const bad = new Set(["n3", "n4", "n29"].map(fqdn));
    setting.zone.refuses = ({ name }) => bad.has(name);
    const mirror = setting.mirror();
    await mirror.list(signal);
    const { groups } = setting.plan(mirror);
    for (const name of ["n0", "n17"]) setting.byOther(name, "192.0.2.77");
    const applied = await setting.apply(mirror, groups, { whenOutpaced: "later" });
    expect(new Set(applied.conflicts.map(({ name }) => name))).to.deep.equal(bad);
    expect(applied.outpaced.map(({ name }) => name)).to.have.members(["n0", "n17"].map(fqdn));
    expect(applied.created).to.equal(25);
  });

  describe("whose change had no answer", () => {
    for (const fault of ["unavailable", "unavailable-after"] as const) {
      it(`reads again what became of it (${fault})`, async () => {
        const setting = new Setting();
        setting.want(names(3));
        const mirror = setting.mirror();
        setting.zone.fail("apply", fault);
        expect(await codeOf(setting.run(mirror))).to.equal("unavailable");
        const isDone = fault === "unavailable-after";
        const others = await mirror.settle(signal);
        expect([...others]).to.deep.equal(isDone ? names(3).map(fqdn) : []);
        expect(setting.plan(mirror).groups).to.have.length(isDone ? 0 : 3);
        expect(setting.zone.calls.read).to.equal(1);
        await mirror.settle(signal);
        expect(setting.zone.calls.read, "nothing is in doubt any more").to.equal(1);
      });
    }

    it("reads nothing again after a refusal, which says that nothing was done", async () => {
      const setting = new Setting();
      setting.want(names(3));
      const mirror = setting.mirror();
      setting.zone.fail("apply", "denied");
      expect(await codeOf(setting.run(mirror))).to.equal("denied");
      await mirror.settle(signal);
      expect(setting.zone.calls.read).to.equal(0);
    });

    it("stays in doubt if a listing had begun before it was sent", async () => {
      const setting = new Setting({ latencyMs: 200, pageSize: 2 });
      setting.want(names(2));
      const { time, zone } = setting;
      const mirror = setting.mirror();
      await time.until(mirror.list(signal));
      for (const name of ["x0", "x1", "x2", "x3"]) zone.put(record(name, "198.51.100.1"));
      const listing = mirror.list(signal);
      await time.runFor(150);
      zone.fail("apply", "unavailable-after");
      const code = codeOf(setting.apply(mirror, setting.plan(mirror).groups));
      expect(await time.until(code)).to.equal("unavailable");
      await time.until(listing);
      await time.until(mirror.settle(signal));
      expect(zone.calls.read, "it was still in doubt").to.equal(1);
      expect(setting.plan(mirror).groups).to.deep.equal([]);
    });

    it("is no more in doubt after a listing that began later", async () => {
      const setting = new Setting();
      setting.want(names(2));
      const mirror = setting.mirror();
      setting.zone.fail("apply", "unavailable-after");
      await codeOf(setting.run(mirror));
      await mirror.list(signal);
      await mirror.settle(signal);
      expect(setting.zone.calls.read).to.equal(0);
      expect(setting.plan(mirror).groups).to.deep.equal([]);
    });
  });

  describe("that is listed while changes are made", () => {
    it("keeps what is newer than the page that showed it", async () => {
      const setting = new Setting({ latencyMs: 200, pageSize: 4 });
      const { time, zone } = setting;
      const mirror = setting.mirror();
      setting.want(names(10));
      await time.until(setting.run(mirror));
      const listing = mirror.list(signal);
      await time.runFor(1500);
      setting.want(["n0", "n9", "new"], "192.0.2.2");
      setting.wanted.delete("n1");
      await time.until(setting.apply(mirror, setting.plan(mirror).groups));
      await time.until(listing);
      expect(setting.plan(mirror).groups).to.deep.equal([]);
      expect(mirror.zone?.at(fqdn("n1"))).to.equal(undefined);
      expect(zone.values(fqdn("n9"), "A")).to.deep.equal(["192.0.2.2"]);
    });

    it("keeps what was read again after the page that showed it", async () => {
      const setting = new Setting({ latencyMs: 200, pageSize: 2 });
      const { time, zone } = setting;
      const mirror = setting.mirror();
      setting.want(names(4));
      await time.until(setting.run(mirror));
      const listing = mirror.list(signal);
      await time.runFor(750);
      setting.byOther("n0", "192.0.2.9");
      await time.until(mirror.reread([fqdn("n0")], signal));
      await time.until(listing);
      expect(mirror.zone?.at(fqdn("n0"))?.get("A")).to.deep.equal(zone.get(fqdn("n0"), "A"));
    });

    it("keeps what was read again while the listing ended", async () => {
      const setting = new Setting({ latencyMs: 200 });
      const { time, zone } = setting;
      const mirror = setting.mirror();
      setting.want(["n0"]);
      await time.until(setting.run(mirror));
      const listing = mirror.list(signal);
      await time.runFor(150);
      setting.byOther("n0", "192.0.2.9");
      // Sent after the listing has seen the zone, answered after it has ended.
      const rereading = mirror.reread([fqdn("n0")], signal);
      await time.until(listing);
      expect([...(await time.until(rereading))]).to.deep.equal([fqdn("n0")]);
      expect(mirror.zone?.at(fqdn("n0"))?.get("A")).to.deep.equal(zone.get(fqdn("n0"), "A"));
    });

    it("is not listed twice at once", async () => {
      const setting = new Setting({ latencyMs: 200 });
      const mirror = setting.mirror();
      const listing = mirror.list(signal);
      let failure: unknown;
      await mirror.list(signal).catch((error: unknown) => {
        failure = error;
      });
      expect(failure).to.be.instanceOf(Error);
      await setting.time.until(listing);
      await setting.time.until(mirror.list(signal));
    });

    it("keeps the former knowledge if the listing fails", async () => {
      const setting = new Setting();
      setting.want(names(3));
      const mirror = setting.mirror();
      await setting.run(mirror);
      setting.zone.fail("list", "unavailable");
      expect(await codeOf(mirror.list(signal))).to.equal("unavailable");
      expect(mirror.zone?.count("us")).to.equal(3);
      await mirror.list(signal);
    });
  });

  it("forgets what is gone when it reads again", async () => {
    const setting = new Setting();
    setting.want(names(2));
    const mirror = setting.mirror();
    await setting.run(mirror);
    setting.zone.remove(fqdn("n0"), "A");
    setting.zone.remove(ownershipName(fqdn("n0"), "A"), "TXT");
    const others = await mirror.reread(names(2).map(fqdn), signal);
    expect([...others]).to.deep.equal([fqdn("n0")]);
    expect(mirror.zone?.count("us")).to.equal(1);
    expect([...(mirror.zone?.servicesOf("us") ?? [])]).to.deep.equal(["ns/n1"]);
    expect(setting.plan(mirror).groups.map(({ name }) => name)).to.deep.equal([fqdn("n0")]);
  });

  it("says of a listing which names somebody else has changed", async () => {
    const setting = new Setting();
    setting.want(names(4));
    const mirror = setting.mirror();
    const atFirst = await mirror.list(signal);
    expect(names(4).map(fqdn).filter(atFirst)).to.deep.equal([]);
    await setting.apply(mirror, setting.plan(mirror).groups);
    setting.byOther("n1", "192.0.2.9");
    setting.zone.remove(fqdn("n2"), "A");
    setting.byOther("n9", "192.0.2.9");
    const isOthers = await mirror.list(signal);
    const all = [...names(4), "n9"].map(fqdn);
    expect(all.filter(isOthers)).to.deep.equal(["n1", "n2", "n9"].map(fqdn));
  });

  it("leaves after a failed batch what the next run completes", async () => {
    const setting = new Setting({ batchSize: 10 });
    setting.want(names(20));
    const mirror = setting.mirror();
    setting.zone.beforeCall = () => {
      if (setting.zone.calls.apply === 3) setting.zone.fail("apply", "unavailable");
      setting.zone.beforeCall = setting.zone.calls.apply < 3 ? setting.zone.beforeCall : () => {};
    };
    let told: Applied | undefined;
    const onApplied = (applied: Applied): void => {
      told = applied;
    };
    expect(await codeOf(setting.run(mirror, { onApplied }))).to.equal("unavailable");
    expect(told?.created, "what was done before").to.equal(10);
    expect(setting.zone.broken).to.deep.equal([]);
    const next = setting.mirror("b");
    expect((await setting.run(next)).created).to.equal(10);
    expect(setting.plan(next).groups).to.deep.equal([]);
  });

  it("begins no batch after the signal, or what looks before each batch, says so", async () => {
    for (const by of ["signal", "look"]) {
      const setting = new Setting({ batchSize: 10 });
      setting.want(names(20));
      const abort = new AbortController();
      const end = (): void => {
        if (by === "signal") abort.abort();
        if (by === "look") throw new Error("ended");
      };
      let batches = 0;
      const run = setting.run(setting.mirror(), {
        signal: abort.signal,
        beforeBatch: () => {
          batches++;
          if (batches === 2) end();
        },
      });
      await run.then(
        () => expect.fail("it went on"),
        () => undefined,
      );
      expect(setting.zone.batches, by).to.have.length(1);
    }
  });

  it("never parts a record set from its ownership, and ends with what is wanted, whoever changes what when", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const dice = new Dice(seed);
        const setting = new Setting({
          latencyMs: dice.pick([0, 200]),
          pageSize: dice.integer(1, 8),
          batchSize: dice.integer(2, 12),
        });
        const { time, zone } = setting;
        const writers = ["a", "b", "c"].map((by) => setting.mirror(by));
        const running = writers.map(async (mirror) => {
          for (let run = 0; run < 4; run++) {
            await time.wait(dice.integer(0, 1000));
            for (const name of names(6)) {
              if (dice.chance(0.3)) setting.want([name], `192.0.2.${dice.integer(1, 3)}`);
              if (dice.chance(0.2)) setting.wanted.delete(name);
            }
            if (dice.chance(0.3)) {
              zone.fail("apply", dice.pick(["unavailable", "unavailable-after", "quota"]));
            }
            await codeOf(setting.run(mirror, { whenOutpaced: dice.pick(["again", "later"]) }));
          }
        });
        await time.until(Promise.all(running));
        expect(zone.broken).to.deep.equal([]);
        zone.heal();
        const last = setting.mirror("last");
        await time.until(setting.run(last));
        const found = names(6).map((name) => zone.values(fqdn(name), "A").join());
        expect(found).to.deep.equal(names(6).map((name) => setting.wanted.get(name) ?? ""));
        expect(zone.sets.size).to.equal(2 * setting.wanted.size);
        // Who was there all the time comes to know the same.
        for (const mirror of writers) {
          await time.until(mirror.list(signal));
          expect(setting.plan(mirror).groups).to.deep.equal([]);
        }
      }),
      { numRuns: 80 },
    );
  });
});

function names(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `n${at}`);
}

function fqdn(name: string): string {
  return `${name}.mydomain.com.`;
}

function label(name: string): string {
  return name.slice(0, name.indexOf("."));
}

function record(name: string, value: string): RecordSet {
  return { name: fqdn(name), type: "A", parts: [{ ttlSeconds: 60, values: [value] }] };
}

function counts({ created, updated, deleted, drift }: Applied): Record<string, number> {
  return { created, updated, deleted, drift };
}

/** How it failed; `undefined`: it did not. */
async function codeOf(run: Promise<unknown>): Promise<string | undefined> {
  try {
    await run;
    return undefined;
  } catch (error) {
    if (error instanceof MirrorError) return error.code;
    throw error;
  }
}
