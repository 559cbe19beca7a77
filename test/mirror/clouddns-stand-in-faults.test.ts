// The stand-in of Cloud DNS, asked by Google's own client: limits of projects, rates, latency, and how
// it fails when a test wants that. Nothing here is about mirrors.

import { expect } from "chai";
import type { ApiRecordSet } from "../kit/clouddns/api-types.ts";
import type { Fault } from "../kit/clouddns/faults.ts";
import { failure, GoogleClient } from "../kit/clouddns/google-client.ts";
import { a, geo } from "../kit/clouddns/sample-records.ts";
import { type CloudDns, type CloudDnsOptions, startCloudDns } from "../kit/clouddns/server.ts";

const projects: CloudDnsOptions["projects"] = {
  shop: { zones: [{ name: "main", dnsName: "Example.com." }] },
};

describe("the stand-in of Cloud DNS under limits and faults", () => {
  let cloud: CloudDns;
  let google: GoogleClient;

  async function start(options: Partial<CloudDnsOptions> = {}): Promise<void> {
    cloud = await startCloudDns({ projects, ...options });
    google = new GoogleClient(cloud.baseUrl);
  }

  afterEach(() => cloud.stop());

  describe("limits of a project", () => {
    const two = [a("x", "1.1.1.1"), a("y", "1.1.1.1")];
    const four = [
      ["us-east1", "1.1.1.1"],
      ["us-west1", "1.1.1.1"],
    ] as const;
    for (const { quota, at, over, limit } of [
      {
        quota: { rrsetAdditionsPerChange: 2 },
        at: two,
        over: [...two, a("z", "1.1.1.1")],
        limit: "additions per change",
      },
      {
        quota: { totalRrdataSizePerChange: 21 },
        at: [geo("x", four), a("y", "1.1.1.1")],
        over: [geo("x", four), a("y", "11.1.1.1")],
        limit: "total rrdata size per change",
      },
      {
        quota: { rrsetsPerManagedZone: 4 },
        at: two,
        over: [...two, a("z", "1.1.1.1")],
        limit: "resource record sets per managed zone",
      },
      {
        quota: { resourceRecordsPerRrset: 4 },
        at: [a("x", "1.1.1.1", "1.1.1.2", "1.1.1.3", "1.1.1.4")],
        over: [a("x", "1.1.1.1", "1.1.1.2", "1.1.1.3", "1.1.1.4", "1.1.1.5")],
        limit: "resource records per resource record set",
      },
      {
        quota: { itemsPerRoutingPolicy: 2 },
        at: [geo("x", four)],
        over: [geo("x", [...four, ["us-south1", "1.1.1.1"]])],
        limit: "items per routing policy",
      },
    ]) {
      it(`takes as many ${limit} as the quota says, and no more`, async () => {
        await start({
          projects: { shop: { zones: [{ name: "main", dnsName: "example.com." }], quota } },
        });
        expect(await failure(google.change({ additions: over }))).to.include({
          code: 403,
          reason: "quotaExceeded",
          message: `The change would exceed quota for ${limit}.`,
        });
        await google.change({ additions: at });
      });
    }

    it("counts deletions by themselves, but their rdata with that of additions", async () => {
      const zones = [{ name: "main", dnsName: "example.com." }];
      const quota = { rrsetDeletionsPerChange: 1, totalRrdataSizePerChange: 28 };
      await start({ projects: { shop: { zones, quota } } });
      await google.change({ additions: two });
      const both = await failure(google.change({ deletions: two }));
      expect(both.message).to.equal("The change would exceed quota for deletions per change.");
      const more = { deletions: [a("x", "1.1.1.1")], additions: ["p", "q"].map(large) };
      expect((await failure(google.change(more))).message).to.include("total rrdata size");

      function large(name: string): ApiRecordSet {
        return a(name, "11.11.11.11");
      }
    });

    for (const { limit, spanMs, rateLimitStatus } of [
      { limit: { requestsPerSecond: 3 }, spanMs: 1000, rateLimitStatus: 429 },
      { limit: { requestsPerMinute: 3 }, spanMs: 60_000, rateLimitStatus: 403 },
    ] as const) {
      it(`answers three requests in ${spanMs / 1000} s and ${rateLimitStatus} to more`, async () => {
        let now = 5000;
        await start({ ...limit, rateLimitStatus, clock: () => now });
        for (let at = 0; at < 3; at++) await google.ask("/managedZones");
        now += spanMs - 1;
        expect(await failure(google.ask("/managedZones"))).to.include({
          code: rateLimitStatus,
          reason: "rateLimitExceeded",
        });
        now += 1;
        await google.ask("/managedZones");
      });
    }
  });

  describe("faults", () => {
    beforeEach(() => start());

    for (const [kind, code, reason] of [
      ["error-500", 500, "backendError"],
      ["error-502", 502, undefined],
      ["error-503", 503, "backendError"],
      ["rate-limit-429", 429, "rateLimitExceeded"],
      ["rate-limit-403", 403, "rateLimitExceeded"],
      ["forbidden", 403, "forbidden"],
      ["access-not-configured", 403, "accessNotConfigured"],
      ["unauthorized", 401, "authError"],
    ] as const) {
      for (const isApplied of [false, true]) {
        it(`answer with ${kind} ${isApplied ? "after" : "instead of"} what was asked`, async () => {
          cloud.setFault({ kind, isApplied });
          const error = await failure(google.change({ additions: [a("x", "1.1.1.1")] }));
          expect(error).to.include({ code, reason });
          expect(cloud.zone("shop", "main").records()).to.have.length(isApplied ? 3 : 2);
          expect(cloud.calls[0]?.status).to.equal(code);
        });
      }
    }

    for (const isApplied of [false, true]) {
      it(`break connections ${isApplied ? "after" : "instead of"} what was asked`, async () => {
        cloud.setFault({ kind: "drop", isApplied });
        await google.broken("/managedZones/main/changes", { additions: [a("x", "1.1.1.1")] });
        expect(cloud.zone("shop", "main").records()).to.have.length(isApplied ? 3 : 2);
        expect(cloud.calls.map(({ status }) => status)).to.deep.equal([0]);
      });
    }

    it("let requests wait until the server stops", async () => {
      cloud.setFault({ kind: "hang", operation: "managedZones.list" });
      const waiting = google.broken("/managedZones");
      while (cloud.calls.length === 0) await new Promise(setImmediate);
      await google.ask("/managedZones/main");
      await cloud.stop();
      await waiting;
    });

    it("meet one operation, after some and so many times, until they are taken back", async () => {
      const fault: Fault = { kind: "error-503", operation: "managedZones.get", after: 1, times: 2 };
      cloud.setFault(fault);
      const statuses: unknown[] = [];
      for (let at = 0; at < 4; at++) {
        await google.ask("/managedZones");
        statuses.push(
          await google.ask("/managedZones/main").then(
            () => 200,
            ({ code }) => code,
          ),
        );
      }
      expect(statuses).to.deep.equal([200, 503, 503, 200]);
      cloud.setFault({ kind: "error-503" });
      expect((await failure(google.ask("/managedZones"))).code).to.equal(503);
      cloud.setFault(undefined);
      await google.ask("/managedZones");
    });

    it("say how long to wait if they are told to", async () => {
      cloud.setFault({ kind: "rate-limit-429", retryAfterSeconds: 7 });
      const response = await fetch(`${cloud.baseUrl}/projects/shop`);
      expect(response.headers.get("retry-after")).to.equal("7");
    });
  });

  it("remembers what it was asked, when, and how it answered", async () => {
    let now = 1000;
    await start({ clock: () => now++ });
    await google.change({ additions: [a("x", "1.1.1.1")] });
    await failure(google.change({ deletions: [a("x", "2.2.2.2")] }));
    expect(
      cloud.calls.map(({ operation, status, additions, deletions }) => [
        operation,
        status,
        additions.length,
        deletions.length,
      ]),
    ).to.deep.equal([
      ["changes.create", 200, 1, 0],
      ["changes.create", 412, 0, 1],
    ]);
    expect(cloud.calls[0]).to.include({ at: 1000, hasCredentials: false });
  });

  it("does what is asked half way of its latency, so that two may race", async () => {
    const pauses: (() => void)[] = [];
    const pause = () => new Promise<void>((resolve) => pauses.push(resolve));
    await start({ latencyMs: 200, pause });
    const both = ["1.1.1.1", "2.2.2.2"].map((address) =>
      google.change({ additions: [a("x", address)] }).then(
        () => 200,
        ({ code }) => code,
      ),
    );
    while (cloud.calls.length < 2) await new Promise(setImmediate);
    expect(cloud.zone("shop", "main").records()).to.have.length(2);
    const release = setInterval(() => pauses.shift()?.(), 1);
    expect((await Promise.all(both)).toSorted()).to.deep.equal([200, 409]);
    clearInterval(release);
  });
});
