// The stand-in of Route 53 as the real SDK sees it: what it refuses, and how things go wrong.

import { request } from "node:http";
import {
  GetChangeCommand,
  GetHostedZoneCommand,
  ListResourceRecordSetsCommand,
  type ResourceRecordSet,
  type Route53Client,
} from "@aws-sdk/client-route-53";
import { expect } from "chai";
import { change, failureOf, listAll, sdkClient } from "../kit/route53/client.ts";
import { malformedCases } from "../kit/route53/malformed-cases.ts";
import { refusalCases } from "../kit/route53/refusal-cases.ts";
import {
  type FaultKind,
  type Route53Options,
  type Route53StandIn,
  standInKey,
  startRoute53,
} from "../kit/route53/server.ts";
import { addresses, created, deleted, recordSet, upserted } from "../kit/route53/sets.ts";

const zones = [{ id: "Z1", name: "example.com" }];
const www = recordSet("www", "A", ["192.0.2.1"]);

describe("the stand-in of Route 53 refuses", () => {
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

  for (const { name, existing = [], changes, messages } of refusalCases) {
    it(`${name}, and changes nothing`, async () => {
      await start();
      for (const set of existing) route53.zone("Z1").put(set);
      const before = route53.zone("Z1").all();
      const failure = await failureOf(change(sdk, changes));
      expect(failure).to.include({
        name: "InvalidChangeBatch",
        message: `[${messages.join(", ")}]`,
      });
      expect(failure).to.have.nested.property("$metadata.httpStatusCode", 400);
      expect(route53.zone("Z1").all()).to.deep.equal(before);
    });
  }

  it("in the older form of the API reference if asked to, which the SDK does not name", async () => {
    await start({ refusalForm: "invalid-change-batch" });
    const failure = await failureOf(change(sdk, deleted(www)));
    expect(failure).to.include({ name: "Unknown" });
    expect(failure).to.have.nested.property("$metadata.httpStatusCode", 400);
    expect(failure).to.have.nested.property(
      "Messages.Message",
      "Tried to delete resource record set [name='www.example.com.', type='A'] but it was not found",
    );
  });

  describe("batches over its limits:", () => {
    const texts = (lengths: readonly number[]) =>
      lengths.map((length, at) => recordSet(`t${at}`, "TXT", [textOf(length)]));
    const limits = [
      {
        name: "1000 values",
        most: created(recordSet("a", "A", addresses(400)), ...manyAddresses(600)),
        over: created(recordSet("a", "A", addresses(400)), ...manyAddresses(601)),
        message: "[Number of records limit of 1000 exceeded.]",
      },
      {
        name: "500 values with UPSERT",
        most: upserted(...manyAddresses(500)),
        over: upserted(...manyAddresses(501)),
        message: "[Number of records limit of 1000 exceeded.]",
      },
      {
        name: "32,000 characters",
        most: created(...texts(Array(16).fill(2000))),
        over: created(...texts([...Array(15).fill(2000), 2001])),
        message: "[RDATA character limit of 32000 exceeded.]",
      },
      {
        name: "16,000 characters with UPSERT",
        most: upserted(...texts(Array(8).fill(2000))),
        over: upserted(...texts([...Array(7).fill(2000), 2001])),
        message: "[RDATA character limit of 32000 exceeded.]",
      },
    ];
    for (const { name, most, over, message } of limits) {
      it(`${name} are taken, one more is not`, async () => {
        await start();
        expect(await failureOf(change(sdk, over))).to.include({ message });
        expect(route53.zone("Z1").count).to.equal(2);
        await change(sdk, most);
        expect(route53.zone("Z1").count).to.equal(2 + most.length);
      });
    }

    it("a full zone is not made fuller", async () => {
      await start({ mostRecordSets: 3 });
      await change(sdk, created(www));
      await change(sdk, [...deleted(www), ...created(recordSet("a", "A", ["192.0.2.1"]))]);
      expect(await failureOf(change(sdk, created(www)))).to.include({
        message: "[Exceeded limit MAX_RRSETS_BY_ZONE for zone: Z1]",
      });
    });

    it("values beyond the one of a weighted set, where the letter of the reference is asked for", async () => {
      await start({ mostRoutedValues: 1 });
      const part = { SetIdentifier: "a", Weight: 1 };
      await change(sdk, created(recordSet("a", "A", addresses(1), part)));
      const failure = await failureOf(
        change(sdk, created(recordSet("b", "A", addresses(2), part))),
      );
      expect(failure).to.include({ name: "InvalidChangeBatch" });
    });
  });

  describe("what is malformed, as InvalidInput:", () => {
    for (const { name, set, says } of malformedCases) {
      it(name, async () => {
        await start();
        const failure = await failureOf(change(sdk, created(set)));
        expect(failure).to.include({ name: "InvalidInput" });
        expect(failure).to.have.property("message").that.includes(says);
        expect(route53.zone("Z1").count).to.equal(2);
      });
    }

    it("an empty batch", async () => {
      await start();
      expect(await failureOf(change(sdk, []))).to.include({ name: "InvalidInput" });
    });

    it("a page of no record sets", async () => {
      await start();
      const command = new ListResourceRecordSetsCommand({ HostedZoneId: "Z1", MaxItems: 0 });
      expect(await failureOf(sdk.send(command))).to.include({ name: "InvalidInput" });
    });
  });

  it("zones and changes that there are not", async () => {
    await start();
    const zone = await failureOf(sdk.send(new GetHostedZoneCommand({ Id: "Z9" })));
    expect(zone).to.include({
      name: "NoSuchHostedZone",
      message: "No hosted zone found with ID: Z9",
    });
    const changed = await failureOf(sdk.send(new GetChangeCommand({ Id: "C9" })));
    expect(changed).to.include({ name: "NoSuchChange" });
  });

  describe("who may not call:", () => {
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

  it("more than so many requests in any second, and tells all calls", async () => {
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

  describe("on request:", () => {
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
      route53.setFault({ kind: "throttling", times: 2 });
      const patient = sdkClient(route53, { maxAttempts: 3 });
      expect(await listAll(patient)).to.have.length(2);
      expect(route53.calls.map(({ status }) => status)).to.deep.equal([400, 400, 200]);
      patient.destroy();
    });
  });

  it("the second of two writers at once", async () => {
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

  it("nothing that was not counted: changes, values and their characters", async () => {
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
  });
});

/** So many address records at names of their own. */
function manyAddresses(count: number): readonly ResourceRecordSet[] {
  return addresses(count).map((address, at) => recordSet(`n${at}`, "A", [address]));
}

/** A TXT value of so many characters in strings of 250 at most. */
function textOf(length: number): string {
  const strings: string[] = [];
  for (let left = length; left > 0; left -= 253) {
    strings.push(`"${"a".repeat(Math.max(0, Math.min(left - 2, 250)))}"`);
  }
  return strings.join(" ").slice(0, length);
}
