// Memory that was replaced is used again when no reader is left that could be in it, and not
// before; then it is really used again.

import { expect } from "chai";
import { clearMark, epochMarks, oldestReader, ReaderEpoch } from "../../src/memory/epochs.ts";
import { ControlWord, PackedMap } from "../../src/memory/packed-map.ts";
import { PackedWriter } from "../../src/memory/packed-writer.ts";
import { put, refOf, remove, told } from "./keyed.ts";

describe("marks of readers", () => {
  it("tell the oldest publication that anybody reads in, and none when nobody reads", () => {
    const marks = epochMarks(3);
    const [first, second] = [new ReaderEpoch(marks, 0), new ReaderEpoch(marks, 2)];
    expect(oldestReader(marks)).to.equal(undefined);
    first.enter(7);
    expect(oldestReader(marks)).to.equal(7);
    second.enter(5);
    expect(oldestReader(marks)).to.equal(5);
    second.leave();
    expect(oldestReader(marks)).to.equal(7);
    first.enter(9);
    expect(oldestReader(marks)).to.equal(9);
    first.leave();
    expect(oldestReader(marks)).to.equal(undefined);
  });

  it("are cleared of a thread that has ended while it read", () => {
    const marks = epochMarks(2);
    new ReaderEpoch(marks, 1).enter(3);
    clearMark(marks, 1);
    expect(oldestReader(marks)).to.equal(undefined);
  });
});

describe("memory of records that were replaced", () => {
  it("is left as it was for a reader that may be in it", () => {
    const { writer, map, epoch } = shared();
    put(writer, "a", 1, octets(1));
    epoch.enter(map.publication);
    const ref = refOf(map, "a");
    for (let number = 2; number < 200; number++) {
      put(writer, "a", number, octets(number));
      put(writer, `b-${number}`, number, octets(number));
      if (number % 2 === 0) remove(writer, `b-${number}`);
      expect(told(map, ref)).to.equal("a 1 01010101");
    }
    expect(writer.retiredBlocks).to.be.above(190);
  });

  for (const start of [0x7fffffe0, -0x20]) {
    it(`is left as it was also where publications are counted around, from ${start}`, () => {
      const { writer, map, marks } = shared(2);
      const [stays, moves] = [new ReaderEpoch(marks, 0), new ReaderEpoch(marks, 1)];
      Atomics.store(writer.control, ControlWord.PUBLICATION, start);
      for (let entered = 0; entered < 40; entered++) {
        put(writer, "a", entered, octets(1));
        stays.enter(map.publication);
        const ref = refOf(map, "a");
        for (let number = 0; number < 40; number++) {
          moves.enter(map.publication);
          put(writer, "a", 1000 + number, octets(number + 2));
          moves.leave();
          expect(told(map, ref)).to.equal(`a ${entered} 01010101`);
        }
        stays.leave();
        put(writer, "b", entered, octets(3));
        remove(writer, "b");
        expect(writer.retiredBlocks).to.equal(0);
        // Back, so that a reader enters at each of the numbers around.
        Atomics.store(writer.control, ControlWord.PUBLICATION, (start + entered * 2) | 0);
      }
    });
  }

  it("is left for the oldest of several readers, though the others have moved on", () => {
    const { writer, map, marks } = shared(2);
    const [stays, moves] = [new ReaderEpoch(marks, 0), new ReaderEpoch(marks, 1)];
    put(writer, "a", 1, octets(1));
    stays.enter(map.publication);
    const ref = refOf(map, "a");
    for (let number = 2; number < 50; number++) {
      moves.enter(map.publication);
      put(writer, "a", number, octets(number));
      moves.leave();
      expect(told(map, ref)).to.equal("a 1 01010101");
    }
    stays.leave();
    put(writer, "a", 50, octets(50));
    expect(writer.retiredBlocks).to.equal(0);
  });

  it("is used again as soon as its reader has left", () => {
    const { writer, map, epoch } = shared();
    const ref = put(writer, "a", 1, octets(1));
    epoch.enter(map.publication);
    put(writer, "a", 2, octets(2));
    expect(put(writer, "b", 3, octets(3))).to.not.equal(ref);
    expect(writer.retiredBlocks).to.equal(1);
    epoch.leave();
    remove(writer, "b");
    expect(writer.retiredBlocks).to.equal(0);
    const places = [4, 5, 6].map((number) => put(writer, `c${number}`, number, octets(number)));
    expect(places).to.include(ref);
  });

  it("is not held by a reader that came after it was replaced", () => {
    const { writer, map, epoch } = shared();
    put(writer, "a", 1, octets(1));
    for (let number = 2; number < 10; number++) {
      put(writer, "a", number, octets(number));
      epoch.enter(map.publication);
    }
    // The last one may be held: its reader entered after it, which only the next change tells.
    expect(writer.retiredBlocks).to.be.at.most(1);
  });

  const churns: { name: string; change: (writer: PackedWriter, number: number) => void }[] = [
    {
      name: "puts of a few keys",
      change: (writer, number) => put(writer, `a${number % 10}`, 0, octets(number)),
    },
    {
      name: "puts of a few keys with values of many sizes",
      change: (writer, number) =>
        put(writer, `a${number % 10}`, number, new Uint8Array((number * 37) % 700)),
    },
    {
      name: "puts and deletes of ever new keys",
      change: (writer, number) => {
        put(writer, `n${number}`, 0, octets(number));
        remove(writer, `n${number - 10}`);
      },
    },
  ];
  for (const { name, change } of churns) {
    it(`is enough for 100,000 ${name} beside a reader that comes and goes`, () => {
      const { writer, map, epoch } = shared();
      for (let number = 0; number < 5_000; number++) change(writer, number);
      const { segments } = writer.image();
      for (let number = 5_000; number < 105_000; number++) {
        if (number % 10 === 0) epoch.enter(map.publication);
        change(writer, number);
        if (number % 10 === 5) epoch.leave();
      }
      expect(writer.image().segments).to.have.length(segments.length);
      expect(writer.image().index.length).to.be.at.most(256);
    });
  }
});

function shared(threads = 1): {
  writer: PackedWriter;
  map: PackedMap;
  marks: Int32Array;
  epoch: ReaderEpoch;
} {
  const readers: PackedMap[] = [];
  const writer = new PackedWriter({
    onGrowth: (growth) => {
      for (const reader of readers) reader.grow(growth);
    },
  });
  const marks = epochMarks(threads);
  const map = new PackedMap(writer.share(marks));
  readers.push(map);
  return { writer, map, marks, epoch: new ReaderEpoch(marks, 0) };
}

/** Four octets of this value. */
function octets(value: number): Uint8Array {
  return new Uint8Array(4).fill(value & 0xff);
}
