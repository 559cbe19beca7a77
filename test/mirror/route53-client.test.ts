// How requests are sent to Route 53: their pace, retries, ends, credentials and failures, with the
// real SDK against a stand-in of the service.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import type { Route53Config } from "../../src/config/mirror-config.ts";
import { Pace, type PaceClock } from "../../src/mirror/pace.ts";
import { type ChangeGroup, MirrorError, type Provider } from "../../src/mirror/provider.ts";
import { openRoute53, type Route53Surroundings, route53Pace } from "../../src/mirror/route53.ts";
import {
  type Fault,
  type Route53Options,
  type Route53StandIn,
  standInKey,
  startRoute53,
} from "../kit/route53/server.ts";
import { settings } from "./route53-settings.ts";

const { signal } = new AbortController();
const zones = [{ id: "Z123", name: "example.com" }];

/** Time that goes on as soon as somebody waits for it, of the service and of its client. */
class EagerClock implements PaceClock {
  nowMs = 1_000_000;
  readonly waits: number[] = [];
  readonly now = () => this.nowMs;
  readonly sleep = async (ms: number) => {
    this.nowMs += ms;
  };
  readonly after = (delayMs: number, callback: () => void) => {
    this.waits.push(delayMs);
    const turn = setImmediate(() => {
      this.nowMs += delayMs;
      callback();
    });
    return () => clearImmediate(turn);
  };
}

describe("requests to Route 53", () => {
  let services: Route53StandIn[] = [];
  let calls: string[];
  let throttles: number;
  const meter = {
    called: (operation: string) => calls.push(operation),
    throttled: () => throttles++,
  };

  /** A service, and a zone of it whose requests need not wait. */
  async function start(
    options: Partial<Route53Options> = {},
    surroundings: Route53Surroundings = {},
    config: Partial<Route53Config> = {},
  ): Promise<{ service: Route53StandIn; zone: Provider }> {
    const service = await startRoute53({ zones, ...options });
    services.push(service);
    const pace = new Pace({ most: 1000, spanMs: 0 });
    const zone = await openRoute53({ ...settings, endpoint: service.endpoint, ...config }, meter, {
      pace,
      ...surroundings,
    });
    return { service, zone };
  }

  beforeEach(() => {
    calls = [];
    throttles = 0;
  });
  afterEach(async () => {
    for (const service of services) await service.stop();
    services = [];
  });

  describe("and their pace", () => {
    it("is never more than five in a second, so that none is throttled", async () => {
      const clock = new EagerClock();
      const pace = route53Pace(clock);
      const { service, zone } = await start({ requestsPerSecond: 5, clock }, { clock, pace });
      for (let request = 0; request < 23; request++) await zone.open(signal);
      expect(throttles).to.equal(0);
      const times = service.calls.map(({ at }) => at);
      expect(times).to.have.length(23);
      for (const [at, time] of times.entries()) {
        expect(time).to.equal(1_000_000 + 1010 * Math.floor(at / 5));
      }
    });

    it("would be throttled without it", async () => {
      const clock = new EagerClock();
      const { zone } = await start({ requestsPerSecond: 5, clock }, { clock, mostAttempts: 1 });
      const all = await Promise.allSettled(Array.from({ length: 6 }, () => zone.open(signal)));
      expect(all.filter(({ status }) => status === "rejected")).to.have.length(1);
      expect(throttles).to.equal(1);
    });

    it("is the pace of retries too, and each is counted", async () => {
      const clock = new EagerClock();
      const pace = new Pace({ most: 1, spanMs: 1000, clock });
      const { service, zone } = await start({ clock }, { clock, pace });
      service.setFault({ kind: "unavailable", times: 2 });
      await zone.open(signal);
      expect(calls).to.deep.equal(["GetHostedZone", "GetHostedZone", "GetHostedZone"]);
      const [first = 0, ...later] = service.calls.map(({ at }) => at);
      expect(later).to.deep.equal([first + 1000, first + 2000]);
    });
  });

  const failures: {
    name: string;
    fault?: Fault;
    options?: Partial<Route53Options>;
    config?: Partial<Route53Config>;
    code: string;
    says: RegExp;
    attempts: number;
  }[] = [
    {
      name: "a service that fails",
      fault: { kind: "internal-error" },
      code: "unavailable",
      says: /^cannot read Route 53 zone Z123: 127\.0\.0\.1:\d+ failed with status 500 after 2 attempts$/,
      attempts: 2,
    },
    {
      name: "a connection that ends",
      fault: { kind: "drop-before" },
      code: "unavailable",
      says: /^cannot read Route 53 zone Z123: no answer: connection closed by 127\.0\.0\.1:\d+$/,
      attempts: 2,
    },
    {
      name: "an answer that does not come",
      fault: { kind: "hang-before" },
      code: "unavailable",
      says: /^cannot read Route 53 zone Z123: no answer in time from 127\.0\.0\.1:\d+$/,
      attempts: 2,
    },
    {
      name: "nobody there",
      config: { endpoint: "http://127.0.0.1:9" },
      code: "unavailable",
      says: /^cannot read Route 53 zone Z123: no connection: refused by 127\.0\.0\.1:9$/,
      attempts: 2,
    },
    {
      name: "a zone that there is not",
      config: { hostedZone: "Z404" },
      code: "no-zone",
      says: /^cannot read Route 53 zone Z404: there is no such hosted zone$/,
      attempts: 1,
    },
    {
      name: "an action that is not allowed",
      options: { credentials: [{ ...standInKey, denied: ["GetHostedZone"] }] },
      code: "denied",
      says: /^cannot read Route 53 zone Z123: the AWS credentials do not allow route53:GetHostedZone$/,
      attempts: 1,
    },
    {
      name: "an unknown key",
      options: { credentials: [] },
      code: "credentials",
      says: /^cannot read Route 53 zone Z123: the AWS access key or session token is not valid$/,
      attempts: 1,
    },
    {
      name: "a wrong secret",
      config: { credentials: { ...standInKey, secretAccessKey: "x", sessionToken: undefined } },
      code: "credentials",
      says: /^cannot read Route 53 zone Z123: the AWS secret access key does not belong to the access key$/,
      attempts: 1,
    },
    {
      name: "a session that has expired",
      options: { credentials: [{ ...standInKey, isExpired: true }] },
      code: "credentials",
      says: /^cannot read Route 53 zone Z123: the AWS session token has expired$/,
      attempts: 1,
    },
  ];
  for (const { name, fault, options, config, code, says, attempts } of failures) {
    it(`end in one sentence with ${name}`, async () => {
      const limits = { mostAttempts: 2, requestTimeoutMs: 100 };
      const { service, zone } = await start(options, limits, config);
      service.setFault(fault);
      const error = await failureOf(zone.open(signal));
      expect(error.code).to.equal(code);
      expect(error.message).to.match(says);
      expect(calls).to.have.length(attempts);
    });
  }

  it("end in one sentence where throttling does not end, and tell of it", async () => {
    const { service, zone } = await start({}, { mostAttempts: 1 });
    service.setFault({ kind: "throttling" });
    const error = await failureOf(zone.open(signal));
    expect(error.message).to.equal(
      "cannot read Route 53 zone Z123: too many requests: Rate exceeded",
    );
    expect([error.code, throttles]).to.deep.equal(["unavailable", 1]);
  });

  it("do not say that nothing was changed where an answer was lost", async () => {
    const { service, zone } = await start({}, { mostAttempts: 2 });
    service.setFault({ kind: "drop-after", times: 1 });
    const error = await failureOf(zone.apply(creation("a.example.com."), signal));
    expect(error.code).to.equal("unavailable");
    expect(error.message).to.match(
      /^cannot change Route 53 zone Z123: the answer of 127\.0\.0\.1:\d+ was lost: whether it was done is not known$/,
    );
    expect(service.zone("Z123").at("a.example.com.")).to.have.length(1);
  });

  it("say so where no answer was lost", async () => {
    const { service, zone } = await start({}, { mostAttempts: 2 });
    service.zone("Z123").put({ Name: "a.example.com.", Type: "A", TTL: 1, ResourceRecords: [] });
    const error = await failureOf(zone.apply(creation("a.example.com."), signal));
    expect([error.code, calls.length]).to.deep.equal(["refused", 1]);
  });

  describe("and their signal", () => {
    const reason = new Error("it is enough");

    it("ends one that is under way", async () => {
      const { service, zone } = await start();
      service.setFault({ kind: "hang-before" });
      const controller = new AbortController();
      const opened = zone.open(controller.signal).catch((error: unknown) => error);
      await until(() => calls.length === 1);
      controller.abort(reason);
      expect(await opened).to.equal(reason);
    });

    it("ends one that waits for its turn, and none is sent", async () => {
      const pace = new Pace({ most: 1, spanMs: 60_000 });
      const { zone } = await start({}, { pace });
      await zone.open(signal);
      const controller = new AbortController();
      const opened = zone.open(controller.signal).catch((error: unknown) => error);
      controller.abort(reason);
      expect(await opened).to.equal(reason);
      expect(calls).to.have.length(1);
    });

    it("lets none begin that comes too late", async () => {
      const { zone } = await start();
      const error = await zone.read(["a.example.com."], AbortSignal.abort(reason)).catch(String);
      expect([error, calls]).to.deep.equal(["Error: it is enough", []]);
    });
  });

  describe("and changes that are to be served", () => {
    it("are asked for with growing waits until all are, and then no more", async () => {
      const clock = new EagerClock();
      const propagation = { pendingReads: 3 };
      const { zone } = await start({ clock, propagation }, { clock });
      await zone.apply(creation("a.example.com."), signal);
      await zone.apply(creation("b.example.com."), signal);
      clock.waits.length = 0;
      await zone.waitUntilServed(signal);
      expect(clock.waits).to.deep.equal([2000, 4000, 8000, 16_000, 16_000, 16_000]);
      expect(calls.filter((operation) => operation === "GetChange")).to.have.length(8);
      await zone.waitUntilServed(signal);
      expect(calls.filter((operation) => operation === "GetChange")).to.have.length(8);
    });

    it("are waited for no longer than the signal says", async () => {
      const { zone } = await start({ propagation: { pendingReads: 1000 } });
      await zone.apply(creation("a.example.com."), signal);
      const controller = new AbortController();
      const served = zone.waitUntilServed(controller.signal).catch(String);
      await until(() => calls.includes("GetChange"));
      controller.abort(new Error("it is enough"));
      expect(await served).to.equal("Error: it is enough");
    });
  });

  describe("and credentials that are not in the settings", () => {
    const former = { ...process.env };
    let folder: string;

    beforeEach(async () => {
      folder = await mkdtemp(path.join(tmpdir(), "route53-credentials-"));
      for (const name of Object.keys(process.env)) {
        if (name.startsWith("AWS_")) delete process.env[name];
      }
      process.env["AWS_EC2_METADATA_DISABLED"] = "true";
      process.env["AWS_CONFIG_FILE"] = path.join(folder, "config");
      process.env["AWS_SHARED_CREDENTIALS_FILE"] = path.join(folder, "credentials");
    });
    afterEach(async () => {
      for (const name of Object.keys(process.env)) {
        if (name.startsWith("AWS_")) delete process.env[name];
      }
      Object.assign(process.env, former);
      await rm(folder, { recursive: true });
    });

    const bare = { credentials: undefined, region: undefined };

    it("are said to be missing, and nothing is sent", async () => {
      const { zone } = await start({}, {}, bare);
      const error = await failureOf(zone.open(signal));
      expect(error.message).to.equal(
        "cannot read Route 53 zone Z123: no AWS credentials found: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
      );
      expect([error.code, calls]).to.deep.equal(["credentials", []]);
    });

    it("are said to be missing from the profile of the settings or the environment", async () => {
      const { zone } = await start({}, {}, { ...bare, profile: "dns" });
      const { message } = await failureOf(zone.open(signal));
      expect(message).to.equal(
        "cannot read Route 53 zone Z123: no AWS credentials of profile dns found: see the shared files ~/.aws/config and ~/.aws/credentials",
      );
      process.env["AWS_PROFILE"] = "dns";
      const { zone: other } = await start({}, {}, bare);
      expect((await failureOf(other.open(signal))).message).to.equal(message);
    });

    it("are taken from the environment, with no region said anywhere", async () => {
      process.env["AWS_ACCESS_KEY_ID"] = standInKey.accessKeyId;
      process.env["AWS_SECRET_ACCESS_KEY"] = standInKey.secretAccessKey;
      const { zone } = await start({}, {}, bare);
      expect((await zone.open(signal)).domain).to.equal("example.com.");
    });

    it("are taken from the profile of the settings", async () => {
      const { accessKeyId, secretAccessKey } = standInKey;
      await writeFile(
        path.join(folder, "credentials"),
        `[dns]\naws_access_key_id = ${accessKeyId}\naws_secret_access_key = ${secretAccessKey}\n`,
      );
      const { zone } = await start({}, {}, { ...bare, profile: "dns" });
      expect((await zone.open(signal)).domain).to.equal("example.com.");
    });
  });
});

function creation(name: string): ChangeGroup[] {
  const parts = [{ ttlSeconds: 60, values: ["192.0.2.1"] }];
  return [{ name, changes: [{ kind: "create", after: { name, type: "A", parts } }] }];
}

async function failureOf(action: Promise<unknown>): Promise<MirrorError> {
  const error: unknown = await action.catch((reason: unknown) => reason);
  if (error instanceof MirrorError) return error;
  throw new Error("cannot look at a failure: there is none", { cause: error });
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}
