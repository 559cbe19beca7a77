// A data plane thread that answers UDP in batches, on sockets that the control plane opened and
// will close. It never returns to its event loop while it answers. Does I/O.

import { parentPort, workerData } from "node:worker_threads";
import { answeringThread } from "./answering-thread.ts";
import { linuxSockets } from "./linux-sockets.ts";
import type { BatchThreadStart } from "./messages.ts";
import { answerInBatches } from "./udp-batch.ts";

const start: BatchThreadStart = workerData;
let nowSeconds = 0;
const { responder, say, takeMail, enter, leave, counter, tap } = answeringThread(
  start,
  () => nowSeconds,
);

// A thread that is ended while koffi is being loaded takes the whole process with it: so that comes first.
const calls = linuxSockets();
say({ kind: "listening", addresses: [] });
answerInBatches({
  calls,
  sockets: start.sockets,
  responder,
  signals: start.signals,
  counts: start.counts,
  counter,
  tap,
  onMail: takeMail,
  roundStart: () => {
    nowSeconds = Math.floor(Date.now() / 1000);
    enter();
  },
  roundEnd: leave,
  nowMs: () => performance.now(),
});
parentPort?.close();
