// How a mirror's plan is printed for people: each change, what stands in the way, and the summary.

import { stripVTControlCharacters } from "node:util";
import { expect } from "chai";
import { planText } from "../../src/cli/mirror-plan-text.ts";
import type { MirrorPlan, PlannedChange } from "../../src/mirror/plan-types.ts";
import type { Routing } from "../../src/mirror/record-set.ts";
import {
  create,
  example,
  foreign,
  geoproximity,
  ownership,
  plain,
  planOf,
  remove,
  routed,
  update,
} from "./mirror-plan-sketch.ts";

const name = "a.my-domain.com.";
const one = plain(name, "A", 60, "192.0.2.1");
const four = ["192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4"];
const tokyo = geoproximity("tokyo", "35.68", "139.69");
const externalDns = plain(
  `a-${name}`,
  "TXT",
  300,
  '"heritage=external-dns,external-dns/owner=ops,external-dns/resource=service/shop/a"',
);

interface ChangeRow {
  readonly name: string;
  readonly change: PlannedChange;
  readonly lines: readonly string[];
}

const changeRows: readonly ChangeRow[] = [
  {
    name: "a new record set with its values in order",
    change: create(plain(name, "A", 60, "192.0.2.2", "192.0.2.1")),
    lines: [`+ A  ${name}  60  192.0.2.1, 192.0.2.2`],
  },
  {
    name: "one that somebody else deleted",
    change: create(one, "drift"),
    lines: [`+ A  ${name}  60  192.0.2.1  (drift: deleted by somebody else)`],
  },
  {
    name: "one that goes",
    change: remove(one),
    lines: [`- A  ${name}  60  192.0.2.1  (no longer wanted)`],
  },
  {
    name: "another TTL alone",
    change: update(plain(name, "A", 180, "192.0.2.1"), one),
    lines: [`~ A  ${name}  180 → 60  192.0.2.1`],
  },
  {
    name: "another value alone",
    change: update(one, plain(name, "A", 60, "192.0.2.2")),
    lines: [`~ A  ${name}  60  192.0.2.1 → 192.0.2.2`],
  },
  {
    name: "one other value among several",
    change: update(
      plain(name, "A", 60, ...four.slice(0, 3)),
      plain(name, "A", 60, ...four.slice(1)),
    ),
    lines: [`~ A  ${name}  60  192.0.2.1 → 192.0.2.4  (2 as before)`],
  },
  {
    name: "one value more",
    change: update(one, plain(name, "A", 60, ...four.slice(0, 2))),
    lines: [`~ A  ${name}  60  and now 192.0.2.2  (1 as before)`],
  },
  {
    name: "one value less",
    change: update(plain(name, "A", 60, ...four.slice(0, 2)), one),
    lines: [`~ A  ${name}  60  no longer 192.0.2.2  (1 as before)`],
  },
  {
    name: "what somebody else changed",
    change: update(plain(name, "A", 300, "203.0.113.1"), one, "drift"),
    lines: [`~ A  ${name}  300 → 60  203.0.113.1 → 192.0.2.1  (drift: changed by somebody else)`],
  },
  {
    name: "what is adopted from nobody knows whom",
    change: update(plain(name, "A", 300, "192.0.2.1"), one, "adopted"),
    lines: [`~ A  ${name}  300 → 60  192.0.2.1  (adopted from another owner)`],
  },
  {
    name: "a new record set of parts",
    change: create(
      routed(
        name,
        "A",
        [geoproximity("london", "51.51", "-0.13"), 60, "192.0.2.1"],
        [tokyo, 60, "192.0.2.2"],
      ),
    ),
    lines: [
      `+ A  ${name}`,
      "       + london: nearest to 51.51, -0.13  60  192.0.2.1",
      "       + tokyo: nearest to 35.68, 139.69  60  192.0.2.2",
    ],
  },
  {
    name: "parts in place of one answer",
    change: update(one, routed(name, "A", [tokyo, 60, "192.0.2.1"])),
    lines: [
      `~ A  ${name}`,
      "       - everybody                        60  192.0.2.1",
      "       + tokyo: nearest to 35.68, 139.69  60  192.0.2.1",
    ],
  },
  {
    name: "only the parts that differ",
    change: update(
      routed(
        name,
        "A",
        [weighted("a", 70), 60, "192.0.2.1"],
        [weighted("b", 30), 60, "192.0.2.2"],
        [weighted("c", 30), 60, "192.0.2.3"],
        [weighted("d", 30), 60, "192.0.2.4"],
      ),
      routed(
        name,
        "A",
        [weighted("d", 30), 60, "192.0.2.4"],
        [weighted("b", 30), 60, "192.0.2.2"],
        [weighted("a", 50), 30, "192.0.2.1"],
        [weighted("e", 30), 60, "192.0.2.5"],
      ),
      "drift",
    ),
    lines: [
      `~ A  ${name}                       (2 other parts as before)  (drift: changed by somebody else)`,
      "       ~ a: weight 70 → weight 50  60 → 30  192.0.2.1",
      "       - c: weight 30              60       192.0.2.3",
      "       + e: weight 30              60       192.0.2.5",
    ],
  },
  {
    name: "an ownership record that changes alone",
    change: update(
      ownership("A", name, "meridian/owner=me"),
      plain(`_meridian-a.${name}`, "TXT", 300, '"x"'),
      "drift",
    ),
    lines: [
      `~ TXT  _meridian-a.${name}  300  "heritage=meridian,meridian/owner=me,meridian/resource=service/shop/checkout" → "x"  (drift: changed by somebody else)`,
    ],
  },
];

interface RoutingRow {
  readonly routing: Routing;
  readonly text: string;
}

const routingRows: readonly RoutingRow[] = [
  { routing: tokyo, text: "tokyo: nearest to 35.68, 139.69" },
  {
    routing: { kind: "latency", id: "london", region: "eu-west-2" },
    text: "london: quickest from eu-west-2",
  },
  {
    routing: { kind: "geolocation", id: "eu", place: "continent:EU" },
    text: "eu: continent EU",
  },
  { routing: { kind: "geolocation", id: "us", place: "US" }, text: "us: country US" },
  { routing: { kind: "geolocation", id: "all", place: "*" }, text: "all: everywhere else" },
  { routing: weighted("a", 70), text: "a: weight 70" },
  { routing: { kind: "geo", location: "europe-west2" }, text: "nearest to europe-west2" },
  { routing: { kind: "wrr", at: 0, weight: 0.5 }, text: "item 1: weight 0.5" },
  {
    routing: { kind: "other", id: "x", text: "alias of lb.example.net.", raw: { secret: 1 } },
    text: "x: alias of lb.example.net.",
  },
  { routing: { kind: "other", id: "", text: "failover", raw: {} }, text: "failover" },
];

describe("the text of a mirror's plan", () => {
  for (const { name: row, change, lines } of changeRows) {
    it(`shows ${row}`, () => {
      expect(linesOf(planOf([[change]]))).to.deep.equal(lines);
    });
  }

  for (const { routing, text } of routingRows) {
    it(`says of a part: ${text}`, () => {
      const [, line] = linesOf(planOf([[remove(routed(name, "A", [routing, 60, "192.0.2.1"]))]]));
      expect(line?.replace(/ {2,}/g, "  ")).to.equal(`  - ${text}  60  192.0.2.1`);
    });
  }

  it("has all in columns, whatever stands in them", () => {
    const long = plain("long-name.my-domain.com.", "AAAA", 86400, "2001:db8::1");
    expect(linesOf(planOf([[create(one)], [remove(long)]]))).to.deep.equal([
      "+ A     a.my-domain.com.          60     192.0.2.1",
      "- AAAA  long-name.my-domain.com.  86400  2001:db8::1  (no longer wanted)",
    ]);
  });

  it("counts ownership records that come with their record in one line", () => {
    const other = "b.my-domain.com.";
    const lines = linesOf(
      planOf([
        [create(one), create(ownership("A", name))],
        [remove(plain(other, "A", 60, "192.0.2.2")), remove(ownership("A", other))],
      ]),
    );
    expect(lines).to.deep.equal([
      `+ A  ${name}  60  192.0.2.1`,
      `- A  ${other}  60  192.0.2.2  (no longer wanted)`,
      "With these, 2 ownership records (TXT): 1 to create, 1 to delete.",
    ]);
  });

  it("lists the ownership record of another type than the one that changes", () => {
    const lines = linesOf(planOf([[create(one), create(ownership("AAAA", name), "drift")]]));
    expect(lines).to.have.length(2);
    expect(lines[1]).to.match(/^\+ TXT {2}_meridian-aaaa\.a\.my-domain\.com\. .*\(drift: deleted/);
  });

  it("names the owner that a record is adopted from, and ourselves never", () => {
    const lines = linesOf(
      planOf([
        [
          update(plain(name, "A", 300, "192.0.2.9"), one, "adopted"),
          create(ownership("A", name), "adopted"),
          remove(ownership("AAAA", name)),
          remove(externalDns, "adopted"),
        ],
      ]),
    );
    expect(lines[0]).to.match(
      /192\.0\.2\.9 → 192\.0\.2\.1 {2}\(adopted from external-dns\/owner=ops\)$/,
    );
    expect(lines.at(-1)).to.equal(
      "With these, 2 ownership records (TXT): 1 to create, 1 to delete.",
    );
  });

  it("shows an adoption that changes nothing but the ownership", () => {
    const changes = [create(ownership("A", name), "adopted"), remove(externalDns, "adopted")];
    const lines = linesOf(planOf([changes]));
    expect(lines.map((line) => line.slice(0, 6))).to.deep.equal(["+ TXT ", "- TXT "]);
    for (const line of lines)
      expect(line).to.match(/ {2}\(adopted from external-dns\/owner=ops\)$/);
  });

  const summaryRows: readonly { name: string; plan: MirrorPlan; text: string }[] = [
    {
      name: "no difference",
      plan: planOf([], { owned: 412, unchanged: 412 }),
      text: "No changes: 412 records are as they should be.",
    },
    {
      name: "one record that is right",
      plan: planOf([], { owned: 1, unchanged: 1 }),
      text: "No changes: 1 record is as it should be.",
    },
    {
      name: "nothing at all",
      plan: planOf([]),
      text: "No changes: there are no records, and none should be there.",
    },
    {
      name: "each kind of change",
      plan: planOf([[create(one)], [update(one, one)], [remove(one)], [remove(one)]], {
        unchanged: 3,
      }),
      text: "Plan for route53 Z123: 1 to create, 1 to update, 2 to delete; 3 unchanged.",
    },
    {
      name: "drift and adoption",
      plan: planOf([[create(one, "drift"), update(one, one, "adopted"), create(one, "drift")]]),
      text:
        "Plan for route53 Z123: 2 to create, 1 to update, 0 to delete " +
        "(2 of them drift, 1 of them adopted); 0 unchanged.",
    },
    {
      name: "conflicts alone",
      plan: planOf([], { conflicts: [foreign(), foreign()], unchanged: 1 }),
      text: "Plan for route53 Z123: 0 to create, 0 to update, 0 to delete, 2 conflicts; 1 unchanged.",
    },
    {
      name: "ownership alone",
      plan: planOf([[create(ownership("A", name), "drift")]], { unchanged: 1 }),
      text:
        "Plan for route53 Z123: 0 to create, 0 to update, 0 to delete, " +
        "1 ownership record to change; 1 unchanged.",
    },
  ];
  for (const { name: row, plan, text } of summaryRows) {
    it(`sums up ${row}`, () => {
      expect(planText(plan, { color: false })).to.include(text);
    });
  }

  it("has the same text in colour, signs coloured and nothing else", () => {
    const coloured = planText(example, { color: true });
    const signs = coloured.join("\n").split("\u001b[").slice(1);
    expect(new Set(signs.filter((each) => !each.startsWith("0m")))).to.deep.equal(
      new Set(["32m+", "33m~", "31m-", "31m!"]),
    );
    const bare = coloured.map(stripVTControlCharacters);
    expect(bare).to.deep.equal(planText(example, { color: false }));
  });

  for (const color of [true, false]) {
    it(`lets nothing from a zone reach the terminal as more than text, colour ${color}`, () => {
      const evil = plain(name, "TXT", 60, '"\u001b[2J\n+ A  fine"');
      const found = { ...foreign(), message: "it is \u001b]0;x\u0007" };
      const text = planText(planOf([[create(evil)]], { conflicts: [found] }), { color }).join("\n");
      expect(text)
        .to.include('"\\u001b[2J\\u000a+ A  fine"')
        .and.to.include("it is \\u001b]0;x\\u0007");
    });
  }

  it("breaks sentences at the width and never a record's line", () => {
    const lines = planText(example, { color: false, width: 60 });
    const isRecord = (line: string): boolean => /^ *[-+~] /.test(line);
    for (const line of lines.filter((each) => !isRecord(each))) {
      // Counts and examples are one line each.
      if (/^(Plan for|With these| {2}\w|!)/.test(line)) continue;
      expect(line.length, line).to.be.at.most(60);
    }
    expect(lines.filter(isRecord)).to.deep.equal(
      planText(example, { color: false }).filter(isRecord),
    );
  });

  it("prints all of a long plan", () => {
    const groups = Array.from({ length: 20_000 }, (_, at) => [
      create(plain(`n${at}.my-domain.com.`, "A", 60, "192.0.2.1")),
    ]);
    expect(linesOf(planOf(groups))).to.have.length(20_000);
  });

  const clouds = [
    ["route53 Z123", "Route 53"],
    ["clouddns p/z", "Cloud DNS"],
    ["elsewhere", "the cloud"],
  ] as const;
  for (const [mirror, cloud] of clouds) {
    it(`calls ${mirror} ${cloud} in what it cannot say`, () => {
      const text = planText({ ...example, mirror }, { color: false });
      expect(text).to.include(`What ${cloud} cannot say that our own answers do:`);
    });
  }
});

/** The lines of changes: those between the heading and the next empty line. */
function linesOf(plan: MirrorPlan): string[] {
  const lines = planText(plan, { color: false });
  expect(lines.slice(0, 2)).to.deep.equal(["Mirror route53 Z123: my-domain.com., owner me", ""]);
  return lines.slice(2, lines.indexOf("", 2));
}

function weighted(id: string, weight: number): Routing {
  return { kind: "weighted", id, weight };
}
