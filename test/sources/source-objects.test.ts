import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import fc from "fast-check";
import { readSourceFile } from "../../src/sources/source-objects.ts";

const good = path.resolve(import.meta.dirname, "../cases/config/good/zones");
const texts = readdirSync(good, { recursive: true, withFileTypes: true })
  .filter((entry) => /\.(yaml|json)$/.test(entry.name))
  .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), "utf8"));

describe("readSourceFile", () => {
  const others = [
    { name: "a core kind", apiVersion: "v1", kind: "Pod", isPassed: true },
    { name: "a kind of a named group", apiVersion: "apps/v1", kind: "Deployment", isPassed: true },
    { name: "a k8s.io kind", apiVersion: "networking.k8s.io/v1", kind: "Ingress", isPassed: true },
    { name: "a core kind that there is not", apiVersion: "v1", kind: "Servce", isPassed: false },
    {
      name: "a mistyped slice",
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlce",
      isPassed: false,
    },
    { name: "a kind of ours", apiVersion: "meridian.dev/v1alpha1", kind: "Pod", isPassed: false },
    { name: "a kind of strangers", apiVersion: "example.com/v1", kind: "Pod", isPassed: false },
  ];
  for (const { name, apiVersion, kind, isPassed } of others) {
    it(`${isPassed ? "passes over" : "refuses"} ${name}`, () => {
      const text = `{ apiVersion: ${apiVersion}, kind: ${kind}, metadata: { name: x } }\n`;
      const { otherKinds, problems, isComplete } = readSourceFile("f.yaml", text, undefined);
      expect(otherKinds).to.deep.equal(isPassed ? [kind] : []);
      expect(problems.length).to.equal(isPassed ? 0 : 1);
      expect(isComplete).to.equal(isPassed);
    });
  }

  it("reads any damaged text without throwing, and places each problem inside it", () => {
    const damage = fc.record({
      text: fc.constantFrom(...texts),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      cut: fc.integer({ min: 0, max: 30 }),
      put: fc.oneof(
        fc.string({ maxLength: 8 }),
        fc.constantFrom(
          "\n",
          ": ",
          "- ",
          "{",
          "}",
          "[",
          "]",
          "*a",
          "&a ",
          "<<: *a",
          "!!binary x",
          "? ",
          "\t",
          "null",
        ),
      ),
    });
    fc.assert(
      fc.property(damage, ({ text, at, cut, put }) => {
        const start = Math.floor(at * text.length);
        const damaged = text.slice(0, start) + put + text.slice(start + cut);
        const lines = damaged.split("\n");
        for (const { line, column, message } of readSourceFile("f", damaged, "c1").problems) {
          expect(line).to.be.within(1, lines.length);
          expect(column).to.be.within(1, (lines[line - 1] ?? "").length + 1);
          expect(message).to.match(/^cannot (read|use) /);
        }
      }),
      { seed: 20261121, numRuns: 1000 },
    );
  });

  it("says which objects a file declares although what they hold is wrong", () => {
    const text = "apiVersion: v1\nkind: Service\nmetadata: { name: web }\nspec: { ports: 80 }\n";
    const { objects, problems, isComplete } = readSourceFile("f", text, "c1");
    expect(problems).to.have.length(1);
    expect(isComplete).to.equal(true);
    expect(
      objects.map(({ kind, name, cluster, value }) => [kind, name, cluster, value]),
    ).to.deep.equal([["Service", "web", "c1", undefined]]);
  });
});
