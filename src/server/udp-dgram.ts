// UDP over node:dgram: the listener that works everywhere. It hands each datagram to the
// responder and sends what comes back. It must not look inside a message. Does I/O.

import { createSocket, type Socket } from "node:dgram";
import { isIPv6 } from "node:net";
import type { BoundListener, ListenAddress } from "./listener.ts";
import { sourceAddress } from "./listener.ts";
import type { Responder } from "./responder.ts";

/** Octets that the kernel may hold for us in each direction; it grants what its limits allow. */
const socketBufferSize = 4 * 1024 * 1024;
/** While stopping: how long no datagram may come before the socket is closed, and at most. */
const quietMs = 20;
const drainMs = 500;

/** Binds and answers until stopped. Rejects with the system's error if it cannot bind. */
export async function listenUdp(
  { address, port }: ListenAddress,
  responder: Responder,
  onError: (error: Error) => void,
): Promise<BoundListener> {
  const socket = createSocket(
    isIPv6(address) ? { type: "udp6", ipv6Only: true } : { type: "udp4" },
  );
  await new Promise<void>((resolve, reject) => {
    socket.once("error", reject);
    socket.bind({ address, port, exclusive: true }, () => {
      socket.off("error", reject);
      resolve();
    });
  });
  socket.on("error", onError);
  enlargeBuffers(socket, onError);
  let lastMessageAt = 0;
  socket.on("message", (octets, { address: source, port: sourcePort }) => {
    lastMessageAt = performance.now();
    const received = {
      octets,
      source: sourceAddress(source),
      sourcePort,
      transport: "udp" as const,
    };
    const response = responder.respond(received);
    if (response) {
      socket.send(response, sourcePort, source, (error) => {
        if (error) onError(error);
      });
    }
  });
  return {
    address: { address, port: socket.address().port },
    stop: () => drain(socket, () => lastMessageAt),
  };
}

/** Answers what the kernel still holds, then closes. */
async function drain(socket: Socket, lastMessageAt: () => number): Promise<void> {
  const started = performance.now();
  const isBusy = (): boolean => {
    const now = performance.now();
    return now - Math.max(started, lastMessageAt()) < quietMs && now - started < drainMs;
  };
  while (isBusy()) {
    // After a long pause of the thread its timers come first: what waits must be read before it counts.
    await new Promise((resolve) => setTimeout(() => setImmediate(resolve), quietMs / 2));
  }
  await new Promise<void>((resolve) => socket.close(resolve));
}

function enlargeBuffers(socket: Socket, onError: (error: Error) => void): void {
  try {
    socket.setRecvBufferSize(socketBufferSize);
    socket.setSendBufferSize(socketBufferSize);
  } catch (error) {
    onError(error instanceof Error ? error : new Error(String(error)));
  }
}
