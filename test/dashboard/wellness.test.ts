import { expect } from "chai";
import { conditionOf } from "../../src/dashboard/cluster-condition.ts";
import { type WellnessInput, wellnessOf } from "../../src/dashboard/wellness.ts";
import { clusterWith, nowMs, stateWith } from "./samples.ts";

const well: WellnessInput = {
  state: stateWith(),
  link: { kind: "live" },
  unheard: [],
  servfailRate: 0,
  dropRate: 0,
  nowMs,
};
const counts = (total: number, healthy: number, down: number) => ({ total, healthy, down });

describe("the condition of a cluster", () => {
  const cases = [
    ["well", {}, "all 4 endpoints up"],
    ["well", { endpoints: counts(1, 1, 0) }, "its endpoint is up"],
    ["partly-down", { endpoints: counts(4, 3, 1) }, "1 of 4 endpoints down"],
    [
      "partly-down",
      { endpoints: counts(4, 3.25, 0) },
      "3.3 of 4 endpoints counted, the rest comes back",
    ],
    ["down", { endpoints: counts(1, 0, 1) }, "1 of 1 endpoint down"],
    ["drained", { isDrained: true, endpoints: counts(4, 0, 4) }, "4 of 4 endpoints down"],
    ["disabled", { isEnabled: false, isDrained: true }, "all 4 endpoints up"],
    ["unknown", { endpoints: null }, "its endpoints are not counted"],
    ["unknown", { endpoints: counts(0, 0, 0) }, "no endpoints"],
  ] as const;
  for (const [kind, changed, detail] of cases) {
    it(`is ${kind} with ${JSON.stringify(changed)}`, () => {
      const condition = conditionOf(clusterWith(changed));
      expect({ kind: condition.kind, detail: condition.detail }).to.deep.equal({ kind, detail });
    });
  }
});

describe("the first glance", () => {
  const quorum = { isHeld: true, live: 3, needed: 2, configured: 3 };
  const down = clusterWith({ name: "london", endpoints: counts(2, 0, 2) });
  const drained = clusterWith({ name: "tokyo", isDrained: true });
  const fine = clusterWith();
  const cases: [string, Partial<WellnessInput>, string, string[]][] = [
    ["nothing is wrong", {}, "well", []],
    ["it takes no part in votes", { state: stateWith({ quorum: null }) }, "well", []],
    [
      "a cluster is disabled, as its operator wants it",
      { state: stateWith({ clusters: [fine, clusterWith({ isEnabled: false })] }) },
      "well",
      [],
    ],
    [
      "the server is not ready",
      { state: stateWith({ isReady: false, notReadyBecause: "no file was read yet" }) },
      "bad",
      ["The server is not ready: No file was read yet."],
    ],
    [
      "files were refused",
      { state: stateWith({ reload: { at: "", problems: 1 } }) },
      "bad",
      [
        "The files were refused: The last reading found 1 problem, so answers come from the last good state. `meridian check` and the server's log name them.",
      ],
    ],
    [
      "a voter is missing",
      { state: stateWith({ quorum: { ...quorum, live: 2 } }), unheard: ["ns3"] },
      "notice",
      ["A voter is not heard: 2 of 3 voters heard, 2 needed. Not heard: ns3."],
    ],
    [
      "quorum is lost",
      { state: stateWith({ quorum: { ...quorum, isHeld: false, live: 1 } }) },
      "bad",
      [
        "Quorum is lost: 1 of 3 voters heard, 2 needed. Verdicts stay as they are until a majority is heard.",
      ],
    ],
    [
      "what is bad stands before what was wanted",
      { state: stateWith({ clusters: [drained, fine, down] }) },
      "bad",
      [
        "london is down: 2 of 2 endpoints down.",
        "tokyo is drained: No client is sent there. All 4 endpoints up.",
      ],
    ],
    [
      "every cluster is drained",
      { state: stateWith({ clusters: [drained] }) },
      "bad",
      [
        "No cluster may serve: Federated names have no addresses. Undrain or enable a cluster.",
        "tokyo is drained: No client is sent there. All 4 endpoints up.",
      ],
    ],
    [
      "answers fail and queries are dropped",
      { servfailRate: 2.04, dropRate: 1200 },
      "bad",
      [
        "Some answers fail: 2 answers a second say SERVFAIL.",
        "Queries are dropped: 1.2k queries a second are dropped unanswered.",
      ],
    ],
    [
      "the server is gone",
      { link: { kind: "lost", sinceMs: nowMs - 12_000, reason: "the server cannot be reached" } },
      "bad",
      [
        "No connection to the server: What is shown is 12 s old. Trying again by itself. The server cannot be reached.",
      ],
    ],
    [
      "the server never was there",
      {
        state: undefined,
        link: { kind: "lost", sinceMs: nowMs, reason: "the server cannot be reached" },
      },
      "bad",
      ["No connection to the server: Trying again by itself. The server cannot be reached."],
    ],
  ];
  for (const [name, changed, tone, sentences] of cases) {
    it(`says so when ${name}`, () => {
      const { findings, ...seen } = wellnessOf({ ...well, ...changed });
      expect(findings.map(({ title, detail }) => `${title}: ${detail}`)).to.deep.equal(sentences);
      expect(seen.tone).to.equal(tone);
    });
  }

  it("has a headline that names the worst, and how much more there is", () => {
    const state = stateWith({ clusters: [drained, fine, down] });
    expect(wellnessOf({ ...well, state }).headline).to.equal("london is down, and 1 more");
    expect(wellnessOf(well).headline).to.equal("All well");
  });

  it("names twelve of very many clusters, the worst, and counts the others", () => {
    const many = Array.from({ length: 30 }, (_, at) =>
      clusterWith({ name: `c${at}`, endpoints: at === 29 ? counts(1, 0, 1) : counts(2, 1, 1) }),
    );
    const { findings } = wellnessOf({ ...well, state: stateWith({ clusters: many }) });
    expect(findings).to.have.length(13);
    expect(findings[0]?.title).to.equal("c29 is down");
    expect(findings.at(-1)?.title).to.equal("18 more clusters");
  });
});
