// Taking a zone over from ExternalDNS: whose its ownership records say a record set is, and that
// record, their ownership and ours change hands in one group.

import { expect } from "chai";
import { parseAdoption } from "../../src/mirror/ownership.ts";
import { changeText, makePlan, owned, recordSet, zoneOf } from "./record-sketch.ts";

const theirs = "heritage=external-dns,external-dns/owner=old";
const text = `"${theirs},external-dns/resource=ingress/shop/web"`;
const ours = '300 "heritage=meridian,meridian/owner=me,meridian/resource=service/shop/web"';
const name = "web.shop.";
const wantsA = [`${name} A 60 192.0.2.1`];

interface Row {
  readonly name: string;
  readonly zone: readonly string[];
  readonly wanted: readonly string[];
  readonly prefix?: string;
  readonly suffix?: string;
  readonly changes: readonly string[];
  /** Reason and type. */
  readonly conflicts?: readonly string[];
}

const createsOurs = (type: string, reason = "adopted") =>
  `+ _meridian-${type}.${name} TXT ${ours} (${reason})`;
const drops = (mark: string) => `- ${mark} TXT 300 ${text} (adopted)`;

const rows: readonly Row[] = [
  {
    name: "a record that is as it should be only changes hands",
    zone: [`${name} A 60 192.0.2.1`, `a-web.shop. TXT 300 ${text}`],
    wanted: wantsA,
    changes: [createsOurs("a"), drops("a-web.shop.")],
  },
  {
    name: "a record with other values is updated in the same group",
    zone: [`${name} A 300 192.0.2.9`, `a-web.shop. TXT 300 ${text}`],
    wanted: wantsA,
    changes: [
      `~ ${name} A 300 192.0.2.9 -> ${name} A 60 192.0.2.1 (adopted)`,
      createsOurs("a"),
      drops("a-web.shop."),
    ],
  },
  {
    name: "the mark with and the mark without a type both go",
    zone: [`${name} A 60 192.0.2.1`, `a-web.shop. TXT 300 ${text}`, `${name} TXT 300 ${text}`],
    wanted: wantsA,
    changes: [createsOurs("a"), drops("a-web.shop."), drops(name)],
  },
  {
    name: "the older mark alone is enough for A",
    zone: [`${name} A 60 192.0.2.1`, `${name} TXT 300 ${text}`],
    wanted: wantsA,
    changes: [createsOurs("a"), drops(name)],
  },
  {
    name: "the older mark never spoke of AAAA",
    zone: [`${name} AAAA 60 2001:db8::1`, `${name} TXT 300 ${text}`],
    wanted: [`${name} AAAA 60 2001:db8::1`],
    changes: [],
    conflicts: ["foreign AAAA"],
  },
  {
    name: "the older mark stays where it speaks of an MX too",
    zone: [`${name} A 60 192.0.2.1`, `${name} MX 60 10 mail.shop.`, `${name} TXT 300 ${text}`],
    wanted: wantsA,
    changes: [createsOurs("a")],
  },
  {
    name: "the older mark goes although somebody's AAAA stays: it is not about that",
    zone: [
      `${name} A 60 192.0.2.1`,
      `${name} AAAA 60 2001:db8::1`,
      `a-web.shop. TXT 300 ${text}`,
      `${name} TXT 300 ${text}`,
    ],
    wanted: wantsA,
    changes: [createsOurs("a"), drops("a-web.shop."), drops(name)],
  },
  {
    name: "both families are taken over at once",
    zone: [
      `${name} A 60 192.0.2.1`,
      `${name} AAAA 60 2001:db8::1`,
      `a-web.shop. TXT 300 ${text}`,
      `aaaa-web.shop. TXT 300 ${text}`,
    ],
    wanted: [...wantsA, `${name} AAAA 60 2001:db8::1`],
    changes: [createsOurs("a"), createsOurs("aaaa"), drops("a-web.shop."), drops("aaaa-web.shop.")],
  },
  {
    name: "a family that is not wanted goes with its mark",
    zone: [
      `${name} A 60 192.0.2.1`,
      `${name} AAAA 60 2001:db8::1`,
      `a-web.shop. TXT 300 ${text}`,
      `aaaa-web.shop. TXT 300 ${text}`,
    ],
    wanted: wantsA,
    changes: [
      createsOurs("a"),
      `- ${name} AAAA 60 2001:db8::1 (adopted)`,
      drops("a-web.shop."),
      drops("aaaa-web.shop."),
    ],
  },
  {
    name: "their CNAME gives way to our addresses",
    zone: [`${name} CNAME 60 lb.example.`, `cname-web.shop. TXT 300 ${text}`],
    wanted: wantsA,
    changes: [
      `+ ${name} A 60 192.0.2.1 (wanted)`,
      createsOurs("a", "wanted"),
      `- ${name} CNAME 60 lb.example. (adopted)`,
      drops("cname-web.shop."),
    ],
  },
  {
    name: "their addresses and their older mark give way to our CNAME",
    zone: [`${name} A 60 192.0.2.1`, `a-web.shop. TXT 300 ${text}`, `${name} TXT 300 ${text}`],
    wanted: [`${name} CNAME 60 up.shop.`],
    changes: [
      `+ ${name} CNAME 60 up.shop. (wanted)`,
      createsOurs("cname", "wanted"),
      `- ${name} A 60 192.0.2.1 (adopted)`,
      drops("a-web.shop."),
      drops(name),
    ],
  },
  {
    name: "what another ExternalDNS owns is left",
    zone: [
      `${name} A 300 192.0.2.9`,
      `a-web.shop. TXT 300 "heritage=external-dns,external-dns/owner=other"`,
    ],
    wanted: wantsA,
    changes: [],
    conflicts: ["foreign A"],
  },
  {
    name: "a mark that says two things is not theirs alone",
    zone: [`${name} A 300 192.0.2.9`, `a-web.shop. TXT 300 ${text} | "v=spf1 -all"`],
    wanted: wantsA,
    changes: [],
    conflicts: ["foreign A"],
  },
  {
    name: "what nobody says to be theirs is left",
    zone: [`${name} A 300 192.0.2.9`],
    wanted: wantsA,
    changes: [],
    conflicts: ["foreign A"],
  },
  {
    name: "the mark of A of another name is no mark of this name",
    // It is of A at b.shop: ExternalDNS reads the type first.
    zone: [`a-b.shop. A 60 192.0.2.9`, `a-b.shop. TXT 300 ${text}`],
    wanted: ["a-b.shop. A 60 192.0.2.1"],
    changes: [],
    conflicts: ["foreign A"],
  },
  {
    name: "an idle mark of a record that is ours already goes",
    zone: [
      `a-web.shop. TXT 300 ${text}`,
      `${name} A 60 192.0.2.1`,
      `_meridian-a.${name} TXT ${ours}`,
    ],
    wanted: wantsA,
    changes: [drops("a-web.shop.")],
  },
  {
    name: "nothing is taken over that is not wanted",
    zone: [`${name} A 60 192.0.2.1`, `a-web.shop. TXT 300 ${text}`],
    wanted: [],
    changes: [],
  },
  {
    name: "theirs stays with its mark when our service is gone from beside it",
    zone: [
      `${name} A 60 192.0.2.1`,
      `a-web.shop. TXT 300 ${text}`,
      `${name} AAAA 60 2001:db8::1`,
      `_meridian-aaaa.${name} TXT ${ours}`,
    ],
    wanted: [],
    changes: [
      `- ${name} AAAA 60 2001:db8::1 (unwanted)`,
      `- _meridian-aaaa.${name} TXT ${ours} (unwanted)`,
    ],
  },
  {
    name: "their marks stay while they speak of a record that another Meridian says is its own",
    zone: [
      `${name} A 60 192.0.2.1`,
      `_meridian-a.${name} TXT ${ours.replace("owner=me", "owner=she")}`,
      `a-web.shop. TXT 300 ${text}`,
      `${name} TXT 300 ${text}`,
    ],
    wanted: [`${name} AAAA 60 2001:db8::1`],
    changes: [`+ ${name} AAAA 60 2001:db8::1 (wanted)`, createsOurs("aaaa", "wanted")],
  },
  {
    name: "a prefix stands before the type",
    prefix: "edns-",
    zone: [
      `${name} A 60 192.0.2.1`,
      `edns-a-web.shop. TXT 300 ${text}`,
      `edns-web.shop. TXT 300 ${text}`,
    ],
    wanted: wantsA,
    changes: [createsOurs("a"), drops("edns-a-web.shop."), drops("edns-web.shop.")],
  },
  {
    name: "a suffix stands behind the first label",
    suffix: "-edns",
    zone: [`${name} A 60 192.0.2.1`, `a-web-edns.shop. TXT 300 ${text}`],
    wanted: wantsA,
    changes: [createsOurs("a"), drops("a-web-edns.shop.")],
  },
  {
    name: "a type in the prefix stands there alone",
    prefix: "%{record_type}-edns-.",
    zone: [
      `${name} A 60 192.0.2.1`,
      `a-edns-.web.shop. TXT 300 ${text}`,
      `a-edns-.a-web.shop. TXT 300 ${text}`,
    ],
    wanted: wantsA,
    changes: [createsOurs("a"), drops("a-edns-.web.shop.")],
  },
  {
    name: "with a prefix, marks without it are not theirs",
    prefix: "edns-",
    zone: [`${name} A 60 192.0.2.1`, `a-web.shop. TXT 300 ${text}`],
    wanted: wantsA,
    changes: [],
    conflicts: ["foreign A"],
  },
];

describe("taking record sets over from ExternalDNS", () => {
  for (const { name: told, zone, wanted, prefix, suffix, changes, conflicts = [] } of rows) {
    it(told, () => {
      const sets = zoneOf(zone.map(recordSet));
      const input = {
        zone: sets,
        owner: "me",
        adoption: parseAdoption(theirs, prefix, suffix),
        written: () => undefined,
      };
      const services = [{ service: "shop/web", sets: wanted.map(recordSet) }];
      const plan = makePlan(input, services);
      expect(plan.groups.flatMap((group) => group.changes.map(changeText))).to.deep.equal(changes);
      expect(plan.conflicts.map(({ reason, type }) => `${reason} ${type}`)).to.deep.equal(
        conflicts,
      );
      // All of it at once, and nothing is left to do.
      expect(plan.groups.length).to.equal(Math.min(1, changes.length));
      for (const group of plan.groups) sets.apply(group.changes);
      expect(makePlan(input, services).groups).to.deep.equal([]);
    });
  }

  it("takes nothing over where it was not asked", () => {
    const zone = zoneOf([`${name} A 60 192.0.2.1`, `a-web.shop. TXT 300 ${text}`].map(recordSet));
    const input = { zone, owner: "me", written: () => undefined };
    const plan = makePlan(input, [{ service: "shop/web", sets: wantsA.map(recordSet) }]);
    expect(plan.groups).to.deep.equal([]);
    expect(plan.conflicts.map(({ reason }) => reason)).to.deep.equal(["foreign"]);
  });

  it("never counts what it takes over as ours, nor as lost", () => {
    const zone = zoneOf([
      ...[`${name} A 60 192.0.2.1`, `a-web.shop. TXT 300 ${text}`].map(recordSet),
      ...owned({ owner: "me", service: "shop/web" }, recordSet(`${name} AAAA 60 2001:db8::1`)),
    ]);
    const adoption = parseAdoption(theirs);
    const input = { zone, owner: "me", adoption, written: () => undefined };
    const {
      owned: count,
      lost,
      unchanged,
    } = makePlan(input, [
      { service: "shop/web", sets: [recordSet(`${name} AAAA 60 2001:db8::1`)] },
    ]);
    expect({ count, lost, unchanged }).to.deep.equal({ count: 1, lost: 0, unchanged: 1 });
  });
});
