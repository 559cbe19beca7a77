// The data plane's thread: listeners around one responder. It answers from the last snapshot that
// it was given, whatever becomes of the control plane. Does I/O.

import { parentPort, workerData } from "node:worker_threads";
import { FaultReport } from "./fault-report.ts";
import type { BoundListener, ListenAddress } from "./listener.ts";
import type { FromWorker, ToWorker, WorkerStart } from "./messages.ts";
import { Responder } from "./responder.ts";
import { ConnectionCount, listenTcp } from "./tcp.ts";
import { listenUdp } from "./udp-dgram.ts";

/** How often two ports that the system chooses may differ between UDP and TCP before it is given up. */
const portTries = 20;

const start: WorkerStart = workerData;
const say = (message: FromWorker): void => parentPort?.postMessage(message);
const faults = new FaultReport();
const fault = (error: unknown): void => {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const message = faults.add(text, performance.now());
  if (message !== undefined) say({ kind: "fault", message });
};

const now = (): number => Math.floor(Date.now() / 1000);
const responder = new Responder(start.snapshot, now, fault, Math.random);
const connections = new ConnectionCount();
const listeners: BoundListener[] = [];

parentPort?.on("message", (message: ToWorker) => {
  switch (message.kind) {
    case "snapshot":
      responder.use(message.snapshot);
      say({ kind: "using", sequence: message.sequence });
      break;
    case "stop":
      void stop();
      break;
  }
});

void listenAll();

async function listenAll(): Promise<void> {
  const addresses: ListenAddress[] = [];
  for (const address of start.listen) {
    try {
      addresses.push(await listenBoth(address));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      say({ kind: "cannot-listen", address, reason });
      return;
    }
  }
  say({ kind: "listening", addresses });
}

/** UDP and TCP on one port, the same for both if the system chooses it. */
async function listenBoth(wanted: ListenAddress): Promise<ListenAddress> {
  for (let tries = 1; ; tries++) {
    const udp = await listenUdp(wanted, responder, fault);
    try {
      const tcp = await listenTcp(udp.address, responder, fault, connections);
      listeners.push(udp, tcp);
      return udp.address;
    } catch (error) {
      await udp.stop();
      if (wanted.port !== 0 || tries === portTries) throw error;
    }
  }
}

async function stop(): Promise<void> {
  await Promise.all(listeners.map((listener) => listener.stop()));
  parentPort?.close();
}
