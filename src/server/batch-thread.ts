// A data plane thread that answers UDP in batches, on sockets that the control plane opened and
// will close. It never returns to its event loop while it answers. Does I/O.

import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { answeringThread } from "./answering-thread.ts";
import { linuxSockets } from "./linux-sockets.ts";
import type { BatchThreadStart, ToThread } from "./messages.ts";
import { answerInBatches } from "./udp-batch.ts";

const start: BatchThreadStart = workerData;
let nowSeconds = 0;
const { responder, say, take } = answeringThread(start, () => nowSeconds);

say({ kind: "listening", addresses: [] });
answerInBatches({
  calls: linuxSockets(),
  sockets: start.sockets,
  responder,
  signals: start.signals,
  counts: start.counts,
  onMail: takeMail,
  roundStart: () => {
    nowSeconds = Math.floor(Date.now() / 1000);
  },
  roundEnd: () => undefined,
  nowMs: () => performance.now(),
});
parentPort?.close();

function takeMail(): void {
  if (!parentPort) return;
  for (;;) {
    const received: { message: ToThread } | undefined = receiveMessageOnPort(parentPort);
    if (!received) return;
    if (received.message.kind === "state") take(received.message);
  }
}
