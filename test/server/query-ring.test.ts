// The ring against a plain queue of the same records, over any schedule of writing and reading, and
// between two real threads. Starts worker threads.

import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { expect } from "chai";
import fc from "fast-check";
import { createRing, RingReader, RingWriter } from "../../src/server/query-ring.ts";
import {
  isWholeRecord,
  WriterSignal,
  type WriterStart,
  writeNumbered,
} from "./query-numbered-record.ts";

const ringSize = 256;

/** What may happen to a ring. */
type Step =
  | { readonly kind: "write"; readonly length: number }
  | { readonly kind: "read"; readonly most: number }
  /** The thread dies in the midst of a record, and another one takes its place. */
  | { readonly kind: "die"; readonly length: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("write"), length: fc.nat(124) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("read"), most: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("die"), length: fc.nat(124) }) },
);

describe("a ring of queries", () => {
  it("gives each record that it took once, whole and in order, and counts the others", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const ring = createRing(ringSize);
        const reader = new RingReader(ring);
        let writer = new RingWriter(ring);
        const queue: number[] = [];
        let taken = 0;
        let number = 0;
        let refused = 0;
        let died = 0;
        for (const each of steps) {
          if (each.kind === "write") {
            if (writeNumbered(writer, number, each.length)) queue.push(number);
            else refused++;
            number++;
          } else if (each.kind === "die") {
            const at = writer.reserve(each.length);
            writer.octets.fill(0xff, Math.max(at, 0), Math.max(at, 0) + (at < 0 ? 0 : each.length));
            if (at < 0) refused++;
            else died++;
            writer = new RingWriter(ring);
          } else {
            const waiting = queue.length;
            const seen = readNumbers(reader, each.most);
            expect(seen).to.deep.equal(queue.splice(0, seen.length));
            expect(seen.length).to.equal(Math.min(each.most, waiting));
            taken += seen.length;
          }
        }
        const rest = readNumbers(reader, Number.POSITIVE_INFINITY);
        expect(rest).to.deep.equal(queue);
        expect(reader.dropped).to.equal(refused);
        expect(reader.offered).to.equal(taken + rest.length + refused + died);
      }),
    );
  });

  it("has room for any record of up to half of it while nothing waits", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(ringSize / 2 - 8), { maxLength: 100 }), (lengths) => {
        const ring = createRing(ringSize);
        const reader = new RingReader(ring);
        const writer = new RingWriter(ring);
        for (const [number, length] of lengths.entries()) {
          expect(writeNumbered(writer, number, length)).to.equal(true);
          expect(readNumbers(reader, 1)).to.deep.equal([number]);
        }
        expect(reader.dropped).to.equal(0);
      }),
    );
  });

  it("goes on where its counts of octets and records wrap", () => {
    const ring = createRing(ringSize);
    // Octets written, octets read, records offered, records dropped.
    new Int32Array(ring, 0, 4).fill(-64);
    const [before, writer, reader] = [
      new RingReader(ring),
      new RingWriter(ring),
      new RingReader(ring),
    ];
    const { offered, dropped } = before;
    for (let number = 0; number < 1000; number++) {
      expect(writeNumbered(writer, number, number % 60)).to.equal(true);
      expect(readNumbers(reader, 2)).to.deep.equal([number]);
    }
    for (let number = 0; number < 100; number++) writeNumbered(writer, number, 1000);
    expect(before.offered - offered).to.equal(1100);
    expect(before.dropped - dropped).to.equal(100);
  });

  it("does not offer a record again that its reader could not take", () => {
    const ring = createRing(ringSize);
    const reader = new RingReader(ring);
    const writer = new RingWriter(ring);
    for (let number = 0; number < 3; number++) writeNumbered(writer, number, 8);
    const fail = (): void => {
      throw new Error("cannot take it");
    };
    expect(() => reader.read(3, fail)).to.throw("cannot take it");
    expect(readNumbers(reader, 3)).to.deep.equal([1, 2]);
    for (let number = 0; number < 20; number++) {
      writeNumbered(writer, number, 40);
      expect(readNumbers(reader, 1)).to.deep.equal([number]);
    }
  });

  it("tells its writer of each change of the share", () => {
    const ring = createRing(ringSize);
    const writer = new RingWriter(ring);
    const reader = new RingReader(ring);
    const first = writer.shareChanges;
    expect(writer.share).to.equal(0);
    reader.setShare(0.25);
    expect(writer.share).to.equal(0.25);
    const second = writer.shareChanges;
    expect(second).not.to.equal(first);
    reader.setShare(0.25);
    expect(writer.shareChanges, "nothing changed").to.equal(second);
  });

  it("refuses sizes that are no power of two", () => {
    for (const octets of [0, 32, 100, 65]) {
      expect(() => createRing(octets)).to.throw(
        `cannot make a ring: its octets are no power of two from 64, got ${octets}`,
      );
    }
  });
});

describe("a ring between two threads", () => {
  it("loses and tears nothing, but for what it counts, while now one is ahead, now the other", async () => {
    const ring = createRing(4096);
    const reader = new RingReader(ring);
    const signals = new Int32Array(new SharedArrayBuffer(8));
    const thread = new Worker(new URL("./query-writer-thread.mjs", import.meta.url), {
      workerData: { ring, signals } satisfies WriterStart,
    });
    const exited = once(thread, "exit");
    let last = -1;
    let read = 0;
    let torn = 0;
    let disordered = 0;
    const readSome = (most: number): number =>
      reader.read(most, (view, at, length) => {
        if (!isWholeRecord(view, at, length)) torn++;
        const number = view.getUint32(at);
        if (number <= last) disordered++;
        last = number;
        read++;
      });
    const deadline = performance.now() + 20_000;
    // Without the event loop: so the writer is met in the midst of its records.
    while ((read < 10_000 || reader.dropped < 1000) && performance.now() < deadline) readSome(5);
    Atomics.store(signals, WriterSignal.STOP, 1);
    expect(await exited).to.deep.equal([0]);
    readSome(Number.POSITIVE_INFINITY);
    expect({ torn, disordered }).to.deep.equal({ torn: 0, disordered: 0 });
    expect(read).to.be.at.least(10_000);
    expect(reader.dropped).to.be.at.least(1000);
    const offered = Atomics.load(signals, WriterSignal.OFFERED);
    expect(reader.offered).to.equal(offered);
    expect(read + reader.dropped).to.equal(offered);
  });
});

/** The numbers of at most so many records, each of which must be whole. */
function readNumbers(reader: RingReader, most: number): number[] {
  const numbers: number[] = [];
  reader.read(most, (view, at, length) => {
    expect(isWholeRecord(view, at, length)).to.equal(true);
    numbers.push(view.getUint32(at));
  });
  return numbers;
}
