// When targets are due, by a clock that the test turns.

import { expect } from "chai";
import fc from "fast-check";
import { Timetable } from "../../src/health/timetable.ts";
import { Dice } from "../kit/dice.ts";

describe("timetable", () => {
  it("is due first at the random offset, then at exact multiples of the interval after it", () => {
    const table = new Timetable(() => 0.25);
    table.set("a", 10_000, 1000);
    const starts = [];
    for (let now = 1000; now <= 40_000; now += 700) {
      for (const { dueMs } of table.takeDue(now)) starts.push(dueMs);
    }
    expect(starts).to.deep.equal([3500, 13_500, 23_500, 33_500]);
  });

  it("does not drift over a week of starts that are each a little late", () => {
    const table = new Timetable(() => 1 / 3);
    table.set("a", 9973, 0);
    let due = 0;
    for (let count = 0; count <= 60_000; count++) {
      due = table.nextDueMs ?? Number.NaN;
      table.takeDue(due + (count % 50));
    }
    expect(due).to.equal((1 / 3) * 9973 + 60_000 * 9973);
  });

  it("is due once after a stall of three intervals, and keeps its moments", () => {
    const table = new Timetable(() => 0.5);
    table.set("a", 10_000, 0);
    table.takeDue(5000);
    expect(table.takeDue(47_000)).to.deep.equal([{ id: "a", dueMs: 15_000 }]);
    expect(table.takeDue(47_000)).to.deep.equal([]);
    expect(table.nextDueMs).to.equal(55_000);
  });

  it("gives what is due in order of time", () => {
    const offsets = [0.9, 0.1, 0.5];
    const table = new Timetable(() => offsets.shift() ?? 0);
    for (const id of ["a", "b", "c"]) table.set(id, 1000, 0);
    expect(table.takeDue(1000).map(({ id }) => id)).to.deep.equal(["b", "c", "a"]);
  });

  it("keeps the moments of a target that is set again, unless its interval changed", () => {
    const offsets = [0.9, 0.1];
    const table = new Timetable(() => offsets.shift() ?? 0);
    table.set("a", 1000, 0);
    table.set("a", 1000, 500);
    expect(table.nextDueMs).to.equal(900);
    table.set("a", 2000, 500);
    expect(table.nextDueMs).to.equal(700);
    expect(table.size).to.equal(1);
  });

  it("has nothing due once all are removed", () => {
    const table = new Timetable(() => 0);
    table.set("a", 1000, 0);
    table.remove("a");
    table.remove("a");
    expect([table.nextDueMs, table.size, table.takeDue(1e9)]).to.deep.equal([undefined, 0, []]);
  });

  it("refuses an interval that is not above 0", () => {
    for (const interval of [0, -1, Number.NaN]) {
      expect(() => new Timetable(() => 0).set("a", interval, 0)).to.throw(
        `cannot plan probes: the interval is not above 0 ms, got ${interval}`,
      );
    }
  });

  it("spreads many targets evenly over the interval", () => {
    const dice = new Dice(7);
    const table = new Timetable(() => dice.unit());
    for (let at = 0; at < 10_000; at++) table.set(`${at}`, 10_000, 0);
    for (let second = 1; second <= 20; second++) {
      expect(table.takeDue(second * 1000).length).to.be.within(850, 1150);
    }
  });

  it("does the same as a plain list that is looked through, whatever is set, removed and taken", () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant("set" as const), id: fc.nat(12), interval: fc.nat(5) }),
      fc.record({ do: fc.constant("remove" as const), id: fc.nat(12) }),
      fc.record({ do: fc.constant("take" as const), later: fc.nat(9000) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), fc.nat(), (steps, seed) => {
        const [dice, same] = [new Dice(seed), new Dice(seed)];
        const table = new Timetable(() => dice.unit());
        const plain = new Map<string, { interval: number; phase: number; due: number }>();
        let now = 0;
        for (const each of steps) {
          if (each.do === "set") {
            const [id, interval] = [`${each.id}`, 1000 * (each.interval + 1)];
            table.set(id, interval, now);
            if (plain.get(id)?.interval !== interval) {
              const phase = now + same.unit() * interval;
              plain.set(id, { interval, phase, due: phase });
            }
          } else if (each.do === "remove") {
            table.remove(`${each.id}`);
            plain.delete(`${each.id}`);
          } else {
            now += each.later;
            const due = [...plain]
              .filter(([, entry]) => entry.due <= now)
              .map(([id, entry]) => ({ id, dueMs: entry.due }))
              .sort((a, b) => a.dueMs - b.dueMs);
            expect(table.takeDue(now)).to.deep.equal(due);
            for (const entry of plain.values()) {
              for (let count = 0; entry.due <= now; count++) {
                entry.due = entry.phase + count * entry.interval;
              }
            }
          }
          const next = [...plain.values()].map(({ due }) => due);
          expect(table.nextDueMs).to.equal(next.length === 0 ? undefined : Math.min(...next));
        }
      }),
      { numRuns: 300, seed: 4 },
    );
  });
});
