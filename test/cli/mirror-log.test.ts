// The lines that a mirror's events become: word for word, on one line each, with nothing in them
// that a provider's error holds beside its message.

import { expect } from "chai";
import { pino } from "pino";
import { mirrorLog } from "../../src/cli/mirror-log.ts";
import type { MirrorEvents } from "../../src/mirror/mirror-report.ts";
import type { Conflict } from "../../src/mirror/plan-types.ts";
import { MirrorError } from "../../src/mirror/provider.ts";

const mirror = "route53 Z123";
const [info, warning, failure] = [30, 40, 50];

/** The raw lines of what happens. */
function linesOf(tell: (events: MirrorEvents) => void): string[] {
  const lines: string[] = [];
  const log = pino({ base: null, timestamp: false }, { write: (line) => lines.push(line) });
  tell(mirrorLog(log));
  return lines;
}

function conflict(given: Partial<Conflict> = {}): Conflict {
  return {
    name: "web.shop.fed.svc.example.com.",
    type: "A",
    service: "shop/web",
    reason: "foreign",
    message: "cannot write A web.shop.fed.svc.example.com.: it is nobody's that is known",
    wanted: { name: "web.shop.fed.svc.example.com.", type: "A", parts: [] },
    found: [],
    ...given,
  };
}

const names = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `n${index}.example.com.`);

const cases: readonly {
  readonly name: string;
  readonly tell: (events: MirrorEvents) => void;
  readonly expected: object;
}[] = [
  {
    name: "changes, by kind",
    tell: (events) =>
      events.onChanged(mirror, { created: 3, updated: 1, deleted: 0, drift: 0 }, false),
    expected: {
      level: info,
      event: "mirror-changed",
      mirror,
      created: 3,
      updated: 1,
      deleted: 0,
      drift: 0,
      dryRun: false,
      msg: "route53 Z123: 3 created, 1 updated, 0 deleted",
    },
  },
  {
    name: "what a dry run would have changed, drift in it",
    tell: (events) =>
      events.onChanged(mirror, { created: 0, updated: 2, deleted: 1, drift: 2 }, true),
    expected: {
      level: info,
      event: "mirror-changed",
      mirror,
      created: 0,
      updated: 2,
      deleted: 1,
      drift: 2,
      dryRun: true,
      msg: "route53 Z123: without dryRun it would be 0 created, 2 updated, 1 deleted, 2 of them drift",
    },
  },
  {
    name: "one name that differs",
    tell: (events) => events.onDrift(mirror, ["web.example.com."]),
    expected: {
      level: warning,
      event: "mirror-drift",
      mirror,
      count: 1,
      names: ["web.example.com."],
      msg: "route53 Z123: 1 name differs by no change of this server: put back if that stays so",
    },
  },
  {
    name: "many names that differ, twenty of them by name",
    tell: (events) => events.onDrift(mirror, names(21)),
    expected: {
      level: warning,
      event: "mirror-drift",
      mirror,
      count: 21,
      names: names(20),
      msg: "route53 Z123: 21 names differ by no change of this server: put back if that stays so",
    },
  },
  {
    name: "a conflict, without the record sets",
    tell: (events) => events.onConflict(mirror, conflict()),
    expected: {
      level: warning,
      event: "mirror-conflict",
      mirror,
      name: "web.shop.fed.svc.example.com.",
      type: "A",
      service: "shop/web",
      reason: "foreign",
      msg: "route53 Z123: conflict: cannot write A web.shop.fed.svc.example.com.: it is nobody's that is known",
    },
  },
  {
    name: "how many conflicts were not told",
    tell: (events) => events.onMoreConflicts(mirror, 5),
    expected: {
      level: warning,
      event: "mirror-conflicts",
      mirror,
      count: 5,
      msg: "route53 Z123: 5 more conflicts: meridian mirror plan has all",
    },
  },
  {
    name: "what holds it",
    tell: (events) => events.onHeld(mirror, "quorum is lost"),
    expected: {
      level: warning,
      event: "mirror-held",
      mirror,
      reason: "quorum is lost",
      msg: "route53 Z123: nothing is changed for now: quorum is lost",
    },
  },
  {
    name: "a failure of the provider, with its code",
    tell: (events) => events.onFailure(mirror, new MirrorError("denied", "cannot list: denied")),
    expected: {
      level: failure,
      event: "mirror-failed",
      mirror,
      code: "denied",
      error: "cannot list: denied",
      msg: "route53 Z123: failed: cannot list: denied",
    },
  },
  {
    name: "a failure that is no error",
    tell: (events) => events.onFailure(mirror, { secretAccessKey: "hush" }),
    expected: {
      level: failure,
      event: "mirror-failed",
      mirror,
      code: "unexpected",
      error: "no reason was given",
      msg: "route53 Z123: failed: no reason was given",
    },
  },
];

describe("the log of a mirror", () => {
  for (const { name, tell, expected } of cases) {
    it(`tells of ${name}`, () => {
      const lines = linesOf(tell);
      expect(lines).to.have.length(1);
      expect(JSON.parse(lines[0] ?? "")).to.deep.equal(expected);
    });
  }

  it("has nothing of an error but its message", () => {
    const cause = new Error("the cause is hushed", { cause: { Authorization: "hushed" } });
    const odd = Object.assign(new MirrorError("unavailable", "cannot reach it", { cause }), {
      $response: { headers: { authorization: "hushed" } },
      config: { credentials: "hushed" },
    });
    const text = linesOf((events) => {
      events.onFailure(mirror, odd);
      events.onFailure(mirror, Object.assign(new TypeError("cannot read it"), { key: "hushed" }));
    }).join("");
    expect(text).to.contain("cannot reach it").and.contain("cannot read it");
    expect(text).not.to.match(/hushed|stack|mirror-log|\.ts/);
  });

  it("lets no text of others move the terminal", () => {
    const hostile = "a\u001b[2J\r\nall well\u009b31m\u202e";
    const lines = linesOf((events) => {
      events.onDrift(mirror, [hostile]);
      events.onConflict(mirror, conflict({ name: hostile, message: hostile }));
      events.onHeld(mirror, hostile);
      events.onFailure(mirror, new Error(hostile));
    });
    expect(lines).to.have.length(4);
    for (const line of lines) {
      // What a terminal would be given once the JSON is read.
      expect(Object.values(JSON.parse(line)).flat().join(" ")).to.match(/^[\x20-\x7e]+$/);
      expect(line).to.contain("all well");
    }
  });
});
