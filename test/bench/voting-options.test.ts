// The words after `npm run bench:voting --`.

import { expect } from "chai";
import { readVotingOptions } from "../../scripts/bench/voting-options.ts";

describe("options of the voting benchmark", () => {
  const defaults = {
    parts: ["attack", "http", "tcp"],
    rounds: 5,
    seconds: 5,
    output: "docs/bench",
    nodeArgs: [],
  };
  const good = [
    { name: "without words all is measured", words: [], expected: {} },
    {
      name: "parts keep the page's order",
      words: ["--parts", "tcp,attack"],
      expected: { parts: ["attack", "tcp"] },
    },
    {
      name: "numbers and folder are as given",
      words: ["--rounds", "2", "--seconds", "0.5", "--output", "x"],
      expected: { rounds: 2, seconds: 0.5, output: "x" },
    },
    {
      name: "the server's own options are taken apart",
      words: ["--node-args=--cpu-prof --cpu-prof-dir=y"],
      expected: { nodeArgs: ["--cpu-prof", "--cpu-prof-dir=y"] },
    },
  ];
  for (const { name, words, expected } of good) {
    it(name, () => {
      const read = readVotingOptions(words);
      expect(read).to.deep.equal({ ok: true, options: { ...defaults, ...expected } });
    });
  }

  it("all mistakes are named at once", () => {
    expect(readVotingOptions(["--parts", "udp", "--rounds", "1.5", "--seconds", "0"])).to.eql({
      ok: false,
      problems: [
        "--parts: allowed attack, http, tcp, got udp",
        "--rounds: allowed a whole number from 1 to 100, got 1.5",
        "--seconds: allowed a number from above 0 to 600, got 0",
      ],
    });
  });

  it("an unknown option is named", () => {
    const read = readVotingOptions(["--fast"]);
    expect(read.ok ? [] : read.problems).to.match(/--fast/);
  });
});
