// Changes that Cloud DNS refuses, with the status and reason of each, for a zone `example.com.` where
// `there`, `two` and `w` stand. It must not know how they are sent.
// https://cloud.google.com/dns/docs/error-messages

import { a, cname, geo, wrr } from "./sample-records.ts";

const label = "x".repeat(63);
const here = "entity.change.additions[x.example.com.][A]";
/** Deletions that are only a type are of what stands at the apex. */
export const refusalCases: readonly {
  readonly name: string;
  readonly additions?: readonly unknown[];
  readonly deletions?: readonly unknown[];
  readonly code: number;
  readonly reason: string;
  readonly message?: string;
}[] = [
  {
    name: "to add what is there",
    additions: [a("there", "1.1.1.1")],
    code: 409,
    reason: "alreadyExists",
    message:
      "The resource 'entity.change.additions[there.example.com.][A]' named 'there.example.com. (A)' already exists",
  },
  {
    name: "to add what is there in other letters",
    additions: [a("THERE", "2.2.2.2")],
    code: 409,
    reason: "alreadyExists",
  },
  {
    name: "to add one record set twice",
    additions: [a("x", "1.1.1.1"), a("x", "2.2.2.2")],
    code: 409,
    reason: "alreadyExists",
  },
  {
    name: "to delete what is not there",
    deletions: [a("x", "1.1.1.1")],
    code: 404,
    reason: "notFound",
    message:
      "The 'entity.change.deletions[x.example.com.][A]' resource named 'x.example.com. (A)' does not exist.",
  },
  {
    name: "to delete one record set twice",
    deletions: [a("there", "1.1.1.1"), a("there", "1.1.1.1")],
    code: 404,
    reason: "notFound",
  },
  {
    name: "to delete by other values",
    deletions: [a("there", "2.2.2.2")],
    code: 412,
    reason: "conditionNotMet",
    message: "Precondition not met for 'entity.change.deletions[there.example.com.][A]'",
  },
  {
    name: "to delete by some of the values",
    deletions: [a("two", "1.1.1.1")],
    code: 412,
    reason: "conditionNotMet",
  },
  {
    name: "to delete by another TTL",
    deletions: [{ ...a("there", "1.1.1.1"), ttl: 31 }],
    code: 412,
    reason: "conditionNotMet",
  },
  {
    name: "to delete weights in another order",
    deletions: [
      wrr("w", [
        [2, "2.2.2.2"],
        [1, "1.1.1.1"],
      ]),
    ],
    code: 412,
    reason: "conditionNotMet",
  },
  {
    name: "a CNAME beside other records",
    additions: [cname("there", "y.example.com.")],
    code: 400,
    reason: "cnameResourceRecordSetConflict",
  },
  {
    name: "other records beside a CNAME of the same change",
    additions: [{ ...a("x"), type: "TXT", rrdatas: ['"t"'] }, cname("x", "y.example.com.")],
    code: 400,
    reason: "cnameResourceRecordSetConflict",
  },
  {
    name: "two CNAMEs at a name",
    additions: [cname("x", "y.example.com.", "z.example.com.")],
    code: 400,
    reason: "invalidRecordCount",
  },
  {
    name: "a CNAME at the apex",
    additions: [{ ...cname("", "y.example.com."), name: "example.com." }],
    code: 400,
    reason: "recordTypeDisallowedAtZoneApex",
  },
  {
    name: "to leave the apex without NS",
    deletions: ["NS"],
    code: 400,
    reason: "invalidZoneApex",
  },
  {
    name: "to leave the apex without SOA",
    deletions: ["SOA"],
    code: 400,
    reason: "invalidZoneApex",
  },
  {
    name: "an SOA below the apex",
    additions: [{ ...a("x"), type: "SOA", rrdatas: ["a.example.com. b.example.com. 1 2 3 4 5"] }],
    code: 400,
    reason: "invalidZoneApex",
  },
  {
    name: "NS at a wildcard",
    additions: [{ ...a("*"), type: "NS", rrdatas: ["ns.example.com."] }],
    code: 400,
    reason: "wildcardNotAllowed",
  },
  ...(
    [
      ["a name without its dot", { ...a("x", "1.1.1.1"), name: "x.example.com" }],
      ["a name outside the zone", { ...a("x", "1.1.1.1"), name: "x.example.org." }],
      ["a name that only ends alike", { ...a("x", "1.1.1.1"), name: "badexample.com." }],
      ["an empty label", a("x.", "1.1.1.1")],
      ["a label of 64 octets", a(`${label}x`, "1.1.1.1")],
      ["a name of 256 octets", a([label, label, label, label.slice(13)].join("."), "1.1.1.1")],
      ["a star inside a name", a("x.*", "1.1.1.1")],
      ["a type that is none", { ...a("x", "1.1.1.1"), type: "AAAAA" }],
      ["a negative TTL", { ...a("x", "1.1.1.1"), ttl: -1 }],
      ["half a second of TTL", { ...a("x", "1.1.1.1"), ttl: 0.5 }],
      ["no values", a("x")],
      ["the same value twice", a("x", "1.1.1.1", "1.1.1.1")],
      ["an A that is no address", a("x", "1.1.1.X")],
      ["an AAAA that is none", { ...a("x", "1.1.1.1"), type: "AAAA" }],
      ["a CNAME without its dot", cname("x", "y.example.com")],
      ["an SRV without its target", { ...a("x", "0 1 80"), type: "SRV" }],
      ["an SRV with a port too large", { ...a("x", "0 1 65536 y.example.com."), type: "SRV" }],
      ["a text that is not closed", { ...a("x", '"one'), type: "TXT" }],
      ["a string of 256 octets", { ...a("x", `"${"x".repeat(256)}"`), type: "TXT" }],
      ["values and a policy", { ...geo("x", [["us-east1", "1.1.1.1"]]), rrdatas: ["1.1.1.1"] }],
      ["a place that is no region", geo("x", [["us-east1-b", "1.1.1.1"]])],
      [
        "a place twice",
        geo("x", [
          ["us-east1", "1.1.1.1"],
          ["us-east1", "2.2.2.2"],
        ]),
      ],
      ["a place without values", geo("x", [["us-east1"]])],
      ["a negative weight", wrr("x", [[-1, "1.1.1.1"]])],
      [
        "places and weights at once",
        {
          ...a("x"),
          routingPolicy: {
            ...geo("x", [["us-east1", "1.1.1.1"]]).routingPolicy,
            ...wrr("x", [[1, "1.1.1.1"]]).routingPolicy,
          },
        },
      ],
      [
        "a policy for a type without",
        { ...geo("x", [["us-east1", "ns.example.com."]]), type: "NS" },
      ],
    ] as const
  ).map(([name, record]) => ({ name, additions: [record], code: 400, reason: "invalid" })),
  {
    name: "a policy without places",
    additions: [geo("x", [])],
    code: 400,
    reason: "required",
    message: `The '${here}.routingPolicy.geo.items' parameter is required but was missing.`,
  },
  {
    name: "a record set without a TTL",
    additions: [{ name: "x.example.com.", type: "A", rrdatas: ["1.1.1.1"] }],
    code: 400,
    reason: "required",
  },
  {
    name: "a field that it does not know",
    additions: [{ ...a("x", "1.1.1.1"), setIdentifier: "x" }],
    code: 400,
    reason: "badRequest",
  },
];
