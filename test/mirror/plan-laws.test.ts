// Laws of plans over zones by chance: records and ownership of ours, of others, of nobody, of
// ExternalDNS, and services that want something else now.

import { expect } from "chai";
import fc from "fast-check";
import { ownershipName, ownershipRecord, parseAdoption } from "../../src/mirror/ownership.ts";
import type { WantedService } from "../../src/mirror/plan.ts";
import type { Plan, PlannedGroup } from "../../src/mirror/plan-types.ts";
import type { RecordSet } from "../../src/mirror/record-set.ts";
import type { ZoneRecords } from "../../src/mirror/zone-records.ts";
import { makePlan, recordSet, zoneOf } from "./record-sketch.ts";

const adoption = parseAdoption("heritage=external-dns,external-dns/owner=old");
/** By name, the one service that may want it. */
const names: Readonly<Record<string, string>> = {
  "web.x.": "x/web",
  "eu.web.x.": "x/web",
  "db.x.": "x/db",
  "api.x.": "x/api",
};
const services = [...new Set(Object.values(names))];
const kept = ["A", "AAAA", "CNAME", "SRV"] as const;
const values: Readonly<Record<string, readonly [string, string]>> = {
  A: ["192.0.2.1", "192.0.2.2"],
  AAAA: ["2001:db8::1", "2001:db8::2"],
  CNAME: ["one.x.", "two.x."],
  SRV: ["0 1 80 one.x.", "0 1 80 two.x."],
  MX: ["5 one.x.", "5 two.x."],
};

interface World {
  readonly sets: readonly RecordSet[];
  readonly wanted: readonly WantedService[];
  readonly isAdopting: boolean;
}

const someTypes: fc.Arbitrary<string[]> = fc.oneof(
  fc.constant<string[]>([]),
  fc.constant<string[]>(["CNAME"]),
  fc.subarray<string>(["A", "AAAA", "SRV"], { minLength: 1 }),
);

/** Record sets of types at a name, each with one of two values. */
function setsAt(name: string, types: readonly string[]): fc.Arbitrary<RecordSet[]> {
  const one = (type: string) =>
    fc
      .constantFrom(...(values[type] ?? []))
      .map((value) => recordSet(`${name} ${type} 60 ${value}`));
  return fc.tuple(...types.map(one));
}

/** What the ownership name of a type holds, and how ExternalDNS marks it. */
function marksAt(name: string, type: string): fc.Arbitrary<RecordSet[]> {
  const ours = ownershipRecord(name, type, { owner: "me", service: names[name] ?? "" });
  const hers = ownershipRecord(name, type, { owner: "she", service: "x/web" });
  const theirs = '300 "heritage=external-dns,external-dns/owner=old"';
  return fc.constantFrom(
    ...[[], [ours], [ours], [hers]],
    [recordSet(`${ownershipName(name, type)} TXT 300 "v=spf1"`)],
    [recordSet(`${ownershipName(name, type)} CNAME 300 elsewhere.`)],
    [recordSet(`${type.toLowerCase()}-${name} TXT ${theirs}`)],
  );
}

function standingAt(name: string): fc.Arbitrary<RecordSet[]> {
  const beside = fc.subarray(["MX"]);
  return fc
    .tuple(someTypes, beside)
    .map(([types, others]) => (types.includes("CNAME") ? types : [...types, ...others]))
    .chain((types) => fc.tuple(setsAt(name, types), ...kept.map((type) => marksAt(name, type))))
    .map((parts) => parts.flat());
}

const world: fc.Arbitrary<World> = fc
  .tuple(
    fc.tuple(...Object.keys(names).map(standingAt)),
    fc.tuple(...Object.keys(names).map((name) => someTypes.chain((types) => setsAt(name, types)))),
    fc.boolean(),
  )
  .map(([standing, wanted, isAdopting]) => ({
    sets: standing.flat(),
    wanted: services.map((service) => ({
      service,
      sets: wanted.flat().filter(({ name }) => names[name] === service),
    })),
    isAdopting,
  }));

const options = { numRuns: 300, seed: 41 };

function planOf(zone: ZoneRecords, { wanted, isAdopting }: World, only = wanted): Plan {
  const taken = isAdopting ? adoption : undefined;
  return makePlan({ zone, owner: "me", adoption: taken, written: () => undefined }, only);
}

describe("plans", () => {
  it("leave nothing to do once they are carried out, and the same conflicts", () => {
    law((each) => {
      const zone = zoneOf(each.sets);
      const plan = planOf(zone, each);
      carryOut(zone, plan.groups);
      const next = planOf(zone, each);
      expect(next.groups).to.deep.equal([]);
      expect(next.conflicts.map(briefly)).to.deep.equal(plan.conflicts.map(briefly));
      expect(next.unchanged).to.be.at.most(next.owned);
    });
  });

  it("make what is wanted, but for their conflicts", () => {
    law((each) => {
      const zone = zoneOf(each.sets);
      const plan = planOf(zone, each);
      carryOut(zone, plan.groups);
      const kept = new Set(plan.conflicts.map(briefly));
      for (const set of each.wanted.flatMap(({ sets }) => sets)) {
        const isKeptOut = [...kept].some((text) => text.startsWith(`${set.name} ${set.type} `));
        if (!isKeptOut) expect(zone.at(set.name)?.get(set.type)).to.deep.equal(set);
      }
    });
  });

  it("change nothing but what is ours or taken over, and no mark of another", () => {
    law((each) => {
      const before = zoneOf(each.sets);
      const after = zoneOf(each.sets);
      const { groups } = planOf(before, each);
      carryOut(after, groups);
      for (const set of each.sets) {
        if (isOurs(before, set) || (each.isAdopting && isTheirs(before, set))) continue;
        expect(after.at(set.name)?.get(set.type), `${set.name} ${set.type}`).to.equal(set);
      }
    });
  });

  it("give each record its TXT in the group that makes it, and take it in the one that deletes it", () => {
    law((each) => {
      const zone = zoneOf(each.sets);
      for (const group of planOf(zone, each).groups) {
        carryOut(zone, [group]);
        for (const change of group.changes) {
          if (change.isOwnership) continue;
          const { name, type } = change.kind === "delete" ? change.before : change.after;
          const isMarked = zone.standing(name).ownerships.get(type)?.owner === "me";
          expect(isMarked, `${change.kind} ${type} ${name}`).to.equal(change.kind !== "delete");
        }
      }
    });
  });

  it("never put a CNAME beside other records", () => {
    law((each) => {
      const zone = zoneOf(each.sets);
      carryOut(zone, planOf(zone, each).groups);
      for (const name of Object.keys(names)) {
        const types = [...(zone.at(name)?.keys() ?? [])];
        if (types.includes("CNAME")) expect(types).to.deep.equal(["CNAME"]);
      }
    });
  });

  it("are the same service by service", () => {
    law((each) => {
      const zone = zoneOf(each.sets);
      const whole = planOf(zone, each);
      const single = each.wanted.map((service) => planOf(zone, each, [service]));
      const inOrder = (plans: readonly Plan[]) =>
        plans.flatMap(({ groups }) => groups).sort((a, b) => (a.name < b.name ? -1 : 1));
      expect(inOrder(single)).to.deep.equal(inOrder([whole]));
      const sum = (of: (plan: Plan) => number) =>
        single.reduce((total, plan) => total + of(plan), 0);
      expect(sum(({ owned }) => owned)).to.equal(whole.owned);
      expect(sum(({ lost }) => lost)).to.equal(whole.lost);
      expect(sum(({ unchanged }) => unchanged)).to.equal(whole.unchanged);
    });
  });

  it("go on with the rest where they were cut off between two groups", () => {
    law((each) => {
      const { groups } = planOf(zoneOf(each.sets), each);
      for (let done = 0; done <= groups.length; done++) {
        const zone = zoneOf(each.sets);
        carryOut(zone, groups.slice(0, done));
        expect(planOf(zone, each).groups).to.deep.equal(groups.slice(done));
      }
    });
  });

  it("do not depend on the order in which record sets were listed or services are named", () => {
    law((each) => {
      const one = planOf(zoneOf(each.sets), each);
      const other = planOf(zoneOf([...each.sets].reverse()), each, [...each.wanted].reverse());
      expect(other.groups).to.deep.equal(one.groups);
      expect(other.conflicts.map(briefly)).to.deep.equal(one.conflicts.map(briefly));
    });
  });

  it("meet all that they are about on the way", () => {
    const seen = new Set<string>();
    law((each) => {
      const { groups, conflicts, lost } = planOf(zoneOf(each.sets), each);
      for (const { reason } of conflicts) seen.add(reason);
      for (const change of groups.flatMap(({ changes }) => changes)) {
        seen.add(`${change.kind} ${change.isOwnership ? "mark" : "record"} ${change.reason}`);
      }
      if (lost > 0) seen.add("lost");
    });
    expect([...seen]).to.include.members([
      ...["foreign", "other-owner", "cname", "lost", "create record wanted", "create record drift"],
      ...["update record wanted", "update record adopted", "delete record unwanted"],
      ...["delete record adopted", "delete mark adopted", "delete mark unwanted"],
      ...["create mark wanted", "create mark adopted"],
    ]);
  });
});

function law(holds: (each: World) => void): void {
  fc.assert(fc.property(world, holds), options);
}

/** As a provider would: what a change says is there must be there, and nothing where it creates. */
function carryOut(zone: ZoneRecords, groups: readonly PlannedGroup[]): void {
  for (const { changes } of groups) {
    for (const change of changes) {
      const { name, type } = change.kind === "create" ? change.after : change.before;
      const before = change.kind === "create" ? undefined : change.before;
      expect(zone.at(name)?.get(type), `before ${change.kind} ${name} ${type}`).to.equal(before);
      zone.apply([change]);
    }
  }
}

function briefly({ name, type, reason }: Plan["conflicts"][number]): string {
  return `${name} ${type} ${reason}`;
}

/** Whether a record set, or what it is about, has our TXT. */
function isOurs(zone: ZoneRecords, { name, type, parts }: RecordSet): boolean {
  if (type === "TXT")
    return parts.some((part) => part.values.some((each) => each.includes("owner=me,")));
  return zone.standing(name).ownerships.get(type)?.owner === "me";
}

/** Whether a record set is a mark of ExternalDNS, or has one and no ownership of ours or hers. */
function isTheirs(zone: ZoneRecords, { name, type, parts }: RecordSet): boolean {
  if (type === "TXT")
    return parts.some((part) => part.values.some((each) => each.includes("external-dns")));
  return zone.at(`${type.toLowerCase()}-${name}`)?.has("TXT") ?? false;
}
