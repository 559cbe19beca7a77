// How the HTTP probe asks, and how it ends when nobody answers.

import { expect } from "chai";
import { parseAddress } from "../../src/dns/address.ts";
import type { HealthCheck } from "../../src/federation/model.ts";
import { probeHttp } from "../../src/health/probe-http.ts";
import { healthCheck } from "../kit/health-check.ts";
import { listenBare, listenDeaf, startWebService } from "../kit/web-service.ts";

describe("HTTP probe and its connection", () => {
  for (const [address, host] of [
    ["127.0.0.1", "127.0.0.1"],
    ["::1", "[::1]"],
  ] as const) {
    it(`asks ${address} with the path and its own Host, and says who it is`, async function () {
      const heads: string[] = [];
      const peer = await listenBare((socket) => socket.end("HTTP/1.1 200 OK\r\n\r\n"), {
        address,
        heads,
      }).catch(() => this.skip());
      try {
        const result = await probe(peer.port, { path: "/häl?a=b" }, address);
        expect(result).to.deep.equal({ isSuccess: true, reason: "status 200" });
        await probe(peer.port, { host: "example.com" }, address);
        expect(heads).to.deep.equal([
          `GET /h%c3%a4l?a=b HTTP/1.1\r\nHost: ${host}:${peer.port}\r\nUser-Agent: meridian-health/1\r\nConnection: close\r\n\r\n`,
          "GET / HTTP/1.1\r\nHost: example.com\r\nUser-Agent: meridian-health/1\r\nConnection: close\r\n\r\n",
        ]);
      } finally {
        peer.stop();
      }
    });
  }

  it("fails, and does not throw, where the Host cannot be sent", async () => {
    const result = await probe(20_001, { host: "a\r\nX-Injected: 1" });
    expect(result).to.deep.equal({ isSuccess: false, reason: "invalid char" });
  });

  it("tells a refused connection, and follows a service that falls silent, dies and comes back", async () => {
    const service = await startWebService({ status: 200 });
    const reasons: string[] = [];
    const look = async () =>
      reasons.push((await probe(service.port, { timeoutSeconds: 0.2 })).reason);
    try {
      await look();
      service.setStatus(503);
      await look();
      service.hang();
      await look();
      await service.kill();
      await look();
      await service.revive();
      await look();
    } finally {
      await service.stop();
    }
    expect(reasons).to.deep.equal([
      "status 200",
      "status 503",
      "timeout after 200 ms",
      "connect refused",
      "status 503",
    ]);
  });

  it("tells a time-out of the connection from one of the answer", async () => {
    const deaf = await listenDeaf();
    try {
      const result = await probe(deaf.port, { timeoutSeconds: 0.3 });
      expect(result).to.deep.equal({ isSuccess: false, reason: "connect timeout after 300 ms" });
    } finally {
      await deaf.stop();
    }
  });

  it("ends at once when it is aborted, before and while it runs", async () => {
    const peer = await listenBare(() => {});
    try {
      const place = placeOf(peer.port, { timeoutSeconds: 60 });
      const aborted = { isSuccess: false, reason: "aborted" };
      expect(await probeHttp(place, AbortSignal.abort())).to.deep.equal(aborted);
      expect(peer.connections).to.equal(0);
      const abort = new AbortController();
      const running = probeHttp(place, abort.signal);
      await peer.asked;
      abort.abort();
      expect(await running).to.deep.equal(aborted);
      await peer.allClosed();
    } finally {
      peer.stop();
    }
  });

  it("does not blame the endpoint for the time that this process stood still", async () => {
    const service = await startWebService();
    try {
      const running = probe(service.port, { timeoutSeconds: 0.2 });
      const until = performance.now() + 700;
      while (performance.now() < until);
      expect(await running).to.deep.equal({ isSuccess: true, reason: "status 200" });
    } finally {
      await service.stop();
    }
  });
});

function placeOf(port: number, check: Partial<HealthCheck> = {}, address = "127.0.0.1") {
  const octets = parseAddress(address);
  if (!octets) throw new Error(`cannot probe: it is not an address, got ${address}`);
  return { address: octets, port, check: healthCheck({ type: "http", ...check }) };
}

function probe(port: number, check?: Partial<HealthCheck>, address?: string) {
  return probeHttp(placeOf(port, check, address));
}
