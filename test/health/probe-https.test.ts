// Which certificates the HTTPS probe takes, with an authority that only these tests trust.

import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import path from "node:path";
import { createSecureContext, createServer } from "node:tls";
import { expect } from "chai";
import { parseAddress } from "../../src/dns/address.ts";
import type { HealthCheck } from "../../src/federation/model.ts";
import { probeHttp } from "../../src/health/probe-http.ts";
import { healthCheck } from "../kit/health-check.ts";
import { listenBare } from "../kit/web-service.ts";

const read = (file: string) => readFileSync(path.join(import.meta.dirname, "certificates", file));
const trust = createSecureContext({ ca: read("authority.pem") });

type Certificate = "server.pem" | "expired.pem" | "stranger.pem";

const cases: {
  readonly name: string;
  readonly certificate: Certificate;
  readonly check?: Partial<HealthCheck>;
  readonly reason: string;
  readonly serverName: string | false;
}[] = [
  {
    name: "the host's name",
    certificate: "server.pem",
    check: { host: "example.com" },
    reason: "status 200",
    serverName: "example.com",
  },
  {
    name: "the host's name, which is given with a port and a final dot",
    certificate: "server.pem",
    check: { host: "Example.com.:8443" },
    reason: "status 200",
    serverName: "Example.com",
  },
  {
    name: "the address, where no host is given",
    certificate: "server.pem",
    reason: "status 200",
    serverName: false,
  },
  {
    name: "the address that is given as host",
    certificate: "server.pem",
    check: { host: "[::1]:443" },
    reason: "status 200",
    serverName: false,
  },
  {
    name: "another name",
    certificate: "server.pem",
    check: { host: "example.org" },
    reason: "certificate name does not match example.org",
    serverName: "example.org",
  },
  {
    name: "another address",
    certificate: "server.pem",
    check: { host: "192.0.2.1" },
    reason: "certificate name does not match 192.0.2.1",
    serverName: false,
  },
  {
    name: "a time that is over",
    certificate: "expired.pem",
    check: { host: "example.com" },
    reason: "certificate has expired",
    serverName: "example.com",
  },
  {
    name: "nobody who is trusted",
    certificate: "stranger.pem",
    check: { host: "example.com" },
    reason: "certificate is not trusted",
    serverName: "example.com",
  },
  {
    name: "nobody who is trusted, unverified",
    certificate: "stranger.pem",
    check: { host: "example.org", insecureSkipVerify: true },
    reason: "status 200",
    serverName: "example.org",
  },
];

describe("HTTPS probe", () => {
  for (const { name, certificate, check = {}, reason, serverName } of cases) {
    it(`is told "${reason}" of a certificate for ${name}`, async () => {
      const server = await listenTls(certificate);
      try {
        const result = await probe(server.port, check, trust);
        expect(result).to.deep.equal({ isSuccess: reason === "status 200", reason });
        expect(server.serverNames()).to.deep.equal(result.isSuccess ? [serverName] : []);
      } finally {
        server.stop();
      }
    });
  }

  it("does not trust the tests' authority by itself", async () => {
    const server = await listenTls("server.pem");
    try {
      const { reason } = await probe(server.port, { host: "example.com" });
      expect(reason).to.equal("certificate is not trusted");
    } finally {
      server.stop();
    }
  });

  it("reads the body for its text", async () => {
    const server = await listenTls("server.pem");
    try {
      const reasons = [];
      for (const expectBody of ["well", "bad"]) {
        reasons.push((await probe(server.port, { expectBody }, trust)).reason);
      }
      expect(reasons).to.deep.equal(["status 200", 'body without "bad"']);
    } finally {
      server.stop();
    }
  });

  const broken: { name: string; serve: (socket: Socket) => void; reason: string }[] = [
    {
      name: "that speaks plain HTTP",
      serve: (socket) => socket.end("HTTP/1.1 200 OK\r\n\r\n"),
      reason: "answer is not TLS",
    },
    { name: "that never shakes hands", serve: () => {}, reason: "timeout after 200 ms" },
    {
      name: "that hangs up instead of shaking hands",
      serve: (socket) => socket.end(),
      reason: "connection closed without an answer",
    },
  ];
  for (const { name, serve, reason } of broken) {
    it(`is told "${reason}" of a server ${name}`, async () => {
      const server = await listenBare(serve, { isHasty: true });
      try {
        const result = await probe(server.port, { timeoutSeconds: 0.2 }, trust);
        expect(result).to.deep.equal({ isSuccess: false, reason });
        await server.allClosed();
      } finally {
        server.stop();
      }
    });
  }
});

function probe(port: number, check: Partial<HealthCheck>, trusted?: typeof trust) {
  const address = parseAddress("127.0.0.1") ?? new Uint8Array();
  const place = { address, port, check: healthCheck({ type: "https", ...check }) };
  return probeHttp(place, undefined, trusted);
}

/** An HTTPS server with that certificate; `serverNames` are those of the handshakes that succeeded. */
async function listenTls(certificate: Certificate) {
  const names: (string | false | null)[] = [];
  const sockets = new Set<Socket>();
  const options = { key: read("server.key"), cert: read(certificate) };
  const server = createServer(options, (socket) => {
    socket.on("error", () => {});
    socket.once("data", () => {
      names.push(socket.servername ?? false);
      socket.end("HTTP/1.1 200 OK\r\n\r\nall is well");
    });
  });
  server.on("tlsClientError", () => {});
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const bound = server.address();
  return {
    port: bound !== null && typeof bound === "object" ? bound.port : 0,
    serverNames: () => names,
    stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
