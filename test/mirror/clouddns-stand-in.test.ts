// The stand-in of Cloud DNS, asked by Google's own client: what it keeps, refuses and lists. Nothing
// here is about mirrors.

import { expect } from "chai";
import fc from "fast-check";
import type { ApiRecordSet } from "../kit/clouddns/api-types.ts";
import { failure, GoogleClient } from "../kit/clouddns/google-client.ts";
import { refusalCases } from "../kit/clouddns/refusal-cases.ts";
import { a, cname, geo, wrr } from "../kit/clouddns/sample-records.ts";
import { type CloudDns, type CloudDnsOptions, startCloudDns } from "../kit/clouddns/server.ts";

const projects: CloudDnsOptions["projects"] = {
  shop: { zones: [{ name: "main", dnsName: "Example.com." }] },
};

describe("the stand-in of Cloud DNS", () => {
  let cloud: CloudDns;
  let google: GoogleClient;

  async function start(options: Partial<CloudDnsOptions> = {}): Promise<void> {
    cloud = await startCloudDns({ projects, ...options });
    google = new GoogleClient(cloud.baseUrl);
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
      const [byName] = await google.zoneOf("main").getMetadata();
      const [byId] = await google.zoneOf(String(byName.id)).getMetadata();
      const [[listed]] = await google.client().getZones();
      expect(byName).to.include({ kind: "dns#managedZone", name: "main", dnsName: "example.com." });
      expect(byId).to.deep.equal(byName);
      expect(listed?.metadata).to.deep.equal(byName);
    });

    it("has NS and SOA at the apex from the start", async () => {
      expect(await google.listed()).to.deep.equal(["example.com. NS", "example.com. SOA"]);
    });

    it("tells of a change as pending, and as done once it is served", async () => {
      let now = 0;
      await cloud.stop();
      await start({ pendingMs: 5000, clock: () => now });
      const zone = google.zoneOf("main");
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
      await google.change({
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
      await google.change({ additions: policies });
      const [records] = await google
        .zoneOf("main")
        .getRecords({ name: "g.example.com.", type: "A" });
      expect(records[0]?.toJSON()).to.have.nested.property("routingPolicy.geo.items[1].location");
      const [all] = await google.zoneOf("main").getRecords();
      await google.change({ deletions: all.slice(2).map((record) => record.toJSON()) });
      expect(await google.listed()).to.have.length(2);
    });

    it("deletes by content, whatever the order of values and places", async () => {
      await google.change({
        additions: [a("x", "1.1.1.1", "2.2.2.2"), places("us-east1", "us-west1")],
      });
      await google.change({
        deletions: [a("x", "2.2.2.2", "1.1.1.1"), places("us-west1", "us-east1")],
      });
      expect(await google.listed()).to.have.length(2);

      function places(...names: readonly string[]): ApiRecordSet {
        return geo(
          "g",
          names.map((name) => [name, "1.1.1.1"]),
        );
      }
    });

    it("replaces a CNAME by other records in one change", async () => {
      await google.change({ additions: [cname("x", "y.example.com.")] });
      await google.change({
        deletions: [cname("x", "y.example.com.")],
        additions: [a("x", "1.1.1.1")],
      });
      expect(await google.listed())
        .to.include("x.example.com. A")
        .and.have.length(3);
    });

    it("shows what was changed by hand", async () => {
      const zone = cloud.zone("shop", "main");
      zone.put(a("hand", "9.9.9.9"));
      expect(await google.listed()).to.include("hand.example.com. A");
      expect(zone.remove("hand.example.com.", "A")).to.equal(true);
      expect(zone.remove("hand.example.com.", "A")).to.equal(false);
      expect(await google.listed()).to.not.include("hand.example.com. A");
    });
  });

  describe("what it refuses", () => {
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

    for (const { name, additions = [], deletions = [], code, reason, message } of refusalCases) {
      it(`refuses ${name}, and all else of the change`, async () => {
        const zone = cloud.zone("shop", "main");
        const before = zone.records();
        const error = await failure(
          google.change({
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
      await google.change({ additions: [fine] });
      expect(cloud.zone("shop", "main").record("fine.example.com.", "A")).to.not.equal(undefined);
    });

    it("refuses a change of nothing", async () => {
      expect(await failure(google.change({}))).to.include({ code: 400, reason: "required" });
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
        expect(await failure(google.ask(uri))).to.include({
          code,
          reason: code === 404 ? "notFound" : "invalid",
        });
      });
    }

    it("refuses a project that is not there", async () => {
      const error = await failure(google.client("nobody").zone("main").getMetadata());
      expect(error).to.include({
        code: 404,
        message: "The 'parameters.project' resource named 'nobody' does not exist.",
      });
    });
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
        const pages = await google.pagesOf(maxResults);
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
          const pages = await google.pagesOf(3, () => {
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
      expect(await google.listed({ name: "X.example.com." })).to.deep.equal([
        "x.example.com. A",
        "x.example.com. TXT",
      ]);
      expect(await google.listed({ name: "x.example.com.", type: "TXT" })).to.have.length(1);
      expect(await google.listed({ name: "y.example.com." })).to.deep.equal([]);
    });

    it("show changes in either order", async () => {
      await start({ pageSize: 2 });
      for (const name of ["x", "y", "z"]) await google.change({ additions: [a(name, "1.1.1.1")] });
      for (const [sort, ids] of [
        ["asc", ["1", "2", "3"]],
        ["desc", ["3", "2", "1"]],
      ] as const) {
        const [changes] = await google.zoneOf("main").getChanges({ sort });
        expect(changes.map(({ id }) => id)).to.deep.equal(ids);
      }
    });
  });

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
