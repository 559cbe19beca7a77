// A zone of Cloud DNS through the real client: what a mirror reads, changes and is refused, against a
// stand-in that keeps what the service keeps.

import { expect } from "chai";
import type { CloudDnsConfig } from "../../src/config/mirror-config.ts";
import { openCloudDns } from "../../src/mirror/clouddns.ts";
import type { Patience } from "../../src/mirror/clouddns-attempts.ts";
import type { Change, ChangeGroup, Provider } from "../../src/mirror/provider.ts";
import { MirrorError } from "../../src/mirror/provider.ts";
import type { RecordPart, RecordSet } from "../../src/mirror/record-set.ts";
import { type CloudDns, type CloudDnsOptions, startCloudDns } from "../kit/clouddns/server.ts";

const never = new AbortController().signal;

describe("a zone of Cloud DNS", () => {
  let cloud: CloudDns;
  let called: string[];
  let throttles: number;
  let waits: number[];

  afterEach(() => cloud.stop());

  it("says its domain and what it may hold", async () => {
    const zone = await begin({
      projects: project({ resourceRecordsPerRrset: 7, itemsPerRoutingPolicy: 5 }),
    });
    expect(zone.label).to.equal("clouddns shop/main");
    expect(await zone.open(never)).to.deep.equal({
      domain: "example.com.",
      mostValues: 7,
      mostParts: 5,
    });
    expect(called).to.deep.equal(["dns.managedZones.get", "dns.projects.get"]);
  });

  it("goes by the usual limits where rights are given for the zone alone", async () => {
    const zone = await begin({ projects: project({ resourceRecordsPerRrset: 7 }) });
    cloud.setFault({ kind: "forbidden", operation: "projects.get" });
    expect(await zone.open(never)).to.include({ mostValues: 100, mostParts: 100 });
  });

  it("creates, updates and deletes exactly, each of many in one change", async () => {
    const zone = await begin();
    const a = plain("a.example.com.", "A", "192.0.2.9", "192.0.2.1");
    const txt = plain(
      "_meridian-a.a.example.com.",
      "TXT",
      '"heritage=meridian,x=\\"y\\""',
      '"b c"',
    );
    await zone.apply([group(created(a), created(txt))], never);
    expect(await listed(zone)).to.have.deep.members([a, txt]);

    const [found] = await zone.read(["a.example.com."], never);
    const after = plain("a.example.com.", "AAAA", "2001:db8::1");
    if (!found) throw new Error("cannot go on: nothing was read");
    await zone.apply([group({ kind: "delete", before: found }, created(after))], never);
    expect(await listed(zone)).to.have.deep.members([after, txt]);

    const renewed = { ...txt, parts: [{ ttlSeconds: 5, values: ['"new"'] }] };
    await zone.apply([group({ kind: "update", before: txt, after: renewed })], never);
    expect(await zone.read([txt.name, "b.example.com."], never)).to.deep.equal([renewed]);
    expect(cloud.calls.filter(({ operation }) => operation === "changes.create")).to.have.length(3);
  });

  const routed: { name: string; parts: readonly RecordPart[] }[] = [
    {
      name: "geo",
      parts: ["us-east1", "europe-west3"].map((location, at) => ({
        ttlSeconds: 30,
        values: [`192.0.2.${at + 5}`, `192.0.2.${at + 3}`],
        routing: { kind: "geo", location },
      })),
    },
    {
      name: "wrr",
      parts: [7, 0].map((weight, at) => ({
        ttlSeconds: 30,
        values: [`192.0.2.${at}`],
        routing: { kind: "wrr", at, weight },
      })),
    },
  ];
  for (const { name, parts } of routed) {
    it(`keeps ${name} routing as it was written, and deletes it by that`, async () => {
      const zone = await begin();
      const wanted: RecordSet = { name: "g.example.com.", type: "A", parts };
      await zone.apply([group(created(wanted))], never);
      expect(await zone.read([wanted.name], never)).to.deep.equal([wanted]);
      await zone.apply([group({ kind: "delete", before: wanted })], never);
      expect(await zone.read([wanted.name], never)).to.deep.equal([]);
    });
  }

  it("deletes what it cannot say itself, with all that it has", async () => {
    const zone = await begin();
    const items = [{ location: "us-east1", rrdatas: ["192.0.2.1"] }];
    const routingPolicy = { geo: { items, enableFencing: true } };
    store().put({ name: "f.example.com.", type: "A", ttl: 9, routingPolicy });
    const [found] = await zone.read(["f.example.com."], never);
    expect(found?.parts.map(({ routing }) => routing?.kind)).to.deep.equal(["other"]);
    if (!found) throw new Error("cannot go on: nothing was read");
    await zone.apply([group({ kind: "delete", before: found })], never);
    const [deleted] = cloud.calls.at(-1)?.deletions ?? [];
    expect(deleted?.routingPolicy?.geo).to.include({ enableFencing: true });
    expect(store().record("f.example.com.", "A")).to.equal(undefined);
  });

  it("lists page by page, as large as the service gives them", async () => {
    const zone = await begin({ largestPage: 40 });
    for (let at = 0; at < 100; at++) {
      store().put({ name: `h${at}.example.com.`, type: "A", ttl: 5, rrdatas: ["192.0.2.1"] });
    }
    const sizes: number[] = [];
    for await (const page of zone.list(never)) sizes.push(page.length);
    expect(sizes).to.deep.equal([40, 40, 22]);
    expect(called).to.deep.equal(Array.from({ length: 3 }, () => "dns.resourceRecordSets.list"));
  });

  it("reads few names by name, a few at once, and many by one listing", async () => {
    const zone = await begin({ latencyMs: 20 });
    const names = Array.from({ length: 60 }, (_, at) => `h${at}.example.com.`);
    for (const name of names) store().put({ name, type: "A", ttl: 5, rrdatas: ["192.0.2.1"] });
    const few = await zone.read(names.slice(0, 8), never);
    expect(few.map(({ name }) => name)).to.have.members(names.slice(0, 8));
    expect(cloud.calls).to.have.length(8);
    const many = await zone.read([...names.slice(0, 41), ...names.slice(0, 41)], never);
    expect(many.map(({ name }) => name)).to.have.members(names.slice(0, 41));
    expect(cloud.calls).to.have.length(9);
    // The zone is known to be one page now.
    expect(await zone.read(names.slice(0, 5), never)).to.have.length(5);
    expect(cloud.calls).to.have.length(10);
  });

  it("fills batches up to the project's limits, and the service takes each", async () => {
    const zone = await begin({
      projects: project({ rrsetAdditionsPerChange: 20, totalRrdataSizePerChange: 150 }),
    });
    await zone.open(never);
    const groups = Array.from({ length: 30 }, (_, at) =>
      group(created(plain(`h${at}.example.com.`, "A", "192.0.2.1"))),
    );
    const batches = zone.batches(groups);
    expect(batches.map((batch) => batch.length)).to.deep.equal([16, 14]);
    for (const batch of batches) await zone.apply(batch, never);
    expect(store().records()).to.have.length(32);
    await failsWith(zone.apply(groups, never), "quota", /quota of the project is reached, got 403/);
  });

  it("changes nothing for no groups", async () => {
    const zone = await begin();
    await zone.apply([{ name: "a.example.com.", changes: [] }], never);
    expect(cloud.calls).to.deep.equal([]);
  });

  it("of two writers one is refused and nothing of it stays", async () => {
    const [one, other] = [await begin(), await openedAgain()];
    const before = plain("a.example.com.", "A", "192.0.2.1");
    await one.apply([group(created(before))], never);
    const change = (address: string) =>
      group(
        { kind: "update", before, after: plain(before.name, "A", address) },
        created(plain(`t${address}.example.com.`.replaceAll(".2.", "-"), "TXT", `"${address}"`)),
      );
    const results = await Promise.allSettled([
      one.apply([change("192.0.2.2")], never),
      other.apply([change("192.0.2.3")], never),
    ]);
    expect(results.map(({ status }) => status)).to.have.members(["fulfilled", "rejected"]);
    const lost = results.find((result) => result.status === "rejected");
    expect(lost?.reason).to.be.instanceOf(MirrorError).with.property("code", "refused");
    expect(store().records()).to.have.length(4);
  });

  const refusals: { name: string; change: Change; message: RegExp }[] = [
    {
      name: "what is there already",
      change: created(plain("a.example.com.", "A", "192.0.2.2")),
      message: /refused, got 409 alreadyExists "The resource .* already exists"$/,
    },
    {
      name: "a deletion of other values",
      change: { kind: "delete", before: plain("a.example.com.", "A", "192.0.2.2") },
      message: /refused, got 412 conditionNotMet "Precondition not met for .*"$/,
    },
    {
      name: "a deletion of what is gone",
      change: { kind: "delete", before: plain("b.example.com.", "A", "192.0.2.2") },
      message: /refused, got 404 notFound "The .* resource named .* does not exist"$/,
    },
    {
      name: "a name outside the zone",
      change: created(plain("a.example.org.", "A", "192.0.2.2")),
      message: /refused, got 400 invalid "Invalid value for .*"$/,
    },
    {
      name: "a CNAME beside others",
      change: created(plain("a.example.com.", "CNAME", "b.example.com.")),
      message: /refused, got 400 cnameResourceRecordSetConflict ".*"$/,
    },
  ];
  for (const { name, change, message } of refusals) {
    it(`is refused without another attempt: ${name}`, async () => {
      const zone = await begin();
      store().put({ name: "a.example.com.", type: "A", ttl: 30, rrdatas: ["192.0.2.1"] });
      await failsWith(zone.apply([group(change)], never), "refused", message);
      expect(called).to.deep.equal(["dns.changes.create"]);
    });
  }

  it("asks again, later and later, while fewer requests are asked for", async () => {
    for (const kind of ["rate-limit-429", "rate-limit-403"] as const) {
      const zone = await begin();
      cloud.setFault({ kind, times: 3 });
      await zone.apply([group(created(plain("a.example.com.", "A", "192.0.2.1")))], never);
      expect(called).to.have.length(4);
      expect(throttles).to.equal(3);
      expect(waits).to.deep.equal([375, 750, 1500]);
      await cloud.stop();
    }
  });

  it("gives up after eight attempts that were all throttled", async () => {
    const zone = await begin();
    cloud.setFault({ kind: "rate-limit-403" });
    await failsWith(
      zone.open(never),
      "unavailable",
      /^cannot read the zone shop\/main in Cloud DNS: it asks for fewer requests, got 403 rateLimitExceeded "Rate Limit Exceeded"$/,
    );
    expect(called).to.have.length(8);
    expect(throttles).to.equal(8);
    expect(cloud.calls).to.have.length(8);
  });

  it("asks again where the service is ill or silent, each attempt counted", async () => {
    for (const kind of ["error-500", "error-502", "error-503", "drop"] as const) {
      const zone = await begin();
      cloud.setFault({ kind, times: 2 });
      expect((await zone.open(never)).domain).to.equal("example.com.");
      expect(called).to.have.length(4);
      expect(cloud.calls).to.have.length(4);
      expect(throttles).to.equal(0);
      await cloud.stop();
    }
  });

  it("a change whose answer was lost meets itself, and is refused", async () => {
    const zone = await begin();
    cloud.setFault({ kind: "drop", isApplied: true, operation: "changes.create", times: 1 });
    const wanted = plain("a.example.com.", "A", "192.0.2.1");
    await failsWith(zone.apply([group(created(wanted))], never), "refused", /alreadyExists/);
    expect(await zone.read([wanted.name], never)).to.deep.equal([wanted]);
  });

  it("ends an attempt without an answer, and says whose", async () => {
    const zone = await begin({}, { attemptMs: 20, retries: 1 });
    cloud.setFault({ kind: "hang" });
    await failsWith(
      zone.open(never),
      "unavailable",
      /^cannot read the zone shop\/main in Cloud DNS: 127\.0\.0\.1:\d+ does not answer, got nothing for 0\.02 s$/,
    );
    expect(cloud.calls).to.have.length(2);
  });

  it("names the host where nobody listens", async () => {
    const zone = await begin();
    await cloud.stop();
    await failsWith(
      zone.open(never),
      "unavailable",
      /: 127\.0\.0\.1:\d+ does not answer, got ECONNREFUSED$/,
    );
    expect(called).to.have.length(4);
  });

  it("stops at once when told to, in a request as in a wait", async () => {
    const zone = await begin();
    const stop = new AbortController();
    cloud.setFault({ kind: "hang" });
    const opened = zone.open(stop.signal);
    while (cloud.calls.length === 0) await new Promise((resolve) => setImmediate(resolve));
    stop.abort(new Error("told to stop"));
    expect(await opened.catch(String)).to.equal("Error: told to stop");

    const patient = await openedAgain({ wait: (_, signal) => untilAborted(signal) });
    const later = new AbortController();
    cloud.setFault({ kind: "error-503" });
    const waiting = patient.open(later.signal);
    while (called.length < 2) await new Promise((resolve) => setImmediate(resolve));
    later.abort(new Error("told later"));
    expect(await waiting.catch(String)).to.equal("Error: told later");
    expect(await patient.open(later.signal).catch(String)).to.equal("Error: told later");
  });

  const rights: { fault: "forbidden" | "unauthorized"; code: string; message: RegExp }[] = [
    {
      fault: "forbidden",
      code: "denied",
      message:
        /^cannot change the records of shop\/main in Cloud DNS: the credentials do not allow it, it takes dns\.changes\.create and dns\.resourceRecordSets\.create, update and delete, got 403 forbidden "Forbidden"$/,
    },
    {
      fault: "unauthorized",
      code: "credentials",
      message:
        /^cannot change the records of shop\/main in Cloud DNS: the credentials are not accepted, got 401 authError/,
    },
  ];
  for (const { fault, code, message } of rights) {
    it(`says ${code} where the service does, and does not ask again`, async () => {
      const zone = await begin();
      cloud.setFault({ kind: fault });
      const change = created(plain("a.example.com.", "A", "192.0.2.1"));
      await failsWith(zone.apply([group(change)], never), code, message);
      expect(called).to.have.length(1);
    });
  }

  it("says that there is no such zone or project", async () => {
    await begin();
    const missing: [project: string, managedZone: string][] = [
      ["shop", "other"],
      ["other", "main"],
    ];
    for (const [project, managedZone] of missing) {
      const zone = await openedAgain({}, { project, managedZone });
      const message = `cannot read the zone ${project}/${managedZone} in Cloud DNS: there is no such project or managed zone, got 404`;
      await failsWith(zone.open(never), "no-zone", new RegExp(`^${message}`));
      await failsWith(listed(zone), "no-zone", /no such project or managed zone/);
      const change = created(plain("a.example.com.", "A", "192.0.2.1"));
      await failsWith(zone.apply([group(change)], never), "no-zone", /no such project/);
    }
  });

  it("waits until its changes are served, and not for others", async () => {
    let nowMs = 1_000_000;
    const zone = await begin(
      { pendingMs: 4000, clock: () => nowMs },
      {
        wait: async (waitMs) => {
          nowMs += waitMs;
          waits.push(waitMs);
        },
      },
    );
    await zone.waitUntilServed(never);
    expect(called).to.deep.equal([]);
    for (const at of [1, 2]) {
      await zone.apply([group(created(plain(`h${at}.example.com.`, "A", "192.0.2.1")))], never);
    }
    await zone.waitUntilServed(never);
    expect(waits).to.deep.equal([1000, 1500, 2250]);
    const looks = called.filter((operation) => operation === "dns.changes.get").length;
    expect(looks).to.equal(5);
    await zone.waitUntilServed(never);
    expect(called.filter((operation) => operation === "dns.changes.get")).to.have.length(looks);
  });

  /** A stand-in with `shop/main`, and the zone seen by a mirror that waits for nothing. */
  async function begin(
    options: Partial<CloudDnsOptions> = {},
    patience: Partial<Patience> = {},
  ): Promise<Provider> {
    cloud = await startCloudDns({ projects: project({}), ...options });
    called = [];
    throttles = 0;
    waits = [];
    return openedAgain(patience);
  }

  function openedAgain(
    patience: Partial<Patience> = {},
    names: Partial<CloudDnsConfig> = {},
  ): Promise<Provider> {
    const meter = {
      called: (operation: string) => void called.push(operation),
      throttled: () => void throttles++,
    };
    const wait = async (waitMs: number) => void waits.push(waitMs);
    const config = { ...settings, baseUrl: cloud.baseUrl, ...names };
    return openCloudDns(config, meter, { chance: () => 0.5, wait, ...patience });
  }

  function store() {
    return cloud.zone("shop", "main");
  }
});

const settings: CloudDnsConfig = {
  provider: "clouddns",
  project: "shop",
  managedZone: "main",
  keyFile: undefined,
  baseUrl: undefined,
  policy: "geo",
  owner: undefined,
  strategy: "plain",
  ttlSeconds: undefined,
  include: { namespaces: [], names: [] },
  exclude: { namespaces: [], names: [] },
  maxDeletePercent: 25,
  schedule: "*/5 * * * *",
  dryRun: false,
};

function project(quota: NonNullable<CloudDnsOptions["projects"][string]["quota"]>) {
  return { shop: { zones: [{ name: "main", dnsName: "example.com." }], quota } };
}

function plain(name: string, type: string, ...values: readonly string[]): RecordSet {
  return { name, type, parts: [{ ttlSeconds: 30, values }] };
}

function created(after: RecordSet): Change {
  return { kind: "create", after };
}

function group(...changes: readonly Change[]): ChangeGroup {
  return { name: "a.example.com.", changes };
}

/** All but what stands at the apex from the start. */
async function listed(zone: Provider): Promise<readonly RecordSet[]> {
  const found: RecordSet[] = [];
  for await (const page of zone.list(never)) found.push(...page);
  return found.filter(({ name }) => name !== "example.com.");
}

async function failsWith(work: Promise<unknown>, code: string, message: RegExp): Promise<void> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).to.be.instanceOf(MirrorError).with.property("code", code);
  expect(error).to.have.property("message").that.matches(message);
  expect(error).to.have.property("message").that.does.not.include("\n");
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
