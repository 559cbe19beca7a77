// One thread as the control plane sees it, with threads that say things in another order than those
// of the data plane mostly do. Starts threads.

import { Worker } from "node:worker_threads";
import { expect } from "chai";
import { SupervisedThread } from "../../src/server/supervised-thread.ts";
import { fuzzState } from "../fuzz/fuzz-state.ts";
import { imageOf } from "./served-image.ts";

/** Listens at once, or only after it took a state up. */
const script = `
  const { parentPort, workerData } = require("node:worker_threads");
  const listen = () => parentPort.postMessage({ kind: "listening", addresses: [] });
  if (workerData.isQuick) listen();
  parentPort.on("message", (message) => {
    if (message.kind === "stop") process.exit();
    parentPort.postMessage({ kind: "using", sequence: message.sequence });
    if (!workerData.isQuick) listen();
  });`;

/** Says whatever it is told. */
const endingScript = `
  const { parentPort } = require("node:worker_threads");
  parentPort.postMessage({ kind: "listening", addresses: [] });
  parentPort.on("message", ({ kind }) => {
    parentPort.postMessage({ kind: "fault", message: kind });
    setImmediate(() => parentPort.close());
  });`;

describe("a supervised thread", () => {
  it("notices that a state is answered from before a thread that was started anew listens", async () => {
    const image = imageOf((await fuzzState([])).snapshot);
    const workers: Worker[] = [];
    let isUsed: () => void = () => undefined;
    const used = new Promise<void>((resolve) => {
      isUsed = resolve;
    });
    const nothing = (): void => undefined;
    const thread = await SupervisedThread.start(
      {
        create: () => {
          const isQuick = workers.length === 0;
          const worker = new Worker(script, { eval: true, workerData: { isQuick } });
          workers.push(worker);
          // As soon as there is a thread to post to.
          if (!isQuick) setImmediate(() => thread.use(image).then(isUsed));
          return worker;
        },
        release: nothing,
        onPost: nothing,
        onStop: nothing,
        onFault: nothing,
        onRestart: nothing,
      },
      [{ address: "127.0.0.1", port: 0 }],
    );
    await workers[0]?.terminate();
    await used;
    await thread.stop();
    expect(workers).to.have.length(2);
  });

  it("is told once to end, however many wait for that", async () => {
    const told: string[] = [];
    const nothing = (): void => undefined;
    const thread = await SupervisedThread.start(
      {
        create: () => new Worker(endingScript, { eval: true }),
        release: nothing,
        onPost: nothing,
        onStop: nothing,
        onFault: (message) => told.push(message),
        onRestart: nothing,
      },
      [{ address: "127.0.0.1", port: 0 }],
    );
    await Promise.all([thread.stop(), thread.stop()]);
    await thread.stop();
    expect(told).to.deep.equal(["stop"]);
  });
});
