// UDP as a client meets it, the same in both modes of the data plane as built.

import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { expect } from "chai";
import type { SnapshotImage } from "../../src/answer/snapshot.ts";
import type { DataPlane } from "../../src/server/data-plane.ts";
import { staticApex } from "../conformance/served.ts";
import { fuzzState } from "../fuzz/fuzz-state.ts";
import { Dice } from "../kit/dice.ts";
import { askUdp, decoded, firstAnswer, query, queryOctets } from "../kit/dns-client.ts";
import { imageOf } from "./served-image.ts";

const built = new URL("../../dist/server/data-plane.js", import.meta.url).href;
const { startDataPlane }: typeof import("../../src/server/data-plane.ts") = await import(built);

for (const udp of ["batch", "dgram"] as const) {
  describe(`UDP over ${udp}`, () => {
    let image: SnapshotImage;
    let plane: DataPlane;
    let server: DataPlane["addresses"][number];
    let serverSix: DataPlane["addresses"][number];
    let isStopped = false;
    const faults: string[] = [];
    before(async () => {
      image = imageOf((await fuzzState([])).snapshot);
    });
    beforeEach(async () => {
      isStopped = false;
      faults.length = 0;
      const listen = ["127.0.0.1", "::1"].map((address) => ({ address, port: 0 }));
      plane = await startDataPlane({ listen, udp, workers: 2, answerCacheMiB: 1 }, () => image, {
        onFault: (message) => faults.push(message),
        onRestart: (reason) => faults.push(reason),
      });
      const [four, six] = plane.addresses;
      if (!four || !six) throw new Error("cannot ask: the data plane says no address");
      [server, serverSix] = [four, six];
    });
    afterEach(async () => {
      if (!isStopped) await plane.stop();
      expect(faults).to.deep.equal([]);
    });

    it("answers each of many clients with its own answer", async () => {
      const ids = Array.from({ length: 200 }, (_, at) => at);
      const answers = await Promise.all(
        ids.map((id) =>
          askUdp(server, queryOctets(staticApex, "SOA", { message: { id } }), {
            localAddress: `127.0.1.${id % 50}`,
          }),
        ),
      );
      expect(answers.map((octets) => decoded(octets).id)).to.deep.equal(ids);
    });

    it("is not disturbed by packets that mean nothing", async () => {
      const dice = new Dice(7);
      const socket = createSocket("udp4");
      const { address, port } = server;
      for (let round = 0; round < 300; round++) {
        await new Promise((resolve) => {
          socket.send(dice.octets(dice.integer(0, 1400)), port, address, resolve);
        });
      }
      expect((await query(server, staticApex, "SOA")).answers).to.have.length(1);
      socket.close();
    });

    it("is not disturbed by a client that is gone when its answer comes", async () => {
      for (let round = 0; round < 50; round++) {
        const socket = createSocket("udp4");
        const { address, port } = server;
        await new Promise((resolve) => {
          socket.send(queryOctets(staticApex, "SOA"), port, address, resolve);
        });
        socket.close();
      }
      expect((await query(server, staticApex, "SOA")).answers).to.have.length(1);
    });

    it("is not disturbed by an empty datagram", async () => {
      const octets = [new Uint8Array(0), queryOctets(staticApex, "SOA", { message: { id: 9 } })];
      expect(decoded(await firstAnswer(server, octets)).id).to.equal(9);
    });

    it("does not answer a datagram of more octets than a query can have", async () => {
      const long = Buffer.alloc(6000);
      long.set(queryOctets(staticApex, "SOA", { message: { id: 8 } }));
      const octets = [long, queryOctets(staticApex, "SOA", { message: { id: 9 } })];
      const { id, rcode } = decoded(await firstAnswer(server, octets));
      // Over node:dgram all of it arrives, and is no query.
      expect([id, rcode]).to.deep.equal(udp === "batch" ? [9, 0] : [8, 1]);
    });

    it("answers over IPv6", async () => {
      expect((await query(serverSix, staticApex, "SOA")).answers).to.have.length(1);
    });

    it("when stopped, answers what the kernel holds already", async () => {
      const ids = new Set(Array.from({ length: 200 }, (_, at) => at));
      const sockets: Socket[] = [];
      const isAnswered = new Promise<void>((resolve) => {
        // Several clients, so that all threads have some; fewer than the least buffer holds.
        for (let count = 0; count < 8; count++) {
          const socket = createSocket("udp4");
          sockets.push(socket);
          socket.on("message", (octets) => {
            ids.delete(decoded(octets).id);
            if (ids.size === 0) resolve();
          });
        }
      });
      await Promise.all(
        sockets.map((socket) => new Promise<void>((bound) => socket.bind(0, "127.0.0.1", bound))),
      );
      const { address, port } = server;
      for (const id of ids) {
        const octets = queryOctets(staticApex, "SOA", { message: { id } });
        sockets[id % sockets.length]?.send(octets, port, address);
      }
      // The queries are handed to the kernel before the next turn.
      await new Promise((resolve) => setImmediate(resolve));
      isStopped = true;
      await Promise.all([plane.stop(), isAnswered]);
      expect(ids.size).to.equal(0);
      for (const socket of sockets) {
        socket.close();
        await once(socket, "close");
      }
    });
  });
}
