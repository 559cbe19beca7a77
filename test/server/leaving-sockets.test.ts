// One data plane takes the place of another at the same addresses, while clients ask on and on. Both
// run in this process; what is tested is what is shipped.

import { expect } from "chai";
import type { SnapshotImage } from "../../src/answer/snapshot.ts";
import type { DataPlane } from "../../src/server/data-plane.ts";
import { formatListenAddress } from "../../src/server/listener.ts";
import { tcpDescriptors } from "../../src/server/tcp-descriptors.ts";
import { staticApex } from "../conformance/served.ts";
import { fuzzState } from "../fuzz/fuzz-state.ts";
import { askTcp, askUdp, decoded, queryOctets } from "../kit/dns-client.ts";
import { imageOf } from "./served-image.ts";

const built = new URL("../../dist/server/data-plane.js", import.meta.url).href;
const { startDataPlane }: typeof import("../../src/server/data-plane.ts") = await import(built);

const listen = [
  { address: "127.0.0.1", port: 0 },
  { address: "::1", port: 0 },
];
const octets = queryOctets(staticApex, "SOA");

describe("a data plane that takes another's place", () => {
  let image: SnapshotImage;
  const planes: DataPlane[] = [];

  before(async () => {
    image = imageOf((await fuzzState([])).snapshot);
  });
  afterEach(() => Promise.all(planes.splice(0).map((plane) => plane.stop())));

  it("loses no query over UDP and TCP, with other threads and one more address", async () => {
    const former = await started({ listen, workers: 2 });
    let isOver = false;
    const answered = { udp: 0, tcp: 0 };
    const failures: string[] = [];
    const clients = former.addresses.flatMap((server) =>
      (["udp", "tcp"] as const).flatMap((transport) =>
        Array.from({ length: 4 }, async () => {
          while (!isOver) {
            const ask = transport === "tcp" ? askTcp : askUdp;
            await ask(server, octets).then(
              () => answered[transport]++,
              (error) => failures.push(`${transport}: ${error}`),
            );
          }
        }),
      ),
    );
    const more = { address: "127.0.0.9", port: 0 };
    const next = await started({
      listen: [...former.addresses, more],
      workers: 1,
      inherited: inheritedFrom(former),
    });
    next.hear();
    await former.leave();
    const before = { ...answered };
    while (answered.udp < before.udp + 50 || answered.tcp < before.tcp + 50) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    isOver = true;
    await Promise.all(clients);
    expect(failures).to.deep.equal([]);
    expect(next.addresses.slice(0, 2)).to.deep.equal(former.addresses);
    for (const server of next.addresses) {
      expect(decoded(await askTcp(server, octets)).answers).to.have.length(1);
      expect(decoded(await askUdp(server, octets)).answers).to.have.length(1);
    }
  });

  it("hears nothing before it is told to, and leaves the other one as it was if it ends", async () => {
    const former = await started({ listen, workers: 1 });
    const next = await started({
      listen: former.addresses,
      workers: 1,
      inherited: inheritedFrom(former),
    });
    await Promise.all(Array.from({ length: 16 }, () => askUdp(serverOf(former), octets)));
    await askTcp(serverOf(former), octets);
    expect(next.counters().udp.received).to.equal(0);
    await next.stop();
    await Promise.all(Array.from({ length: 16 }, () => askUdp(serverOf(former), octets)));
    expect(decoded(await askTcp(serverOf(former), octets)).answers).to.have.length(1);
  });

  it("cannot take an address that others than the former one have", async () => {
    const former = await started({ listen: listen.slice(0, 1), workers: 1 });
    const stranger = await started({ listen: listen.slice(0, 1), workers: 1 });
    const failure = await started({
      listen: [...former.addresses, ...stranger.addresses],
      workers: 1,
      inherited: inheritedFrom(former),
    }).catch(String);
    expect(failure).to.match(
      new RegExp(`cannot listen on 127\\.0\\.0\\.1:${serverOf(stranger).port}: bind EADDRINUSE`),
    );
    expect(decoded(await askTcp(serverOf(former), octets)).answers).to.have.length(1);
  });

  async function started(
    options: Pick<Parameters<typeof startDataPlane>[0], "listen" | "workers" | "inherited">,
  ): Promise<DataPlane> {
    const plane = await startDataPlane(
      { udp: "batch", answerCacheMiB: 1, ...options },
      () => image,
      {
        onFault: (message) => expect.fail(message),
        onRestart: (reason) => expect.fail(reason),
      },
    );
    planes.push(plane);
    return plane;
  }
});

/** Descriptors of its own, as they come from another process. */
function inheritedFrom({ tcp }: DataPlane): Map<string, number> {
  const { duplicate } = tcpDescriptors();
  return new Map(
    tcp.map(({ address, descriptor }) => [formatListenAddress(address), duplicate(descriptor)]),
  );
}

function serverOf({ addresses }: DataPlane): DataPlane["addresses"][number] {
  const [server] = addresses;
  if (!server) throw new Error("cannot ask: the data plane says no address");
  return server;
}
