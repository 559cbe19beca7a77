// The stand-in of Route 53 as the real SDK sees it: who may call, how often, and how things go wrong.

import { request } from "node:http";
import type { Route53Client } from "@aws-sdk/client-route-53";
import { expect } from "chai";
import { change, failureOf, listAll, sdkClient } from "../kit/route53/client.ts";
import {
  type FaultKind,
  type Route53Options,
  type Route53StandIn,
  standInKey,
  startRoute53,
} from "../kit/route53/server.ts";
import { created, recordSet, upserted } from "../kit/route53/sets.ts";

const zones = [{ id: "Z1", name: "example.com" }];
const www = recordSet("www", "A", ["192.0.2.1"]);

describe("the stand-in of Route 53 at work", () => {
  let route53: Route53StandIn;
  let sdk: Route53Client;

  async function start(options: Partial<Route53Options> = {}): Promise<void> {
    route53 = await startRoute53({ zones, ...options });
    sdk = sdkClient(route53);
  }

  afterEach(async () => {
    sdk.destroy();
    await route53.stop();
  });

  describe("refuses callers:", () => {
    const temporary = { ...standInKey, accessKeyId: "ASIATEMPORARY", sessionToken: "token" };
    const cases = [
      { name: "an unknown key", known: [temporary], code: "InvalidClientTokenId" },
      {
        name: "a wrong secret",
        known: [{ ...standInKey, secretAccessKey: "another" }],
        code: "SignatureDoesNotMatch",
      },
      {
        name: "an expired session",
        known: [{ ...standInKey, isExpired: true }],
        code: "ExpiredToken",
      },
      {
        name: "a key that lacks its session token",
        known: [{ ...standInKey, sessionToken: "token" }],
        code: "InvalidClientTokenId",
      },
      {
        name: "a key whose policies do not allow it",
        known: [{ ...standInKey, denied: ["ListResourceRecordSets"] }],
        code: "AccessDenied",
      },
    ];
    for (const { name, known, code } of cases) {
      it(`${name} is told ${code}`, async () => {
        await start({ credentials: known });
        const failure = await failureOf(listAll(sdk));
        expect(failure).to.include({ name: code });
        expect(failure).to.have.nested.property("$metadata.httpStatusCode", 403);
      });
    }

    it("a key is only refused what its policies do not allow", async () => {
      await start({ credentials: [{ ...standInKey, denied: ["ChangeResourceRecordSets"] }] });
      expect(await listAll(sdk)).to.have.length(2);
      const failure = await failureOf(change(sdk, created(www)));
      expect(failure).to.have.property("message").that.includes("perform: route53:ChangeResource");
    });

    it("a session token that is right is taken", async () => {
      await start({ credentials: [temporary] });
      const other = sdkClient(route53, { key: temporary });
      expect(await listAll(other)).to.have.length(2);
      other.destroy();
    });
  });

  describe("without the SDK:", () => {
    const path = "/2013-04-01/hostedzone/Z1/rrset";
    const cases = [
      {
        name: "nobody's request",
        method: "GET",
        path,
        status: 403,
        code: "MissingAuthenticationToken",
      },
      {
        name: "another method",
        method: "PUT",
        path,
        status: 404,
        code: "UnknownOperationException",
      },
      {
        name: "another version",
        method: "GET",
        path: "/2012-12-12/hostedzone/Z1",
        status: 404,
        code: "UnknownOperationException",
      },
    ];
    for (const { name, method, path: asked, status, code } of cases) {
      it(`${name} gets ${status}`, async () => {
        await start();
        const response = await fetch(`${route53.endpoint}${asked}`, { method });
        expect(response.status).to.equal(status);
        expect(await response.text()).to.include(`<Code>${code}</Code>`);
      });
    }

    it("a request that breaks off is not carried out, and harms nobody", async () => {
      await start();
      const { port } = new URL(route53.endpoint);
      const half = request({ port, path, method: "POST", headers: { "content-length": 100 } });
      const broken = new Promise((resolve) => half.once("error", resolve));
      half.write("<?xml", () => half.destroy(new Error("killed")));
      await broken;
      expect(await listAll(sdk)).to.have.length(2);
      expect(route53.calls.map(({ operation }) => operation)).to.deep.equal([
        "ListResourceRecordSets",
      ]);
    });
  });

  it("refuses more than so many requests in any second", async () => {
    let now = 1_000_000;
    const clock = { now: () => now, sleep: () => Promise.resolve() };
    await start({ requestsPerSecond: 5, clock });
    const statuses = async (count: number) => {
      const before = route53.calls.length;
      for (let sent = 0; sent < count; sent++) await listAll(sdk).catch(() => undefined);
      return route53.calls.slice(before).map(({ status, code }) => code ?? status);
    };
    expect(await statuses(3)).to.deep.equal([200, 200, 200]);
    now += 600;
    expect(await statuses(3)).to.deep.equal([200, 200, "Throttling"]);
    now += 399;
    expect(await statuses(1)).to.deep.equal(["Throttling"]);
    now += 1;
    expect(await statuses(4)).to.deep.equal([200, 200, 200, "Throttling"]);
    expect(await failureOf(listAll(sdk))).to.include({
      name: "Throttling",
      message: "Rate exceeded",
    });
    expect(route53.calls[0]?.at).to.equal(1_000_000);
  });

  describe("fails on request:", () => {
    const cases: readonly { readonly kind: FaultKind; readonly isDone: boolean }[] = [
      { kind: "drop-before", isDone: false },
      { kind: "drop-after", isDone: true },
      { kind: "internal-error", isDone: false },
      { kind: "unavailable", isDone: false },
      { kind: "throttling", isDone: false },
      { kind: "prior-request-not-complete", isDone: false },
    ];
    for (const { kind, isDone } of cases) {
      it(`${kind}: the change is ${isDone ? "" : "not "}made`, async () => {
        await start();
        route53.setFault({ kind, operation: "ChangeResourceRecordSets", after: 1, times: 1 });
        await change(sdk, created(recordSet("before", "A", ["192.0.2.1"])));
        await failureOf(change(sdk, created(www)));
        expect(route53.zone("Z1").at("www.example.com.")).to.deep.equal(isDone ? [www] : []);
        await change(sdk, upserted(www));
        expect(route53.zone("Z1").at("www.example.com.")).to.deep.equal([www]);
      });
    }

    it("hang-after: no answer comes, the change is made", async () => {
      await start();
      route53.setFault({ kind: "hang-after" });
      const answered = change(sdk, created(www)).then(
        () => "answered",
        () => "broken off",
      );
      while (route53.calls.length === 0) await new Promise((resolve) => setImmediate(resolve));
      expect(route53.zone("Z1").at("www.example.com.")).to.deep.equal([www]);
      await route53.stop();
      expect(await answered).to.equal("broken off");
      await start();
    });

    it("what is over after some requests is got over by the SDK's own retries", async () => {
      await start();
      route53.setFault({ kind: "throttling", times: 1 });
      const patient = sdkClient(route53, { maxAttempts: 2 });
      expect(await listAll(patient)).to.have.length(2);
      expect(route53.calls.map(({ status }) => status)).to.deep.equal([400, 200]);
      patient.destroy();
    });
  });

  it("lets the first of two writers of one record set win", async () => {
    await start({ latencyMs: 20 });
    const other = sdkClient(route53);
    const results = await Promise.allSettled([
      change(sdk, created(www)),
      change(other, created(recordSet("www", "A", ["192.0.2.2"]))),
    ]);
    expect(results.map(({ status }) => status).sort()).to.deep.equal(["fulfilled", "rejected"]);
    expect(route53.zone("Z1").count).to.equal(3);
    other.destroy();
  });

  it("tells all calls with their changes, values and characters", async () => {
    await start();
    await change(sdk, [
      ...created(recordSet("a", "A", ["192.0.2.1", "192.0.2.2"])),
      ...upserted(recordSet("b", "TXT", ['"abc"'])),
    ]);
    expect(route53.calls[0]).to.include({
      operation: "ChangeResourceRecordSets",
      accessKeyId: standInKey.accessKeyId,
      status: 200,
      changes: 2,
      values: 4,
      valueCharacters: 28,
    });
    expect(route53.calls[0]?.asked.map(({ action, set }) => `${action} ${set.Name}`)).to.deep.equal(
      ["CREATE a.example.com.", "UPSERT b.example.com."],
    );
  });

  it("refuses a change before the former one of its zone is done, if asked to", async () => {
    const gates: (() => void)[] = [];
    const sleep = () => new Promise<void>((resolve) => gates.push(resolve));
    const clock = { now: () => 0, sleep };
    await start({
      zones: [...zones, { id: "Z2", name: "example.org" }],
      latencyMs: 2,
      refusesOverlap: true,
      clock,
    });
    const arrived = async (count: number) => {
      while (gates.length < count) await new Promise((resolve) => setImmediate(resolve));
    };
    const first = change(sdk, created(www));
    await arrived(1);
    const second = failureOf(change(sdk, created(recordSet("b", "A", ["192.0.2.1"]))));
    await arrived(2);
    const listed = listAll(sdk);
    await arrived(3);
    // Each request sleeps twice: before it is carried out and after.
    for (let at = 0; at < 6; at++) {
      await arrived(at + 1);
      gates[at]?.();
    }
    await first;
    expect(await second).to.include({ name: "PriorRequestNotComplete" });
    expect(await listed).to.have.length(3);
    expect(route53.zone("Z1").count).to.equal(3);
  });
});
