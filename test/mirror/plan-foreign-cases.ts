// Cases of plans of one name at which somebody else has records: what is left, and what can be done
// all the same. They must not know how plans are made.

import { a, aaaa, cname, name, other, type Row, txt } from "./plan-cases.ts";

/** What is somebody else's, beside ours or in its way. */
export const foreignRows: readonly Row[] = [
  {
    name: "another Meridian's record is left",
    zone: [a, txt("a", "shop/web", "she")],
    wanted: [other],
    conflicts: ["other-owner A"],
    counts: [0, 0, 0],
  },
  {
    name: "another Meridian's name without a record is left",
    zone: [txt("a", "shop/web", "she")],
    wanted: [a],
    conflicts: ["other-owner A"],
  },
  {
    name: "another Meridian's type does not keep ours out",
    zone: [aaaa, txt("aaaa", "shop/web", "she")],
    wanted: [a],
    changes: [`+ ${a} (wanted)`, `+ ${txt("a")} (wanted)`],
  },
  {
    name: "an owner whose name begins with ours is another",
    zone: [a, txt("a", "shop/web", "me-too")],
    conflicts: [],
    counts: [0, 0, 0],
  },
  {
    name: "a TXT at the ownership name that says something else is foreign",
    zone: [`_meridian-a.${name} TXT 300 "v=spf1 -all"`],
    wanted: [a],
    conflicts: ["foreign A"],
  },
  {
    name: "a TXT there that names two owners is nobody's",
    zone: [a, `${txt("a")} | ${txt("a", "shop/web", "she").slice(txt("a").indexOf('"'))}`],
    wanted: [other],
    conflicts: ["foreign A"],
  },
  {
    name: "a CNAME at the ownership name leaves no room for the TXT",
    zone: [`_meridian-a.${name} CNAME 300 elsewhere.`],
    wanted: [a],
    conflicts: ["foreign A"],
  },
  {
    name: "an A at the ownership name leaves room for the TXT",
    zone: [`_meridian-a.${name} A 300 192.0.2.9`],
    wanted: [a],
    changes: [`+ ${a} (wanted)`, `+ ${txt("a")} (wanted)`],
  },
  {
    name: "somebody's A is left, our AAAA comes beside it",
    zone: [other],
    wanted: [a, aaaa],
    changes: [`+ ${aaaa} (wanted)`, `+ ${txt("aaaa")} (wanted)`],
    conflicts: ["foreign A"],
  },
  {
    name: "somebody's CNAME keeps all others out",
    zone: [`${name} CNAME 60 elsewhere.`],
    wanted: [a, aaaa],
    conflicts: ["cname A", "cname AAAA"],
  },
  {
    name: "somebody's CNAME keeps our CNAME out",
    zone: [`${name} CNAME 60 elsewhere.`],
    wanted: [cname],
    conflicts: ["foreign CNAME"],
  },
  ...[
    "A 60 192.0.2.9",
    "AAAA 60 2001:db8::9",
    'TXT 60 "hello"',
    "MX 60 5 mx.",
    "NS 60 ns.",
    "SRV 60 0 0 1 x.",
  ].map(
    (line): Row => ({
      name: `a CNAME cannot stand beside somebody's ${line.split(" ")[0]}`,
      zone: [`${name} ${line}`],
      wanted: [cname],
      conflicts: ["cname CNAME"],
    }),
  ),
  ...['TXT 60 "hello"', "MX 60 5 mx.", "NS 60 ns.", "CAA 60 0 issue x"].map(
    (line): Row => ({
      name: `addresses stand beside somebody's ${line.split(" ")[0]}, which is left`,
      zone: [`${name} ${line}`],
      wanted: [a],
      changes: [`+ ${a} (wanted)`, `+ ${txt("a")} (wanted)`],
    }),
  ),
  {
    name: "our addresses stay where the CNAME that is wanted cannot stand",
    ours: [a],
    zone: [`${name} MX 60 5 mx.`],
    wanted: [cname],
    conflicts: ["cname CNAME"],
    counts: [1, 0, 0],
  },
  {
    name: "our CNAME stays where the addresses that are wanted are somebody's by their TXT",
    ours: [cname],
    zone: [txt("a", "shop/web", "she")],
    wanted: [a],
    conflicts: ["other-owner A"],
    counts: [1, 0, 0],
  },
  {
    name: "somebody else's records of the name stay when the service is gone",
    ours: [a],
    zone: [`${name} MX 60 5 mx.`, aaaa],
    changes: [`- ${a} (unwanted)`, `- ${txt("a")} (unwanted)`],
    counts: [1, 0, 1],
  },
];
