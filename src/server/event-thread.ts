// A data plane thread with an event loop: TCP, and UDP too where that is not answered in batches.
// It answers from the last state that it was given, whatever becomes of the control plane. Does I/O.

import { parentPort, workerData } from "node:worker_threads";
import { answeringThread } from "./answering-thread.ts";
import type { BoundListener, ListenAddress } from "./listener.ts";
import type { EventThreadStart, TcpPlace, ToThread } from "./messages.ts";
import { doorOf } from "./query-counts.ts";
import type { Responder } from "./responder.ts";
import { ConnectionCount, type EndingCalls, listenTcp, type TcpListener } from "./tcp.ts";
import { tcpDescriptors } from "./tcp-descriptors.ts";
import { listenUdp } from "./udp-dgram.ts";

/** How often two ports that the system chooses may differ between UDP and TCP before it is given up. */
const portTries = 20;

const start: EventThreadStart = workerData;
const now = (): number => Math.floor(Date.now() / 1000);
const thread = answeringThread(start, now, () => void stop());
const { say, fault, take, tap } = thread;
const { counter } = thread;
const { note } = thread.responder;
const connections = new ConnectionCount((change) => counter.connection(change));
counter.forgetConnections();
const listeners: (BoundListener | TcpListener)[] = [];
let isLeaving = false;

parentPort?.on("message", (message: ToThread) => {
  if (message.kind === "listen") void listenAll();
  else if (message.kind === "leave") isLeaving = true;
  else take(message);
});

if (start.isHeld) say({ kind: "listening", addresses: [] });
else void listenAll();

async function listenAll(): Promise<void> {
  const addresses: ListenAddress[] = [];
  for (const [listener, address] of start.listen.entries()) {
    const responder = responderOf(listener);
    const listen = start.hasUdp ? listenBoth : listenTcpOnly;
    try {
      addresses.push(await listen(address, responder));
    } catch (error) {
      // Nobody waits to hear it then; the next thread tries again.
      if (start.isHeld) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      say({ kind: "cannot-listen", address, reason });
      return;
    }
  }
  say({ kind: "listening", addresses });
}

/** What answers the queries of one listener. */
function responderOf(listener: number): Pick<Responder, "respond"> {
  return {
    respond: (received) => {
      const isTimed = counter.isTimed();
      const startMs = isTimed ? performance.now() : 0;
      thread.enter();
      const response = thread.responder.respond(received);
      thread.leave();
      const { source, transport } = received;
      const door = doorOf(listener, transport);
      counter.received(door, 1);
      if (!response) {
        counter.silent(1);
        return undefined;
      }
      counter.answered(door, note);
      // By then the socket's own code has handed the response to the kernel.
      if (isTimed) queueMicrotask(() => counter.took((performance.now() - startMs) / 1000, 1));
      if (tap?.isDue()) {
        const family = source.length === 4 ? 4 : 6;
        tap.take(response, 0, response.length, source, 0, family, listener, transport, note);
      }
      return response;
    },
  };
}

async function listenTcpOnly(
  wanted: TcpPlace,
  responder: Pick<Responder, "respond">,
): Promise<ListenAddress> {
  const tcp = await listenTcp(wanted, responder, fault, connections);
  listeners.push(tcp);
  return tcp.address;
}

/** UDP and TCP on one port, the same for both if the system chooses it. */
async function listenBoth(
  wanted: ListenAddress,
  responder: Pick<Responder, "respond">,
): Promise<ListenAddress> {
  for (let tries = 1; ; tries++) {
    const udp = await listenUdp(wanted, responder, fault, onSendFailure);
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

function onSendFailure(error: Error): void {
  counter.sendFailed();
  fault(error);
}

/** The system's, for sockets of node: it tells their descriptors, though its types do not say so. */
function endingCalls(): EndingCalls {
  const { cork, shutDown } = tcpDescriptors();
  const of = (call: (descriptor: number) => void) => (socket: object) => {
    const handle: unknown = Reflect.get(socket, "_handle");
    const descriptor: unknown =
      typeof handle === "object" && handle !== null ? Reflect.get(handle, "fd") : undefined;
    if (typeof descriptor === "number" && descriptor >= 0) call(descriptor);
  };
  return { cork: of(cork), shutDown: of(shutDown) };
}

async function stop(): Promise<void> {
  await Promise.all(
    listeners.map((each) =>
      isLeaving && "leave" in each ? each.leave(endingCalls()) : each.stop(),
    ),
  );
  parentPort?.close();
}
