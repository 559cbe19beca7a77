// Cases of plans of one name: what a zone holds of ours and should hold, and what is then to be done.
// They must not know how plans are made.

import type { RecordSet } from "../../src/mirror/record-set.ts";
import { linesOf } from "./record-sketch.ts";

/** Whose the records of the cases are. */
export const web = { owner: "me", service: "shop/web" };
/** The one name of the cases, and record sets of it. */
export const name = "web.shop.";
export const a = `${name} A 60 192.0.2.1`;
export const other = `${name} A 60 192.0.2.2`;
export const aaaa = `${name} AAAA 60 2001:db8::1`;
export const cname = `${name} CNAME 60 up.shop.`;

/** One row of the table. */
export interface Row {
  readonly name: string;
  /** Ours, each with its TXT. */
  readonly ours?: readonly (string | RecordSet)[];
  /** What else the zone holds. */
  readonly zone?: readonly string[];
  readonly wanted?: readonly (string | RecordSet)[];
  /** What the mirror last knew to be right. */
  readonly written?: readonly string[];
  readonly changes?: readonly string[];
  readonly conflicts?: readonly string[];
  /** Owned, unchanged, lost; where it is not said it is not the point. */
  readonly counts?: readonly [owned: number, unchanged: number, lost: number];
}

/** The TXT that says whose a type of it is. */
export const txt = (type: string, service = "shop/web", owner = "me") =>
  `_meridian-${type}.${name} TXT 300 "heritage=meridian,meridian/owner=${owner},meridian/resource=service/${service}"`;

const same: readonly [told: string, found: string, wanted: string][] = [
  [
    "another order of values",
    `${name} A 60 192.0.2.2 | 192.0.2.1`,
    `${name} A 60 192.0.2.1 | 192.0.2.2`,
  ],
  ["another spelling of IPv6", `${name} AAAA 60 2001:0DB8:0:0::0001`, aaaa],
  ["the case of a target", `${name} CNAME 60 Up.SHOP.`, cname],
  ["a target without its final dot", `${name} CNAME 60 up.shop`, cname],
  [
    "spaces in SRV, and its target's case",
    `${name} SRV 60  0  10 080 Web.Shop`,
    `${name} SRV 60 0 10 80 web.shop.`,
  ],
];

const different: readonly [told: string, found: string, wanted: string][] = [
  ["a value", a, other],
  ["one value more", a, `${name} A 60 192.0.2.1 | 192.0.2.2`],
  ["one value less", `${name} A 60 192.0.2.1 | 192.0.2.2`, a],
  ["TTL", `${name} A 61 192.0.2.1`, a],
  ["a CNAME's target", `${name} CNAME 60 elsewhere.shop.`, cname],
  ["SRV's weight", `${name} SRV 60 0 9 80 web.shop.`, `${name} SRV 60 0 10 80 web.shop.`],
];

const parts = (...ids: string[]): RecordSet => ({
  name,
  type: "A",
  parts: ids.map((id) => ({
    ttlSeconds: 60,
    values: ["192.0.2.1"],
    routing: { kind: "latency", id, region: `${id}-1` },
  })),
});

/** What is ours, right or wrong. */
export const ownRows: readonly Row[] = [
  {
    name: "from empty: record and TXT are created together",
    wanted: [a, aaaa],
    changes: [
      `+ ${a} (wanted)`,
      `+ ${txt("a")} (wanted)`,
      `+ ${aaaa} (wanted)`,
      `+ ${txt("aaaa")} (wanted)`,
    ],
    counts: [0, 0, 0],
  },
  { name: "all is right: nothing", ours: [a, aaaa], wanted: [a, aaaa], counts: [2, 2, 0] },
  ...same.map(
    ([told, found, wanted]): Row => ({
      name: `${told} is no difference`,
      ours: [found],
      wanted: [wanted],
      counts: [1, 1, 0],
    }),
  ),
  ...different.map(
    ([told, found, wanted]): Row => ({
      name: `${told} is a difference`,
      ours: [found],
      wanted: [wanted],
      changes: [`~ ${found} -> ${wanted} (wanted)`],
      counts: [1, 0, 0],
    }),
  ),
  {
    name: "routing in place of none is a difference",
    ours: [a],
    wanted: [parts("eu", "us")],
    changes: [`~ ${a} -> ${linesOf(parts("eu", "us")).join(" & ")} (wanted)`],
  },
  {
    name: "a part less is a difference",
    ours: [parts("eu", "us")],
    wanted: [parts("eu")],
    changes: [`~ ${linesOf(parts("eu", "us")).join(" & ")} -> ${linesOf(parts("eu"))[0]} (wanted)`],
  },
  {
    name: "the order of parts is no difference",
    ours: [parts("us", "eu")],
    wanted: [parts("eu", "us")],
    counts: [1, 1, 0],
  },
  {
    name: "the service is gone: record and TXT go",
    ours: [a, aaaa],
    changes: [
      `- ${a} (unwanted)`,
      `- ${txt("a")} (unwanted)`,
      `- ${aaaa} (unwanted)`,
      `- ${txt("aaaa")} (unwanted)`,
    ],
    counts: [2, 0, 2],
  },
  {
    name: "one type is gone",
    ours: [a, aaaa],
    wanted: [a],
    changes: [`- ${aaaa} (unwanted)`, `- ${txt("aaaa")} (unwanted)`],
    counts: [2, 1, 1],
  },
  {
    name: "addresses give way to a CNAME in one group, which loses nothing",
    ours: [a, aaaa],
    wanted: [cname],
    changes: [
      `+ ${cname} (wanted)`,
      `+ ${txt("cname")} (wanted)`,
      `- ${a} (unwanted)`,
      `- ${txt("a")} (unwanted)`,
      `- ${aaaa} (unwanted)`,
      `- ${txt("aaaa")} (unwanted)`,
    ],
    counts: [2, 0, 0],
  },
  {
    name: "a CNAME gives way to addresses in one group, which loses nothing",
    ours: [cname],
    wanted: [a],
    changes: [
      `+ ${a} (wanted)`,
      `+ ${txt("a")} (wanted)`,
      `- ${cname} (unwanted)`,
      `- ${txt("cname")} (unwanted)`,
    ],
    counts: [1, 0, 0],
  },
  {
    name: "the record is gone, its TXT is there: it is put back as drift",
    zone: [txt("a")],
    wanted: [a],
    changes: [`+ ${a} (drift)`],
    counts: [0, 0, 0],
  },
  {
    name: "the record is gone and not wanted: its TXT goes, and nothing is lost",
    zone: [txt("a")],
    changes: [`- ${txt("a")} (unwanted)`],
    counts: [0, 0, 0],
  },
  {
    name: "the TXT is gone, the record is there: nobody says that it is ours",
    zone: [a],
    wanted: [other],
    conflicts: ["foreign A"],
    counts: [0, 0, 0],
  },
  {
    name: "and so it is even if it is as it should be",
    zone: [a],
    wanted: [a],
    conflicts: ["foreign A"],
  },
  {
    name: "what differs from what was written last is drift",
    ours: [other],
    wanted: [a],
    written: [a],
    changes: [`~ ${other} -> ${a} (drift)`],
  },
  {
    name: "what is as it was written last is a wish",
    ours: [other],
    wanted: [a],
    written: [other],
    changes: [`~ ${other} -> ${a} (wanted)`],
  },
  {
    name: "what was changed by hand to what is wanted is right",
    ours: [a],
    wanted: [a],
    written: [other],
    counts: [1, 1, 0],
  },
  {
    name: "a TXT with another TTL is put right",
    zone: [a, txt("a").replace("300", "5")],
    wanted: [a],
    changes: [`~ ${txt("a").replace("300", "5")} -> ${txt("a")} (drift)`],
    counts: [1, 0, 0],
  },
  {
    name: "a TXT of two strings that say the same is right",
    zone: [a, txt("a").replace(",meridian/owner", '" ",meridian/owner')],
    wanted: [a],
    counts: [1, 1, 0],
  },
  {
    name: "a TXT without quotes is right",
    zone: [a, txt("a").replaceAll('"', "")],
    wanted: [a],
    counts: [1, 1, 0],
  },
  {
    name: "a TXT that names another service of ours is put right",
    zone: [a, txt("a", "shop/former")],
    wanted: [a],
    changes: [`~ ${txt("a", "shop/former")} -> ${txt("a")} (drift)`],
  },
];
