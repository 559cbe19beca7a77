// The map in shared memory against a plain Map, as its writer and as its readers see it: in any
// order of changes, over growth of segments and of the index.

import { expect } from "chai";
import fc from "fast-check";
import { epochMarks } from "../../src/memory/epochs.ts";
import { type PackedGrowth, PackedMap } from "../../src/memory/packed-map.ts";
import { PackedWriter } from "../../src/memory/packed-writer.ts";
import { seed } from "../dns/arbitraries.ts";
import { keyOf, put, refOf, remove, told } from "./keyed.ts";

type Change =
  | { readonly kind: "put"; readonly key: string; readonly tag: number; readonly value: Uint8Array }
  | { readonly kind: "delete"; readonly key: string }
  | { readonly kind: "tag"; readonly key: string; readonly tag: number };

// Keys of every length up to the longest name; few enough that a key comes again.
const keys = fc.integer({ min: 1, max: 60 }).map((number) => {
  const length = number % 7 === 0 ? 249 + Math.floor(number / 10) : number;
  return `${number}`.padEnd(length, "abcdefg").slice(0, Math.max(length, `${number}`.length));
});
const values = fc.oneof(
  { weight: 8, arbitrary: fc.uint8Array({ maxLength: 40 }) },
  // Larger than a first segment, so that another one is needed at once.
  { weight: 1, arbitrary: fc.integer({ min: 200, max: 9000 }).map((size) => filled(size)) },
);
const tags = fc.integer({ min: 0, max: 0x7fffffff });
const changes: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant("put"), key: keys, tag: tags, value: values }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("delete"), key: keys }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("tag"), key: keys, tag: tags }) },
);

describe("a packed map", () => {
  it("holds what a Map holds after each change, for its writer and for readers", () => {
    fc.assert(
      fc.property(fc.array(changes, { maxLength: 120, size: "max" }), (list) => {
        const { writer, reader } = readWriter();
        const plain = new Map<string, { tag: number; value: Uint8Array }>();
        for (const change of list) {
          apply(writer, plain, change);
          expect(writer.size).to.equal(plain.size);
          for (const map of [writer, reader, new PackedMap(writer.image())]) {
            expectRecord(map, plain, change.key);
          }
        }
        const all = [...plain].map(([key, each]) => toldPlain(key, each));
        for (const map of [writer, reader]) {
          expect([...map.refs()].map((ref) => told(map, ref))).to.have.members(all);
        }
      }),
      { seed, numRuns: 150 },
    );
  });

  it("holds 20,000 records over many segments and indexes, of which half are deleted again", () => {
    const { writer, reader, growths } = readWriter();
    const count = 20_000;
    for (let number = 0; number < count; number++) {
      put(writer, `key-${number}`, number, filled(number % 97, number));
    }
    for (let number = 0; number < count; number += 2) remove(writer, `key-${number}`);
    expect(writer.size).to.equal(count / 2);
    for (const map of [writer, reader]) {
      for (let number = 0; number < count; number++) {
        const ref = refOf(map, `key-${number}`);
        const each = { tag: number, value: filled(number % 97, number) };
        const expected = number % 2 === 0 ? undefined : toldPlain(`key-${number}`, each);
        expect(ref === 0 ? undefined : told(map, ref)).to.equal(expected);
      }
      expect([...map.refs()]).to.have.length(count / 2);
    }
    expect(growths.filter((growth) => "segment" in growth).length).to.be.above(3);
    expect(growths.filter((growth) => "index" in growth).length).to.be.above(8);
  });

  it("tells keys apart whose hashes are equal", () => {
    const { writer, reader } = readWriter();
    const texts = ["one", "two", "twos", "t"];
    for (const [tag, text] of texts.entries()) {
      const { words, length } = keyOf(text);
      writer.put(words, length, 7, tag, filled(tag), tag);
    }
    const two = keyOf("two");
    writer.delete(two.words, two.length, 7);
    for (const [tag, text] of texts.entries()) {
      const { words, length } = keyOf(text);
      const ref = reader.find(words, length, 7);
      expect(ref === 0 ? undefined : reader.tagOf(ref)).to.equal(text === "two" ? undefined : tag);
    }
  });

  it("refuses a record that no segment could hold", () => {
    const writer = new PackedWriter();
    expect(() => put(writer, "large", 0, new Uint8Array(4 * 1024 * 1024))).to.throw(
      RangeError,
      "cannot store a record: more than 4 MiB, got ",
    );
    put(writer, "small", 1, filled(3));
    expect(told(writer, refOf(writer, "small"))).to.equal("small 1 030303");
  });

  it("holds the largest record that a segment can hold", () => {
    const { writer, reader } = readWriter();
    const value = filled(4 * (2 ** 20 - 20), 9);
    put(writer, "large", 1, value);
    expect(Buffer.compare(reader.valueOf(refOf(reader, "large")), value)).to.equal(0);
  });

  it("counts its publication up with each change, and not where nothing changes", () => {
    const { writer, reader } = readWriter();
    const steps: [change: () => unknown, isChange: boolean][] = [
      [() => put(writer, "a", 1, filled(5)), true],
      [() => put(writer, "a", 1, filled(5)), false],
      [() => put(writer, "a", 1, filled(6)), true],
      [() => put(writer, "a", 2, filled(6)), true],
      [() => writer.setTag(refOf(writer, "a"), 3), true],
      [() => remove(writer, "b"), false],
      [() => remove(writer, "a"), true],
      [() => remove(writer, "a"), false],
    ];
    for (const [index, [change, isChange]] of steps.entries()) {
      const before = reader.publication;
      change();
      expect(reader.publication > before, `step ${index}`).to.equal(isChange);
    }
  });
});

describe("a record's revision", () => {
  it("changes with the record, and is never at one place what it was there before", () => {
    const steps = fc.array(changes, { maxLength: 200, size: "max" });
    fc.assert(
      fc.property(steps, (list) => {
        const { writer, reader } = readWriter();
        const plain = new Map<string, { tag: number; value: Uint8Array }>();
        const seen = new Map<number, { former: Set<number>; revision: number; told: string }>();
        for (const change of list) {
          apply(writer, plain, change);
          for (const ref of reader.refs()) {
            const revision = reader.revisionOf(ref);
            const text = told(reader, ref);
            const known = seen.get(ref) ?? { former: new Set(), revision, told: text };
            if (known.revision === revision) {
              expect(text).to.equal(known.told);
            } else {
              known.former.add(known.revision);
              expect(known.former.has(revision), "a former revision").to.equal(false);
            }
            seen.set(ref, { former: known.former, revision, told: text });
          }
        }
      }),
      { seed, numRuns: 50 },
    );
  });

  const marks = epochMarks(1);
  const ends: { name: string; end: (writer: PackedWriter) => void }[] = [
    { name: "is replaced", end: (writer) => put(writer, "a", 1, filled(9)) },
    { name: "gets another tag by put", end: (writer) => put(writer, "a", 2, filled(4)) },
    {
      name: "gets another tag in its place",
      end: (writer) => writer.setTag(refOf(writer, "a"), 2),
    },
    { name: "is deleted", end: (writer) => remove(writer, "a") },
    {
      name: "is deleted, and others are put where it was",
      end: (writer) => {
        remove(writer, "a");
        for (let number = 0; number < 50; number++) put(writer, "b", number, filled(4));
      },
    },
  ];
  for (const { name, end } of ends) {
    it(`is another when the record ${name}`, () => {
      const writer = new PackedWriter();
      const reader = new PackedMap(writer.share(marks));
      const ref = put(writer, "a", 1, filled(4));
      const revision = reader.revisionOf(ref);
      put(writer, "other", 1, filled(4));
      expect(reader.revisionOf(ref)).to.equal(revision);
      end(writer);
      expect(reader.revisionOf(ref)).to.not.equal(revision);
    });
  }
});

/** A writer, and a reader that takes growth up as it is told of it. */
function readWriter(): { writer: PackedWriter; reader: PackedMap; growths: PackedGrowth[] } {
  const growths: PackedGrowth[] = [];
  const readers: PackedMap[] = [];
  const writer = new PackedWriter({
    onGrowth: (growth) => {
      growths.push(growth);
      for (const reader of readers) reader.grow(growth);
    },
  });
  const reader = new PackedMap(writer.share(epochMarks(1)));
  readers.push(reader);
  return { writer, reader, growths };
}

function apply(
  writer: PackedWriter,
  plain: Map<string, { tag: number; value: Uint8Array }>,
  change: Change,
): void {
  const { key } = change;
  if (change.kind === "put") {
    put(writer, key, change.tag, change.value);
    plain.set(key, change);
  } else if (change.kind === "delete") {
    expect(remove(writer, key)).to.equal(plain.delete(key));
  } else {
    const ref = refOf(writer, key);
    const former = plain.get(key);
    if (ref !== 0) writer.setTag(ref, change.tag);
    if (former) plain.set(key, { ...former, tag: change.tag });
  }
}

function expectRecord(
  map: PackedMap,
  plain: ReadonlyMap<string, { tag: number; value: Uint8Array }>,
  key: string,
): void {
  const expected = plain.get(key);
  const ref = refOf(map, key);
  expect(ref === 0 ? undefined : told(map, ref)).to.equal(expected && toldPlain(key, expected));
}

function toldPlain(key: string, { tag, value }: { tag: number; value: Uint8Array }): string {
  return `${key} ${tag} ${Buffer.from(value).toString("hex")}`;
}

/** So many octets, each of this value or, if none is given, of the count's. */
function filled(count: number, octet = count): Uint8Array {
  return new Uint8Array(count).fill(octet & 0xff);
}
