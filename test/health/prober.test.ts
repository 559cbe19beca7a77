// Which probes run when, by a clock and timers that the test turns, and probes that it ends.

import { expect } from "chai";
import type { HealthCheck } from "../../src/federation/model.ts";
import { Prober } from "../../src/health/prober.ts";
import type { Target } from "../../src/health/target.ts";
import { healthCheck } from "../kit/health-check.ts";

function target(id: string, check: Partial<HealthCheck> = {}, port: number | undefined = 80) {
  const built: Target = {
    id,
    service: "shop/cart",
    cluster: "c1",
    address: Uint8Array.of(192, 0, 2, 1),
    isInternal: false,
    check: healthCheck(check),
    port,
  };
  return built;
}

/** A prober in a world without time of its own. Every target's first start is half an interval in. */
function stage(maxConcurrent = 100, chance: () => number = () => 0.5) {
  let nowMs = 0;
  let timer: { atMs: number; callback: () => void } | undefined;
  const probes: {
    id: string;
    target: Target;
    end: (reason?: string) => void;
    signal: AbortSignal;
  }[] = [];
  const results: string[] = [];
  const delays: number[] = [];
  const prober = new Prober({
    maxConcurrent,
    chance,
    now: () => nowMs,
    after: (delayMs, callback) => {
      const set = { atMs: nowMs + delayMs, callback };
      timer = set;
      return () => {
        if (timer === set) timer = undefined;
      };
    },
    onStart: (delayMs) => delays.push(delayMs),
    onResult: ({ id }, { reason }, startedMs) => results.push(`${id} ${reason} ${startedMs}`),
    probe: (probed, signal) =>
      new Promise((resolve) => {
        if (!signal) throw new Error("cannot probe: there is no signal");
        const end = (reason = "ok") => resolve({ isSuccess: true, reason });
        signal.addEventListener("abort", () => end("aborted"));
        probes.push({ id: probed.id, target: probed, end, signal });
      }),
  });
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  return {
    prober,
    probes,
    results,
    delays,
    settle,
    hasTimer: () => timer !== undefined,
    /** Turns the clock, and calls what is due on the way, each at its time. */
    async advance(ms: number) {
      const untilMs = nowMs + ms;
      while (timer && timer.atMs <= untilMs) {
        const { atMs, callback } = timer;
        nowMs = Math.max(nowMs, atMs);
        timer = undefined;
        callback();
        await settle();
      }
      nowMs = untilMs;
    },
    /** Turns the clock while the process stands still: no timer fires before the end. */
    async standStill(ms: number) {
      nowMs += ms;
      await this.advance(0);
    },
    async end(at: number, reason?: string) {
      probes[at]?.end(reason);
      await settle();
    },
    ids: () => probes.map(({ id }) => id),
  };
}

describe("prober", () => {
  it("probes each target at its times and tells the results with their starts", async () => {
    const on = stage();
    on.prober.setTargets([target("a")]);
    on.prober.start();
    await on.advance(4999);
    expect(on.ids()).to.deep.equal([]);
    await on.advance(1);
    expect(on.ids()).to.deep.equal(["a"]);
    await on.advance(7);
    await on.end(0, "status 200");
    await on.advance(10_000);
    await on.end(1, "status 503");
    expect(on.results).to.deep.equal(["a status 200 5000", "a status 503 15000"]);
    expect(on.delays).to.deep.equal([0, 0]);
    await on.prober.stop();
  });

  it("begins starts together that are due within 10 ms of each other", async () => {
    const offsets = [0.5, 0.5002, 0.5009, 0.5012];
    const on = stage(100, () => offsets.shift() ?? 0);
    on.prober.setTargets(["a", "b", "c", "d"].map((id) => target(id)));
    on.prober.start();
    await on.advance(6000);
    expect(on.ids()).to.deep.equal(["a", "b", "c", "d"]);
    expect(on.delays.map(Math.round)).to.deep.equal([0, 8, 1, 8]);
    await on.prober.stop();
  });

  it("probes nothing before it is started", async () => {
    const on = stage();
    on.prober.setTargets([target("a")]);
    await on.advance(60_000);
    expect([on.ids(), on.hasTimer()]).to.deep.equal([[], false]);
  });

  it("does not start a probe anew that still runs; that start is skipped", async () => {
    const on = stage();
    on.prober.setTargets([target("a", { intervalSeconds: 1, timeoutSeconds: 3 })]);
    on.prober.start();
    await on.advance(2600);
    expect(on.ids()).to.deep.equal(["a"]);
    await on.end(0);
    await on.advance(899);
    expect(on.ids()).to.deep.equal(["a"]);
    await on.advance(1);
    expect(on.ids()).to.deep.equal(["a", "a"]);
    await on.prober.stop();
  });

  it("runs no more than maxConcurrent, and the others in order of due time as places become free", async () => {
    const offsets = [0.3, 0.1, 0.5, 0.2, 0.4];
    const on = stage(2, () => offsets.shift() ?? 0);
    on.prober.setTargets(["a", "b", "c", "d", "e"].map((id) => target(id)));
    on.prober.start();
    await on.advance(6000);
    expect(on.ids()).to.deep.equal(["b", "d"]);
    expect([on.prober.running, on.prober.waiting]).to.deep.equal([2, 3]);
    await on.end(1);
    expect(on.ids()).to.deep.equal(["b", "d", "a"]);
    await on.end(0);
    await on.end(2);
    expect(on.ids()).to.deep.equal(["b", "d", "a", "e", "c"]);
    expect(on.delays).to.deep.equal([0, 0, 3000, 2000, 1000]);
    expect([on.prober.running, on.prober.waiting]).to.deep.equal([2, 0]);
    await on.prober.stop();
  });

  it("lets a target wait once, however many of its starts pass meanwhile", async () => {
    const on = stage(1);
    on.prober.setTargets([target("a"), target("b")]);
    on.prober.start();
    await on.advance(35_000);
    expect([on.prober.running, on.prober.waiting]).to.deep.equal([1, 1]);
    await on.end(0);
    await on.end(1);
    expect(on.ids()).to.deep.equal(["a", "b"]);
    await on.prober.stop();
  });

  it("takes up a larger and a smaller maxConcurrent while it runs", async () => {
    const offsets = [0.1, 0.2, 0.3, 0.4];
    const on = stage(1, () => offsets.shift() ?? 0);
    on.prober.setTargets(["a", "b", "c", "d"].map((id) => target(id)));
    on.prober.start();
    await on.advance(5000);
    on.prober.setMaxConcurrent(3);
    expect(on.ids()).to.deep.equal(["a", "b", "c"]);
    on.prober.setMaxConcurrent(1);
    await on.end(0);
    await on.end(1);
    expect(on.ids()).to.deep.equal(["a", "b", "c"]);
    await on.end(2);
    expect(on.ids()).to.deep.equal(["a", "b", "c", "d"]);
    await on.prober.stop();
  });

  it("drops the result of a target that was removed, and ends its probe", async () => {
    const on = stage();
    on.prober.setTargets([target("a"), target("b")]);
    on.prober.start();
    await on.advance(5000);
    on.prober.remove("a");
    await on.settle();
    expect(on.probes[0]?.signal.aborted).to.equal(true);
    expect(on.prober.running).to.equal(1);
    await on.end(1);
    await on.advance(30_000);
    expect(on.results[0]).to.equal("b ok 5000");
    expect(on.ids().filter((id) => id === "a")).to.have.length(1);
    await on.prober.stop();
  });

  it("starts no probe of a target that was removed while it waited", async () => {
    const on = stage(1);
    on.prober.setTargets([target("a"), target("b"), target("c")]);
    on.prober.start();
    await on.advance(5000);
    on.prober.setTargets([target("a"), target("c")]);
    expect(on.prober.waiting).to.equal(1);
    await on.end(0);
    expect(on.ids()).to.deep.equal(["a", "c"]);
    await on.prober.stop();
  });

  it("takes a target that came back while its former probe ended as a new one", async () => {
    const on = stage();
    on.prober.set(target("a"));
    on.prober.start();
    await on.advance(5000);
    on.prober.remove("a");
    on.prober.set(target("a"));
    await on.advance(5000);
    expect(on.ids()).to.deep.equal(["a", "a"]);
    await on.end(1);
    expect(on.results).to.deep.equal(["a ok 10000"]);
    await on.prober.stop();
  });

  const changes: { name: string; changed: Target; keeps: boolean }[] = [
    { name: "another path", changed: target("a", { path: "/live" }), keeps: false },
    { name: "another port", changed: target("a", {}, 81), keeps: false },
    { name: "another type", changed: target("a", { type: "tcp" }), keeps: false },
    { name: "other statuses", changed: target("a", { expectStatus: "204" }), keeps: false },
    { name: "another fall", changed: target("a", { fall: 9 }), keeps: true },
    { name: "nothing new", changed: target("a"), keeps: true },
  ];
  for (const { name, changed, keeps } of changes) {
    it(`${keeps ? "keeps" : "drops"} the result of a probe that ran when its target got ${name}`, async () => {
      const on = stage();
      on.prober.set(target("a"));
      on.prober.start();
      await on.advance(5000);
      on.prober.set(changed);
      await on.end(0);
      expect(on.results).to.deep.equal(keeps ? ["a ok 5000"] : []);
      await on.advance(10_000);
      expect(on.probes[1]?.target).to.equal(changed);
      await on.prober.stop();
    });
  }

  it("never probes a target without a port, and stops when a target loses it", async () => {
    const on = stage();
    const { port: _, ...without } = target("b");
    on.prober.setTargets([target("a"), { ...without, port: undefined }]);
    on.prober.start();
    await on.advance(15_000);
    expect(on.ids()).to.deep.equal(["a"]);
    await on.end(0);
    on.prober.set({ ...target("a"), port: undefined });
    await on.advance(60_000);
    expect(on.ids()).to.deep.equal(["a"]);
    expect(on.hasTimer()).to.equal(false);
  });

  const late: { name: string; ms: number; counts: boolean }[] = [
    { name: "2000 ms after the time-out", ms: 5000, counts: true },
    { name: "2001 ms after the time-out", ms: 5001, counts: false },
    { name: "half a minute later", ms: 33_000, counts: false },
  ];
  for (const { name, ms, counts } of late) {
    it(`${counts ? "takes" : "drops"} a result that comes ${name}`, async () => {
      const on = stage();
      on.prober.setTargets([target("a", { timeoutSeconds: 3, intervalSeconds: 100 })]);
      on.prober.start();
      await on.advance(50_000);
      await on.advance(ms);
      await on.end(0);
      expect(on.results).to.deep.equal(counts ? ["a ok 50000"] : []);
      expect(on.prober.running).to.equal(0);
      await on.prober.stop();
    });
  }

  it("starts each target once after it stood still for 30 s, then again at its own moments", async () => {
    const offsets = [0.2, 0.7];
    const on = stage(100, () => offsets.shift() ?? 0);
    on.prober.setTargets([target("a"), target("b")]);
    on.prober.start();
    await on.standStill(36_000);
    expect(on.ids()).to.deep.equal(["a", "b"]);
    expect(on.delays).to.deep.equal([34_000, 29_000]);
    await on.end(0);
    await on.end(1);
    await on.advance(999);
    expect(on.ids()).to.have.length(2);
    await on.advance(1);
    expect(on.ids()).to.deep.equal(["a", "b", "b"]);
    await on.advance(5000);
    expect(on.ids()).to.deep.equal(["a", "b", "b", "a"]);
    await on.prober.stop();
  });

  it("ends what runs when it stops, without results, timers or waiting probes", async () => {
    const on = stage(1);
    on.prober.setTargets([target("a"), target("b")]);
    on.prober.start();
    await on.advance(5000);
    await on.prober.stop();
    expect(on.probes.map(({ signal }) => signal.aborted)).to.deep.equal([true]);
    expect([on.prober.running, on.prober.waiting, on.hasTimer()]).to.deep.equal([0, 0, false]);
    await on.advance(60_000);
    expect([on.ids(), on.results]).to.deep.equal([["a"], []]);
  });
});
