import { expect } from "chai";
import type { SnapshotImage } from "../../src/answer/snapshot.ts";
import type { BoundListener } from "../../src/server/listener.ts";
import { Responder } from "../../src/server/responder.ts";
import {
  ConnectionCount,
  defaultTcpLimits,
  listenTcp,
  type TcpLimits,
} from "../../src/server/tcp.ts";
import { staticApex } from "../conformance/served.ts";
import { fuzzState } from "../fuzz/fuzz-state.ts";
import { decoded, framed, queryOctets, TcpClient } from "../kit/dns-client.ts";
import { imageOf } from "./served-image.ts";

describe("TCP", () => {
  let image: SnapshotImage;
  let listener: BoundListener | undefined;
  let answered = 0;
  const clients: TcpClient[] = [];
  before(async () => {
    image = imageOf((await fuzzState([])).snapshot);
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) client.close();
    await listener?.stop();
    listener = undefined;
  });

  describe("messages", () => {
    it("are answered in their order when many come before the first answer", async () => {
      const client = await connected();
      const ids = Array.from({ length: 500 }, (_, at) => at);
      client.send(Buffer.concat(ids.map((id) => soaQuery(id))));
      for (const id of ids) expect(decoded(await client.next()).id).to.equal(id);
    });

    it("are answered when they come octet by octet", async () => {
      const client = await connected();
      for (const octet of Buffer.concat([soaQuery(1), soaQuery(2)])) {
        await sent(client, Uint8Array.of(octet));
      }
      expect(decoded(await client.next()).id).to.equal(1);
      expect(decoded(await client.next()).id).to.equal(2);
    });

    const splits = [1, 2, 3, 13, 14, soaQuery(0).length - 1, soaQuery(0).length + 1];
    for (const at of splits) {
      it(`two in a row are answered when a segment ends after ${at} octets`, async () => {
        const client = await connected();
        const both = Buffer.concat([soaQuery(1), soaQuery(2)]);
        await sent(client, both.subarray(0, at));
        await sent(client, both.subarray(at));
        expect(decoded(await client.next()).id).to.equal(1);
        expect(decoded(await client.next()).id).to.equal(2);
      });
    }

    it("are answered to a client that ends its side after the last query", async () => {
      const client = await connected();
      client.socket.end(Buffer.concat([soaQuery(1), vastQuery(2), soaQuery(3)]));
      for (const id of [1, 2, 3]) expect(decoded(await client.next()).id).to.equal(id);
      expect(await client.ended()).to.have.length(0);
    });

    it("of sixty thousand octets in a row are whole", async () => {
      const client = await connected();
      const ids = Array.from({ length: 50 }, (_, at) => at);
      client.send(Buffer.concat(ids.map((id) => vastQuery(id))));
      for (const id of ids) {
        const message = decoded(await client.next());
        expect([message.id, message.answers.length]).to.deep.equal([id, 3]);
      }
    });

    const silent = [
      {
        name: "a response",
        octets: queryOctets(staticApex, "SOA", { message: { isResponse: true } }),
      },
      { name: "a message of no octets", octets: new Uint8Array(0) },
      { name: "half a header", octets: new Uint8Array(11) },
    ];
    for (const { name, octets } of silent) {
      it(`${name} ends the connection after what was answered before it`, async () => {
        const client = await connected();
        client.send(Buffer.concat([soaQuery(1), framed(octets), soaQuery(2)]));
        expect(decoded(await client.next()).id).to.equal(1);
        expect(await client.ended()).to.have.length(0);
        expect(answered).to.equal(2);
      });
    }

    it("that are malformed are answered FORMERR and do not end the connection", async () => {
      const client = await connected();
      const broken = queryOctets(staticApex, "SOA").subarray(0, 20);
      client.send(Buffer.concat([framed(broken), soaQuery(2)]));
      expect(decoded(await client.next()).rcode).to.equal(1);
      expect(decoded(await client.next()).id).to.equal(2);
    });
  });

  describe("limits", () => {
    it("close a connection without a query in the idle time", async () => {
      const client = await connected({ idleMs: 50 });
      expect(await client.ended()).to.have.length(0);
    });

    it("close a connection that sends octets, but no whole query", async () => {
      const client = await connected({ idleMs: 100 });
      const timer = setInterval(() => client.socket.write(Uint8Array.of(1)), 10);
      try {
        expect(await client.ended()).to.have.length(0);
      } finally {
        clearInterval(timer);
      }
    });

    it("keep a connection that asks more often than the idle time", async () => {
      const client = await connected({ idleMs: 1000 });
      const started = performance.now();
      let asked = 0;
      while (performance.now() - started < 1500) {
        client.send(soaQuery(asked));
        expect(decoded(await client.next()).id).to.equal(asked++ & 0xffff);
      }
    });

    it("let a client have so many connections and refuse one more, until one is closed", async () => {
      const limits = { connectionsPerClient: 3 };
      const bound = await listening(limits);
      const [first, ...others] = await Promise.all([1, 2, 3].map(() => connectTo(bound)));
      await Promise.all([first, ...others].map((each) => (each ? answersOne(each) : undefined)));
      const refused = await connectTo(bound);
      expect(await refused.ended()).to.have.length(0);
      const elsewhere = await connectTo(bound, "127.0.0.77");
      await answersOne(elsewhere);
      first?.close();
      for (;;) {
        const again = await connectTo(bound);
        again.send(soaQuery(9));
        if (
          await again.next().then(
            () => true,
            () => false,
          )
        )
          break;
      }
    });

    it("let all clients together have so many connections", async () => {
      const bound = await listening({ connections: 4 });
      for (const last of [1, 2, 3, 4]) await answersOne(await connectTo(bound, `127.0.0.${last}`));
      const refused = await connectTo(bound, "127.0.0.5");
      expect(await refused.ended()).to.have.length(0);
    });

    it("stop answering a client that never reads, and leave others alone", async () => {
      const bound = await listening({ idleMs: 500 });
      const deaf = await connectTo(bound);
      deaf.socket.pause();
      const closed = new Promise((resolve) => deaf.socket.once("close", resolve));
      const asked = 500_000;
      deaf.send(Buffer.concat(new Array(asked).fill(vastQuery(1))));
      await answersOne(await connectTo(bound));
      await closed;
      // More queries than the kernel holds for us, so that the client sees the end of the connection.
      // What it takes in for a client is a few megabytes, an answer sixty kilobytes.
      expect(answered).to.be.within(2, 2000);
    });
  });

  describe("connections that end otherwise", () => {
    it("by a reset leave the server unharmed and free their place", async () => {
      const bound = await listening({ connectionsPerClient: 1 });
      // A client may be refused until its last connection has been seen to end.
      for (let resets = 0; resets < 10; ) {
        const client = await connectTo(bound);
        client.send(vastQuery(resets));
        const isServed = await client.next().then(
          () => true,
          () => false,
        );
        if (!isServed) continue;
        client.socket.resetAndDestroy();
        resets++;
      }
      expect(faults).to.deep.equal([]);
    });

    it("with garbage leave the server unharmed", async () => {
      const bound = await listening();
      const garbage = await connectTo(bound);
      garbage.send(Buffer.from("GET / HTTP/1.1\r\nHost: example.com\r\n\r\n".repeat(2000)));
      garbage.socket.end();
      await garbage.ended();
      await answersOne(await connectTo(bound));
      expect(faults).to.deep.equal([]);
    });
  });

  it("when stopped, answers what has come, then ends connections and refuses new ones", async () => {
    const bound = await listening();
    const busy = await connectTo(bound);
    const idle = await connectTo(bound);
    await answersOne(idle);
    busy.send(Buffer.concat([soaQuery(1), vastQuery(2), soaQuery(3)]));
    const stopped = bound.stop();
    for (const id of [1, 2, 3]) expect(decoded(await busy.next()).id).to.equal(id);
    await Promise.all([stopped, busy.ended(), idle.ended()]);
    const refused = await connectTo(bound).catch((error: NodeJS.ErrnoException) => error.code);
    expect(refused).to.equal("ECONNREFUSED");
  });

  const faults: Error[] = [];

  async function listening(limits: Partial<TcpLimits> = {}): Promise<BoundListener> {
    answered = 0;
    faults.length = 0;
    const responder = new Responder(image, {
      now: () => 0,
      onFault: (error) => faults.push(error as Error),
      chance: () => 0,
      answerCacheOctets: 0x10_0000,
    });
    const respond: typeof responder.respond = (received) => {
      answered++;
      return responder.respond(received);
    };
    listener = await listenTcp(
      { address: "127.0.0.1", port: 0 },
      { respond },
      (error) => faults.push(error),
      new ConnectionCount(),
      { ...defaultTcpLimits, ...limits },
    );
    return listener;
  }

  async function connected(limits: Partial<TcpLimits> = {}): Promise<TcpClient> {
    return connectTo(await listening(limits));
  }

  async function connectTo({ address }: BoundListener, localAddress?: string): Promise<TcpClient> {
    const options = localAddress === undefined ? {} : { localAddress };
    const client = await TcpClient.connect(address, { timeoutMs: 5000, ...options });
    clients.push(client);
    return client;
  }

  async function answersOne(client: TcpClient): Promise<void> {
    client.send(soaQuery(7));
    expect(decoded(await client.next()).id).to.equal(7);
  }
});

describe("ConnectionCount", () => {
  it("allows twenty connections of a client and a thousand in all", () => {
    const count = new ConnectionCount();
    for (let at = 0; at < 20; at++) expect(count.add("a", defaultTcpLimits)).to.equal(true);
    expect(count.add("a", defaultTcpLimits)).to.equal(false);
    for (let at = 20; at < 1000; at++) {
      expect(count.add(`client ${at % 500}`, defaultTcpLimits), String(at)).to.equal(true);
    }
    expect(count.add("b", defaultTcpLimits)).to.equal(false);
    count.remove("a");
    expect(count.add("b", defaultTcpLimits)).to.equal(true);
    expect(count.add("a", defaultTcpLimits)).to.equal(false);
  });

  it("does not count what it refused", () => {
    const count = new ConnectionCount();
    const limits = { ...defaultTcpLimits, connectionsPerClient: 1, connections: 2 };
    expect(count.add("a", limits)).to.equal(true);
    for (let at = 0; at < 10; at++) expect(count.add("a", limits)).to.equal(false);
    expect(count.add("b", limits)).to.equal(true);
    count.remove("a");
    expect(count.add("a", limits)).to.equal(true);
  });
});

function soaQuery(id: number): Buffer {
  return framed(queryOctets(staticApex, "SOA", { message: { id: id & 0xffff } }));
}

/** Its answer has about sixty thousand octets. */
function vastQuery(id: number): Buffer {
  return framed(queryOctets(`vast.${staticApex}`, "TXT", { message: { id } }));
}

/** Resolves when the octets are with the kernel, so that they are a segment of their own. */
function sent(client: TcpClient, octets: Uint8Array): Promise<void> {
  return new Promise((resolve) => client.socket.write(octets, () => setImmediate(resolve)));
}
