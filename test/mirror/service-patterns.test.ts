// Globs against a plain regular expression of the same meaning, and which services lists of them
// let into a mirror.

import { expect } from "chai";
import fc from "fast-check";
import { matchesGlob, matchesPatterns } from "../../src/mirror/service-patterns.ts";

describe("a glob", () => {
  const rows: { glob: string; matches: string[]; refuses: string[] }[] = [
    { glob: "web", matches: ["web"], refuses: ["", "we", "web-1", "a-web", "wob"] },
    { glob: "web-*", matches: ["web-", "web-1", "web-a-b"], refuses: ["web", "aweb-1"] },
    { glob: "*-canary", matches: ["-canary", "a-canary-canary"], refuses: ["a-canary-1"] },
    { glob: "w?b", matches: ["web", "w-b"], refuses: ["wb", "weeb"] },
    { glob: "*", matches: ["", "a"], refuses: [] },
    { glob: "?*", matches: ["a", "ab"], refuses: [""] },
    { glob: "**a**", matches: ["a", "bab"], refuses: ["", "b"] },
    { glob: "a*b*c", matches: ["abc", "abbcbc", "axbxc"], refuses: ["ac", "abcb", "acb"] },
    { glob: "", matches: [""], refuses: ["a"] },
  ];
  for (const { glob, matches, refuses } of rows) {
    it(`${JSON.stringify(glob)} is for ${matches.join(", ")}, not for ${refuses.join(", ")}`, () => {
      expect(matches.filter((text) => !matchesGlob(glob, text))).to.deep.equal([]);
      expect(refuses.filter((text) => matchesGlob(glob, text))).to.deep.equal([]);
    });
  }

  it("is for what the regular expression of the same meaning is for", () => {
    const glob = fc.string({ unit: fc.constantFrom("a", "b", "-", "*", "?"), maxLength: 8 });
    const text = fc.string({ unit: fc.constantFrom("a", "b", "-"), maxLength: 10 });
    fc.assert(
      fc.property(glob, text, (glob, text) => {
        const pattern = glob.replaceAll("*", ".*").replaceAll("?", ".");
        expect(matchesGlob(glob, text)).to.equal(new RegExp(`^${pattern}$`).test(text));
      }),
      { numRuns: 5000, seed: 9 },
    );
  });

  it("of many stars that nearly matches takes few steps", () => {
    // Trying all places of all stars would be some 5,000,000,000 steps.
    const start = process.cpuUsage();
    expect(matchesGlob(`${"*a".repeat(12)}*b`, "a".repeat(40))).to.equal(false);
    expect(process.cpuUsage(start).user).to.be.below(1_000_000);
  });
});

describe("a mirror's patterns", () => {
  const none = { namespaces: [], names: [] };
  const shop = { namespaces: ["shop", "team-*"], names: [] };
  const web = { namespaces: [], names: ["web*"] };
  const both = { namespaces: ["shop"], names: ["web*"] };
  const rows = [
    { name: "keep all if they say nothing", include: none, exclude: none, keeps: "sw sd tw od" },
    { name: "include by namespace", include: shop, exclude: none, keeps: "sw sd tw" },
    { name: "include by name", include: web, exclude: none, keeps: "sw tw" },
    { name: "include by both at once", include: both, exclude: none, keeps: "sw" },
    { name: "exclude by namespace", include: none, exclude: shop, keeps: "od" },
    { name: "exclude by name", include: none, exclude: web, keeps: "sd od" },
    { name: "exclude only by both at once", include: none, exclude: both, keeps: "sd tw od" },
    { name: "exclude what they include", include: shop, exclude: web, keeps: "sd" },
    { name: "keep nothing if both are the same", include: both, exclude: both, keeps: "" },
  ];
  const services = {
    sw: ["shop", "web"],
    sd: ["shop", "db"],
    tw: ["team-a", "web-2"],
    od: ["ops", "db"],
  };
  for (const { name, include, exclude, keeps } of rows) {
    it(name, () => {
      const kept = Object.entries(services).filter(([, [namespace = "", name = ""]]) =>
        matchesPatterns({ include, exclude }, namespace, name),
      );
      expect(kept.map(([key]) => key).join(" ")).to.equal(keeps);
    });
  }
});
