// UDP over node:dgram: the listener that works everywhere. It hands each datagram to the
// responder and sends what comes back. It must not look inside a message. Does I/O.

import { createSocket, type Socket } from "node:dgram";
import { isIPv6 } from "node:net";
import type { BoundListener, ListenAddress } from "./listener.ts";
import { sourceAddress } from "./listener.ts";
import type { Responder } from "./responder.ts";

/** Octets that the kernel may hold for us in each direction; it grants what its limits allow. */
const socketBufferSize = 4 * 1024 * 1024;
/**
 * While stopping: the socket is closed after so many rounds without a datagram, and after so many
 * in all. Rounds and not a time, since a thread that was held up has read nothing meanwhile.
 */
const quietRounds = 2;
const mostRounds = 50;
const roundMs = 10;

/**
 * Binds and answers until stopped. Rejects with the system's error if it cannot bind.
 * @param onSendFailure told of each response that could not be sent.
 */
export async function listenUdp(
  { address, port }: ListenAddress,
  responder: Pick<Responder, "respond">,
  onError: (error: Error) => void,
  onSendFailure: (error: Error) => void = onError,
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
  let datagrams = 0;
  socket.on("message", (octets, { address: source, port: sourcePort }) => {
    datagrams++;
    const received = {
      octets,
      source: sourceAddress(source),
      sourcePort,
      transport: "udp" as const,
    };
    const response = responder.respond(received);
    if (response) {
      socket.send(response, sourcePort, source, (error) => {
        if (error) onSendFailure(error);
      });
    }
  });
  return {
    address: { address, port: socket.address().port },
    stop: () => drain(socket, () => datagrams),
  };
}

/** Answers what the kernel still holds, then closes. */
async function drain(socket: Socket, datagrams: () => number): Promise<void> {
  let quiet = 0;
  for (let round = 0; round < mostRounds && quiet < quietRounds; round++) {
    const before = datagrams();
    // Timers come first in a turn: between this one and the immediate the socket is read.
    await new Promise((resolve) => setTimeout(() => setImmediate(resolve), roundMs));
    quiet = datagrams() === before ? quiet + 1 : 0;
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
