import { expect } from "chai";
import { formatProblem } from "../../src/config/problem.ts";
import { readDocuments } from "../../src/config/yaml-documents.ts";

const values = (text: string) => readDocuments("f", text).documents.map((each) => each.value);
const problems = (text: string) => readDocuments("f", text).problems.map(formatProblem);

describe("readDocuments", () => {
  const texts: { name: string; input: string; expected: unknown[] }[] = [
    { name: "nothing of an empty text", input: "", expected: [] },
    { name: "nothing of comments", input: "# a\n---\n# b\n", expected: [] },
    { name: "each document", input: "a: 1\n---\nb: 2\n", expected: [{ a: 1 }, { b: 2 }] },
    { name: "a document after a last marker as none", input: "a: 1\n---\n", expected: [{ a: 1 }] },
    { name: "the word NO as text", input: "a: NO\n", expected: [{ a: "NO" }] },
    { name: "JSON", input: '{\n\t"a": [\n\t\t1\n\t]\n}\n', expected: [{ a: [1] }] },
    {
      name: "a JSON object on each line",
      input: '{"a":1}\n\n{"b":2}\n',
      expected: [{ a: 1 }, { b: 2 }],
    },
    {
      name: "a JSON object on each line, with the other line ends of Unicode in its strings",
      input: '{"a":"x\u2028y\u2029z\u0085"}\n{"b":2}\n',
      expected: [{ a: "x\u2028y\u2029z\u0085" }, { b: 2 }],
    },
    {
      name: "a JSON object on each line that ends as on Windows",
      input: '{"a":1}\r\n{"b":2}\r\n',
      expected: [{ a: 1 }, { b: 2 }],
    },
    {
      name: "merge keys",
      input: "a: &a { x: 1 }\nb: { <<: *a, y: 2 }\n",
      expected: [{ a: { x: 1 }, b: { x: 1, y: 2 } }],
    },
    {
      name: "the items of a List",
      input: "kind: List\nitems: [{ a: 1 }, { kind: List, items: [{ b: 2 }] }]\n",
      expected: [{ a: 1 }, { b: 2 }],
    },
    { name: "an empty List as nothing", input: "kind: List\nitems: []\n", expected: [] },
    { name: "a List of null as nothing", input: "kind: List\nitems: null\n", expected: [] },
    { name: "after a byte order mark", input: "\ufeffa: 1\n", expected: [{ a: 1 }] },
  ];
  for (const { name, input, expected } of texts) {
    it(`reads ${name}`, () => {
      expect(values(input)).to.deep.equal(expected);
      expect(problems(input)).to.deep.equal([]);
    });
  }

  const text = [
    "a: 1", //                         1
    "b:", //                           2
    "  - c: { d: x }", //              3
    "  - 'e f'", //                    4
    "---", //                          5
    "kind: List", //                   6
    "items:", //                       7
    "  - name: g", //                  8
    "    list: [h, i]", //             9
  ].join("\n");
  const places: {
    name: string;
    document: number;
    path: (string | number)[];
    value: string;
    key: string;
  }[] = [
    { name: "the whole document", document: 0, path: [], value: "1:1", key: "1:1" },
    { name: "a scalar", document: 0, path: ["a"], value: "1:4", key: "1:1" },
    { name: "a list item", document: 0, path: ["b", 0], value: "3:5", key: "3:5" },
    {
      name: "a value in a flow map",
      document: 0,
      path: ["b", 0, "c", "d"],
      value: "3:13",
      key: "3:10",
    },
    { name: "a quoted item", document: 0, path: ["b", 1], value: "4:5", key: "4:5" },
    {
      name: "a missing key, which is its parent's",
      document: 0,
      path: ["b", 0, "z"],
      value: "3:5",
      key: "3:5",
    },
    { name: "an item of a List", document: 1, path: [], value: "8:5", key: "8:5" },
    {
      name: "a value in an item of a List",
      document: 1,
      path: ["list", 1],
      value: "9:15",
      key: "9:15",
    },
    { name: "a key in an item of a List", document: 1, path: ["list"], value: "9:11", key: "9:5" },
  ];
  for (const { name, document, path, value, key } of places) {
    it(`knows the place of ${name}`, () => {
      const found = readDocuments("f", text).documents[document];
      const shown = [found?.placeOf(path), found?.placeOfKey(path)].map(
        (place) => `${place?.line}:${place?.column}`,
      );
      expect(shown).to.deep.equal([value, key]);
    });
  }

  it("knows the lines of objects that stand on a line each", () => {
    const [, second] = readDocuments("f", '{"a":1}\n\n{"b":{"c":2}}\n').documents;
    expect(second?.placeOf(["b", "c"])).to.deep.equal({ line: 3, column: 11 });
  });

  it("follows an alias to the place of its anchor", () => {
    const [document] = readDocuments("f", "a: &x { y: 1 }\nb: *x\n").documents;
    expect(document?.placeOf(["b", "y"])).to.deep.equal({ line: 1, column: 12 });
  });

  it("reads the other documents of a text of which one is broken", () => {
    const read = readDocuments("f", "a: 1\n---\nb: [\n---\nc: 3\n");
    expect(read.documents.map((each) => each.value)).to.deep.equal([{ a: 1 }, { c: 3 }]);
    expect(read.isComplete).to.equal(false);
    expect(read.problems).to.have.length(1);
  });

  it("names every duplicate key and reads on", () => {
    const text = "a: 1\na: 2\nb: { c: 1, 'c': 2 }\n";
    expect(problems(text)).to.deep.equal([
      'f:2:1: cannot read YAML: duplicate key "a"',
      'f:3:12: cannot read YAML: duplicate key "c"',
    ]);
    expect(readDocuments("f", text).isComplete).to.equal(true);
  });
});
