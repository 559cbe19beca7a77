// One data plane takes over the established connections of another. Both run in this process; what is
// tested is what is shipped.

import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import type { SnapshotImage } from "../../src/answer/snapshot.ts";
import { ConnectionInbox } from "../../src/cli/handover-connections.ts";
import type { DataPlane } from "../../src/server/data-plane.ts";
import { formatListenAddress } from "../../src/server/listener.ts";
import { Responder } from "../../src/server/responder.ts";
import {
  ConnectionCount,
  defaultTcpLimits,
  listenTcp,
  type TcpLimits,
  type TcpListener,
} from "../../src/server/tcp.ts";
import type { OfferedConnection } from "../../src/server/tcp-connection.ts";
import { tcpDescriptors } from "../../src/server/tcp-descriptors.ts";
import { staticApex } from "../conformance/served.ts";
import { fuzzState } from "../fuzz/fuzz-state.ts";
import { decoded, framed, queryOctets, TcpClient } from "../kit/dns-client.ts";
import { imageOf } from "./served-image.ts";

const built = new URL("../../dist/server/data-plane.js", import.meta.url).href;
const { startDataPlane }: typeof import("../../src/server/data-plane.ts") = await import(built);

const listen = [
  { address: "127.0.0.1", port: 0 },
  { address: "::1", port: 0 },
];

describe("a data plane that takes over another's connections", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "meridian-connections-"));
  let image: SnapshotImage;
  const planes: DataPlane[] = [];
  const clients: TcpClient[] = [];
  const faults: string[] = [];

  before(async () => {
    image = imageOf((await fuzzState([])).snapshot);
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) client.close();
    await Promise.all(planes.splice(0).map((plane) => plane.stop()));
    faults.length = 0;
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("goes on with those that are idle, were never asked over, or sent a part of a query", async () => {
    const former = await started();
    for (const server of former.addresses) {
      const idle = await connected(server);
      idle.send(soaQuery(1));
      expect(decoded(await idle.next()).id).to.equal(1);
      await connected(server);
      for (const octets of [1, 2, 13])
        (await connected(server)).send(soaQuery(2).subarray(0, octets));
    }
    const next = await started(former);
    await handOver(former, next);
    const counted = { accepted: clients.length, refused: 0 };
    expect(next.counters().connections).to.include(counted);
    for (const [at, client] of clients.entries()) {
      const octets = [0, 0, 1, 2, 13][at % 5] ?? 0;
      client.send(Buffer.concat([soaQuery(2).subarray(octets), soaQuery(3)]));
      expect(decoded(await client.next()).id).to.equal(2);
      expect(decoded(await client.next()).id).to.equal(3);
    }
    expect(faults).to.deep.equal([]);
    expect(readdirSync(folder)).to.deep.equal([]);
  });

  it("answers each query once and in order that comes over them meanwhile", async () => {
    const former = await started();
    const [server] = former.addresses;
    if (!server) throw new Error("cannot ask: the data plane says no address");
    let isOver = false;
    const asking = Array.from({ length: 8 }, async (_, seed) => {
      const client = await connected(server);
      let sent = 0;
      let left: Buffer = Buffer.alloc(0);
      for (let read = 0; !isOver || read < sent; ) {
        // Pieces end anywhere, and so many queries are always on their way.
        while (!isOver && sent < read + 20) {
          left = Buffer.concat([left, soaQuery(sent++)]);
          const piece = (sent * 7 + seed * 5) % left.length;
          client.send(left.subarray(0, piece));
          left = left.subarray(piece);
        }
        if (isOver) {
          client.send(left);
          left = left.subarray(left.length);
        }
        if (read < sent - 1 || isOver) expect(decoded(await client.next()).id).to.equal(read++);
      }
      return sent;
    });
    const next = await started(former);
    await handOver(former, next);
    isOver = true;
    const sent = await Promise.all(asking);
    expect(Math.min(...sent)).to.be.greaterThan(100);
    expect(next.counters().connections).to.include({ accepted: 8, refused: 0 });
    expect(faults).to.deep.equal([]);
  });

  describe("of listeners", () => {
    const listeners: TcpListener[] = [];
    const errors: Error[] = [];

    afterEach(async () => {
      await Promise.all(listeners.splice(0).map((each) => each.stop()));
      errors.length = 0;
    });

    it("takes no more of one client than it accepts", async () => {
      const [former, next] = [await listening(), await listening({ connectionsPerClient: 2 })];
      for (const id of [1, 2, 3]) {
        const client = await connected(former.address);
        client.send(soaQuery(id));
        await client.next();
      }
      await former.leave({ give: (connections) => giveTo(next, connections) });
      const outcomes = await Promise.all(
        clients.map((client) => {
          client.send(soaQuery(4));
          return client.next().then(
            () => "answered",
            () => "ended",
          );
        }),
      );
      expect(outcomes).to.deep.equal(["answered", "answered", "ended"]);
    });

    it("gives what could not be given at first", async () => {
      const [former, next] = [await listening(), await listening()];
      const client = await connected(former.address);
      client.send(Buffer.concat([soaQuery(1), soaQuery(2).subarray(0, 9)]));
      await client.next();
      let tries = 0;
      await former.leave({
        give: (connections) => {
          if (++tries < 4) throw new Error("not yet");
          giveTo(next, connections);
        },
      });
      client.send(soaQuery(2).subarray(9));
      expect(decoded(await client.next()).id).to.equal(2);
      expect(errors).to.deep.equal([]);
    });

    it("answers a client that ends its side while its connection is given", async () => {
      const [former, next] = [await listening(), await listening()];
      const client = await connected(former.address);
      client.send(Buffer.concat([soaQuery(1), soaQuery(2).subarray(0, 9)]));
      await client.next();
      await former.leave({
        give: (connections) => {
          client.socket.end(Buffer.concat([soaQuery(2).subarray(9), soaQuery(3)]));
          giveTo(next, connections);
        },
      });
      for (const id of [2, 3]) expect(decoded(await client.next()).id).to.equal(id);
      expect(await client.ended()).to.have.length(0);
    });

    it("answers and ends those that can never be given", async () => {
      const former = await listening();
      const client = await connected(former.address);
      client.send(soaQuery(1).subarray(0, 9));
      const idle = await connected(former.address);
      const give = (): void => {
        throw new Error("never");
      };
      const left = former.leave({ give });
      client.send(Buffer.concat([soaQuery(1).subarray(9), soaQuery(2)]));
      for (const id of [1, 2]) expect(decoded(await client.next()).id).to.equal(id);
      expect(await client.ended()).to.have.length(0);
      expect(await idle.ended()).to.have.length(0);
      await left;
      expect(errors.map(({ message }) => message)).to.deep.equal(["never"]);
    });

    async function listening(limits: Partial<TcpLimits> = {}): Promise<TcpListener> {
      const responder = new Responder(image, {
        now: () => 0,
        onFault: (error) => expect.fail(String(error)),
        chance: () => 0,
        answerCacheOctets: 0,
      });
      const listener = await listenTcp(
        { address: "127.0.0.1", port: 0 },
        responder,
        (error) => errors.push(error),
        new ConnectionCount(),
        { ...defaultTcpLimits, ...limits },
      );
      listeners.push(listener);
      return listener;
    }

    /** As they come from another process: by descriptors of their own. */
    function giveTo(next: TcpListener, connections: readonly OfferedConnection[]): void {
      for (const { descriptor, octets } of connections) {
        next.adopt(tcpDescriptors().duplicate(descriptor), octets);
      }
    }
  });

  async function started(former?: DataPlane): Promise<DataPlane> {
    const { duplicate } = tcpDescriptors();
    const inherited =
      former &&
      new Map(
        former.tcp.map(({ address, descriptor }) => [
          formatListenAddress(address),
          duplicate(descriptor),
        ]),
      );
    const plane = await startDataPlane(
      {
        udp: "batch",
        workers: 1,
        answerCacheMiB: 1,
        listen: former?.addresses ?? listen,
        inherited,
      },
      () => image,
      {
        onFault: (message) => faults.push(message),
        onRestart: (reason) => faults.push(reason),
      },
    );
    planes.push(plane);
    return plane;
  }

  /** Lets `next` answer in the place of `former`. */
  async function handOver(former: DataPlane, next: DataPlane): Promise<void> {
    next.hear();
    const inbox = new ConnectionInbox(folder, {
      adopt: next.adopt,
      onFailure: (error) => faults.push(String(error)),
    });
    await former.leave({
      file: path.join(folder, inbox.name),
      places: next.addresses.map(formatListenAddress),
    });
    inbox.close();
  }

  async function connected(server: DataPlane["addresses"][number]): Promise<TcpClient> {
    const client = await TcpClient.connect(server, { timeoutMs: 20_000 });
    clients.push(client);
    return client;
  }
});

function soaQuery(id: number): Buffer {
  return framed(queryOctets(staticApex, "SOA", { message: { id: id % 0x1_0000 } }));
}
