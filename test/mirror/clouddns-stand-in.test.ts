// The stand-in of Cloud DNS, asked by Google's own client: what it keeps, refuses and lists, and how
// it fails when a test wants that. Nothing here is about mirrors.

import { DNS, type Zone } from "@google-cloud/dns";
import { expect } from "chai";
import fc from "fast-check";
import { PassThroughClient } from "google-auth-library";
import type { ApiRecordSet } from "../kit/clouddns/api-types.ts";
import type { Fault } from "../kit/clouddns/faults.ts";
import { type CloudDns, type CloudDnsOptions, startCloudDns } from "../kit/clouddns/server.ts";

const projects: CloudDnsOptions["projects"] = {
  shop: { zones: [{ name: "main", dnsName: "Example.com." }] },
};
const a = (name: string, ...rrdatas: string[]): ApiRecordSet => ({
  name: `${name}.example.com.`,
  type: "A",
  ttl: 30,
  rrdatas,
});
const cname = (name: string, ...rrdatas: string[]) => ({ ...a(name, ...rrdatas), type: "CNAME" });
const geo = (name: string, items: readonly (readonly [string, ...string[]])[]): ApiRecordSet => ({
  name: `${name}.example.com.`,
  type: "A",
  ttl: 30,
  routingPolicy: { geo: { items: items.map(([location, ...rrdatas]) => ({ location, rrdatas })) } },
});
const wrr = (name: string, items: readonly (readonly [number, ...string[]])[]): ApiRecordSet => ({
  name: `${name}.example.com.`,
  type: "A",
  ttl: 30,
  routingPolicy: { wrr: { items: items.map(([weight, ...rrdatas]) => ({ weight, rrdatas })) } },
});

describe("the stand-in of Cloud DNS", () => {
  let cloud: CloudDns;

  async function start(options: Partial<CloudDnsOptions> = {}): Promise<void> {
    cloud = await startCloudDns({ projects, ...options });
  }

  afterEach(() => cloud.stop());

  describe("what it keeps", () => {
    beforeEach(() => start());

    it("gives a project its quota", async () => {
      const { quota } = await project({
        ...projects,
        small: { zones: [], quota: { rrsetAdditionsPerChange: 7 } },
      });
      expect(quota).to.include({
        resourceRecordsPerRrset: 100,
        rrsetAdditionsPerChange: 7,
        rrsetDeletionsPerChange: 1000,
        totalRrdataSizePerChange: 100_000,
        rrsetsPerManagedZone: 10_000,
        itemsPerRoutingPolicy: 100,
      });
    });

    it("knows a zone by its name and by its id, and among all of a project", async () => {
      const [byName] = await zoneOf("main").getMetadata();
      const [byId] = await zoneOf(String(byName.id)).getMetadata();
      const [[listed]] = await client().getZones();
      expect(byName).to.include({ kind: "dns#managedZone", name: "main", dnsName: "example.com." });
      expect(byId).to.deep.equal(byName);
      expect(listed?.metadata).to.deep.equal(byName);
    });

    it("has NS and SOA at the apex from the start", async () => {
      expect(await listed()).to.deep.equal(["example.com. NS", "example.com. SOA"]);
    });

    it("tells of a change as pending, and as done once it is served", async () => {
      let now = 0;
      await cloud.stop();
      await start({ pendingMs: 5000, clock: () => now });
      const zone = zoneOf("main");
      const [change] = await zone.createChange({
        add: [zone.record("A", plain(a("x", "1.1.1.1")))],
      });
      expect(change.metadata).to.include({ id: "1", status: "pending" });
      now = 4999;
      expect((await zone.change("1").getMetadata())[0]).to.include({ status: "pending" });
      now = 5000;
      expect((await zone.change("1").getMetadata())[0]).to.include({ status: "done" });
    });

    it("folds names, quotes texts and writes IPv6 addresses in one form", async () => {
      await change({
        additions: [
          { ...a("UP"), type: "AAAA", rrdatas: ["2001:DB8:0::1"] },
          { ...a("t"), type: "TXT", rrdatas: ['one "t w o"'] },
          cname("c", "Target.Example.ORG."),
        ],
      });
      const zone = cloud.zone("shop", "main");
      expect(zone.record("up.example.com.", "AAAA")?.rrdatas).to.deep.equal(["2001:db8::1"]);
      expect(zone.record("t.example.com.", "TXT")?.rrdatas).to.deep.equal(['"one" "t w o"']);
      expect(zone.record("c.example.com.", "CNAME")?.rrdatas).to.deep.equal([
        "target.example.org.",
      ]);
    });

    it("gives routing policies back as they were put, and takes them so for deletion", async () => {
      const policies = [
        geo("g", [
          ["us-east1", "1.1.1.1", "1.1.1.2"],
          ["europe-west4", "2.2.2.2"],
        ]),
        wrr("w", [
          [0.5, "1.1.1.1"],
          [3, "2.2.2.2"],
        ]),
      ];
      await change({ additions: policies });
      const [records] = await zoneOf("main").getRecords({ name: "g.example.com.", type: "A" });
      expect(records[0]?.toJSON()).to.have.nested.property("routingPolicy.geo.items[1].location");
      const [all] = await zoneOf("main").getRecords();
      await change({ deletions: all.slice(2).map((record) => record.toJSON()) });
      expect(await listed()).to.have.length(2);
    });

    it("deletes by content, whatever the order of values and places", async () => {
      await change({ additions: [a("x", "1.1.1.1", "2.2.2.2"), places("us-east1", "us-west1")] });
      await change({ deletions: [a("x", "2.2.2.2", "1.1.1.1"), places("us-west1", "us-east1")] });
      expect(await listed()).to.have.length(2);

      function places(...names: readonly string[]): ApiRecordSet {
        return geo(
          "g",
          names.map((name) => [name, "1.1.1.1"]),
        );
      }
    });

    it("replaces a CNAME by other records in one change", async () => {
      await change({ additions: [cname("x", "y.example.com.")] });
      await change({
        deletions: [cname("x", "y.example.com.")],
        additions: [a("x", "1.1.1.1")],
      });
      expect(await listed())
        .to.include("x.example.com. A")
        .and.have.length(3);
    });

    it("shows what was changed by hand", async () => {
      const zone = cloud.zone("shop", "main");
      zone.put(a("hand", "9.9.9.9"));
      expect(await listed()).to.include("hand.example.com. A");
      expect(zone.remove("hand.example.com.", "A")).to.equal(true);
      expect(zone.remove("hand.example.com.", "A")).to.equal(false);
      expect(await listed()).to.not.include("hand.example.com. A");
    });
  });

  describe("what it refuses", () => {
    const label = "x".repeat(63);
    const here = "entity.change.additions[x.example.com.][A]";
    const rows: readonly {
      readonly name: string;
      readonly additions?: readonly unknown[];
      readonly deletions?: readonly unknown[];
      readonly code: number;
      readonly reason: string;
      readonly message?: string;
    }[] = [
      {
        name: "to add what is there",
        additions: [a("there", "1.1.1.1")],
        code: 409,
        reason: "alreadyExists",
        message:
          "The resource 'entity.change.additions[there.example.com.][A]' named 'there.example.com. (A)' already exists",
      },
      {
        name: "to add what is there in other letters",
        additions: [a("THERE", "2.2.2.2")],
        code: 409,
        reason: "alreadyExists",
      },
      {
        name: "to add one record set twice",
        additions: [a("x", "1.1.1.1"), a("x", "2.2.2.2")],
        code: 409,
        reason: "alreadyExists",
      },
      {
        name: "to delete what is not there",
        deletions: [a("x", "1.1.1.1")],
        code: 404,
        reason: "notFound",
        message:
          "The 'entity.change.deletions[x.example.com.][A]' resource named 'x.example.com. (A)' does not exist.",
      },
      {
        name: "to delete one record set twice",
        deletions: [a("there", "1.1.1.1"), a("there", "1.1.1.1")],
        code: 404,
        reason: "notFound",
      },
      {
        name: "to delete by other values",
        deletions: [a("there", "2.2.2.2")],
        code: 412,
        reason: "conditionNotMet",
        message: "Precondition not met for 'entity.change.deletions[there.example.com.][A]'",
      },
      {
        name: "to delete by some of the values",
        deletions: [a("two", "1.1.1.1")],
        code: 412,
        reason: "conditionNotMet",
      },
      {
        name: "to delete by another TTL",
        deletions: [{ ...a("there", "1.1.1.1"), ttl: 31 }],
        code: 412,
        reason: "conditionNotMet",
      },
      {
        name: "to delete weights in another order",
        deletions: [
          wrr("w", [
            [2, "2.2.2.2"],
            [1, "1.1.1.1"],
          ]),
        ],
        code: 412,
        reason: "conditionNotMet",
      },
      {
        name: "a CNAME beside other records",
        additions: [cname("there", "y.example.com.")],
        code: 400,
        reason: "cnameResourceRecordSetConflict",
      },
      {
        name: "other records beside a CNAME of the same change",
        additions: [{ ...a("x"), type: "TXT", rrdatas: ['"t"'] }, cname("x", "y.example.com.")],
        code: 400,
        reason: "cnameResourceRecordSetConflict",
      },
      {
        name: "two CNAMEs at a name",
        additions: [cname("x", "y.example.com.", "z.example.com.")],
        code: 400,
        reason: "invalidRecordCount",
      },
      {
        name: "a CNAME at the apex",
        additions: [{ ...cname("", "y.example.com."), name: "example.com." }],
        code: 400,
        reason: "recordTypeDisallowedAtZoneApex",
      },
      {
        name: "to leave the apex without NS",
        deletions: ["NS"],
        code: 400,
        reason: "invalidZoneApex",
      },
      {
        name: "to leave the apex without SOA",
        deletions: ["SOA"],
        code: 400,
        reason: "invalidZoneApex",
      },
      {
        name: "an SOA below the apex",
        additions: [
          { ...a("x"), type: "SOA", rrdatas: ["a.example.com. b.example.com. 1 2 3 4 5"] },
        ],
        code: 400,
        reason: "invalidZoneApex",
      },
      {
        name: "NS at a wildcard",
        additions: [{ ...a("*"), type: "NS", rrdatas: ["ns.example.com."] }],
        code: 400,
        reason: "wildcardNotAllowed",
      },
      ...(
        [
          ["a name without its dot", { ...a("x", "1.1.1.1"), name: "x.example.com" }],
          ["a name outside the zone", { ...a("x", "1.1.1.1"), name: "x.example.org." }],
          ["a name that only ends alike", { ...a("x", "1.1.1.1"), name: "badexample.com." }],
          ["an empty label", a("x.", "1.1.1.1")],
          ["a label of 64 octets", a(`${label}x`, "1.1.1.1")],
          ["a name of 256 octets", a([label, label, label, label.slice(13)].join("."), "1.1.1.1")],
          ["a star inside a name", a("x.*", "1.1.1.1")],
          ["a type that is none", { ...a("x", "1.1.1.1"), type: "AAAAA" }],
          ["a negative TTL", { ...a("x", "1.1.1.1"), ttl: -1 }],
          ["half a second of TTL", { ...a("x", "1.1.1.1"), ttl: 0.5 }],
          ["no values", a("x")],
          ["the same value twice", a("x", "1.1.1.1", "1.1.1.1")],
          ["an A that is no address", a("x", "1.1.1.X")],
          ["an AAAA that is none", { ...a("x", "1.1.1.1"), type: "AAAA" }],
          ["a CNAME without its dot", cname("x", "y.example.com")],
          ["an SRV without its target", { ...a("x", "0 1 80"), type: "SRV" }],
          ["an SRV with a port too large", { ...a("x", "0 1 65536 y.example.com."), type: "SRV" }],
          ["a text that is not closed", { ...a("x", '"one'), type: "TXT" }],
          ["a string of 256 octets", { ...a("x", `"${"x".repeat(256)}"`), type: "TXT" }],
          ["values and a policy", { ...geo("x", [["us-east1", "1.1.1.1"]]), rrdatas: ["1.1.1.1"] }],
          ["a place that is no region", geo("x", [["us-east1-b", "1.1.1.1"]])],
          [
            "a place twice",
            geo("x", [
              ["us-east1", "1.1.1.1"],
              ["us-east1", "2.2.2.2"],
            ]),
          ],
          ["a place without values", geo("x", [["us-east1"]])],
          ["a negative weight", wrr("x", [[-1, "1.1.1.1"]])],
          [
            "places and weights at once",
            {
              ...a("x"),
              routingPolicy: {
                ...geo("x", [["us-east1", "1.1.1.1"]]).routingPolicy,
                ...wrr("x", [[1, "1.1.1.1"]]).routingPolicy,
              },
            },
          ],
          [
            "a policy for a type without",
            { ...geo("x", [["us-east1", "ns.example.com."]]), type: "NS" },
          ],
        ] as const
      ).map(([name, record]) => ({ name, additions: [record], code: 400, reason: "invalid" })),
      {
        name: "a policy without places",
        additions: [geo("x", [])],
        code: 400,
        reason: "required",
        message: `The '${here}.routingPolicy.geo.items' parameter is required but was missing.`,
      },
      {
        name: "a record set without a TTL",
        additions: [{ name: "x.example.com.", type: "A", rrdatas: ["1.1.1.1"] }],
        code: 400,
        reason: "required",
      },
      {
        name: "a field that it does not know",
        additions: [{ ...a("x", "1.1.1.1"), setIdentifier: "x" }],
        code: 400,
        reason: "badRequest",
      },
    ];
    const fine = a("fine", "1.1.1.1");

    beforeEach(async () => {
      await start();
      const zone = cloud.zone("shop", "main");
      zone.put(a("there", "1.1.1.1"));
      zone.put(a("two", "1.1.1.1", "2.2.2.2"));
      zone.put(
        wrr("w", [
          [1, "1.1.1.1"],
          [2, "2.2.2.2"],
        ]),
      );
    });

    for (const { name, additions = [], deletions = [], code, reason, message } of rows) {
      it(`refuses ${name}, and all else of the change`, async () => {
        const zone = cloud.zone("shop", "main");
        const before = zone.records();
        const error = await failure(
          change({
            additions: [fine, ...additions],
            deletions: deletions.map((record) =>
              typeof record === "string" ? zone.record("example.com.", record) : record,
            ),
          }),
        );
        expect(error).to.include({ code, reason });
        if (message !== undefined) expect(error.message).to.equal(message);
        expect(zone.records()).to.deep.equal(before);
      });
    }

    it("takes what the refused changes had besides", async () => {
      await change({ additions: [fine] });
      expect(cloud.zone("shop", "main").record("fine.example.com.", "A")).to.not.equal(undefined);
    });

    it("refuses a change of nothing", async () => {
      expect(await failure(change({}))).to.include({ code: 400, reason: "required" });
    });

    for (const [what, uri, code] of [
      ["a zone that is not there", "/managedZones/other", 404],
      ["a zone whose name is none", "/managedZones/Some_Zone", 400],
      ["a change that was not made", "/managedZones/main/changes/99", 404],
      ["a path that it does not know", "/policies", 404],
      ["a type to list without a name", "/managedZones/main/rrsets?type=A", 400],
      ["a name to list without its dot", "/managedZones/main/rrsets?name=x.example.com", 400],
      ["pages of nothing", "/managedZones/main/rrsets?maxResults=0", 400],
      ["a token that it did not give", "/managedZones/main/rrsets?pageToken=x", 400],
    ] as const) {
      it(`refuses ${what}`, async () => {
        expect(await failure(ask(uri))).to.include({
          code,
          reason: code === 404 ? "notFound" : "invalid",
        });
      });
    }

    it("refuses a project that is not there", async () => {
      const error = await failure(client("nobody").zone("main").getMetadata());
      expect(error).to.include({
        code: 404,
        message: "The 'parameters.project' resource named 'nobody' does not exist.",
      });
    });
  });

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
        expect(await failure(change({ additions: over }))).to.include({
          code: 403,
          reason: "quotaExceeded",
          message: `The change would exceed quota for ${limit}.`,
        });
        await change({ additions: at });
      });
    }

    it("counts deletions by themselves, but their rdata with that of additions", async () => {
      const zones = [{ name: "main", dnsName: "example.com." }];
      const quota = { rrsetDeletionsPerChange: 1, totalRrdataSizePerChange: 28 };
      await start({ projects: { shop: { zones, quota } } });
      await change({ additions: two });
      const both = await failure(change({ deletions: two }));
      expect(both.message).to.equal("The change would exceed quota for deletions per change.");
      const more = { deletions: [a("x", "1.1.1.1")], additions: ["p", "q"].map(large) };
      expect((await failure(change(more))).message).to.include("total rrdata size");

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
        for (let at = 0; at < 3; at++) await ask("/managedZones");
        now += spanMs - 1;
        expect(await failure(ask("/managedZones"))).to.include({
          code: rateLimitStatus,
          reason: "rateLimitExceeded",
        });
        now += 1;
        await ask("/managedZones");
      });
    }
  });

  describe("lists", () => {
    it("come in pages that together are all, whatever their size", async () => {
      await start({ pageSize: 4, largestPage: 6 });
      for (let at = 0; at < 9; at++) cloud.zone("shop", "main").put(a(`n${at}`, "1.1.1.1"));
      const all = cloud
        .zone("shop", "main")
        .records()
        .map(({ name, type }) => `${name} ${type}`);
      for (const [maxResults, sizes] of [
        [undefined, [4, 4, 3]],
        [1, Array(11).fill(1)],
        [6, [6, 5]],
        [11, [6, 5]],
      ] as const) {
        const pages = await pagesOf(maxResults);
        expect(pages.map((page) => page.length)).to.deep.equal(sizes);
        expect(pages.flat()).to.deep.equal(all);
      }
    });

    it("lose and repeat nothing that stays while records come and go between pages", async () => {
      await start();
      const zone = cloud.zone("shop", "main");
      const names = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,3}$/), { maxLength: 12 });
      await fc.assert(
        fc.asyncProperty(names, names, names, async (before, gone, come) => {
          for (const { name, type } of zone.records().slice(2)) zone.remove(name, type);
          for (const name of before) zone.put(a(name, "1.1.1.1"));
          const pages = await pagesOf(3, () => {
            for (const name of gone) zone.remove(`${name}.example.com.`, "A");
            for (const name of come) zone.put(a(name, "1.1.1.1"));
          });
          const seen = pages.flat();
          expect(new Set(seen).size).to.equal(seen.length);
          const stayed = before.filter((name) => !gone.includes(name));
          expect(seen).to.include.members(stayed.map((name) => `${name}.example.com. A`));
        }),
        { numRuns: 15, seed: 7 },
      );
    });

    it("are of one name, and of one type at it, if asked so", async () => {
      await start();
      cloud.zone("shop", "main").put(a("x", "1.1.1.1"));
      cloud.zone("shop", "main").put({ ...a("x"), type: "TXT", rrdatas: ['"t"'] });
      cloud.zone("shop", "main").put(a("x.y", "1.1.1.1"));
      expect(await listed({ name: "X.example.com." })).to.deep.equal([
        "x.example.com. A",
        "x.example.com. TXT",
      ]);
      expect(await listed({ name: "x.example.com.", type: "TXT" })).to.have.length(1);
      expect(await listed({ name: "y.example.com." })).to.deep.equal([]);
    });

    it("show changes in either order", async () => {
      await start({ pageSize: 2 });
      for (const name of ["x", "y", "z"]) await change({ additions: [a(name, "1.1.1.1")] });
      for (const [sort, ids] of [
        ["asc", ["1", "2", "3"]],
        ["desc", ["3", "2", "1"]],
      ] as const) {
        const [changes] = await zoneOf("main").getChanges({ sort });
        expect(changes.map(({ id }) => id)).to.deep.equal(ids);
      }
    });
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
          const error = await failure(change({ additions: [a("x", "1.1.1.1")] }));
          expect(error).to.include({ code, reason });
          expect(cloud.zone("shop", "main").records()).to.have.length(isApplied ? 3 : 2);
          expect(cloud.calls[0]?.status).to.equal(code);
        });
      }
    }

    for (const isApplied of [false, true]) {
      it(`break connections ${isApplied ? "after" : "instead of"} what was asked`, async () => {
        cloud.setFault({ kind: "drop", isApplied });
        await broken("/managedZones/main/changes", { additions: [a("x", "1.1.1.1")] });
        expect(cloud.zone("shop", "main").records()).to.have.length(isApplied ? 3 : 2);
        expect(cloud.calls.map(({ status }) => status)).to.deep.equal([0]);
      });
    }

    it("let requests wait until the server stops", async () => {
      cloud.setFault({ kind: "hang", operation: "managedZones.list" });
      const waiting = broken("/managedZones");
      while (cloud.calls.length === 0) await new Promise(setImmediate);
      await ask("/managedZones/main");
      await cloud.stop();
      await waiting;
    });

    it("meet one operation, after some and so many times, until they are taken back", async () => {
      const fault: Fault = { kind: "error-503", operation: "managedZones.get", after: 1, times: 2 };
      cloud.setFault(fault);
      const statuses: unknown[] = [];
      for (let at = 0; at < 4; at++) {
        await ask("/managedZones");
        statuses.push(
          await ask("/managedZones/main").then(
            () => 200,
            ({ code }) => code,
          ),
        );
      }
      expect(statuses).to.deep.equal([200, 503, 503, 200]);
      cloud.setFault({ kind: "error-503" });
      expect((await failure(ask("/managedZones"))).code).to.equal(503);
      cloud.setFault(undefined);
      await ask("/managedZones");
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
    await change({ additions: [a("x", "1.1.1.1")] });
    await failure(change({ deletions: [a("x", "2.2.2.2")] }));
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
      change({ additions: [a("x", address)] }).then(
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

  function client(projectId = "shop"): DNS {
    const dns = new DNS({ projectId, authClient: new PassThroughClient() });
    dns.baseUrl = cloud.baseUrl;
    return dns;
  }

  function zoneOf(name: string): Zone {
    return client().zone(name);
  }

  /** As it is: the client itself would put record sets of one name together. */
  function change(body: object): Promise<unknown> {
    return ask("/managedZones/main/changes", body);
  }

  function ask(uri: string, json?: object): Promise<unknown> {
    return new Promise((resolve, reject) => {
      // Errors are looked at, and not asked for again.
      const options = { uri, maxRetries: 0, ...(json ? { method: "POST", json } : {}) };
      client().request(options, (error, body) => (error ? reject(error) : resolve(body)));
    });
  }

  /** Without Google's client, which would ask again; fails unless the connection breaks. */
  async function broken(uri: string, json?: object): Promise<void> {
    const error = await failure(
      fetch(`${cloud.baseUrl}/projects/shop${uri}`, {
        ...(json ? { method: "POST", body: JSON.stringify(json) } : {}),
      }),
    );
    expect(error.message).to.equal("fetch failed");
  }

  async function listed(query: { name?: string; type?: string } = {}): Promise<string[]> {
    const [records] = await zoneOf("main").getRecords(query);
    return records.map(({ metadata, type }) => `${metadata.name} ${type}`);
  }

  async function pagesOf(maxResults?: number, between = () => {}): Promise<string[][]> {
    const pages: string[][] = [];
    let pageToken: string | undefined;
    do {
      const query = {
        autoPaginate: false,
        ...(maxResults === undefined ? {} : { maxResults }),
        ...(pageToken === undefined ? {} : { pageToken }),
      };
      const [records, next] = await zoneOf("main").getRecords(query);
      pages.push(records.map(({ metadata, type }) => `${metadata.name} ${type}`));
      pageToken = next?.pageToken;
      between();
    } while (pageToken !== undefined);
    return pages;
  }

  async function project(all: CloudDnsOptions["projects"]): Promise<{ quota: object }> {
    await cloud.stop();
    await start({ projects: all });
    const response = await fetch(`${cloud.baseUrl}/projects/small`);
    return JSON.parse(await response.text());
  }
});

/** A record set in the client's own type, which has no word for routing policies. */
function plain({ name, ttl, rrdatas = [] }: ApiRecordSet) {
  return { name, ttl, rrdatas: [...rrdatas] };
}

/** How a request failed; fails itself if it did not. */
async function failure(
  request: Promise<unknown>,
): Promise<{ code: unknown; reason: unknown; message: string }> {
  const error: unknown = await request.then(
    () => {
      throw new Error("the request succeeded");
    },
    (reason: unknown) => reason,
  );
  const { code, errors, message } = Object(error);
  return { code, reason: errors?.[0]?.reason, message: String(message) };
}
