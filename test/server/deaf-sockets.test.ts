// Sockets that give up their place: what came to them before is kept, what comes after goes to those
// beside them; and listening sockets that another process goes on with.

import { createSocket } from "node:dgram";
import { once } from "node:events";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { openBatchSockets, openUnboundSockets } from "../../src/server/batch-sockets.ts";
import { DatagramMemory } from "../../src/server/datagram-memory.ts";
import { linuxSockets } from "../../src/server/linux-sockets.ts";
import type { ListenAddress } from "../../src/server/listener.ts";
import { tcpDescriptors } from "../../src/server/tcp-descriptors.ts";
import { mostDescriptors, unixDatagrams } from "../../src/server/unix-datagrams.ts";

const MSG_DONTWAIT = 0x40;
const loopback: ListenAddress = { address: "127.0.0.1", port: 0 };

describe("a socket that is made deaf", () => {
  const table = [
    { bound: "127.0.0.1", asked: "127.0.0.1" },
    { bound: "0.0.0.0", asked: "127.0.0.1" },
    { bound: "0.0.0.0", asked: "127.0.0.9" },
    { bound: "::1", asked: "::1" },
    { bound: "::", asked: "::1" },
  ];
  for (const { bound, asked } of table) {
    it(`keeps what came to ${bound}, and leaves what comes to one beside it`, async () => {
      const former = openBatchSockets([{ address: bound, port: 0 }], { isShared: true });
      const places = former.sockets.map(({ address }) => address);
      const [{ port } = loopback] = places;
      const next = openUnboundSockets(places, { isShared: true });
      try {
        await send(asked, port, 8);
        expect([former.hasWaiting(), next.hasWaiting()]).to.deep.equal([true, false]);
        next.bind();
        former.deafen();
        await send(asked, port, 8);
        expect(received(former.sockets)).to.equal(8);
        expect(received(next.sockets)).to.equal(8);
        expect([former.hasWaiting(), next.hasWaiting()]).to.deep.equal([false, false]);
      } finally {
        former.close();
        next.close();
      }
    });
  }

  it("still answers who asked it", async () => {
    const { sockets, deafen, close } = openBatchSockets([{ address: "0.0.0.0", port: 0 }], {
      isShared: true,
    });
    const client = createSocket("udp4");
    try {
      const [{ descriptor, address } = { descriptor: -1, address: loopback }] = sockets;
      const answer = once(client, "message");
      await new Promise((resolve) => client.send("asked", address.port, "127.0.0.5", resolve));
      deafen();
      const calls = linuxSockets();
      const memory = new DatagramMemory(calls.addressOf, 1);
      expect(calls.receive(descriptor, memory.headers, 1, 0)).to.equal(1);
      memory.setResponse(0, 5);
      expect(calls.send(descriptor, memory.header(0), 1, 0)).to.equal(1);
      const [octets, from] = await answer;
      expect([String(octets), from.address, from.port]).to.deep.equal([
        "asked",
        "127.0.0.5",
        address.port,
      ]);
    } finally {
      client.close();
      close();
    }
  });

  /** Each datagram from a socket of its own, so that sockets would share them. */
  async function send(address: string, port: number, count: number): Promise<void> {
    for (let sent = 0; sent < count; sent++) {
      const client = createSocket(address.includes(":") ? "udp6" : "udp4");
      await new Promise((resolve) => client.send("datagram", port, address, resolve));
      client.close();
    }
  }

  function received(sockets: readonly { readonly descriptor: number }[]): number {
    const calls = linuxSockets();
    const memory = new DatagramMemory(calls.addressOf, 1);
    return sockets
      .map(({ descriptor }) => calls.receive(descriptor, memory.headers, 64, MSG_DONTWAIT))
      .reduce((sum, count) => sum + Math.max(count, 0), 0);
  }
});

describe("a listening socket", () => {
  for (const address of ["127.0.0.1", "::1"]) {
    it(`at ${address} keeps who waits when one of those that may accept closes it`, async () => {
      const calls = tcpDescriptors();
      const former = calls.open({ address, port: 0 });
      const next = calls.duplicate(former.descriptor);
      const waiting = connect(former.address.port, address);
      await once(waiting, "connect");
      calls.close(former.descriptor);
      const server = createServer((socket: Socket) => socket.end("accepted"));
      server.listen({ fd: next });
      const [octets] = await once(waiting, "data");
      expect(String(octets)).to.equal("accepted");
      server.close();
    });
  }

  it("is refused where another one listens", () => {
    const calls = tcpDescriptors();
    const { descriptor, address } = calls.open(loopback);
    const place = `127.0.0.1:${address.port}`;
    expect(() => calls.open(address)).to.throw(`bind EADDRINUSE ${place}`);
    calls.close(descriptor);
    calls.close(calls.open(address).descriptor);
  });
});

describe("datagrams between processes of a machine", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), "meridian-test-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it("carry octets and descriptors, in order, to nobody but the file's owner", async () => {
    const file = path.join(folder, "socket");
    const unix = unixDatagrams();
    const tcp = tcpDescriptors();
    const socket = unix.bind(file);
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    expect(socket.receive()).to.equal(undefined);
    const { descriptor, address } = tcp.open(loopback);
    unix.send(file, Buffer.from("one"));
    unix.send(file, Buffer.from("two"), [descriptor, descriptor]);
    const [one, two] = [socket.receive(), socket.receive()];
    socket.close();
    tcp.close(descriptor);
    expect(one && [String(Buffer.from(one.octets)), one.descriptors]).to.deep.equal(["one", []]);
    expect(two && String(Buffer.from(two.octets))).to.equal("two");
    const [first = -1, second = -1, ...more] = two?.descriptors ?? [];
    expect(more).to.deep.equal([]);
    tcp.close(second);
    const server = createServer((client) => client.end("accepted"));
    server.listen({ fd: first });
    const [octets] = await once(connect(address.port, address.address), "data");
    expect(String(octets)).to.equal("accepted");
    server.close();
  });

  it("are refused where nobody is, or where they hold too much", () => {
    const file = path.join(folder, "socket");
    const { send } = unixDatagrams();
    expect(() => send(file, Buffer.from("one"))).to.throw(`sendmsg ENOENT ${file}`);
    const many = new Array<number>(mostDescriptors + 1).fill(0);
    expect(() => send(file, Buffer.from("one"), many)).to.throw("allowed 253, got 254");
  });
});
