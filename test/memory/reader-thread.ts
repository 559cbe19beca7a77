// A thread that looks keys up in a map that another one changes, and counts what it sees. It must
// not know what is written when.

import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { ReaderEpoch } from "../../src/memory/epochs.ts";
import { type PackedGrowth, PackedMap } from "../../src/memory/packed-map.ts";
import { keyOf } from "./keyed.ts";
import { Count, type ReaderStart } from "./reader-counts.ts";
import { lengthOfTag } from "./value-of-tag.ts";

const { image, marks, thread, keys, growth, stop, counts }: ReaderStart = workerData;
const map = new PackedMap(image);
const epoch = new ReaderEpoch(marks, thread);
const known = keys.map(keyOf);
const former = new Map<number, number>();
parentPort?.postMessage("ready");

while (Atomics.load(stop, 0) === 0) {
  epoch.enter(map.publication);
  takeGrowth();
  for (const key of known) look(key);
  epoch.leave();
  Atomics.add(counts, Count.ROUNDS, 1);
}

function look({ words, length, hash }: (typeof known)[number]): void {
  let ref = map.find(words, length, hash);
  // It may lie in memory that this thread has not been told of yet.
  if (ref === 0 && takeGrowth()) ref = map.find(words, length, hash);
  if (ref === 0) {
    Atomics.add(counts, Count.ABSENT, 1);
    return;
  }
  if (former.get(hash) !== ref) Atomics.add(counts, Count.CHANGED, 1);
  former.set(hash, ref);
  // More than once, so that a change in the midst of reading is noticed.
  const tag = map.tagOf(ref);
  const isWhole = isOf(ref, tag, length) && isOf(ref, tag, length);
  Atomics.add(counts, isWhole ? Count.WHOLE : Count.TORN, 1);
}

/** The key is the one asked for, and every octet of the value is that of the tag, so many as it says. */
function isOf(ref: number, tag: number, keyLength: number): boolean {
  const octets = map.octetsOf(ref);
  const start = map.valueAt(ref);
  const length = map.valueLengthOf(ref);
  if (map.keyLengthOf(ref) !== keyLength || length !== lengthOfTag(tag)) return false;
  for (let at = start; at < start + length; at++) if (octets[at] !== (tag & 0xff)) return false;
  return map.tagOf(ref) === tag;
}

function takeGrowth(): boolean {
  let isAny = false;
  for (let told = receiveMessageOnPort(growth); told; told = receiveMessageOnPort(growth)) {
    const more: PackedGrowth = told.message;
    map.grow(more);
    isAny = true;
  }
  return isAny;
}
