// The words after `npm run bench --`.

import { expect } from "chai";
import { readOptions } from "../../scripts/bench/options.ts";

const servers = ["meridian", "gdnsd", "echo"];

describe("bench options", () => {
  const defaults = {
    mode: "table",
    cases: ["a", "b", "c", "d", "e", "f"],
    servers,
    rounds: 5,
    seconds: 3,
    services: 1_000_000,
    list: "ndjson",
    minutes: 10,
    output: "docs/bench",
  };
  const good = [
    { name: "without words everything is measured", words: "", expected: {} },
    {
      name: "cases and servers keep the tables' order",
      words: "--cases f,a --servers echo,meridian",
      expected: { cases: ["a", "f"], servers: ["meridian", "echo"] },
    },
    {
      name: "quick is less of all",
      words: "--quick",
      expected: { rounds: 1, seconds: 1, services: 20_000 },
    },
    {
      name: "a number goes before quick",
      words: "--quick --rounds 3 --seconds 0.5",
      expected: { rounds: 3, seconds: 0.5, services: 20_000 },
    },
    {
      name: "a long run has its minutes",
      words: "--soak 0.5",
      expected: { mode: "soak", minutes: 0.5 },
    },
    {
      name: "a profile is a run of its own",
      words: "--profile --output /tmp/x",
      expected: { mode: "profile", output: "/tmp/x" },
    },
    {
      name: "services come as one list if asked so",
      words: "--list json",
      expected: { list: "json" },
    },
  ];
  for (const { name, words, expected } of good) {
    it(name, () => {
      const read = readOptions(words.split(" ").filter(Boolean), servers);
      expect(read).to.deep.equal({ ok: true, options: { ...defaults, ...expected } });
    });
  }

  const bad = [
    {
      name: "a case that is not there is named",
      words: "--cases a,x",
      problems: ["--cases: allowed a, b, c, d, e, f, got x"],
    },
    {
      name: "all mistakes are named at once",
      words: "--servers apache --rounds 1.5 --list xml",
      problems: [
        "--servers: allowed meridian, gdnsd, echo, got apache",
        "--rounds: allowed a whole number from 1 to 1000, got 1.5",
        "--list: allowed ndjson, json, got xml",
      ],
    },
    {
      name: "no time is no measurement",
      words: "--seconds 0",
      problems: ["--seconds: allowed a number from above 0 to 3600, got 0"],
    },
    {
      name: "a long run is no profile",
      words: "--soak 1 --profile",
      problems: ["--soak and --profile: allowed one of them"],
    },
  ];
  for (const { name, words, problems } of bad) {
    it(name, () => {
      expect(readOptions(words.split(" "), servers)).to.deep.equal({ ok: false, problems });
    });
  }

  it("an unknown option is named", () => {
    const read = readOptions(["--fast"], servers);
    expect(read.ok ? [] : read.problems).to.match(/--fast/);
  });
});
