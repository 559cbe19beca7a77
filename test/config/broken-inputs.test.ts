import { readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { parse } from "yaml";
import { type BrokenInput, problemsOf } from "./broken-inputs.ts";

const table = path.resolve(import.meta.dirname, "../cases/config/broken.yaml");
const inputs: BrokenInput[] = parse(readFileSync(table, "utf8"));

describe("broken inputs", () => {
  it("are none as long as nothing is changed", async () => {
    expect(await problemsOf({})).to.deep.equal([]);
  });

  for (const input of inputs) {
    it(`are named with their places: ${input.name}`, async () => {
      expect(input.expected).to.not.be.empty;
      expect(await problemsOf(input)).to.deep.equal(input.expected);
    });
  }

  it("are all named at once, in order of place", async () => {
    const few = inputs.filter((input) => input.files && !input.change);
    const files = Object.assign({}, ...few.map((input) => input.files));
    const lines = await problemsOf({ files });
    const places = lines.map((line) => /^([^:]+):(\d+):(\d+)/.exec(line)?.slice(1) ?? []);
    const sorted = places.toSorted(
      ([a = "", aLine, aColumn], [b = "", bLine, bColumn]) =>
        (a < b ? -1 : a > b ? 1 : 0) ||
        Number(aLine) - Number(bLine) ||
        Number(aColumn) - Number(bColumn),
    );
    expect(places).to.deep.equal(sorted);
    expect(new Set(places.map(([file]) => file)).size).to.be.greaterThan(6);
  });
});
