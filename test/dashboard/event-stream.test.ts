import { expect } from "chai";
import fc from "fast-check";
import type { ServerEvent } from "../../src/control/api-schemas.ts";
import { EventStreamReader } from "../../src/dashboard/event-stream.ts";
import { eventWords, withEvents } from "../../src/dashboard/event-words.ts";

describe("a stream of events", () => {
  const cases: [string, string, { id: string; data: string }[]][] = [
    ["one event", "id: a.1\nevent: drains\ndata: {}\n\n", [{ id: "a.1", data: "{}" }]],
    ["data on several lines", "data: a\ndata: b\n\n", [{ id: "", data: "a\nb" }]],
    ["without a blank after the colon", "data:a\n\n", [{ id: "", data: "a" }]],
    ["a colon in what is told", "data: a: b\n\n", [{ id: "", data: "a: b" }]],
    ["comments and unknown fields", ": alive\n\nretry: 2000\nfoo\n\n", []],
    [
      "an id that stays",
      "id: 7\ndata: a\n\ndata: b\n\n",
      [
        { id: "7", data: "a" },
        { id: "7", data: "b" },
      ],
    ],
    ["other ends of lines", "data: a\r\n\r\ndata: b\r\r", [{ id: "", data: "a" }]],
    ["what has not ended", "data: a\n", []],
  ];
  for (const [name, text, events] of cases) {
    it(`is read with ${name}`, () => {
      expect(new EventStreamReader().take(text)).to.deep.equal(events);
    });
  }

  it("is the same however it is cut into pieces", () => {
    const text = cases.map(([, each]) => each).join("\n\n");
    const whole = new EventStreamReader().take(text);
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 12 }), (cuts) => {
        const reader = new EventStreamReader();
        const places = [0, ...cuts.sort((a, b) => a - b), text.length];
        const pieces = places.slice(1).map((end, at) => text.slice(places[at], end));
        expect(pieces.flatMap((piece) => reader.take(piece))).to.deep.equal(whole);
      }),
      { seed: 1 },
    );
  });
});

describe("events in words", () => {
  const at = "2026-01-01T00:00:00.000Z";
  const verdict = {
    kind: "verdict",
    service: "prod/web",
    cluster: "tokyo",
    address: "10.0.0.1",
  } as const;
  const cases: [ServerEvent, string][] = [
    [
      { id: 1, at, ...verdict, word: "down", reason: "2 of 3 say down" },
      "bad: prod/web in tokyo is down: 10.0.0.1 (2 of 3 say down)",
    ],
    [
      {
        id: 1,
        at,
        ...verdict,
        word: "down",
        reason: "10.0.0.1 of prod/web in tokyo is down: 2 of 3 voters say so",
      },
      "bad: prod/web in tokyo is down: 10.0.0.1 (2 of 3 voters say so)",
    ],
    [
      { id: 1, at, ...verdict, word: "up", reason: "" },
      "well: prod/web in tokyo is up: 10.0.0.1 ()",
    ],
    [
      { id: 1, at, kind: "quorum", isHeld: false, live: 1, needed: 2 },
      "bad: quorum is lost (1 voter heard, 2 needed)",
    ],
    [
      { id: 1, at, kind: "drains", drained: ["a", "b"], by: "anna" },
      "notice: drained: a, b (by anna)",
    ],
    [{ id: 1, at, kind: "drains", drained: [], by: "" }, "well: no cluster is drained ()"],
    [
      { id: 1, at, kind: "reload", outcome: "refused", problems: 2 },
      "bad: files refused (2 problems; the last good state goes on)",
    ],
    [
      { id: 1, at, kind: "mirror", mirror: "route53 Z1", outcome: "failed", message: "throttled" },
      "bad: mirror route53 Z1 failed (throttled)",
    ],
    [{ id: 1, at, kind: "gap" }, "plain: some events were left out here ()"],
  ];
  for (const [event, words] of cases) {
    it(`say ${words}`, () => {
      const { tone, text, detail } = eventWords(event);
      expect(`${tone}: ${text} (${detail})`).to.equal(words);
    });
  }

  it("are listed the newest first, each once, and not for ever", () => {
    const event = (id: number): ServerEvent => ({ id, at, kind: "gap" });
    const known = withEvents([], [event(1), event(2)], 3);
    expect(withEvents(known, [event(2)], 3)).to.equal(known);
    const later = withEvents(known, [event(2), event(3), event(4)], 3);
    expect(later.map(({ id }) => id)).to.deep.equal([4, 3, 2]);
  });
});
