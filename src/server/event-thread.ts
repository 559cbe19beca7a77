// A data plane thread with an event loop: TCP, and UDP too where that is not answered in batches.
// It answers from the last state that it was given, whatever becomes of the control plane. Does I/O.

import { parentPort, workerData } from "node:worker_threads";
import { answeringThread } from "./answering-thread.ts";
import { type ConnectionHeir, type GivenConnection, sendConnections } from "./given-connections.ts";
import { type BoundListener, formatListenAddress, type ListenAddress } from "./listener.ts";
import type { EventThreadStart, TcpPlace, ThreadOrder } from "./messages.ts";
import { doorOf } from "./query-counts.ts";
import type { Responder } from "./responder.ts";
import { ConnectionCount, type LeavePlan, listenTcp, type TcpListener } from "./tcp.ts";
import { descriptorOf, type EndingCalls } from "./tcp-connection.ts";
import { tcpDescriptors } from "./tcp-descriptors.ts";
import { listenUdp } from "./udp-dgram.ts";

/** How often two ports that the system chooses may differ between UDP and TCP before it is given up. */
const portTries = 20;

const start: EventThreadStart = workerData;
const now = (): number => Math.floor(Date.now() / 1000);
// An order may come while a query of a connection is being answered, and waits until that is done.
const thread = answeringThread(start, now, (order) => void setImmediate(obey, order));
const { say, fault, take, tap } = thread;
const { counter } = thread;
const { note } = thread.responder;
const connections = new ConnectionCount((change) => counter.connection(change));
counter.forgetConnections();
const listeners: (BoundListener | TcpListener)[] = [];
let isLeaving = false;
let heir: ConnectionHeir | undefined;
let listened: Promise<void> | undefined;

parentPort?.on("message", take);

if (start.isHeld) say({ kind: "listening", addresses: [] });
else listened = listenAll();

function obey(order: ThreadOrder): void {
  switch (order.kind) {
    case "listen":
      listened = listenAll();
      break;
    case "adopt":
      void adopt(order.connections);
      break;
    case "leave":
      isLeaving = true;
      heir = order.heir;
      break;
    case "stop":
      void stop();
  }
}

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

/** Goes on with connections as soon as it listens; none of them is left open. */
async function adopt(connections: readonly GivenConnection[]): Promise<void> {
  await listened;
  for (const { place, descriptor, octets } of connections) {
    const listener = listeners.find(
      (each): each is TcpListener => "adopt" in each && formatListenAddress(each.address) === place,
    );
    try {
      if (!listener) throw new Error(`cannot go on with a connection: none listens on ${place}`);
      listener.adopt(descriptor, octets);
    } catch (error) {
      tcpDescriptors().close(descriptor);
      fault(error);
    }
  }
}

/** How a listener is left: its connections go to the heir, if that listens there too. */
function leavePlan({ address }: BoundListener): LeavePlan {
  const place = formatListenAddress(address);
  const file = heir?.places.includes(place) ? heir.file : undefined;
  const { cork, shutDown } = tcpDescriptors();
  const of =
    (call: (descriptor: number) => void): EndingCalls["cork"] =>
    (socket) => {
      const descriptor = descriptorOf(socket);
      if (descriptor !== undefined) call(descriptor);
    };
  return {
    cork: of(cork),
    shutDown: of(shutDown),
    give:
      file === undefined
        ? undefined
        : (connections) =>
            sendConnections(
              file,
              connections.map(({ descriptor, octets }) => ({ place, descriptor, octets })),
            ),
  };
}

async function stop(): Promise<void> {
  await Promise.all(
    listeners.map((each) =>
      isLeaving && "leave" in each ? each.leave(leavePlan(each)) : each.stop(),
    ),
  );
  parentPort?.close();
}
