// A hosted zone as a provider: what is written, found again, refused and waited for, with the real
// SDK against a stand-in of the service.

import { expect } from "chai";
import type { Route53Config } from "../../src/config/mirror-config.ts";
import { Pace } from "../../src/mirror/pace.ts";
import {
  type Change,
  type ChangeGroup,
  MirrorError,
  type Provider,
} from "../../src/mirror/provider.ts";
import type { RecordPart, RecordSet } from "../../src/mirror/record-set.ts";
import { openRoute53 } from "../../src/mirror/route53.ts";
import { sizeOf } from "../../src/mirror/route53-changes.ts";
import { type Route53StandIn, startRoute53 } from "../kit/route53/server.ts";
import { settings } from "./route53-settings.ts";

const { signal } = new AbortController();
const silent = { called: () => {}, throttled: () => {} };

describe("a zone in Route 53", () => {
  let service: Route53StandIn;
  let zone: Provider;

  beforeEach(async () => {
    service = await startRoute53({ zones: [{ id: "Z123", name: "example.com" }] });
    zone = await openUnpaced(service);
  });
  afterEach(() => service.stop());

  it("is opened with its name and what it may hold", async () => {
    expect(zone.label).to.equal("route53 Z123");
    const nearest = { domain: "example.com.", mostValues: 240, mostParts: 30 };
    expect(await zone.open(signal)).to.deep.equal(nearest);
    const weighted = await openUnpaced(service, { policy: "weighted" });
    expect((await weighted.open(signal)).mostParts).to.equal(100);
  });

  it("is made, changed and emptied again, and nothing else is touched", async () => {
    const before = service.zone("Z123").all();
    const first = set("www.example.com.", "A", plain("192.0.2.1", "192.0.2.2"));
    const second = set("www.example.com.", "A", plain("192.0.2.3"));
    const text = set("_meridian-a.www.example.com.", "TXT", plain('"heritage=meridian"'));

    await apply(zone, { kind: "create", after: first }, { kind: "create", after: text });
    expect(await listed(zone)).to.deep.equal([first, text]);
    await apply(zone, { kind: "update", before: first, after: second });
    expect(await listed(zone)).to.deep.equal([second, text]);
    await apply(zone, { kind: "delete", before: second }, { kind: "delete", before: text });
    expect(service.zone("Z123").all()).to.deep.equal(before);
  });

  const routed: { policy: string; parts: RecordPart[] }[] = [
    {
      policy: "geoproximity",
      parts: [
        routedPart("a", { kind: "geoproximity", id: "a", latitude: "49.22", longitude: "-74.01" }),
        routedPart("b", { kind: "geoproximity", id: "b", latitude: "-90", longitude: "180" }),
      ],
    },
    {
      policy: "latency",
      parts: [
        routedPart("a", { kind: "latency", id: "a", region: "eu-west-1" }),
        routedPart("b", { kind: "latency", id: "b", region: "us-east-1" }),
      ],
    },
    {
      policy: "geolocation",
      parts: [
        routedPart("a", { kind: "geolocation", id: "a", place: "continent:EU" }),
        routedPart("b", { kind: "geolocation", id: "b", place: "US" }),
        routedPart("c", { kind: "geolocation", id: "c", place: "*" }),
      ],
    },
    {
      policy: "weighted",
      parts: [
        routedPart("a", { kind: "weighted", id: "a", weight: 0 }),
        routedPart("b", { kind: "weighted", id: "b", weight: 255 }),
      ],
    },
  ];
  for (const { policy, parts } of routed) {
    it(`keeps parts by ${policy}, of which only those are sent that differ`, async () => {
      const before = set("geo.example.com.", "A", ...parts);
      const after = set("geo.example.com.", "A", ...parts.slice(1));
      await apply(zone, { kind: "create", after: before });
      expect(await listed(zone)).to.deep.equal([before]);
      await apply(zone, { kind: "update", before, after });
      expect(await listed(zone)).to.deep.equal([after]);
      expect(service.calls.at(-2)?.changes).to.equal(1);
      await apply(zone, { kind: "delete", before: after });
      expect(await listed(zone)).to.deep.equal([]);
    });
  }

  it("takes names with escapes, and finds them by them", async () => {
    const names = ["*.example.com.", "a\\046b.example.com.", "f\\252.example.com."];
    const sets = names.map((name) => set(name, "A", plain("192.0.2.1")));
    await apply(zone, ...sets.map((after): Change => ({ kind: "create", after })));
    expect(await listed(zone)).to.have.deep.members(sets);
    expect(await zone.read(names, signal)).to.have.deep.members(sets);
    await apply(zone, ...sets.map((before): Change => ({ kind: "delete", before })));
    expect(await listed(zone)).to.deep.equal([]);
  });

  it("lets a CNAME and addresses change places at one name", async () => {
    const cname = set("www.example.com.", "CNAME", plain("a.example.com."));
    const address = set("www.example.com.", "A", plain("192.0.2.1"));
    await apply(zone, { kind: "create", after: cname });
    await apply(zone, { kind: "create", after: address }, { kind: "delete", before: cname });
    expect(await listed(zone)).to.deep.equal([address]);
    await apply(zone, { kind: "create", after: cname }, { kind: "delete", before: address });
    expect(await listed(zone)).to.deep.equal([cname]);
  });

  it("deletes exactly what is none of ours", async () => {
    service.zone("Z123").put({
      Name: "alias.example.com.",
      Type: "A",
      AliasTarget: {
        HostedZoneId: "Z123",
        DNSName: "www.example.com.",
        EvaluateTargetHealth: false,
      },
    });
    const [alias] = await listed(zone);
    expect(alias?.parts[0]?.routing?.kind).to.equal("other");
    if (alias) await apply(zone, { kind: "delete", before: alias });
    expect(await listed(zone)).to.deep.equal([]);
  });

  it("is listed in pages of 300, whose parts together are all", async () => {
    const names = Array.from({ length: 250 }, (_, at) => `s${at}.example.com.`);
    for (const name of names) {
      for (const id of ["a", "b", "c"]) {
        const records = [{ Value: "192.0.2.1" }];
        const one = { Name: name, Type: "A", TTL: 60, ResourceRecords: records } as const;
        service.zone("Z123").put({ ...one, SetIdentifier: id, Weight: 1 });
      }
    }
    const pages: number[] = [];
    for await (const page of zone.list(signal)) {
      pages.push(page.flatMap(({ parts }) => parts).length);
    }
    expect(pages).to.deep.equal([300, 300, 152]);
    const [found] = await zone.read(["s99.example.com."], signal);
    expect(found?.parts.map(({ routing }) => routing)).to.deep.equal(
      ["a", "b", "c"].map((id) => ({ kind: "weighted", id, weight: 1 })),
    );
  });

  it("is read at the names that are asked for alone", async () => {
    const sets = ["a", "a-b", "b"].map((label) =>
      set(`${label}.example.com.`, "A", plain("192.0.2.1")),
    );
    await apply(zone, ...sets.map((after): Change => ({ kind: "create", after })));
    const names = ["b.example.com.", "nothing.example.com.", "a.example.com."];
    expect(await zone.read(names, signal)).to.have.deep.members([sets[0], sets[2]]);
    expect(await zone.read([], signal)).to.deep.equal([]);
  });

  it("takes batches as full as they are made", async () => {
    const groups = Array.from({ length: 700 }, (_, at): ChangeGroup => {
      const name = `s${at}.example.com.`;
      const owner = set(`_meridian-a.${name}`, "TXT", plain(`"heritage=meridian,n=${at}"`));
      const addresses = plain(...Array.from({ length: 1 + (at % 5) }, (_, n) => `192.0.2.${n}`));
      return group({ kind: "create", after: set(name, "A", addresses) }, create(owner));
    });
    const batches = zone.batches(groups);
    for (const batch of batches) await zone.apply(batch, signal);
    const sent = service.calls.filter(({ operation }) => operation === "ChangeResourceRecordSets");
    expect(sent).to.have.length(batches.length);
    for (const { status } of sent) expect(status).to.equal(200);
    for (const { values, valueCharacters } of sent.slice(0, -1)) {
      expect(Math.max(values / 1000, valueCharacters / 32_000)).to.be.within(0.95, 1);
    }
    expect(await listed(zone)).to.have.length(1400);
    const [first = []] = batches;
    const size = sizeOf(first.flatMap(({ changes }) => changes));
    expect(sent[0]).to.include({ values: size.values, valueCharacters: size.valueCharacters });
  });

  it("sends nothing for changes that change nothing", async () => {
    const same = set("www.example.com.", "A", plain("192.0.2.1"));
    await apply(zone, { kind: "update", before: same, after: same });
    await zone.apply([], signal);
    expect(service.calls).to.deep.equal([]);
  });

  describe("that others write to as well", () => {
    const found = set("www.example.com.", "A", plain("192.0.2.1"));
    const ours = set("www.example.com.", "A", plain("192.0.2.2"));
    const theirs = set("www.example.com.", "A", plain("192.0.2.3"));
    const bystander = set("other.example.com.", "A", plain("192.0.2.9"));

    const races: { name: string; before: RecordSet[]; change: Change; after: RecordSet[] }[] = [
      {
        name: "an update of what has changed",
        before: [theirs],
        change: { kind: "update", before: found, after: ours },
        after: [theirs],
      },
      {
        name: "an update of what is gone",
        before: [],
        change: { kind: "update", before: found, after: ours },
        after: [],
      },
      {
        name: "a creation of what is there",
        before: [theirs],
        change: { kind: "create", after: ours },
        after: [theirs],
      },
      {
        name: "a deletion of what has changed",
        before: [theirs],
        change: { kind: "delete", before: found },
        after: [theirs],
      },
      {
        name: "a deletion of what has another TTL",
        before: [set("www.example.com.", "A", { ttlSeconds: 61, values: ["192.0.2.1"] })],
        change: { kind: "delete", before: found },
        after: [set("www.example.com.", "A", { ttlSeconds: 61, values: ["192.0.2.1"] })],
      },
    ];
    for (const { name, before, change, after } of races) {
      it(`refuses ${name}, and all that is sent with it`, async () => {
        await zone.apply(
          before.map((one) => group(create(one))),
          signal,
        );
        const error = await failureOf(
          zone.apply([group(create(bystander)), group(change)], signal),
        );
        expect(error.code).to.equal("refused");
        expect(error.message).to.match(/^cannot change Route 53 zone Z123: InvalidChangeBatch: \[/);
        expect(await listed(zone)).to.deep.equal(after);
      });
    }

    it("lets one of two writers win, whichever comes first", async () => {
      const other = await openUnpaced(service);
      await apply(zone, create(found));
      const outcomes = await Promise.allSettled([
        apply(zone, { kind: "update", before: found, after: ours }),
        apply(other, { kind: "update", before: found, after: theirs }),
      ]);
      const statuses = outcomes.map(({ status }) => status);
      expect(statuses.toSorted()).to.deep.equal(["fulfilled", "rejected"]);
      expect(await listed(zone)).to.deep.equal([statuses[0] === "fulfilled" ? ours : theirs]);
    });
  });

  it("says what was refused in the reference's form too", async () => {
    const old = await startRoute53({
      zones: [{ id: "Z123", name: "example.com" }],
      refusalForm: "invalid-change-batch",
    });
    try {
      const oldZone = await openUnpaced(old);
      const gone = set("www.example.com.", "A", plain("192.0.2.1"));
      const error = await failureOf(apply(oldZone, { kind: "delete", before: gone }));
      expect(error.code).to.equal("refused");
      expect(error.message).to.match(/InvalidChangeBatch: \[Tried to delete .* not found\]$/);
    } finally {
      await old.stop();
    }
  });
});

function openUnpaced(
  service: Route53StandIn,
  more: Partial<Route53Config> = {},
): Promise<Provider> {
  const pace = new Pace({ most: 1000, spanMs: 0 });
  return openRoute53({ ...settings, endpoint: service.endpoint, ...more }, silent, { pace });
}

function set(name: string, type: string, ...parts: RecordPart[]): RecordSet {
  return { name, type, parts };
}

function plain(...values: string[]): RecordPart {
  return { ttlSeconds: 60, values };
}

function routedPart(host: string, routing: NonNullable<RecordPart["routing"]>): RecordPart {
  return { ttlSeconds: 60, values: [`192.0.2.${host.charCodeAt(0)}`], routing };
}

function create(after: RecordSet): Change {
  return { kind: "create", after };
}

function group(...changes: Change[]): ChangeGroup {
  const [first] = changes;
  const name = first?.kind === "create" ? first.after.name : (first?.before.name ?? "");
  return { name, changes };
}

function apply(zone: Provider, ...changes: Change[]): Promise<void> {
  return zone.apply([group(...changes)], signal);
}

/** All but what stands at the apex from the start. */
async function listed(zone: Provider): Promise<RecordSet[]> {
  const sets: RecordSet[] = [];
  for await (const page of zone.list(signal)) sets.push(...page);
  return sets.filter(({ name }) => name !== "example.com.");
}

async function failureOf(action: Promise<unknown>): Promise<MirrorError> {
  const error: unknown = await action.catch((reason: unknown) => reason);
  if (error instanceof MirrorError) return error;
  throw new Error("cannot look at a failure: there is none", { cause: error });
}
