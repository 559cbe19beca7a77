// `meridian serve` as a process: where it listens, what it says, how signals end it.

import { createSocket } from "node:dgram";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { createServer } from "node:net";
import { expect } from "chai";
import { exampleFiles, federationApex, serviceName } from "../conformance/served.ts";
import { runCommand } from "../kit/command.ts";
import { decoded, framed, query, queryOctets, TcpClient } from "../kit/dns-client.ts";
import { type RunningServer, startServer, writeServerFolder } from "../kit/server.ts";

describe("meridian serve", () => {
  const servers: RunningServer[] = [];
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.stop()));
  });

  describe("while it runs", () => {
    let server: RunningServer;
    before(async () => {
      const serverSpec = { listen: { dns: ["127.0.0.1:0", "[::1]:0"] } };
      server = await startServer({ files: exampleFiles(), serverSpec });
    });
    after(() => server.stop());

    it("has said what it serves and two queries to try", () => {
      const [welcome, ...rest] = server.output();
      const places = server.listen.map(({ address, port }) =>
        address === "::1" ? `[::1]:${port}` : `${address}:${port}`,
      );
      expect(welcome).to.equal(`Meridian ns1 answers on ${places.join(", ")} (UDP and TCP)`);
      expect(rest.join("\n")).to.include("federation my-federation, domain my-domain.com.");
      const queries = rest.filter((line) => line.trim().startsWith("dig "));
      expect(queries).to.have.length(2);
      for (const line of queries) expect(line).to.include(`@127.0.0.1 -p ${server.port} `);
    });

    it("answers over UDP and TCP on each of its addresses", async () => {
      expect(server.listen.map(({ address }) => address)).to.deep.equal(["127.0.0.1", "::1"]);
      for (const each of server.listen) {
        for (const transport of ["udp", "tcp"] as const) {
          const answer = await query(each, serviceName, "A", { transport });
          expect(answer.answers).to.have.length(3);
        }
      }
    });

    it("answers a client inside a cluster with the clusterIP first", async () => {
      for (const transport of ["udp", "tcp"] as const) {
        const options = { transport, localAddress: "127.0.1.1" };
        const { answers } = await query(server, serviceName, "A", options);
        expect([...(answers[0]?.rdata ?? [])]).to.deep.equal([10, 0, 153, 185]);
      }
    });

    for (const { name, take } of [
      { name: "UDP", take: takeUdp },
      { name: "TCP", take: takeTcp },
    ]) {
      it(`another one ends with status 2 and a message where a port is in use over ${name}`, async () => {
        const taken = await take();
        const listen = { dns: [`127.0.0.1:${taken.port}`] };
        const spec = { listen, geoip: { databases: [] } };
        const folder = writeServerFolder({ files: exampleFiles(), serverSpec: spec });
        const result = await runCommand(["serve"], folder);
        await taken.free();
        rmSync(folder, { recursive: true });
        expect(result.stderr).to.match(
          new RegExp(`^cannot listen on 127\\.0\\.0\\.1:${taken.port}: .*EADDRINUSE`),
        );
        expect([result.status, result.stdout]).to.deep.equal([2, ""]);
      });
    }
  });

  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    it(`drains on ${signal} and ends with status 0`, async () => {
      const server = await started();
      server.process.kill(signal);
      expect(await server.ended()).to.equal(0);
      await server.logged(({ event }) => event === "stopped");
      expect(server.log().every((line) => line.startsWith("{"))).to.equal(true);
    });
  }

  it("answers every query that was sent before SIGTERM, over UDP and TCP", async () => {
    const server = await started();
    const udpIds = Array.from({ length: 300 }, (_, at) => at);
    const tcp = await TcpClient.connect(server);
    tcp.send(framed(soaQuery(0)));
    await tcp.next();
    // The answers come all at once, and Linux holds 256 of them for a socket as it is set up.
    const sockets = Array.from({ length: 6 }, () => createSocket("udp4"));
    const missing = new Set(udpIds);
    for (const socket of sockets) {
      socket.bind(0, "127.0.0.1");
      await once(socket, "listening");
      socket.on("message", (octets) => missing.delete(decoded(octets).id));
    }
    for (const id of udpIds) {
      sockets[id % sockets.length]?.send(soaQuery(id), server.port, server.address);
    }
    tcp.send(Buffer.concat(udpIds.map((id) => framed(soaQuery(id)))));
    await new Promise((resolve) => setImmediate(resolve));
    server.process.kill("SIGTERM");
    for (const id of udpIds) expect(decoded(await tcp.next()).id).to.equal(id);
    expect(await tcp.ended()).to.have.length(0);
    expect(await server.ended()).to.equal(0);
    for (const socket of sockets) socket.close();
    expect([...missing]).to.deep.equal([]);
  });

  it("keeps answering while a client holds its connection open and says nothing", async () => {
    const server = await started();
    const silent = await TcpClient.connect(server);
    expect((await query(server, federationApex, "SOA")).answers).to.have.length(1);
    server.process.kill("SIGTERM");
    await silent.ended();
    expect(await server.ended()).to.equal(0);
  });

  async function started(): Promise<RunningServer> {
    const geoip = { databases: [] };
    const server = await startServer({ files: exampleFiles(), serverSpec: { geoip } });
    servers.push(server);
    return server;
  }
});

interface TakenPort {
  readonly port: number;
  readonly free: () => Promise<void>;
}

function takeUdp(): Promise<TakenPort> {
  const socket = createSocket("udp4");
  const free = (): Promise<void> => new Promise((resolve) => socket.close(() => resolve()));
  return new Promise((resolve) => {
    socket.bind(0, "127.0.0.1", () => resolve({ port: socket.address().port, free }));
  });
}

function takeTcp(): Promise<TakenPort> {
  const server = createServer();
  const free = (): Promise<void> => new Promise((resolve) => server.close(() => resolve()));
  return new Promise((resolve, reject) => {
    server.listen(0, "127.0.0.1", () => {
      const bound = server.address();
      if (bound === null || typeof bound === "string") reject(new Error("cannot take a port"));
      else resolve({ port: bound.port, free });
    });
  });
}

function soaQuery(id: number): Uint8Array {
  return queryOctets(federationApex, "SOA", { message: { id } });
}
