// Real threads that read while this one writes: no value is ever seen half, whatever memory is used
// again, and no key that stays is ever missing. Starts worker threads.

import { once } from "node:events";
import { MessageChannel, Worker } from "node:worker_threads";
import { expect } from "chai";
import { epochMarks } from "../../src/memory/epochs.ts";
import { PackedWriter } from "../../src/memory/packed-writer.ts";
import { Dice } from "../kit/dice.ts";
import { put, remove } from "./keyed.ts";
import { Count, type ReaderStart } from "./reader-counts.ts";
import { valueOfTag } from "./value-of-tag.ts";

const keys = ["a", "\x03www\x07example", "ccccccc", "d".repeat(250)];
const durationMs = 1000;

/** One change: number by number, as fast as may be. */
type Change = (writer: PackedWriter, tag: number, dice: Dice) => void;

const scenes: { name: string; mayBeAbsent: boolean; change: Change }[] = [
  {
    name: "records of a few keys are replaced",
    mayBeAbsent: false,
    change: (writer, tag) => put(writer, keyAt(tag), tag, valueOfTag(tag)),
  },
  {
    name: "records of a few keys are replaced and deleted",
    mayBeAbsent: true,
    change: (writer, tag, dice) => {
      if (dice.chance(0.3)) remove(writer, keyAt(tag));
      else put(writer, keyAt(tag), tag, valueOfTag(tag));
    },
  },
  {
    name: "records are replaced while index and segments grow for others",
    mayBeAbsent: false,
    change: (writer, tag) => {
      put(writer, keyAt(tag), tag, valueOfTag(tag));
      if (tag < 60_000) put(writer, `other-${tag}`, tag, valueOfTag(tag));
      // The index is made anew again and again for others that come and go.
      else put(writer, `other-${tag}`, tag, valueOfTag(1));
      if (tag >= 60_000) remove(writer, `other-${tag - 10}`);
    },
  },
];

describe("threads that read while another writes", () => {
  for (const { name, mayBeAbsent, change } of scenes) {
    it(`see each value whole while ${name}`, async () => {
      const { changes, counts } = await run(change);
      expect(changes).to.be.above(1000);
      for (const each of counts) {
        expect(each[Count.TORN], "torn").to.equal(0);
        expect(each[Count.WHOLE]).to.be.above(1000);
        expect(each[Count.CHANGED], "changes that were seen").to.be.above(20);
        if (mayBeAbsent) expect(each[Count.ABSENT]).to.be.above(0);
        else expect(each[Count.ABSENT], "absent").to.equal(0);
      }
    });
  }
});

/** Writes for a while beside two readers; what they counted. */
async function run(change: Change): Promise<{ changes: number; counts: Int32Array[] }> {
  const marks = epochMarks(2);
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const channels = [new MessageChannel(), new MessageChannel()];
  const writer = new PackedWriter({
    onGrowth: (growth) => {
      for (const { port1 } of channels) port1.postMessage(growth);
    },
  });
  for (const key of keys) put(writer, key, 0, valueOfTag(0));
  const image = writer.share(marks);
  const counts = channels.map(() => new Int32Array(new SharedArrayBuffer(Count.WORDS * 4)));
  const threads = channels.map(({ port2 }, thread) => {
    const own = counts[thread] ?? new Int32Array(Count.WORDS);
    const start: ReaderStart = { image, marks, thread, keys, growth: port2, stop, counts: own };
    return new Worker(new URL("./reader-thread.mjs", import.meta.url), {
      workerData: start,
      transferList: [port2],
    });
  });
  const ended = Promise.all(threads.map((thread) => once(thread, "exit")));
  let changes = 0;
  try {
    await Promise.all(threads.map((thread) => once(thread, "message")));
    const dice = new Dice(20261121);
    const end = performance.now() + durationMs;
    while (performance.now() < end) {
      for (let count = 0; count < 100; count++) change(writer, ++changes, dice);
    }
  } finally {
    Atomics.store(stop, 0, 1);
    for (const { port1 } of channels) port1.close();
  }
  expect(await ended).to.deep.equal([[0], [0]]);
  return { changes, counts };
}

function keyAt(number: number): string {
  return keys[number % keys.length] ?? "";
}
