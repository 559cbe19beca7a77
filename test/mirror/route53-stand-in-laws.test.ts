// What holds in the stand-in of Route 53 for every batch and every document.

import type { ResourceRecordSet } from "@aws-sdk/client-route-53";
import { expect } from "chai";
import fc from "fast-check";
import type { SentChange } from "../kit/route53/change.ts";
import { applyBatch } from "../kit/route53/change-batch.ts";
import { HostedZone } from "../kit/route53/hosted-zone.ts";
import { parseName } from "../kit/route53/names.ts";
import { readChangeRequest, recordSetXml } from "../kit/route53/record-set-xml.ts";
import { Refusal } from "../kit/route53/refusal.ts";
import { recordSet } from "../kit/route53/sets.ts";
import { routingKind, shapeProblem } from "../kit/route53/shape.ts";
import { branch, leaf, readXml, XmlError, xmlDocument } from "../kit/route53/xml.ts";

const noLimits = {
  mostRecordSets: Number.POSITIVE_INFINITY,
  mostRoutedValues: Number.POSITIVE_INFINITY,
};

const routings: readonly Partial<ResourceRecordSet>[] = [
  {},
  { SetIdentifier: "a", Weight: 1 },
  { SetIdentifier: "b", Weight: 2 },
  { SetIdentifier: "a", Region: "eu-west-1" },
  { SetIdentifier: "b", Region: "eu-west-1" },
  { SetIdentifier: "b", GeoLocation: { ContinentCode: "EU" } },
];

const anySet = fc
  .record({
    name: fc.constantFrom("", "a", "b"),
    content: fc.constantFrom(
      { type: "A", values: ["192.0.2.1"] } as const,
      { type: "A", values: ["192.0.2.2"] } as const,
      { type: "CNAME", values: ["other.example.net."] } as const,
    ),
    routing: fc.constantFrom(...routings),
  })
  .map(({ name, content, routing }) => recordSet(name, content.type, content.values, routing));

const anyBatch = fc.array(
  fc.record({ action: fc.constantFrom("CREATE", "DELETE", "UPSERT"), set: anySet }),
  { minLength: 1, maxLength: 5 },
);

describe("the stand-in of Route 53 for all batches", () => {
  it("makes a batch whole or not at all, and never breaks the rules of a zone", () => {
    let made = 0;
    let refused = 0;
    const property = fc.property(fc.array(anyBatch, { maxLength: 12 }), (batches) => {
      const zone = new HostedZone("Z1", "example.com");
      for (const batch of batches) {
        const before = zone.all();
        try {
          applyBatch(zone, batch, noLimits);
          made++;
          for (const { set } of batch) expectRules(zone, set.Name ?? "");
          expectLastWord(zone, batch);
        } catch (error) {
          expect(error).to.be.instanceOf(Refusal);
          expect(zone.all()).to.deep.equal(before);
          refused++;
        }
      }
    });
    fc.assert(property, { numRuns: 300, seed: 53 });
    // A law about batches that are all refused, or all made, would say little.
    expect(Math.min(made, refused)).to.be.above(100);
  });

  it("reads the record sets that it writes", () => {
    fc.assert(
      fc.property(anySet, fc.string({ minLength: 1, maxLength: 20 }), (set, identifier) => {
        const sent = set.SetIdentifier === undefined ? set : { ...set, SetIdentifier: identifier };
        const written = branch("Change", leaf("Action", "CREATE"), recordSetXml(sent));
        const { changes } = readChangeRequest(request(branch("Changes", written)));
        expect(changes).to.deep.equal([{ action: "CREATE", set: sent }]);
        expect(changes.map(shapeProblem)).to.deep.equal([undefined]);
      }),
    );
  });

  it("reads names in the form in which it gives them back as the same names", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[!-~]{1,40}$/), (text) => {
        const once = parseName(text);
        if (once.kind === "name") expect(parseName(once.name)).to.deep.equal(once);
      }),
    );
  });
});

describe("the XML of the stand-in of Route 53", () => {
  const malformed = [
    { name: "nothing", body: "" },
    { name: "an element that is not closed", body: "<a><b></b>" },
    { name: "elements that cross", body: "<a><b></a></b>" },
    { name: "a second root", body: "<a/><b/>" },
    { name: "an unknown entity", body: "<a>&nbsp;</a>" },
    { name: "a bare ampersand", body: "<a>b & c</a>" },
    { name: "text beside elements", body: "<a>b<c/></a>" },
    { name: "a DTD", body: '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>' },
    { name: "a comment", body: "<a><!-- b --></a>" },
  ];
  for (const { name, body } of malformed) {
    it(`refuses ${name}`, () => {
      expect(() => readXml(body)).to.throw(XmlError);
      expect(() => readChangeRequest(body)).to.throw(Refusal, "InvalidInput: Invalid XML");
    });
  }

  const action = leaf("Action", "CREATE");
  const set = recordSetXml(recordSet("a", "A", ["192.0.2.1"]));
  const unexpected = [
    {
      name: "an unknown element",
      body: request(branch("Changes", branch("Change", action, set, "<Extra/>"))),
    },
    {
      name: "an element twice",
      body: request(branch("Changes", branch("Change", action, action, set))),
    },
    { name: "no record set", body: request(branch("Changes", branch("Change", action))) },
    {
      name: "an unknown action",
      body: request(branch("Changes", branch("Change", leaf("Action", "PUT"), set))),
    },
    {
      name: "no number for a TTL",
      body: request(branch("Changes", branch("Change", action, set.replace("60", "1m")))),
    },
    {
      name: "an unknown type",
      body: request(
        branch("Changes", branch("Change", action, set.replace("<Type>A<", "<Type>B<"))),
      ),
    },
  ];
  for (const { name, body } of unexpected) {
    it(`refuses ${name} as InvalidInput`, () => {
      expect(() => readChangeRequest(body)).to.throw(Refusal, /^InvalidInput/);
    });
  }

  it("refuses the elements of another namespace or request", () => {
    const body = request(branch("Changes", branch("Change", action, set)));
    expect(readChangeRequest(body).changes).to.have.length(1);
    const other = body.replace("2013-04-01", "2012-12-12");
    expect(() => readChangeRequest(other)).to.throw(Refusal, /^MalformedInput/);
    expect(() => readChangeRequest(xmlDocument("ChangeBatch"))).to.throw(
      Refusal,
      /^MalformedInput/,
    );
  });
});

function request(changes: string): string {
  return xmlDocument("ChangeResourceRecordSetsRequest", branch("ChangeBatch", changes));
}

/** A CNAME is alone; sets of one type are routed alike and have identifiers of their own. */
function expectRules(zone: HostedZone, name: string): void {
  const sets = zone.at(name);
  const types = new Set(sets.map((set) => set.Type));
  if (types.has("CNAME")) expect([...types]).to.deep.equal(["CNAME"]);
  if (name === zone.name) expect([...types]).to.include.members(["NS", "SOA"]);
  for (const type of types) {
    const group = sets.filter((set) => set.Type === type);
    const kinds = new Set(group.map(routingKind));
    expect(kinds.size).to.equal(1);
    expect(new Set(group.map((set) => set.SetIdentifier)).size).to.equal(group.length);
    if (kinds.has("latency")) {
      expect(new Set(group.map((set) => set.Region)).size).to.equal(group.length);
    }
  }
}

/** What the last change of each record set asked for is what is there. */
function expectLastWord(zone: HostedZone, batch: readonly SentChange[]): void {
  const last = new Map<string, SentChange>();
  for (const sent of batch) {
    last.set(`${sent.set.Name} ${sent.set.Type} ${sent.set.SetIdentifier}`, sent);
  }
  for (const { action, set } of last.values()) {
    const found = zone
      .at(set.Name ?? "")
      .find((other) => other.Type === set.Type && other.SetIdentifier === set.SetIdentifier);
    expect(found).to.deep.equal(action === "DELETE" ? undefined : set);
  }
}
