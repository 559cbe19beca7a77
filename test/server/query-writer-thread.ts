// A thread that writes numbered records into a ring until it is told to stop: a thousand as fast as
// it can, a thousand with pauses, and so on. It must not know who reads.

import { workerData } from "node:worker_threads";
import { RingWriter } from "../../src/server/query-ring.ts";
import { WriterSignal, type WriterStart, writeNumbered } from "./query-numbered-record.ts";

const { ring, signals }: WriterStart = workerData;
const writer = new RingWriter(ring);
const pauseSteps = 2000;
let steps = 0;
let number = 0;
for (; Atomics.load(signals, WriterSignal.STOP) === 0; number++) {
  const isSlow = number % 2000 < 1000;
  for (const end = steps + (isSlow ? pauseSteps : 0); steps < end; steps++);
  writeNumbered(writer, number, number % 97);
}
Atomics.store(signals, WriterSignal.OFFERED, number);
