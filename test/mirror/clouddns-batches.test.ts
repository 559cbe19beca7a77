// How groups of changes are put together for Cloud DNS.

import { expect } from "chai";
import fc from "fast-check";
import {
  type CloudDnsLimits,
  cloudDnsBatches,
  cloudDnsLimits,
} from "../../src/mirror/clouddns-batches.ts";
import type { Change, ChangeGroup } from "../../src/mirror/provider.ts";
import type { RecordSet } from "../../src/mirror/record-set.ts";

describe("batches for Cloud DNS", () => {
  it("the usual limits hold where a project does not say", () => {
    const usual = {
      resourceRecordsPerRrset: 100,
      itemsPerRoutingPolicy: 100,
      rrsetAdditionsPerChange: 1000,
      rrsetDeletionsPerChange: 1000,
      totalRrdataSizePerChange: 100_000,
    };
    expect(cloudDnsLimits.parse({})).to.deep.equal(usual);
    expect(cloudDnsLimits.parse({ rrsetAdditionsPerChange: 0, managedZones: 5 })).to.deep.equal(
      usual,
    );
    expect(cloudDnsLimits.parse({ rrsetAdditionsPerChange: "70" })).to.deep.equal({
      ...usual,
      rrsetAdditionsPerChange: 70,
    });
  });

  const some = {
    ...cloudDnsLimits.parse({}),
    rrsetAdditionsPerChange: 4,
    rrsetDeletionsPerChange: 3,
  };
  const rows: {
    name: string;
    limits?: Partial<CloudDnsLimits>;
    groups: readonly ChangeGroup[];
    expected: readonly string[];
  }[] = [
    { name: "nothing is no batch", groups: [], expected: [] },
    {
      name: "additions bind, groups stay in order and whole",
      groups: [group("a", 2, 0), group("b", 1, 0), group("c", 2, 0), group("d", 2, 0)],
      expected: ["a b", "c d"],
    },
    {
      name: "deletions bind by themselves",
      groups: [group("a", 0, 2), group("b", 0, 2), group("c", 0, 1)],
      expected: ["a c", "b"],
    },
    {
      name: "the next that fits goes before one that does not",
      groups: [group("a", 3, 0), group("b", 2, 0), group("c", 1, 0), group("d", 2, 0)],
      expected: ["a c", "b d"],
    },
    {
      name: "updates count on both sides",
      groups: [update("a"), update("b"), update("c"), update("d")],
      expected: ["a b c", "d"],
    },
    {
      name: "rdata binds, of additions and deletions together",
      limits: { totalRrdataSizePerChange: 27 },
      groups: [group("a", 1, 1), group("b", 1, 1), group("c", 1, 0)],
      expected: ["a c", "b"],
    },
    {
      name: "a group that is too large is a batch alone",
      groups: [group("a", 1, 0), group("b", 9, 0), group("c", 1, 0)],
      expected: ["a c", "b"],
    },
  ];
  for (const { name, limits, groups, expected } of rows) {
    it(name, () => {
      const batches = cloudDnsBatches(groups, { ...some, ...limits });
      expect(batches.map((batch) => batch.map((each) => each.name).join(" "))).to.deep.equal(
        expected,
      );
    });
  }

  it("no group is lost, doubled or split, and no batch is over a limit", () => {
    const sizes = fc.array(fc.tuple(fc.nat(4), fc.nat(3)), { maxLength: 60 });
    fc.assert(
      fc.property(sizes, fc.integer({ min: 9, max: 90 }), (sizes, octets) => {
        const groups = sizes.map(([creates, deletes], at) => group(`g${at}`, creates, deletes));
        const limits = { ...some, totalRrdataSizePerChange: octets };
        const batches = cloudDnsBatches(groups, limits);
        expect(batches.flat()).to.have.members(groups);
        for (const batch of batches) {
          const load = loadOf(batch);
          const isWithin = load.additions <= 4 && load.deletions <= 3 && load.octets <= octets;
          expect(isWithin || batch.length === 1, JSON.stringify(load)).to.equal(true);
        }
      }),
    );
  });

  it("uses 95 % of the limit that binds in all batches but the last, also where few groups fit", () => {
    const limits = cloudDnsLimits.parse({});
    const few = Array.from({ length: 10_000 }, (_, at) => group(`g${at}`, 1 + (at % 7), at % 3));
    const batches = cloudDnsBatches(few, limits);
    for (const batch of batches.slice(0, -1)) {
      const { additions, deletions, octets } = loadOf(batch);
      expect(Math.max(additions / 1000, deletions / 1000, octets / 100_000)).to.be.at.least(0.95);
    }
    const additions = few.reduce((sum, each) => sum + loadOf([each]).additions, 0);
    expect(batches.length).to.be.at.most(Math.ceil(additions / 950));
  });

  it("puts 40,000 groups together in well under a second", () => {
    const many = Array.from({ length: 40_000 }, (_, at) => group(`g${at}`, 2, at % 2));
    const startMs = performance.now();
    const batches = cloudDnsBatches(many, cloudDnsLimits.parse({}));
    expect(batches.length).to.equal(80);
    expect(performance.now() - startMs).to.be.below(1000);
  });
});

/** Nine octets of rdata for each record set. */
function recordSet(name: string): RecordSet {
  return { name, type: "A", parts: [{ ttlSeconds: 5, values: ["192.0.2.1"] }] };
}

function group(name: string, creates: number, deletes: number): ChangeGroup {
  const changes: Change[] = [];
  for (let at = 0; at < creates; at++) changes.push({ kind: "create", after: recordSet(name) });
  for (let at = 0; at < deletes; at++) changes.push({ kind: "delete", before: recordSet(name) });
  return { name, changes };
}

function update(name: string): ChangeGroup {
  const before = recordSet(name);
  return { name, changes: [{ kind: "update", before, after: before }] };
}

function loadOf(batch: readonly ChangeGroup[]) {
  const changes = batch.flatMap((each) => each.changes);
  const additions = changes.filter(({ kind }) => kind !== "delete").length;
  const deletions = changes.filter(({ kind }) => kind !== "create").length;
  return { additions, deletions, octets: 9 * (additions + deletions) };
}
