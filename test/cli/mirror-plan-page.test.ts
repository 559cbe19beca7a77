// The examples of docs/mirror-plan.md are what the code prints, and its table names every topic. With
// UPDATE_DOCS=1 in the environment the examples are written anew instead of compared.

import { readFileSync } from "node:fs";
import { expect } from "chai";
import { planJson } from "../../src/cli/mirror-plan-json.ts";
import { planText } from "../../src/cli/mirror-plan-text.ts";
import { rules } from "../../src/mirror/fidelity-rules.ts";
import { expectPart } from "../docs/generated-part.ts";
import { example, foreign, nameOf, plain, planOf, update } from "./mirror-plan-sketch.ts";

const page = new URL("../../docs/mirror-plan.md", import.meta.url);

const parts: Readonly<Record<string, () => string>> = { example: exampleText, json: jsonText };

describe("docs/mirror-plan.md", () => {
  for (const [name, made] of Object.entries(parts)) {
    it(`has the ${name} that the code prints`, () => {
      expectPart(page, name, made);
    });
  }

  it("names every topic of fidelity, in the order in which they are printed", () => {
    const text = readFileSync(page, "utf8");
    const start = text.indexOf("| topic ");
    const rows = text.slice(start, text.indexOf("\n\n", start)).split("\n").slice(2);
    const named = rows.map((row) => /^\| `([\w-]+)`/.exec(row)?.[1]);
    expect(named).to.deep.equal(rules.map(({ topic }) => topic));
  });
});

function exampleText(): string {
  const lines = planText(example, { color: false });
  return `\`\`\`console\n$ meridian mirror plan\n${lines.join("\n")}\n\`\`\``;
}

function jsonText(): string {
  const name = nameOf("checkout.shop");
  const [before, after] = [
    plain(name, "A", 180, "198.51.100.1"),
    plain(name, "A", 30, "198.51.100.2"),
  ];
  const { fidelity } = example;
  const plan = planOf([[update(before, after)]], {
    ...{ owned: 413, unchanged: 412 },
    conflicts: [foreign()],
    fidelity: fidelity.slice(1),
  });
  return `\`\`\`json\n${JSON.stringify(planJson([plan]), null, 2)}\n\`\`\``;
}
