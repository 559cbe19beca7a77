import { expect } from "chai";
import type { Problem } from "../../src/config/problem.ts";
import { type Reading, Reload } from "../../src/sources/reload.ts";
import { until } from "./temp-folder.ts";

const problem = (message: string): Problem => ({ file: "f", line: 1, column: 1, message });

/** A reload that takes its readings from a list and writes down what it hands on. */
function reloadOf(readings: (Reading<{ n: number }> | Error)[]) {
  const log: string[] = [];
  let atOnce = 0;
  const reload = new Reload<{ n: number }>({
    read: async () => {
      expect(++atOnce).to.equal(1);
      await new Promise((resolve) => setImmediate(resolve));
      atOnce--;
      const next = readings.shift();
      log.push("read");
      if (next === undefined || next instanceof Error) throw next ?? new Error("no more readings");
      return next;
    },
    onState: ({ n }) => log.push(`state ${n}`),
    onProblems: (problems) => log.push(`problems ${problems.map((each) => each.message).join()}`),
    onError: (error) => log.push(String(error)),
  });
  return { reload, log };
}

describe("Reload", () => {
  const one = { n: 1 };
  const rows: { name: string; input: Reading<{ n: number }>[]; expected: string[] }[] = [
    {
      name: "hands on each new state",
      input: [
        { ok: true, state: one },
        { ok: true, state: { n: 2 } },
      ],
      expected: ["state 1", "state 2"],
    },
    {
      name: "is silent about the very same state",
      input: [
        { ok: true, state: one },
        { ok: true, state: one },
      ],
      expected: ["state 1"],
    },
    {
      name: "hands on problems once",
      input: [
        { ok: false, problems: [problem("a")] },
        { ok: false, problems: [problem("a")] },
        { ok: false, problems: [problem("b")] },
      ],
      expected: ["problems a", "problems b"],
    },
    {
      name: "says that problems are mended, though the state is the same",
      input: [
        { ok: true, state: one },
        { ok: false, problems: [problem("a")] },
        { ok: true, state: one },
        { ok: false, problems: [problem("a")] },
      ],
      expected: ["state 1", "problems a", "state 1", "problems a"],
    },
  ];
  for (const { name, input, expected } of rows) {
    it(name, async () => {
      const { reload, log } = reloadOf([...input]);
      for (const _ of input) await reload.trigger();
      expect(log.filter((line) => line !== "read")).to.deep.equal(expected);
    });
  }

  it("never reads twice at once, and once more for all calls during a reading", async () => {
    const { reload, log } = reloadOf([1, 2, 3].map((n) => ({ ok: true, state: { n } })));
    const first = reload.trigger();
    await Promise.all([first, reload.trigger(), reload.trigger(), reload.trigger()]);
    expect(log).to.deep.equal(["read", "state 1", "read", "state 2"]);
  });

  it("reads again after the time that a reading asks for", async () => {
    const { reload, log } = reloadOf([
      { ok: true, state: one, retryAfterMs: 1 },
      { ok: true, state: { n: 2 } },
    ]);
    await reload.trigger();
    await until(() => log.includes("state 2"));
    expect(log).to.deep.equal(["read", "state 1", "read", "state 2"]);
  });

  it("tells a mistake of the program and goes on", async () => {
    const { reload, log } = reloadOf([new Error("oh"), { ok: true, state: one }]);
    await reload.trigger();
    await reload.trigger();
    expect(log).to.deep.equal(["read", "Error: oh", "read", "state 1"]);
  });

  it("hands on nothing once it is stopped, not even of a reading under way", async () => {
    const { reload, log } = reloadOf([{ ok: true, state: one }]);
    const running = reload.trigger();
    reload.stop();
    await running;
    await reload.trigger();
    expect(log).to.deep.equal(["read"]);
  });
});
