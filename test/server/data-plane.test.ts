// The data plane as built: its thread is a file of dist/, so this is a test of what is shipped.

import { syncBuiltinESMExports } from "node:module";
import threads, { type Worker } from "node:worker_threads";
import { expect } from "chai";
import type { Snapshot } from "../../src/answer/snapshot.ts";
import type { DataPlane } from "../../src/server/data-plane.ts";
import { staticApex } from "../conformance/served.ts";
import { fuzzState } from "../fuzz/fuzz-state.ts";
import { askUdp, decoded, query, queryOctets } from "../kit/dns-client.ts";

const built = new URL("../../dist/server/data-plane.js", import.meta.url).href;
const { startDataPlane }: typeof import("../../src/server/data-plane.ts") = await import(built);

const loopback = { address: "127.0.0.1", port: 0 };

describe("the data plane", () => {
  const workers: Worker[] = [];
  const restarts: string[] = [];
  const OriginalWorker = threads.Worker;
  let snapshot: Snapshot;
  let plane: DataPlane;
  let wakeOnRestart: (() => void) | undefined;

  before(async () => {
    ({ snapshot } = await fuzzState([]));
    // The only way to the thread from outside: it can be ended, as a fault of its own would.
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
  beforeEach(async () => {
    restarts.length = 0;
    plane = await startDataPlane([loopback], snapshot, {
      onFault: (message) => expect.fail(message),
      onRestart: (reason) => {
        restarts.push(reason);
        wakeOnRestart?.();
      },
    });
  });
  afterEach(() => plane.stop());

  it("answers from a snapshot as soon as it says that it uses it", async () => {
    for (const instance of ["first", "second", "third"]) {
      await plane.use(named(instance));
      expect(await instanceName()).to.equal(instance);
    }
  });

  it("starts a thread anew that has died, on the same port, with the last snapshot", async () => {
    await plane.use(named("last"));
    await killThread();
    expect(await instanceName()).to.equal("last");
    expect(restarts).to.have.length(1);
  });

  it("answers from a snapshot that was handed over while there was no thread", async () => {
    const died = restarted();
    await workers.at(-1)?.terminate();
    await died;
    await plane.use(named("meanwhile"));
    expect(await instanceName()).to.equal("meanwhile");
  });

  it("answers from a snapshot that was handed over while the thread was dying", async () => {
    const ended = workers.at(-1)?.terminate();
    const used = plane.use(named("dying"));
    await ended;
    await used;
    expect(await instanceName()).to.equal("dying");
  });

  it("stops while there is no thread", async () => {
    const died = restarted();
    await workers.at(-1)?.terminate();
    await died;
    await plane.stop();
    expect(restarts).to.have.length(1);
  });

  it("names the address that it cannot listen on", async () => {
    const [taken] = plane.addresses;
    if (!taken) throw new Error("cannot test: the data plane says no address");
    const events = { onFault: () => undefined, onRestart: () => undefined };
    const failure = await startDataPlane([taken], snapshot, events).catch((error: Error) => error);
    expect(String(failure)).to.match(
      new RegExp(`cannot listen on 127\\.0\\.0\\.1:${taken.port}: .*EADDRINUSE`),
    );
  });

  it("listens on several addresses, IPv6 among them, each on its own", async () => {
    const listen = [loopback, { address: "127.0.0.9", port: 0 }, { address: "::1", port: 0 }];
    const events = {
      onFault: (message: string) => expect.fail(message),
      onRestart: () => undefined,
    };
    const several = await startDataPlane(listen, snapshot, events);
    try {
      expect(several.addresses.map(({ address }) => address)).to.deep.equal(
        listen.map(({ address }) => address),
      );
      for (const server of several.addresses) {
        for (const transport of ["udp", "tcp"] as const) {
          const answer = await query(server, staticApex, "SOA", { transport });
          expect(answer.answers).to.have.length(1);
        }
      }
    } finally {
      await several.stop();
    }
  });

  function named(instance: string): Snapshot {
    return { ...snapshot, settings: { ...snapshot.settings, instance } };
  }

  async function instanceName(): Promise<string> {
    const [server] = plane.addresses;
    if (!server) throw new Error("cannot ask: the data plane says no address");
    const octets = queryOctets("id.server", "TXT");
    octets[octets.length - 1] = 3;
    const [record] = decoded(await askUdp(server, octets)).answers;
    return Buffer.from(record?.rdata.subarray(1) ?? []).toString();
  }

  function restarted(): Promise<void> {
    return new Promise((resolve) => {
      wakeOnRestart = resolve;
    });
  }

  /** Resolves when the next thread answers. */
  async function killThread(): Promise<void> {
    const died = restarted();
    await workers.at(-1)?.terminate();
    await died;
    await plane.use(named("last"));
  }
});
