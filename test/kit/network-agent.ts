// A small process inside a network's node that asks and sends on behalf of a test outside, which
// orders it to by messages. It must not know what the answers should be. Does I/O.

import { createSocket } from "node:dgram";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { formatAddress } from "../../src/dns/address.ts";
import { query } from "./dns-client.ts";
import type { Answer, Order, Place } from "./network-client.ts";

process.on("message", (message: { id: number; order: Order }) => {
  const { id, order } = message;
  const reply = (answer: Answer): void => void process.send?.({ id, answer });
  obey(order).then(
    (value) => reply({ ok: true, value }),
    (error: unknown) => reply({ ok: false, reason: String(error) }),
  );
});
process.once("disconnect", () => process.exit(0));

async function obey(order: Order): Promise<unknown> {
  switch (order.do) {
    case "ask":
      return ask(order.place, order.name);
    case "connect":
      return tryToConnect(order.place, order.timeoutMs);
    case "listen":
      return listen(order.place);
    case "echo":
      return echo(order.place);
    case "flood":
      return flood(order.place, order.count);
  }
}

/** The IPv4 addresses of a name, sorted. */
async function ask(place: Place, name: string): Promise<string[]> {
  const { answers } = await query(place, name, "A");
  return answers.map(({ rdata }) => formatAddress(rdata)).sort();
}

async function tryToConnect({ address, port }: Place, timeoutMs: number): Promise<string> {
  const socket = connect({ host: address, port });
  const outcome = await new Promise<string>((resolve) => {
    socket.once("connect", () => resolve("connected"));
    socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    socket.setTimeout(timeoutMs, () => resolve("timeout"));
  });
  socket.destroy();
  return outcome;
}

async function listen({ address, port }: Place): Promise<void> {
  const server = createServer((socket) => socket.destroy());
  server.listen(port, address);
  await once(server, "listening");
}

/** Sends datagrams back to where they come from, for as long as the process runs. */
async function echo({ address, port }: Place): Promise<void> {
  const socket = createSocket("udp4");
  socket.on("message", (octets, from) => socket.send(octets, from.port, from.address));
  socket.bind(port, address);
  await once(socket, "listening");
}

/** How many of these datagrams come back. */
async function flood({ address, port }: Place, count: number): Promise<number> {
  const socket = createSocket("udp4");
  let received = 0;
  socket.on("message", () => received++);
  for (let at = 0; at < count; at++) {
    socket.send(`datagram ${at}`, port, address);
    if (at % 50 === 49) await delay(5);
  }
  // The last ones come within microseconds; this is for a machine with much else to do.
  await delay(200);
  socket.close();
  return received;
}
