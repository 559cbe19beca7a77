import { createSocket } from "node:dgram";
import { once } from "node:events";
import { expect } from "chai";
import type { BoundListener } from "../../src/server/listener.ts";
import { Responder } from "../../src/server/responder.ts";
import { listenUdp } from "../../src/server/udp-dgram.ts";
import { staticApex } from "../conformance/served.ts";
import { fuzzState } from "../fuzz/fuzz-state.ts";
import { Dice } from "../kit/dice.ts";
import { askUdp, decoded, query, queryOctets } from "../kit/dns-client.ts";

describe("UDP", () => {
  let snapshot: Awaited<ReturnType<typeof fuzzState>>["snapshot"];
  let listener: BoundListener;
  let isStopped = false;
  const faults: unknown[] = [];
  before(async () => {
    ({ snapshot } = await fuzzState([]));
  });
  beforeEach(async () => {
    isStopped = false;
    faults.length = 0;
    listener = await listening("127.0.0.1");
  });
  afterEach(async () => {
    if (!isStopped) await listener.stop();
    expect(faults).to.deep.equal([]);
  });

  it("answers each of many clients with its own answer", async () => {
    const ids = Array.from({ length: 200 }, (_, at) => at);
    const answers = await Promise.all(
      ids.map((id) =>
        askUdp(listener.address, queryOctets(staticApex, "SOA", { message: { id } }), {
          localAddress: `127.0.1.${id % 50}`,
        }),
      ),
    );
    expect(answers.map((octets) => decoded(octets).id)).to.deep.equal(ids);
  });

  it("is not disturbed by packets that mean nothing", async () => {
    const dice = new Dice(7);
    const socket = createSocket("udp4");
    const { address, port } = listener.address;
    for (let round = 0; round < 300; round++) {
      await new Promise((resolve) => {
        socket.send(dice.octets(dice.integer(0, 1400)), port, address, resolve);
      });
    }
    expect((await query(listener.address, staticApex, "SOA")).answers).to.have.length(1);
    socket.close();
  });

  it("is not disturbed by a client that is gone when its answer comes", async () => {
    for (let round = 0; round < 50; round++) {
      const socket = createSocket("udp4");
      const { address, port } = listener.address;
      await new Promise((resolve) => {
        socket.send(queryOctets(staticApex, "SOA"), port, address, resolve);
      });
      socket.close();
    }
    expect((await query(listener.address, staticApex, "SOA")).answers).to.have.length(1);
  });

  it("answers over IPv6", async () => {
    const six = await listening("::1");
    expect((await query(six.address, staticApex, "SOA")).answers).to.have.length(1);
    await six.stop();
  });

  it("when stopped, answers what the kernel holds already", async () => {
    const socket = createSocket("udp4");
    await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
    // Fewer than the least buffer of a kernel holds.
    const ids = new Set(Array.from({ length: 200 }, (_, at) => at));
    const isAnswered = new Promise<void>((resolve) => {
      socket.on("message", (octets) => {
        ids.delete(decoded(octets).id);
        if (ids.size === 0) resolve();
      });
    });
    const { address, port } = listener.address;
    for (const id of ids) {
      socket.send(queryOctets(staticApex, "SOA", { message: { id } }), port, address);
    }
    // The queries are handed to the kernel before the next turn.
    await new Promise((resolve) => setImmediate(resolve));
    isStopped = true;
    await Promise.all([listener.stop(), isAnswered]);
    expect(ids.size).to.equal(0);
    socket.close();
    await once(socket, "close");
  });

  function listening(address: string): Promise<BoundListener> {
    const responder = new Responder(
      snapshot,
      () => 0,
      (error) => faults.push(error),
      () => 0,
    );
    return listenUdp({ address, port: 0 }, responder, (error) => faults.push(error));
  }
});
