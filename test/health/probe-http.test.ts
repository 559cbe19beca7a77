// What the HTTP probe makes of real servers on this machine, well-behaved and not.

import type { Socket } from "node:net";
import { expect } from "chai";
import { parseAddress } from "../../src/dns/address.ts";
import type { HealthCheck } from "../../src/federation/model.ts";
import { probeHttp } from "../../src/health/probe-http.ts";
import { healthCheck } from "../kit/health-check.ts";
import { listenBare } from "../kit/web-service.ts";

interface Case {
  readonly name: string;
  /** What the server does with a connection that has sent its request. */
  readonly serve: (socket: Socket) => void;
  readonly check?: Partial<HealthCheck>;
  readonly reason: string;
  readonly isSuccess?: boolean;
}

const says =
  (...pieces: string[]) =>
  (socket: Socket): void => {
    // Piece by piece, so that each is a chunk of its own for the reader.
    const next = (): void => {
      const piece = pieces.shift();
      if (piece === undefined) socket.end();
      else socket.write(piece, "latin1", () => setTimeout(next, 2));
    };
    next();
  };
const withBody = (body: string) =>
  `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const endless = (head: string, piece: string) => (socket: Socket) => {
  socket.write(head);
  const more = (): void => {
    while (!socket.destroyed && socket.write(piece)) if (socket.writableLength > 1e6) break;
  };
  socket.on("drain", more);
  more();
};

const cases: Case[] = [
  {
    name: "a status in the range",
    serve: says("HTTP/1.1 200 OK\r\n\r\n"),
    reason: "status 200",
    isSuccess: true,
  },
  {
    name: "a status out of the range",
    serve: says("HTTP/1.1 503 Sorry\r\n\r\n"),
    reason: "status 503",
  },
  {
    name: "a redirect in the range, not followed",
    serve: says("HTTP/1.1 302 Found\r\nLocation: http://192.0.2.1/\r\n\r\n"),
    reason: "status 302",
    isSuccess: true,
  },
  {
    name: "a redirect out of the range",
    serve: says("HTTP/1.1 302 Found\r\nLocation: /\r\n\r\n"),
    check: { expectStatus: "200" },
    reason: "status 302",
  },
  {
    name: "a single status in a list",
    serve: says("HTTP/1.1 404 No\r\n\r\n"),
    check: { expectStatus: "200-299, 404" },
    reason: "status 404",
    isSuccess: true,
  },
  {
    name: "a head in small pieces",
    serve: says("HT", "TP/1.1 2", "04 No Content\r", "\n\r\n"),
    reason: "status 204",
    isSuccess: true,
  },
  {
    name: "a body that never ends, where the status decides",
    serve: (socket) => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\nsome"),
    reason: "status 200",
    isSuccess: true,
  },
  {
    name: "interim answers before the one that counts",
    serve: says(
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n",
      "HTTP/1.1 200 OK\r\n\r\n",
    ),
    reason: "status 200",
    isSuccess: true,
  },
  {
    name: "interim answers without end",
    serve: endless("", "HTTP/1.1 100 Continue\r\n\r\n".repeat(100)),
    reason: "too many interim answers",
  },
  {
    name: "a switch of protocols",
    serve: says("HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"),
    reason: "status 101",
  },
  {
    name: "a text in the body",
    serve: says(withBody("all is ok here")),
    check: { expectBody: "is ok" },
    reason: "status 200",
    isSuccess: true,
  },
  {
    name: "a text that lies across pieces",
    serve: says("HTTP/1.1 200 OK\r\n\r\nall ", "i", "s o", "k here"),
    check: { expectBody: "is ok" },
    reason: "status 200",
    isSuccess: true,
  },
  {
    name: "a text that lies across HTTP chunks",
    serve: says(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nis o\r\n2\r\nk!\r\n0\r\n\r\n",
    ),
    check: { expectBody: "is ok" },
    reason: "status 200",
    isSuccess: true,
  },
  {
    name: "a text in a body that goes on, not waited for",
    serve: (socket) => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\nok"),
    check: { expectBody: "ok" },
    reason: "status 200",
    isSuccess: true,
  },
  {
    name: "a body without the text",
    serve: says(withBody("all is well")),
    check: { expectBody: "ok" },
    reason: 'body without "ok"',
  },
  {
    name: "no body at all",
    serve: says("HTTP/1.1 204 No Content\r\n\r\n"),
    check: { expectBody: "ok" },
    reason: 'body without "ok"',
  },
  {
    name: "a text up to the last of 64 KiB",
    serve: says(withBody(`${"x".repeat(65_534)}ok`)),
    check: { expectBody: "ok" },
    reason: "status 200",
    isSuccess: true,
  },
  {
    name: "a text that ends one octet past 64 KiB",
    serve: says(withBody(`${"x".repeat(65_535)}ok`)),
    check: { expectBody: "ok" },
    reason: 'body without "ok"',
  },
  {
    name: "an endless body without the text",
    serve: endless("HTTP/1.1 200 OK\r\n\r\n", "x".repeat(10_000)),
    check: { expectBody: "ok" },
    reason: 'body without "ok"',
  },
  {
    name: "the text under a status that is not expected",
    serve: says("HTTP/1.1 500 Oh\r\n\r\nok"),
    check: { expectBody: "ok" },
    reason: "status 500",
  },
  {
    name: "a text with control characters, told without them",
    serve: says(withBody("x")),
    check: { expectBody: "a\r\nb\u0000\u001b[31m" },
    reason: 'body without "a??b??[31m"',
  },
  {
    name: "a body that breaks off",
    serve: says("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nsome"),
    check: { expectBody: "ok" },
    reason: "connection closed within the body",
  },
  {
    name: "a slow body",
    serve: (socket) => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nsome"),
    check: { expectBody: "ok", timeoutSeconds: 0.2 },
    reason: "timeout after 200 ms",
  },
  {
    name: "no answer",
    serve: () => {},
    check: { timeoutSeconds: 0.2 },
    reason: "timeout after 200 ms",
  },
  {
    name: "a head that trickles",
    serve: says("HTTP/1.1 200 OK\r\n", ..."x".repeat(500)),
    check: { timeoutSeconds: 0.2 },
    reason: "timeout after 200 ms",
  },
  {
    name: "the end of the connection before an answer",
    serve: (socket) => socket.end(),
    reason: "connection closed without an answer",
  },
  { name: "a reset", serve: (socket) => socket.resetAndDestroy(), reason: "connection reset" },
  {
    name: "something that is not HTTP",
    serve: says("SSH-2.0-OpenSSH_9.9\r\n"),
    reason: "answer is not HTTP",
  },
  {
    name: "a status line with control characters, not repeated",
    serve: says("HTTP/1.1 503 a\u001b[31mb\r\n\r\n"),
    reason: "status 503",
  },
  {
    name: "headers without end",
    serve: endless("HTTP/1.1 200 OK\r\n", `X-More: ${"x".repeat(1000)}\r\n`),
    reason: "headers too large",
  },
];

describe("HTTP probe", () => {
  for (const { name, serve, check, reason, isSuccess = false } of cases) {
    it(`is told "${reason}" of ${name}`, async () => {
      const peer = await listenBare(serve);
      try {
        const result = await probe(peer.port, check);
        expect(result).to.deep.equal({ isSuccess, reason });
        await peer.allClosed();
      } finally {
        peer.stop();
      }
    });
  }
});

function placeOf(port: number, check: Partial<HealthCheck> = {}, address = "127.0.0.1") {
  const octets = parseAddress(address);
  if (!octets) throw new Error(`cannot probe: it is not an address, got ${address}`);
  return { address: octets, port, check: healthCheck({ type: "http", ...check }) };
}

function probe(port: number, check?: Partial<HealthCheck>, address?: string) {
  return probeHttp(placeOf(port, check, address));
}
