// What the TCP probe makes of ports that take connections and of those that do not, and which probe
// a check asks for.

import type { Socket } from "node:net";
import { expect } from "chai";
import { parseAddress } from "../../src/dns/address.ts";
import type { HealthCheck } from "../../src/federation/model.ts";
import { probeTarget } from "../../src/health/probe.ts";
import type { Target } from "../../src/health/target.ts";
import { healthCheck } from "../kit/health-check.ts";
import { listenBare, listenDeaf, startWebService } from "../kit/web-service.ts";

describe("TCP probe", () => {
  for (const address of ["127.0.0.1", "::1"]) {
    it(`succeeds where ${address} takes the connection, and closes it`, async function () {
      const peer = await listenBare(() => {}, { address }).catch(() => this.skip());
      try {
        const result = await probeTarget(targetAt(peer.port, { type: "tcp" }, address));
        expect(result).to.deep.equal({ isSuccess: true, reason: "connected" });
        await peer.allClosed();
      } finally {
        peer.stop();
      }
      const result = await probeTarget(targetAt(peer.port, { type: "tcp" }, address));
      expect(result).to.deep.equal({ isSuccess: false, reason: "connect refused" });
    });
  }

  it("is told of a connection that is not taken in time", async () => {
    const deaf = await listenDeaf();
    try {
      const check: Partial<HealthCheck> = { type: "tcp", timeoutSeconds: 0.2 };
      const result = await probeTarget(targetAt(deaf.port, check));
      expect(result).to.deep.equal({ isSuccess: false, reason: "connect timeout after 200 ms" });
    } finally {
      await deaf.stop();
    }
  });
});

describe("probe of a target", () => {
  const speaks = (socket: Socket): void => {
    socket.end("HTTP/1.1 503 Sorry\r\n\r\n");
  };
  const cases: { type: HealthCheck["type"]; reason: string }[] = [
    { type: "http", reason: "status 503" },
    { type: "https", reason: "answer is not TLS" },
    { type: "tcp", reason: "connected" },
    { type: "dns", reason: "connect refused" },
  ];
  for (const { type, reason } of cases) {
    it(`asks by ${type} where the check says so`, async () => {
      const peer = await listenBare(speaks, { isHasty: true });
      try {
        const result = await probeTarget(targetAt(peer.port, { type }));
        expect(result.reason).to.equal(reason);
      } finally {
        peer.stop();
      }
    });
  }

  it("fails without a port", async () => {
    const result = await probeTarget({ ...targetAt(0), port: undefined });
    expect(result).to.deep.equal({ isSuccess: false, reason: "no such port" });
  });

  it("leaves no socket and no timer behind, whatever comes of it", async () => {
    // The test's own timer starts in the turn after.
    await new Promise((resolve) => setImmediate(resolve));
    const before = process.getActiveResourcesInfo().sort();
    const service = await startWebService();
    const aborts = new AbortController();
    const kinds: Partial<HealthCheck>[] = [
      { type: "http" },
      { type: "http", expectBody: "missing" },
      { type: "https" },
      { type: "tcp" },
      { type: "dns", timeoutSeconds: 0.1 },
    ];
    const all = () =>
      kinds.map((check) => probeTarget(targetAt(service.port, check), aborts.signal));
    try {
      await Promise.all(all());
      service.hang();
      const hanging = all();
      while (service.requests < 4) await new Promise((resolve) => setImmediate(resolve));
      aborts.abort();
      await Promise.all(hanging);
    } finally {
      await service.stop();
    }
    await Promise.all(kinds.map((check) => probeTarget(targetAt(service.port, check))));
    // Handles are closed in the turn after.
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(process.getActiveResourcesInfo().sort()).to.deep.equal(before);
  });
});

function targetAt(port: number, check: Partial<HealthCheck> = {}, address = "127.0.0.1"): Target {
  const octets = parseAddress(address);
  if (!octets) throw new Error(`cannot probe: it is not an address, got ${address}`);
  return {
    id: "shop/cart c1",
    service: "shop/cart",
    cluster: "c1",
    address: octets,
    isInternal: false,
    check: healthCheck(check),
    port,
  };
}
