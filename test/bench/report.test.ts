// What is made of results: figures, the page, the chart and the profile's table.

import { expect } from "chai";
import { barChart } from "../../scripts/bench/chart.ts";
import { partOf, profileText, readPerfReport } from "../../scripts/bench/profile-table.ts";
import { reportText } from "../../scripts/bench/report.ts";
import {
  type BenchResults,
  type CaseResult,
  figuresOf,
  type ServerResult,
} from "../../scripts/bench/results.ts";

describe("bench figures", () => {
  it("are medians over rounds, and medians of the ratios within each round", () => {
    // The machine is twice as fast in the second round: ratios do not see that.
    const own = server("meridian", [90_000, 180_000, 80_000]);
    const result = caseOf([
      own,
      server("gdnsd", [100_000, 200_000, 100_000]),
      server("echo", [180_000, 360_000, 200_000]),
    ]);
    const figures = figuresOf(own, result);
    expect(figures.rate).to.equal(90_000);
    expect(figures.toGdnsd).to.be.closeTo(0.9, 1e-9);
    expect(figures.toEcho).to.be.closeTo(0.5, 1e-9);
    expect(figures.busy).to.equal(0.5);
    expect(figures.p99Us).to.equal(30);
    expect(figures.rssMib).to.equal(2);
    expect(figures.lostShare).to.equal(0);
  });

  it("say nothing where nothing was measured", () => {
    const alone = server("meridian", [1000]);
    expect(figuresOf(alone, caseOf([alone])).toGdnsd).to.deep.equal(Number.NaN);
  });

  it("the page has a row for each server, and the reason where there are no figures", () => {
    const failed = { ...server("nsd", []), failure: "knows no client's place" };
    const results: BenchResults = {
      date: "2026-01-02",
      machine: { cpu: "a CPU", cores: 2, kernel: "Linux 6", node: "v20" },
      rounds: 1,
      seconds: 3,
      missing: ["bind"],
      cases: [caseOf([server("gdnsd", [123_456]), failed])],
    };
    const text = reportText(results, "rates.svg");
    expect(text).to.include("| gdnsd | 123,456 | 50 % | 4.05 | 10 | 30 | 90 | 2 | 3 |");
    expect(text).to.include("- nsd: knows no client's place");
    expect(text).to.include("not there: bind");
    expect(text).to.include("(rates.svg)");
    const widths = text
      .split("\n")
      .filter((line) => line.startsWith("|"))
      .map((line) => line.split("|").length);
    expect(new Set(widths).size).to.equal(1);
  });
});

describe("bench chart", () => {
  const groups = [
    {
      title: "a < b",
      bars: [
        { label: "Meridian", value: 400_000, isOwn: true },
        { label: "other", value: 200_000, isOwn: false },
        { label: "failed", value: Number.NaN, isOwn: false },
      ],
    },
  ];

  it("a bar is as long as its value, and what was not measured has none", () => {
    const lengths = [...barChart("Rates", groups).matchAll(/<rect [^>]*width="([\d.]+)"/g)].map(
      ([, length]) => Number(length),
    );
    expect(lengths).to.have.lengthOf(2);
    expect((lengths[0] ?? 0) / (lengths[1] ?? 1)).to.be.closeTo(2, 0.001);
  });

  it("has colours of its own on dark ground, and escapes its texts", () => {
    const svg = barChart("Rates", groups);
    expect(svg).to.include("prefers-color-scheme: dark").and.to.include("a &lt; b");
    expect(svg).not.to.match(/NaN|failed/);
  });
});

describe("bench profile", () => {
  const report = [
    "# comment",
    "  12.50%;[kernel.kallsyms];[k] udp_recvmsg;-      -",
    "   7.50%;perf-1.map;[.] JS:*parseQuery file:///x/dist/answer/fast.js:10:3;-      -",
    "",
  ].join("\n");

  it("reads shares and symbols, and passes over other lines", () => {
    expect(readPerfReport(report)).to.deep.equal([
      { share: 0.125, object: "[kernel.kallsyms]", symbol: "[k] udp_recvmsg" },
      {
        share: 0.075,
        object: "perf-1.map",
        symbol: "[.] JS:*parseQuery file:///x/dist/answer/fast.js:10:3",
      },
    ]);
  });

  const parts = [
    ["[kernel.kallsyms]", "[k] copy_user", "kernel"],
    ["libc.so.6", "[.] __memmove_avx512_unaligned_erms", "copy and encode"],
    ["libc.so.6", "[.] __recvmmsg", "system call glue"],
    ["koffi.node", "[.] 0x1234", "system call glue"],
    ["node", "[.] v8::internal::Scavenger::Process", "engine"],
    [
      "perf-1.map",
      "[.] JS:*respondBatch file:///x/dist/server/udp-batch.js:1:2",
      "system call glue",
    ],
    ["perf-1.map", "[.] JS:*parseQuestion file:///x/dist/answer/a.js:1:2", "parse"],
    ["perf-1.map", "[.] JS:~findZone file:///x/dist/zone/a.js:1:2", "look-up"],
    ["perf-1.map", "[.] JS:^copyAnswer file:///x/dist/answer/a.js:1:2", "copy and encode"],
    ["perf-1.map", "[.] JS:*tick file:///x/dist/b.js:1:2", "other JavaScript"],
    ["perf-1.map", "[.] Builtins_LoadIC", "engine"],
  ] as const;
  for (const [object, symbol, expected] of parts) {
    it(`${symbol.slice(4)} is ${expected}`, () => {
      expect(partOf({ share: 1, object, symbol })).to.equal(expected);
    });
  }

  it("the table adds up the parts", () => {
    const text = profileText(readPerfReport(report), "a");
    expect(text).to.include("| kernel | 12.5 % |").and.to.include("| parse | 7.5 % |");
    expect(text).to.include("parseQuery fast.js:10:3");
  });
});

function caseOf(servers: readonly ServerResult[]): CaseResult {
  return { id: "a", title: "static", hosts: 1000, networks: 0, servers };
}

/** Half of the core used, in rounds of one second. */
function server(id: string, rates: readonly number[]): ServerResult {
  return {
    id,
    title: id,
    version: "1",
    rounds: rates.map((answered) => {
      const top = {
        seconds: 1,
        answered,
        rcodes: { 0: answered },
        lost: 0,
        kernelDrops: 0,
        serverCpuSeconds: 0.5,
        idleShare: 0,
      };
      const latencyUs = { p50: 10, p99: 30, p999: 90 };
      return {
        top,
        paced: { ...top, latencyUs },
        memory: { rssKib: 2048, pssKib: 1024, peakKib: 3072 },
      };
    }),
  };
}
