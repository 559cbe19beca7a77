// The stand-in of Route 53 as the real SDK sees it: what it refuses, and how things go wrong.

import {
  GetChangeCommand,
  GetHostedZoneCommand,
  ListResourceRecordSetsCommand,
  type ResourceRecordSet,
  type Route53Client,
} from "@aws-sdk/client-route-53";
import { expect } from "chai";
import { change, failureOf, sdkClient } from "../kit/route53/client.ts";
import { malformedCases } from "../kit/route53/malformed-cases.ts";
import { refusalCases } from "../kit/route53/refusal-cases.ts";
import { type Route53Options, type Route53StandIn, startRoute53 } from "../kit/route53/server.ts";
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
