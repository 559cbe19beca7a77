// How often and how late Cloud DNS is asked again.

import { expect } from "chai";
import { FailedAttempt, usualPatience, withPatience } from "../../src/mirror/clouddns-attempts.ts";
import type { CloudDnsFailure } from "../../src/mirror/clouddns-errors.ts";

const silent: CloudDnsFailure = { kind: "silence", host: "dns.googleapis.com", cause: "ENOTFOUND" };

describe("patience with Cloud DNS", () => {
  const rows: {
    name: string;
    failures: readonly (CloudDnsFailure | Error)[];
    chance?: number;
    totalMs?: number;
    waitsMs: readonly number[];
    outcome: string;
  }[] = [
    { name: "what succeeds is not asked again", failures: [], waitsMs: [], outcome: "done" },
    {
      name: "the waits double",
      failures: [answer(503), silent, answer(500)],
      waitsMs: [500, 1000, 2000],
      outcome: "done",
    },
    {
      name: "an illness is told of after four attempts",
      failures: Array.from({ length: 4 }, () => silent),
      waitsMs: [500, 1000, 2000],
      outcome: "silence",
    },
    {
      name: "throttling is sat out for over a minute, no wait longer than the longest",
      failures: Array.from({ length: 8 }, () => answer(429)),
      waitsMs: [500, 1000, 2000, 4000, 8000, 16_000, 32_000],
      outcome: "429",
    },
    {
      name: "chance takes up to a half from each wait",
      failures: [answer(429), answer(429)],
      chance: 0.9,
      waitsMs: [275, 550],
      outcome: "done",
    },
    {
      name: "no attempt comes before Retry-After",
      failures: [answer(429, 9000), answer(503, 100)],
      waitsMs: [9000, 1000],
      outcome: "done",
    },
    {
      name: "a Retry-After beyond all patience is not waited for",
      failures: [answer(429, 121_000)],
      waitsMs: [],
      outcome: "429",
    },
    {
      name: "all waits together are bounded",
      failures: [answer(429), answer(429), answer(429)],
      totalMs: 1600,
      waitsMs: [500, 1000],
      outcome: "429",
    },
    { name: "what is final is final", failures: [answer(412)], waitsMs: [], outcome: "412" },
    {
      name: "a mistake of the program is thrown as it is",
      failures: [new TypeError("x is not a function")],
      waitsMs: [],
      outcome: "x is not a function",
    },
  ];
  for (const { name, failures, chance = 0, totalMs, waitsMs, outcome } of rows) {
    it(name, async () => {
      const waited: number[] = [];
      const left = [...failures];
      const patience = {
        ...usualPatience,
        chance: () => chance,
        totalMs: totalMs ?? usualPatience.totalMs,
        wait: async (waitMs: number) => void waited.push(waitMs),
      };
      const attempt = async () => {
        const failure = left.shift();
        if (failure instanceof Error) throw failure;
        if (failure) throw new FailedAttempt(failure);
        return "done";
      };
      const end = await withPatience(attempt, patience, new AbortController().signal).catch(told);
      expect(end).to.equal(outcome);
      expect(waited).to.deep.equal(waitsMs);
      expect(left).to.deep.equal([]);
    });
  }

  it("makes no attempt after its signal", async () => {
    const reason = new Error("over");
    const never = () => Promise.reject(new Error("was asked"));
    expect(
      await withPatience(never, usualPatience, AbortSignal.abort(reason)).catch(told),
    ).to.equal("over");
  });

  it("a wait ends by the signal, with its reason", async () => {
    const stop = new AbortController();
    const attempt = () => {
      setImmediate(() => stop.abort(new Error("over")));
      return Promise.reject(new FailedAttempt(answer(429, 60_000)));
    };
    expect(await withPatience(attempt, usualPatience, stop.signal).catch(told)).to.equal("over");
  });
});

function answer(status: number, retryAfterMs?: number): CloudDnsFailure {
  return { kind: "answer", status, reasons: [], message: "", retryAfterMs };
}

function told(error: unknown): string {
  if (!(error instanceof FailedAttempt)) return error instanceof Error ? error.message : "?";
  return error.failure.kind === "answer" ? String(error.failure.status) : error.failure.kind;
}
