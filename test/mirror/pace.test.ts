// How many tasks the pace lets through, when, and in which order.

import { expect } from "chai";
import fc from "fast-check";
import { Pace, type PaceClock, wait } from "../../src/mirror/pace.ts";

/** Time that goes on only when it is told to. */
class StillClock implements PaceClock {
  #nowMs = 0;
  #timers: { readonly atMs: number; readonly callback: () => void }[] = [];

  readonly now = () => this.#nowMs;

  readonly after = (delayMs: number, callback: () => void) => {
    const timer = { atMs: this.#nowMs + delayMs, callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  };

  get timers(): number {
    return this.#timers.length;
  }

  /** Lets what is under way come to rest, and goes on to each timer until so much time is over. */
  async pass(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms;
    for (;;) {
      await settled();
      const [next] = this.#timers.toSorted((one, other) => one.atMs - other.atMs);
      if (!next || next.atMs > untilMs) break;
      this.#timers = this.#timers.filter((other) => other !== next);
      this.#nowMs = next.atMs;
      next.callback();
    }
    this.#nowMs = untilMs;
    await settled();
  }
}

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe("a pace", () => {
  it("lets five begin at once and the sixth a second after the first has ended", async () => {
    const clock = new StillClock();
    const pace = new Pace({ most: 5, spanMs: 1000, clock });
    const begun: [number, number][] = [];
    for (let task = 0; task < 7; task++) {
      void pace.run(async () => {
        begun.push([task, clock.now()]);
        await wait(task === 0 ? 200 : 500, new AbortController().signal, clock);
      });
    }
    await clock.pass(5000);
    expect(begun).to.deep.equal([
      [0, 0],
      [1, 0],
      [2, 0],
      [3, 0],
      [4, 0],
      [5, 1200],
      [6, 1500],
    ]);
  });

  it("never has more than its most under way in any span, first in first out", async () => {
    const task = fc.record({ comesAfterMs: fc.nat(900), takesMs: fc.nat(1500) });
    await fc.assert(
      fc.asyncProperty(fc.array(task, { maxLength: 30 }), async (tasks) => {
        const clock = new StillClock();
        const pace = new Pace({ most: 3, spanMs: 1000, clock });
        const begun: { readonly task: number; readonly atMs: number; endMs: number }[] = [];
        const { signal } = new AbortController();
        for (const [index, { comesAfterMs, takesMs }] of tasks.entries()) {
          await clock.pass(comesAfterMs);
          void pace.run(async () => {
            const one = { task: index, atMs: clock.now(), endMs: clock.now() + takesMs };
            begun.push(one);
            if (takesMs > 0) await wait(takesMs, signal, clock);
          });
        }
        await clock.pass(100_000);
        expect(begun.map((one) => one.task)).to.deep.equal([...tasks.keys()]);
        for (const [index, { atMs }] of begun.entries()) {
          const counted = begun.slice(0, index).filter((one) => one.endMs + 1000 > atMs);
          expect(counted.length).to.be.lessThan(3);
        }
      }),
      { numRuns: 50, seed: 53 },
    );
  });

  it("gives back what a task gives, and goes on after one that fails", async () => {
    const clock = new StillClock();
    const pace = new Pace({ most: 1, spanMs: 1000, clock });
    const failure = new Error("it failed");
    const failed = pace.run(() => Promise.reject(failure)).catch((error: unknown) => error);
    const done = pace.run(() => Promise.resolve("done"));
    await clock.pass(1000);
    expect(await failed).to.equal(failure);
    expect(await done).to.equal("done");
  });

  it("lets who waits leave, and gives the place to the next", async () => {
    const clock = new StillClock();
    const pace = new Pace({ most: 1, spanMs: 1000, clock });
    const controller = new AbortController();
    const begun: string[] = [];
    const begin = (name: string) => async () => void begun.push(name);
    await pace.run(begin("first"));
    const left = pace.run(begin("leaves"), controller.signal).catch((error: unknown) => error);
    void pace.run(begin("last"));
    controller.abort(new Error("enough"));
    expect(await left)
      .to.be.an("error")
      .with.property("message", "enough");
    await clock.pass(1000);
    expect(begun).to.deep.equal(["first", "last"]);
  });

  it("begins nothing for a signal that was given before", async () => {
    const pace = new Pace({ most: 1, spanMs: 1000, clock: new StillClock() });
    let isBegun = false;
    const signal = AbortSignal.abort(new Error("too late"));
    const error: unknown = await pace
      .run(async () => {
        isBegun = true;
      }, signal)
      .catch((reason: unknown) => reason);
    expect(error).to.be.an("error").with.property("message", "too late");
    expect(isBegun).to.equal(false);
  });

  it("leaves no timer behind when nobody waits", async () => {
    const clock = new StillClock();
    const pace = new Pace({ most: 1, spanMs: 1000, clock });
    await pace.run(async () => {});
    expect(clock.timers).to.equal(0);
    void pace.run(async () => {});
    expect(clock.timers).to.equal(1);
    await clock.pass(1000);
    expect(clock.timers).to.equal(0);
  });
});

describe("a wait", () => {
  it("ends at its time, or with its signal and without a timer", async () => {
    const clock = new StillClock();
    const controller = new AbortController();
    let isOver = false;
    void wait(500, controller.signal, clock).then(() => {
      isOver = true;
    });
    await clock.pass(499);
    expect(isOver).to.equal(false);
    await clock.pass(1);
    expect(isOver).to.equal(true);

    const stopped = wait(500, controller.signal, clock).catch((error: unknown) => error);
    controller.abort(new Error("stop"));
    expect(await stopped)
      .to.be.an("error")
      .with.property("message", "stop");
    expect(clock.timers).to.equal(0);
  });
});
