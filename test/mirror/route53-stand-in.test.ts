// The stand-in of Route 53 as the real SDK sees it: what it keeps, lists and refuses.

import {
  GetChangeCommand,
  GetHostedZoneCommand,
  ListHostedZonesByNameCommand,
  ListResourceRecordSetsCommand,
  type ListResourceRecordSetsCommandInput,
  type ResourceRecordSet,
  type Route53Client,
} from "@aws-sdk/client-route-53";
import { expect } from "chai";
import fc from "fast-check";
import { change, failureOf, listAll, sdkClient } from "../kit/route53/client.ts";
import { HostedZone } from "../kit/route53/hosted-zone.ts";
import { type Route53Options, type Route53StandIn, startRoute53 } from "../kit/route53/server.ts";
import { created, deleted, recordSet, upserted } from "../kit/route53/sets.ts";

const zones = [{ id: "Z1", name: "example.com" }];

describe("the stand-in of Route 53", () => {
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

  describe("keeps", () => {
    const routed = (identifier: string, routing: Partial<ResourceRecordSet>) =>
      recordSet("www", "A", ["192.0.2.1"], { SetIdentifier: identifier, ...routing });
    const cases: readonly { readonly name: string; readonly sets: readonly ResourceRecordSet[] }[] =
      [
        {
          name: "values in their order",
          sets: [recordSet("www", "A", ["192.0.2.2", "192.0.2.1"])],
        },
        {
          name: "texts with all that XML and master files quote",
          sets: [
            recordSet("www", "TXT", ['"a=b&c <d> \\"e\\" &amp;" "second"', '"heritage=meridian"']),
          ],
        },
        { name: "weights", sets: [routed("a", { Weight: 0 }), routed("b", { Weight: 255 })] },
        {
          name: "AWS regions",
          sets: [routed("a", { Region: "eu-west-1" }), routed("b", { Region: "us-east-1" })],
        },
        {
          name: "geographic locations",
          sets: [
            routed("a", { GeoLocation: { CountryCode: "*" } }),
            routed("b", { GeoLocation: { ContinentCode: "EU" } }),
            routed("c", { GeoLocation: { CountryCode: "US", SubdivisionCode: "CA" } }),
          ],
        },
        {
          name: "coordinates, local zones and biases",
          sets: [
            routed("a", {
              GeoProximityLocation: { Coordinates: { Latitude: "-33.92", Longitude: "151.2" } },
            }),
            routed("b", { GeoProximityLocation: { AWSRegion: "eu-west-1", Bias: -99 } }),
            routed("c", { GeoProximityLocation: { LocalZoneGroup: "us-west-2-den-1", Bias: 99 } }),
          ],
        },
        {
          name: "failover with health checks",
          sets: [
            routed("a", { Failover: "PRIMARY", HealthCheckId: "abc" }),
            routed("b", { Failover: "SECONDARY" }),
          ],
        },
        {
          name: "aliases",
          sets: [
            {
              Name: "www.example.com.",
              Type: "A",
              AliasTarget: {
                HostedZoneId: "Z2",
                DNSName: "lb.example.net.",
                EvaluateTargetHealth: true,
              },
            },
          ],
        },
      ];
    for (const { name, sets } of cases) {
      it(`${name}, gives them back and takes them away again`, async () => {
        await start();
        await change(sdk, created(...sets));
        expect((await listAll(sdk)).slice(2)).to.deep.equal(sets);
        expect(route53.zone("Z1").all().slice(2)).to.deep.equal(sets);
        await change(sdk, deleted(...sets));
        expect(route53.zone("Z1").count).to.equal(2);
      });
    }

    const names = [
      { name: "capitals in lower case", sent: "WwW.Example.COM", listed: "www.example.com." },
      { name: "a wildcard in octal", sent: "*.example.com.", listed: "\\052.example.com." },
      { name: "an escaped wildcard", sent: "\\052.example.com", listed: "\\052.example.com." },
      { name: "underscores as they are", sent: "_a.example.com", listed: "_a.example.com." },
      { name: "escaped letters as letters", sent: "\\101b.example.com", listed: "ab.example.com." },
      {
        name: "other characters in octal",
        sent: "a@b.example.com",
        listed: "a\\100b.example.com.",
      },
      { name: "an escaped dot", sent: "a\\056b.example.com", listed: "a\\056b.example.com." },
    ];
    for (const { name, sent, listed } of names) {
      it(`names with ${name}: ${sent}`, async () => {
        await start();
        await change(sdk, created({ ...recordSet("", "A", ["192.0.2.1"]), Name: sent }));
        expect((await listAll(sdk)).at(2)?.Name).to.equal(listed);
        await change(sdk, deleted({ ...recordSet("", "A", ["192.0.2.1"]), Name: listed }));
      });
    }

    it("an escaped dot apart from one that ends a label", async () => {
      await start();
      const names = ["a\\056b", "b.a", "a.b"].map((name) => recordSet(name, "A", ["192.0.2.1"]));
      await change(sdk, created(...names));
      expect(route53.zone("Z1").all()).to.have.length(5);
    });

    it("deletions and creations of one batch in their order", async () => {
      await start();
      const address = recordSet("www", "A", ["192.0.2.1"]);
      const alias = recordSet("www", "CNAME", ["other.example.net."]);
      await change(sdk, created(alias));
      await change(sdk, [...deleted(alias), ...created(address)]);
      expect(route53.zone("Z1").all().slice(2)).to.deep.equal([address]);
    });

    it("a record set that is deleted and created anew in one batch", async () => {
      await start();
      const before = recordSet("www", "A", ["192.0.2.1"]);
      const after = recordSet("www", "A", ["192.0.2.2", "192.0.2.3"]);
      await change(sdk, created(before));
      await change(sdk, [...deleted(before), ...created(after)]);
      expect(route53.zone("Z1").all().slice(2)).to.deep.equal([after]);
      // Values of a deletion may stand in any order.
      await change(sdk, deleted(recordSet("www", "A", ["192.0.2.3", "192.0.2.2"])));
    });

    it("what an UPSERT writes, whether something was there or not", async () => {
      await start();
      await change(sdk, upserted(recordSet("www", "A", ["192.0.2.1"])));
      await change(sdk, upserted(recordSet("www", "A", ["192.0.2.2"])));
      const expected = [recordSet("www", "A", ["192.0.2.2"])];
      expect(route53.zone("Z1").all().slice(2)).to.deep.equal(expected);
    });

    it("a change pending until it was asked for, then in sync", async () => {
      await start();
      const { ChangeInfo: change1 } = await change(
        sdk,
        created(recordSet("a", "A", ["192.0.2.1"])),
      );
      expect(change1?.Status).to.equal("PENDING");
      const statuses: unknown[] = [];
      for (let read = 0; read < 3; read++) {
        const { ChangeInfo } = await sdk.send(new GetChangeCommand({ Id: change1?.Id }));
        statuses.push(ChangeInfo?.Status);
      }
      expect(statuses).to.deep.equal(["PENDING", "INSYNC", "INSYNC"]);
    });

    it("zones by id and by name", async () => {
      await start({ zones: [...zones, { id: "Z2", name: "EXAMPLE.org." }] });
      const { HostedZone } = await sdk.send(new GetHostedZoneCommand({ Id: "/hostedzone/Z2" }));
      expect(HostedZone).to.include({ Id: "/hostedzone/Z2", Name: "example.org." });
      const { HostedZones } = await sdk.send(
        new ListHostedZonesByNameCommand({ DNSName: "example.org", MaxItems: 1 }),
      );
      expect(HostedZones?.map(({ Id }) => Id)).to.deep.equal(["/hostedzone/Z2"]);
    });
  });

  describe("lists", () => {
    it("by reversed labels, then type, then SetIdentifier", async () => {
      await start();
      const parts = ["b", "a"].map((identifier) =>
        recordSet("a", "TXT", ['""'], { SetIdentifier: identifier, Weight: 1 }),
      );
      const plain = ["a-b", "b.a", "b", "*", "a0", "1"].map((name) =>
        recordSet(name, "A", ["192.0.2.1"]),
      );
      const sets = [...parts, ...plain, recordSet("a", "A", ["192.0.2.1"])];
      await change(sdk, created(...sets));
      const listed = (await listAll(sdk)).map(({ Name, Type, SetIdentifier = "" }) =>
        `${Name?.replace(".example.com.", "")} ${Type} ${SetIdentifier}`.trim(),
      );
      expect(listed).to.deep.equal([
        "example.com. NS",
        "example.com. SOA",
        "\\052 A",
        "1 A",
        // `-` sorts before the dot that ends the label.
        "a-b A",
        "a A",
        "a TXT a",
        "a TXT b",
        "b.a A",
        "a0 A",
        "b A",
      ]);
    });

    it("names with other characters by their escapes, if asked to", async () => {
      await start({ nameOrder: "escapes" });
      for (const name of ["*", "1", "a", "_"]) {
        route53.zone("Z1").put(recordSet(name, "A", ["192.0.2.1"]));
      }
      const names = (await listAll(sdk)).slice(2).map(({ Name }) => Name?.split(".")[0]);
      expect(names).to.deep.equal(["1", "\\052", "_", "a"]);
    });

    it("each record set once, whatever the pages", async () => {
      await start();
      const zone = route53.zone("Z1");
      for (let at = 0; at < 340; at++) {
        const routing = { SetIdentifier: `part ${at % 4}`, Weight: 1 };
        zone.put(recordSet(`n${at >> 2}`, at % 8 < 4 ? "A" : "TXT", ["192.0.2.1"], routing));
      }
      const all = zone.all();
      expect(all).to.have.length(342);
      for (const pageSize of [undefined, 1000, 23]) {
        const before = route53.calls.length;
        expect(await listAll(sdk, pageSize)).to.deep.equal(all);
        const pages = Math.ceil(342 / Math.min(300, pageSize ?? 300));
        expect(route53.calls.length - before).to.equal(pages);
      }
    });

    it("from a name on, and from a type of it", async () => {
      await start();
      const zone = route53.zone("Z1");
      for (const name of ["a", "b", "c"]) {
        zone.put(recordSet(name, "A", ["192.0.2.1"]));
        zone.put(recordSet(name, "TXT", ['"a"']));
      }
      const from = async (place: Partial<ListResourceRecordSetsCommandInput>) => {
        const command = new ListResourceRecordSetsCommand({ HostedZoneId: "Z1", ...place });
        const { ResourceRecordSets } = await sdk.send(command);
        const first = ResourceRecordSets?.[0];
        return first === undefined ? "nothing" : `${first.Name?.split(".")[0]} ${first.Type}`;
      };
      expect(await from({ StartRecordName: "B.example.com" })).to.equal("b A");
      const text = { StartRecordType: "TXT" } as const;
      expect(await from({ StartRecordName: "b.example.com", ...text })).to.equal("b TXT");
      expect(await from({ StartRecordName: "aa.example.com", ...text })).to.equal("b A");
      expect(await from({ StartRecordName: "d.example.com" })).to.equal("nothing");
      const failure = await failureOf(from(text));
      expect(failure).to.include({ name: "InvalidInput" });
    });
  });
});

describe("a zone of the stand-in of Route 53", () => {
  it("has one order, whatever was written, removed and listed before", () => {
    const inOrder = ["*", "_a", "a-", "a", "b", "a.b", "c", "z"];
    const step = fc.record({
      name: fc.constantFrom(...inOrder),
      action: fc.constantFrom("put", "remove", "list"),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const zone = new HostedZone("Z1", "example.com");
        const there = new Set<string>();
        for (const { name, action } of steps) {
          if (action === "list") zone.all();
          if (action === "put") zone.put(recordSet(name, "A", ["192.0.2.1"]));
          if (action === "put") there.add(name);
          if (action === "remove" && there.delete(name)) zone.remove(`${name}.example.com`, "A");
        }
        const listed = zone
          .all()
          .slice(2)
          .map(({ Name }) => Name);
        const expected = inOrder.filter((name) => there.has(name));
        expect(listed).to.deep.equal(
          expected.map((name) => `${name.replace("*", "\\052")}.example.com.`),
        );
        expect(zone.count).to.equal(listed.length + 2);
      }),
    );
  });
});
