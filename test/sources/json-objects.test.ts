import { expect } from "chai";
import fc from "fast-check";
import { JsonObjectSplitter, maxJsonObjectOctets } from "../../src/sources/json-objects.ts";
import { PlaceFinder } from "../../src/sources/json-places.ts";
import { oddText } from "./odd-services.ts";

/** Splits a file that arrives in chunks of these sizes, which are gone through again and again. */
function split(text: string | Uint8Array, sizes: readonly number[] = [1 << 20]) {
  const file = Buffer.from(text);
  const objects: { text: string; offset: number }[] = [];
  const splitter = new JsonObjectSplitter((octets, start, end, offset) => {
    objects.push({ text: Buffer.from(octets.subarray(start, end)).toString(), offset });
  });
  for (let at = 0, turn = 0; at < file.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    const chunk = Uint8Array.from(file.subarray(at, at + size));
    splitter.push(chunk);
    chunk.fill(0x7b); // nothing of a chunk may be needed later
    at += size;
  }
  return { objects, failure: splitter.end() };
}

const a = '{"a":"}{\\"]["}';
const b = '{\n  "b": [1, {"items": []}]\n}';

describe("JsonObjectSplitter", () => {
  const good = [
    { name: "an empty file", text: "", objects: [] },
    { name: "white space", text: " \n\r\n\t", objects: [] },
    { name: "one object", text: a, objects: [a] },
    { name: "a byte order mark", text: `\ufeff${a}`, objects: [a] },
    { name: "an object a line", text: `${a}\n${a}\r\n\n${a}\n`, objects: [a, a, a] },
    { name: "printed objects below each other", text: `${b}\n${b}`, objects: [b, b] },
    { name: "an array", text: `[\n${a},${b} , ${a}]\n`, objects: [a, b, a] },
    { name: "an empty array", text: "[ ]", objects: [] },
    { name: "a List", text: `{"kind":"List","items":[${a},${b}]}`, objects: [a, b] },
    { name: "a ServiceList", text: `{"items":[${a}],"kind":"ServiceList"}`, objects: [a] },
    {
      name: "a List of kubectl",
      text: `{\n    "apiVersion": "v1",\n    "items": [\n        ${a}\n    ],\n    "kind": "List",\n    "metadata": {"x": []}\n}\n`,
      objects: [a],
    },
    { name: "an empty List", text: '{"items":[],"kind":"List"}', objects: [] },
    {
      name: "several Lists",
      text: `{"items":[${a}],"kind":"List"}\n[${b}]\n${a}`,
      objects: [a, b, a],
    },
    {
      name: "a List inside a List whole",
      text: `[{"kind":"List","items":[${a}]}]`,
      objects: [`{"kind":"List","items":[${a}]}`],
    },
    {
      name: "items that are no list whole",
      text: '{"items":{},"kind":"List"}',
      objects: ['{"items":{},"kind":"List"}'],
    },
    {
      name: "text that ends like items",
      text: '{"x\\"items":[1]}',
      objects: ['{"x\\"items":[1]}'],
    },
  ];
  for (const { name, text, objects } of good) {
    it(`splits ${name}, however it is cut into chunks`, () => {
      for (const sizes of [[1], [2], [3, 5], [7, 1], [1 << 20]]) {
        const result = split(text, sizes);
        expect(result.failure).to.equal(undefined);
        expect(result.objects.map((each) => each.text)).to.deep.equal(objects);
        for (const each of result.objects) {
          const place = Buffer.from(text).subarray(each.offset);
          expect(place.toString().startsWith(each.text)).to.equal(true);
        }
      }
    });
  }

  const bad = [
    { name: "an object that does not end", text: `${a}\n{"a":{}\n${a}`, offset: a.length + 1 },
    { name: "a string that does not end", text: '{"a":"b\n"}', offset: 7 },
    { name: "an array that does not end", text: `[${a}`, offset: a.length + 1 },
    { name: "a missing comma", text: `[${a} ${a}]`, offset: a.length + 2 },
    { name: "a comma too many", text: `[${a},]`, offset: a.length + 2 },
    { name: "a comma in front", text: `[,${a}]`, offset: 1 },
    { name: "commas between lines", text: `${a},\n${a}`, offset: a.length },
    { name: "two objects on a line", text: `${a} ${a}`, offset: a.length + 1 },
    { name: "text behind an object", text: `${a}x`, offset: a.length },
    { name: "a bracket in place of a brace", text: '{"a":1]', offset: 6 },
    { name: "a number", text: "1", offset: 0 },
    { name: "an item that is no object", text: `[${a},null]`, offset: a.length + 2 },
    { name: "YAML", text: "a: 1\n", offset: 0 },
    { name: "YAML in braces", text: "{ 'a}': 1 }", offset: 2 },
    { name: "a comment", text: '{"a":1 # }\n}', offset: 7 },
    { name: "a NUL", text: `${a}\n\0`, offset: a.length + 1 },
    { name: "half a byte order mark", text: Buffer.from([0xef, 0xbb, 0x7b, 0x7d]), offset: 0 },
    { name: "a byte order mark further on", text: `${a}\n\ufeff${a}`, offset: a.length + 1 },
    { name: "items in what is no List", text: `\n{"items":[${a}],"kind":"Service"}`, offset: 1 },
    {
      name: "a List that says so twice",
      text: `{"kind":"List","items":[${a}],"kind":"List"}`,
      offset: 0,
    },
    {
      name: "a List with items twice",
      text: `{"kind":"List","items":[${a}],"items":[${a}]}`,
      offset: 0,
    },
    { name: "a List without a comma", text: `{"kind":"List","items":[${a}] "x":1}`, offset: 0 },
    {
      name: "a List that does not end",
      text: `{"kind":"List","items":[${a}]`,
      offset: a.length + 25,
    },
  ];
  for (const { name, text, offset } of bad) {
    it(`tells where ${name} stands`, () => {
      for (const sizes of [[1], [2, 3], [1 << 20]]) {
        expect(split(text, sizes).failure?.offset).to.equal(offset);
      }
    });
  }

  it("gives up on an object that is too large", () => {
    const splitter = new JsonObjectSplitter(() => expect.fail("it is too large"));
    splitter.push(Buffer.from('[{"a":"'));
    for (let octets = 0; octets <= maxJsonObjectOctets; octets += 1 << 20) {
      splitter.push(Buffer.alloc(1 << 20, "x"));
    }
    expect(splitter.end()?.offset).to.equal(1);
  });

  it("splits any objects into the same, in whatever form and chunks they come", () => {
    const files = fc.record({
      objects: fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 5 }),
      space: fc.constantFrom(0, 2, "\t"),
      form: fc.constantFrom("lines", "array", "list"),
      sizes: fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
    });
    fc.assert(
      fc.property(files, ({ objects, space, form, sizes }) => {
        const plain = objects.map(({ items: _, ...rest }) => rest);
        const lines = plain.map((each) => JSON.stringify(each, null, space)).join("\n");
        const list = { apiVersion: "v1", items: plain, kind: "List", metadata: { a: [1] } };
        const text =
          form === "lines" ? lines : JSON.stringify(form === "list" ? list : plain, null, space);
        const result = split(text, sizes);
        expect(result.failure).to.equal(undefined);
        const values = result.objects.map((each) => JSON.parse(each.text));
        expect(values).to.deep.equal(JSON.parse(JSON.stringify(plain)));
      }),
      { numRuns: 500, seed: 3 },
    );
  });

  it("never passes a damaged file whose parts are all whole", () => {
    const text = JSON.stringify(
      [{ a: [1, "x"], b: {} }, { c: "}" }, { kind: "List", d: null }],
      null,
      1,
    );
    const list = `{"kind":"List","items":${text}}`;
    const damaged = fc.record({
      file: fc.constantFrom(text, list),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      cut: fc.integer({ min: 0, max: 3 }),
      put: oddText,
    });
    let failed = 0;
    fc.assert(
      fc.property(damaged, ({ file, at, cut, put }) => {
        const place = Math.floor(at * file.length);
        const changed = file.slice(0, place) + put + file.slice(place + cut);
        const { objects, failure } = split(changed);
        if (failure || !objects.every((each) => isJson(each.text))) {
          failed++;
          return;
        }
        const isOneDocument = isJson(changed.replace(/^\ufeff/, ""));
        expect(isOneDocument || isSeveral(changed), changed).to.equal(true);
      }),
      { numRuns: 5000, seed: 4 },
    );
    expect(failed).to.be.greaterThan(1000);
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Whether a text is empty, or falls into JSON documents at one of its line ends. */
function isSeveral(text: string): boolean {
  if (text.trim() === "") return true;
  const lines = text.split("\n");
  return lines.some(
    (_, index) =>
      isJson(lines.slice(0, index).join("\n")) && isSeveral(lines.slice(index).join("\n")),
  );
}

describe("JsonObjectSplitter with a reader that takes objects first", () => {
  const texts = [a, b, a, a, b, a].join("\n");
  const forms = [
    { name: "lines", text: texts },
    { name: "an array", text: `[${texts.replaceAll("}\n{", "}\n,{")}]` },
    { name: "a List", text: `{"kind":"List","items":[${texts.replaceAll("}\n{", "},{")}]}` },
  ];
  for (const { name, text } of forms) {
    it(`hands over what was not taken, in order, of ${name}`, () => {
      for (const size of [1, 5, 20, 64, 1000]) {
        const found: string[] = [];
        let taken = 0;
        const splitter = new JsonObjectSplitter(
          (octets, start, end) => found.push(Buffer.from(octets.subarray(start, end)).toString()),
          (octets, start, limit, offset) => {
            const isA = Buffer.from(octets.subarray(start, limit)).toString().startsWith(a);
            if (isA) expect(text.startsWith(a, offset)).to.equal(true);
            if (!isA) return -1;
            taken++;
            found.push(a);
            return start + a.length;
          },
        );
        for (let at = 0; at < text.length; at += size) {
          splitter.push(Uint8Array.from(Buffer.from(text.slice(at, at + size))));
        }
        expect(splitter.end()).to.equal(undefined);
        expect(found).to.deep.equal([a, b, a, a, b, a]);
        if (size === 1000) expect(taken).to.equal(4);
      }
    });
  }
});

describe("PlaceFinder", () => {
  const text = '\ufeff{"é":"😀",\r\n"b":\n 1}';
  const cases = [
    { name: "the first octet", before: "\ufeff", line: 1, column: 1 },
    { name: "what stands behind long characters", before: '\ufeff{"é":"😀"', line: 1, column: 10 },
    { name: "another line", before: '\ufeff{"é":"😀",\r\n"b":\n ', line: 3, column: 2 },
  ];
  for (const { name, before, line, column } of cases) {
    it(`finds ${name}`, () => {
      for (const size of [1, 2, 1000]) {
        const finder = new PlaceFinder(Buffer.byteLength(before));
        const file = Buffer.from(text);
        let at = 0;
        while (finder.push(file.subarray(at, at + size))) at += size;
        expect(finder.place).to.deep.equal({ line, column });
      }
    });
  }
});
