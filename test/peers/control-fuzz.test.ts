// Ten thousand requests of ill will to a whole server, by its socket, where everything is allowed, and
// over HTTP.

import path from "node:path";
import { expect } from "chai";
import { freePorts } from "../../scripts/demo/free-ports.ts";
import { answerFault, answerTo } from "../control/fuzz-client.ts";
import { fuzzedRequest } from "../control/fuzzed-requests.ts";
import { Dice } from "../kit/dice.ts";
import { OperatedServers } from "../kit/operating.ts";

const seed = Number(process.env["MERIDIAN_SEED"] ?? 20_261_121);
/** So many at once by the socket; over HTTP who had too much refused is no longer listened to. */
const atOnce = 8;

describe(`requests of ill will to a whole server, seed ${seed}`, () => {
  let servers: OperatedServers;
  let httpPort = 0;
  before(async () => {
    [httpPort = 0] = await freePorts(1);
    const listen = { http: `127.0.0.1:${httpPort}` };
    const federation = {
      clusters: { "cluster-1": {}, "cluster-2": {}, "cluster-3": {} },
      services: { "ns/name": { in: { "cluster-1": { external: ["127.0.0.9"] } } } },
    };
    servers = new OperatedServers([{ name: "ns1", federation, spec: { listen } }]);
    await servers.start();
  });
  after(() => servers?.stop());

  it("are 9,000 by its socket, and none fails or tells of its insides", async () => {
    const server = servers.server("ns1");
    const at = { path: path.join(server.folder, "data/meridian.sock") };
    const dice = new Dice(seed);
    const counts = new Map<string, number>();
    for (let sent = 0; sent < 9000; sent += atOnce) {
      const requests = Array.from({ length: atOnce }, () => fuzzedRequest(dice));
      await Promise.all(
        requests.map(async (request) => {
          const text = await answerTo(at, request);
          const status = text.replace(/^HTTP\/1.1 100 Continue\r\n\r\n/, "").slice(9, 12);
          counts.set(status, (counts.get(status) ?? 0) + 1);
          const fault = answerFault(text, [process.cwd(), server.folder]);
          expect(fault, request.octets.toString("latin1", 0, 400)).to.equal(undefined);
        }),
      );
    }
    for (const each of ["200", "400", "404", "405", "413"]) {
      expect([...counts.keys()], JSON.stringify([...counts])).to.include(each);
    }
    // Refused words are common, no answer at all is rare: CONNECT and what is no HTTP at all.
    expect(counts.get("") ?? 0).to.be.below(200);
  });

  it("are 1,000 over HTTP, of which none changes anything", async () => {
    const server = servers.server("ns1");
    const before = server.events.filter(({ event }) => event === "drains").length;
    const dice = new Dice(seed + 1);
    for (let sent = 0; sent < 1000; sent++) {
      const request = fuzzedRequest(dice);
      const text = await answerTo({ host: "127.0.0.1", port: httpPort }, request);
      const fault = answerFault(text, [process.cwd(), server.folder]);
      expect(fault, request.octets.toString("latin1", 0, 400)).to.equal(undefined);
    }
    expect(server.events.filter(({ event }) => event === "drains").length).to.equal(before);
  });

  it("leave a server that failed at nothing, and answers", async () => {
    const server = servers.server("ns1");
    const failed = server.events.filter(({ event }) => /failed|fault|restart/.test(event));
    expect(failed).to.deep.equal([]);
    expect(await server.metric("meridian_ready")).to.equal(1);
  });
});
