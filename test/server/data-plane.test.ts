// The data plane as built: its threads are files of dist/, so this is a test of what is shipped.
// What it promises holds in both modes; what only a pool can do stands at the end.

import { createSocket } from "node:dgram";
import { syncBuiltinESMExports } from "node:module";
import threads, { type Worker } from "node:worker_threads";
import { expect } from "chai";
import type { SnapshotImage } from "../../src/answer/snapshot.ts";
import type { DataPlane, DataPlaneOptions } from "../../src/server/data-plane.ts";
import type { DataPlaneCounters } from "../../src/server/data-plane-counters.ts";
import { staticApex } from "../conformance/served.ts";
import { fuzzState } from "../fuzz/fuzz-state.ts";
import { askTcp, askUdp, decoded, query, queryOctets } from "../kit/dns-client.ts";
import { imageOf } from "./served-image.ts";

const built = new URL("../../dist/server/data-plane.js", import.meta.url).href;
const { startDataPlane }: typeof import("../../src/server/data-plane.ts") = await import(built);

const loopback = { address: "127.0.0.1", port: 0 };
const twoThreads = { workers: 2, answerCacheMiB: 1 };
/** So many clients are spread over all threads, but for a chance of 2 in 2^16. */
const manyClients = 16;

describe("the data plane", () => {
  const workers: Worker[] = [];
  const restarts: string[] = [];
  const planes: DataPlane[] = [];
  const OriginalWorker = threads.Worker;
  let image: SnapshotImage;
  let wakeOnRestart: (() => void) | undefined;

  before(async () => {
    image = imageOf((await fuzzState([])).snapshot);
    // The only way to a thread from outside: it can be ended, as a fault of its own would.
    threads.Worker = class extends OriginalWorker {
      constructor(...parameters: ConstructorParameters<typeof OriginalWorker>) {
        super(...parameters);
        workers.push(this);
      }
    };
    syncBuiltinESMExports();
  });
  after(() => {
    threads.Worker = OriginalWorker;
    syncBuiltinESMExports();
  });
  beforeEach(() => {
    restarts.length = 0;
    workers.length = 0;
    wakeOnRestart = undefined;
  });
  afterEach(async () => {
    await Promise.all(planes.splice(0).map((plane) => plane.stop()));
  });

  for (const udp of ["batch", "dgram"] as const) {
    describe(`over ${udp}`, () => {
      let plane: DataPlane;
      beforeEach(async () => {
        plane = await started({ listen: [loopback], udp });
      });

      it("answers from a snapshot as soon as it says that it uses it", async () => {
        for (const instance of ["first", "second", "third"]) {
          await plane.use(() => named(instance));
          expect(await instanceNames(plane)).to.deep.equal([instance]);
        }
      });

      it("starts a thread anew that has died, on the same port, with the last snapshot", async () => {
        await plane.use(() => named("last"));
        for (const worker of [...workers]) {
          const died = restarted();
          await worker.terminate();
          await died;
        }
        await plane.use(() => named("last"));
        expect(await instanceNames(plane)).to.deep.equal(["last"]);
        expect(restarts.length).to.equal(udp === "batch" ? 3 : 1);
      });

      it("counts on where a thread was that died, under the same names after a new snapshot", async () => {
        const asked = async (transport: "udp" | "tcp"): Promise<void> => {
          await query(addressOf(plane), staticApex, "SOA", { transport });
        };
        await asked("udp");
        await asked("tcp");
        for (const worker of [...workers]) {
          const died = restarted();
          await worker.terminate();
          await died;
        }
        await plane.use(() => named("anew"));
        await asked("udp");
        await asked("tcp");
        const { doors, restarts: counted, connections } = plane.counters();
        expect(doors.map(({ transport, queries }) => [transport, queries])).to.deep.equal([
          ["udp", 2],
          ["tcp", 2],
        ]);
        for (const { listener, responses } of doors) {
          expect(listener).to.equal(`127.0.0.1:${addressOf(plane).port}`);
          expect(responses.filter(({ count }) => count > 0)).to.deep.equal([
            { type: "SOA", rcode: "NOERROR", count: 2 },
          ]);
        }
        expect(counted).to.equal(restarts.length);
        expect(connections.accepted).to.equal(2);
        expect(connections.open).to.be.at.most(1);
      });

      it("answers from a snapshot that was handed over while there was no thread", async () => {
        const died = restarted();
        await workers.at(-1)?.terminate();
        await died;
        await plane.use(() => named("meanwhile"));
        expect(await instanceNames(plane)).to.deep.equal(["meanwhile"]);
      });

      it("answers from a snapshot that was handed over while a thread was dying", async () => {
        const ended = workers.at(-1)?.terminate();
        const used = plane.use(() => named("dying"));
        await ended;
        await used;
        expect(await instanceNames(plane)).to.deep.equal(["dying"]);
      });

      it("stops while there is a thread missing", async () => {
        const died = restarted();
        await workers.at(-1)?.terminate();
        await died;
        await plane.stop();
        expect(restarts).to.have.length(1);
      });

      it("names the address that it cannot listen on", async () => {
        for (const other of ["batch", "dgram"] as const) {
          const failure = await started({ listen: plane.addresses, udp: other }).catch(String);
          expect(failure).to.match(
            new RegExp(`cannot listen on 127\\.0\\.0\\.1:${addressOf(plane).port}: .*EADDRINUSE`),
          );
        }
      });

      it("listens on several addresses, IPv6 among them, each on its own", async () => {
        const listen = [loopback, { address: "127.0.0.9", port: 0 }, { address: "::1", port: 0 }];
        const several = await started({ listen, udp });
        expect(several.addresses.map(({ address }) => address)).to.deep.equal(
          listen.map(({ address }) => address),
        );
        for (const server of several.addresses) {
          for (const transport of ["udp", "tcp"] as const) {
            const answer = await query(server, staticApex, "SOA", { transport });
            expect(answer.answers).to.have.length(1);
          }
        }
      });

      it("answers UDP and TCP on every address of a wildcard, from the one that was asked", async () => {
        const four = await started({ listen: [{ address: "0.0.0.0", port: 0 }], udp });
        const six = await started({ listen: [{ address: "::", port: 0 }], udp });
        const asked = [
          { address: "127.0.0.1", port: addressOf(four).port },
          { address: "::1", port: addressOf(six).port },
          // Over node:dgram the system would answer from 127.0.0.1.
          ...(udp === "batch" ? [{ address: "127.0.0.5", port: addressOf(four).port }] : []),
        ];
        for (const server of asked) {
          expect(await answeringAddress(server), server.address).to.deep.equal(server);
          const octets = await askTcp(server, queryOctets(staticApex, "SOA"));
          expect(decoded(octets).answers).to.have.length(1);
        }
      });
    });
  }

  describe("with a pool of threads", () => {
    let plane: DataPlane;
    beforeEach(async () => {
      plane = await started({ listen: [loopback], udp: "batch" });
    });

    it("leaves no query to a thread that has died", async () => {
      for (const worker of workers.slice(1)) {
        const died = restarted();
        const ended = worker.terminate();
        await died;
        // The next thread is not there yet, and the one that is left answers all.
        expect(await instanceNames(plane)).to.have.length(1);
        await ended;
        await plane.use(() => image);
      }
    });

    it("under load loses no more than what a thread held when it died", async () => {
      const octets = queryOctets(staticApex, "SOA");
      let isOver = false;
      let answered = 0;
      let lost = 0;
      const clients = Array.from({ length: 8 }, async () => {
        while (!isOver) {
          await askUdp(addressOf(plane), octets, { timeoutMs: 500 }).then(
            () => answered++,
            () => lost++,
          );
        }
      });
      for (const worker of workers.slice(1)) {
        const died = restarted();
        await worker.terminate();
        await died;
        await plane.use(() => image);
      }
      isOver = true;
      await Promise.all(clients);
      // Each client waits for one answer at a time, and two threads died.
      expect(lost).to.be.at.most(2 * clients.length);
      expect(answered).to.be.greaterThan(clients.length);
      const { udp, workers: counted } = plane.counters();
      expect(udp.answered).to.be.at.least(answered);
      for (const each of counted) expect(each.received).to.be.greaterThan(0);
    });

    it("counts what every thread received and answered, through the death of a thread", async () => {
      await instanceNames(plane);
      await askUdp(addressOf(plane), queryOctets(staticApex, "SOA"));
      const before = await countersOnce(plane, manyClients + 1);
      expect(before.udp).to.deep.equal({
        received: manyClients + 1,
        answered: manyClients + 1,
        kernelDropped: 0,
        sendDropped: 0,
        truncated: 0,
        callErrors: 0,
      });
      expect(before.workers).to.have.length(2);
      for (const { received } of before.workers) expect(received).to.be.greaterThan(0);
      const died = restarted();
      await workers.at(-1)?.terminate();
      await died;
      await plane.use(() => image);
      await instanceNames(plane);
      const after = await countersOnce(plane, 2 * manyClients + 1);
      expect(after.udp.answered).to.equal(2 * manyClients + 1);
    });

    it("stops within 100 ms, while it is asked and while it is not", async () => {
      for (const isAsked of [false, true]) {
        // What else the machine does may hold one up, not each of them.
        const took: number[] = [];
        // Beside the 100 ms the threads' own ends and TCP's look at its connections.
        while (took.length < 5 && Math.min(...took) >= 200) took.push(await stopMs(isAsked));
        expect(Math.min(...took), took.join(", ")).to.be.lessThan(200);
      }
    });

    async function stopMs(isAsked: boolean): Promise<number> {
      const stopped = await started({ listen: [loopback], udp: "batch" });
      const socket = createSocket("udp4");
      socket.on("error", () => undefined);
      const { address, port } = addressOf(stopped);
      const octets = queryOctets(staticApex, "SOA");
      const asking = setInterval(() => {
        for (let sent = 0; isAsked && sent < 100; sent++) socket.send(octets, port, address);
      }, 1);
      if (isAsked) await query(addressOf(stopped), staticApex, "SOA");
      const startMs = performance.now();
      await stopped.stop();
      const tookMs = performance.now() - startMs;
      clearInterval(asking);
      socket.close();
      return tookMs;
    }
  });

  async function started(options: Pick<DataPlaneOptions, "listen" | "udp">): Promise<DataPlane> {
    const plane = await startDataPlane({ ...twoThreads, ...options }, () => image, {
      onFault: (message) => expect.fail(message),
      onRestart: (reason) => {
        restarts.push(reason);
        wakeOnRestart?.();
      },
    });
    planes.push(plane);
    return plane;
  }

  function named(instance: string): SnapshotImage {
    return { ...image, settings: { ...image.settings, instance } };
  }

  /** Resolves when a thread has died and another one will be started. */
  function restarted(): Promise<void> {
    return new Promise((resolve) => {
      wakeOnRestart = resolve;
    });
  }
});

function addressOf(plane: DataPlane): DataPlane["addresses"][number] {
  const [server] = plane.addresses;
  if (!server) throw new Error("cannot ask: the data plane says no address");
  return server;
}

/** The counters as soon as so many answers are counted, which is a little after they are sent. */
async function countersOnce(plane: DataPlane, answered: number): Promise<DataPlaneCounters> {
  for (;;) {
    const counters = plane.counters();
    if (counters.udp.answered >= answered) return counters;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** The different names of the instance that many clients are told. */
async function instanceNames(plane: DataPlane): Promise<string[]> {
  const octets = queryOctets("id.server", "TXT");
  octets[octets.length - 1] = 3;
  const answers = Array.from({ length: manyClients }, async () => {
    const [record] = decoded(await askUdp(addressOf(plane), octets)).answers;
    return Buffer.from(record?.rdata.subarray(1) ?? []).toString();
  });
  return [...new Set(await Promise.all(answers))];
}

/** Where the answer to a query comes from. */
async function answeringAddress(server: {
  address: string;
  port: number;
}): Promise<{ address: string; port: number }> {
  const socket = createSocket(server.address.includes(":") ? "udp6" : "udp4");
  try {
    return await new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error("no answer in two seconds")), 2000);
      socket.once("message", (_, { address, port }) => {
        clearTimeout(late);
        resolve({ address, port });
      });
      socket.send(queryOctets(staticApex, "SOA"), server.port, server.address);
    });
  } finally {
    socket.close();
  }
}
