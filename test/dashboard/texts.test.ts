import { expect } from "chai";
import { assumedText, assumptionsFor, explainPath } from "../../src/dashboard/explain-question.ts";
import {
  counted,
  countText,
  durationText,
  kmText,
  percentText,
} from "../../src/dashboard/number-text.ts";

describe("numbers on the page", () => {
  const cases: [string, string][] = [
    [countText(0), "0"],
    [countText(0.04), "0"],
    [countText(7.26), "7.3"],
    [countText(9.96), "10"],
    [countText(412.4), "412"],
    [countText(999.6), "1k"],
    [countText(1240), "1.2k"],
    [countText(999_600), "1M"],
    [countText(2.5e12), "2500G"],
    [percentText(0), "0 %"],
    [percentText(0.001), "<1 %"],
    [percentText(0.256), "26 %"],
    [kmText(1234.4), "1,234 km"],
    [kmText(null), "distance unknown"],
    [durationText(-3), "0 s"],
    [durationText(89), "89 s"],
    [durationText(100), "2 min"],
    [durationText(3 * 3600), "3 h"],
    [durationText(40 * 3600), "2 d"],
    [counted(0, "voter"), "no voters"],
    [counted(1, "voter"), "1 voter"],
    [counted(10_000, "voter"), "10,000 voters"],
  ];
  for (const [text, expected] of cases) {
    it(`are written as ${expected}`, () => {
      expect(text).to.equal(expected);
    });
  }
});

describe("the question of the box", () => {
  const question = {
    name: " web.prod.shop.example.com ",
    type: "A",
    client: "2001:db8::/48",
    assumed: {},
  };

  it("is asked as it was typed, without blanks around", () => {
    expect(explainPath(question)).to.equal(
      "/v1/explain?name=web.prod.shop.example.com&type=A&client=2001%3Adb8%3A%3A%2F48",
    );
  });

  it("is asked with what is assumed", () => {
    const assumed = { a: "down", b: "drained", c: "undrained", d: "as-is", e: "up" } as const;
    const { searchParams } = new URL(explainPath({ ...question, assumed }), "http://x");
    expect(searchParams.getAll("health")).to.deep.equal(["a=down", "e=up"]);
    expect(searchParams.getAll("drain")).to.deep.equal(["b"]);
    expect(searchParams.getAll("undrain")).to.deep.equal(["c"]);
    expect(assumedText(assumed)).to.equal(
      "if a is all down and b is drained and c is not drained and e is all up",
    );
    expect(assumedText({ d: "as-is" })).to.equal("");
  });

  it("assumes of a drained cluster that it is not", () => {
    expect(assumptionsFor(true).map(([each]) => each))
      .to.include("undrained")
      .and.not.include("drained");
    expect(assumptionsFor(false).map(([each]) => each))
      .to.include("drained")
      .and.not.include("undrained");
  });
});
