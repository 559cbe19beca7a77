// The real sockets of the batch loop: what they are bound to, who may share them, and what the
// kernel says of them.

import { createSocket } from "node:dgram";
import { expect } from "chai";
import { openBatchSockets } from "../../src/server/batch-sockets.ts";
import { batchUnavailable, linuxSockets, type Platform } from "../../src/server/linux-sockets.ts";

const loopback = { address: "127.0.0.1", port: 0 };
const here: Platform = {
  system: "linux",
  architecture: "x64",
  endianness: "LE",
  loadKoffi: () => undefined,
};

describe("batchUnavailable", () => {
  const table: { name: string; platform: Partial<Platform>; expected: string | undefined }[] = [
    { name: "Linux on x64", platform: {}, expected: undefined },
    { name: "Linux on arm64", platform: { architecture: "arm64" }, expected: undefined },
    {
      name: "another system",
      platform: { system: "darwin" },
      expected: "it needs Linux, got darwin",
    },
    {
      name: "a machine with other structures",
      platform: { architecture: "arm" },
      expected: "it needs x64 or arm64, got arm (LE)",
    },
    {
      name: "a big-endian machine",
      platform: { architecture: "s390x", endianness: "BE" },
      expected: "it needs x64 or arm64, got s390x (BE)",
    },
    {
      name: "a machine without koffi",
      platform: {
        loadKoffi: () => {
          throw new Error("Cannot find module 'koffi'\nRequire stack:\n- here");
        },
      },
      expected: "koffi cannot be loaded: Cannot find module 'koffi'",
    },
  ];
  for (const { name, platform, expected } of table) {
    it(`says ${expected === undefined ? "nothing of" : "what is missing on"} ${name}`, () => {
      expect(batchUnavailable({ ...here, ...platform })).to.equal(expected);
    });
  }

  it("does not look for koffi where it would be of no use", () => {
    const loadKoffi = (): never => expect.fail("looked for koffi");
    expect(batchUnavailable({ ...here, system: "win32", loadKoffi })).to.be.a("string");
  });
});

describe("the sockets of a thread", () => {
  it("are bound to the addresses that were asked for, on ports that the system chose", () => {
    const listen = ["127.0.0.1", "127.0.0.9", "::1"].map((address) => ({ address, port: 0 }));
    const { sockets, close } = openBatchSockets(listen, { isShared: false });
    try {
      expect(sockets.map(({ address, family }) => [address.address, family])).to.deep.equal([
        ["127.0.0.1", 4],
        ["127.0.0.9", 4],
        ["::1", 6],
      ]);
      for (const { address } of sockets) expect(address.port).to.be.greaterThan(0);
    } finally {
      close();
    }
  });

  it("share an address if all of them are shared, and only then", () => {
    const first = openBatchSockets([loopback], { isShared: false });
    const taken = first.sockets.map(({ address }) => address);
    const port = taken[0]?.port;
    const refusal = `cannot listen on 127.0.0.1:${port}: bind EADDRINUSE 127.0.0.1:${port}`;
    expect(() => openBatchSockets(taken, { isShared: true })).to.throw(refusal);
    first.share();
    expect(() => openBatchSockets(taken, { isShared: false })).to.throw(refusal);
    const second = openBatchSockets(taken, { isShared: true });
    first.close();
    const third = openBatchSockets(taken, { isShared: true });
    second.close();
    third.close();
    openBatchSockets(taken, { isShared: false }).close();
  });

  it("are all closed again if one of them cannot be opened", () => {
    const [own] = openBatchSockets([loopback], { isShared: false }).sockets;
    if (!own) throw new Error("cannot test: no socket");
    const free = openBatchSockets([loopback], { isShared: false });
    const [{ address } = { address: loopback }] = free.sockets;
    free.close();
    expect(() => openBatchSockets([address, own.address], { isShared: false })).to.throw(
      "EADDRINUSE",
    );
    openBatchSockets([address], { isShared: false }).close();
    linuxSockets().close(own.descriptor);
  });

  const refused = [
    { address: { address: "192.0.2.1", port: 0 }, expected: /EADDRNOTAVAIL/ },
    { address: { address: "localhost", port: 0 }, expected: /no IP address, got localhost/ },
  ];
  for (const { address, expected } of refused) {
    it(`are refused at ${address.address}`, () => {
      expect(() => openBatchSockets([address], { isShared: false })).to.throw(expected);
    });
  }

  it("say how many datagrams the kernel dropped for want of room", async () => {
    const { sockets, dropped, close } = openBatchSockets([loopback], { isShared: false });
    const [socket] = sockets;
    if (!socket) throw new Error("cannot test: no socket");
    const { address, port } = socket.address;
    expect(dropped()).to.equal(0);
    const client = createSocket("udp4");
    const octets = Buffer.alloc(60_000);
    let sent = 0;
    // Nobody reads: the buffer has 8 MiB at most.
    while (sent < 400) {
      await new Promise((resolve) => client.send(octets, port, address, resolve));
      sent++;
    }
    client.close();
    expect(dropped()).to.be.within(200, sent);
    close();
  });
});
