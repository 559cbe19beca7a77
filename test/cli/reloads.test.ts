// What is said of a reading that was asked for: of what is there when it is asked, also if somebody has
// only just written it.

import { expect } from "chai";
import { Reloads } from "../../src/cli/reloads.ts";
import { EventLog } from "../../src/control/event-log.ts";
import type { Reading } from "../../src/sources/reload.ts";

const problem = { file: "/srv/zones/web.yaml", line: 3, column: 7, message: "got /srv/zones/x" };

interface Case {
  readonly name: string;
  /** What one reading after the other gives; the last one again and again. */
  readonly readings: readonly Reading<string>[];
  readonly expected: { readonly outcome: string; readonly problems: number; readonly read: number };
}

const cases: readonly Case[] = [
  {
    name: "what has settled is read once",
    readings: [{ ok: true, state: "old" }],
    expected: { outcome: "unchanged", problems: 0, read: 1 },
  },
  {
    name: "what was just written is read once it has settled",
    readings: [
      { ok: true, state: "old", retryAfterMs: 1 },
      { ok: true, state: "old", retryAfterMs: 1 },
      { ok: true, state: "new" },
    ],
    expected: { outcome: "changed", problems: 0, read: 3 },
  },
  {
    name: "a mistake that was just written is told",
    readings: [
      { ok: true, state: "old", retryAfterMs: 1 },
      { ok: false, problems: [problem] },
    ],
    expected: { outcome: "refused", problems: 1, read: 2 },
  },
  {
    name: "what will not settle soon is not waited for",
    readings: [{ ok: true, state: "old", retryAfterMs: 60_000 }],
    expected: { outcome: "unchanged", problems: 0, read: 1 },
  },
];

describe("a reading that is asked for", () => {
  for (const { name, readings, expected } of cases) {
    it(`says what is there: ${name}`, async () => {
      const events = new EventLog();
      const reloads = new Reloads<string>("/srv", events);
      let read = 0;
      const trigger = async (): Promise<void> => {
        const reading = readings[Math.min(read++, readings.length - 1)];
        if (!reading) return;
        reloads.read(reading);
        if (!reading.ok) reloads.refused();
        else if (reading.state === "new") reloads.changed(Promise.resolve());
      };
      const { outcome, problems } = await reloads.now(trigger);
      expect({ outcome, problems: problems.length, read }).to.deep.equal(expected);
      expect(events.recent(10).map((each) => each.kind)).to.deep.equal(["reload"]);
    });
  }

  it("tells problems without the folders above the server's own", async () => {
    const reloads = new Reloads<string>("/srv", new EventLog());
    const { problems } = await reloads.now(async () => {
      reloads.read({ ok: false, problems: [problem] });
      reloads.refused();
    });
    expect(problems).to.deep.equal([
      { file: "zones/web.yaml", line: 3, column: 7, message: "got zones/x" },
    ]);
  });
});
