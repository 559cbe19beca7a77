import { expect } from "chai";
import { nearest } from "../../src/dns/nearest.ts";

const types = ["A", "AAAA", "CNAME", "MX", "NS", "SOA", "SRV", "TXT", "NSEC3PARAM"];

const table = [
  { name: "a missing letter", word: "CNAM", expected: "CNAME" },
  { name: "a letter too many", word: "CNAMEE", expected: "CNAME" },
  { name: "a wrong letter", word: "TXR", expected: "TXT" },
  { name: "two letters swapped", word: "CNMAE", expected: "CNAME" },
  { name: "another case", word: "srv", expected: "SRV" },
  { name: "three letters wrong in a long word", word: "NSEC4PARM", expected: "NSEC3PARAM" },
  { name: "the nearer of two", word: "AAA", expected: "AAAA" },
  { name: "a word far from all", word: "WIBBLE", expected: undefined },
  { name: "an empty word", word: "", expected: undefined },
  { name: "a word with every letter wrong", word: "Q", expected: undefined },
];

describe("nearest", () => {
  for (const { name, word, expected } of table) {
    it(`gives ${expected ?? "nothing"} for ${name}: ${word}`, () => {
      expect(nearest(word, types)).to.equal(expected);
    });
  }

  it("gives nothing where there are no candidates", () => {
    expect(nearest("A", [])).to.equal(undefined);
  });
});
