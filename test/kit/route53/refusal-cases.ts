// Batches for example.com that Route 53 refuses with InvalidChangeBatch, and in which words. Where
// those of the service are not known from reports of users, they are our own: the row says so.

import type { Change, ResourceRecordSet } from "@aws-sdk/client-route-53";
import { addresses, created, deleted, recordSet, upserted } from "./sets.ts";
import { valueCases } from "./value-cases.ts";

export interface RefusalCase {
  readonly name: string;
  readonly existing?: readonly ResourceRecordSet[];
  readonly changes: readonly Change[];
  readonly messages: readonly string[];
  /** The service's own words are not known. */
  readonly isOurWording?: boolean;
}

const www = recordSet("www", "A", ["192.0.2.1"]);
const alias = recordSet("www", "CNAME", ["other.example.net."]);
const weighted = (identifier: string, weight = 1) =>
  recordSet("www", "A", ["192.0.2.1"], { SetIdentifier: identifier, Weight: weight });
const latency = (identifier: string, region: "eu-west-1" | "us-east-1") =>
  recordSet("www", "A", ["192.0.2.1"], { SetIdentifier: identifier, Region: region });
const placed = (identifier: string, code: string) =>
  recordSet("www", "A", ["192.0.2.1"], {
    SetIdentifier: identifier,
    GeoLocation: { CountryCode: code },
  });
const name64 = "a".repeat(64);
const fullName = "www.example.com.";

export const refusalCases: readonly RefusalCase[] = [
  {
    name: "CREATE of what exists",
    existing: [www],
    changes: created(recordSet("WWW", "A", ["192.0.2.9"])),
    messages: [
      `Tried to create resource record set [name='${fullName}', type='A'] but it already exists`,
    ],
  },
  {
    name: "CREATE of a SetIdentifier that exists",
    existing: [weighted("a")],
    changes: created(weighted("a", 2)),
    messages: [
      `Tried to create resource record set [name='${fullName}', type='A', set-identifier='a'] but it already exists`,
    ],
  },
  {
    name: "DELETE of what is not there",
    changes: deleted(www),
    messages: [
      `Tried to delete resource record set [name='${fullName}', type='A'] but it was not found`,
    ],
  },
  {
    name: "DELETE of another SetIdentifier",
    existing: [weighted("a")],
    changes: deleted(weighted("b")),
    messages: [
      `Tried to delete resource record set [name='${fullName}', type='A', set-identifier='b'] but it was not found`,
    ],
  },
  ...[
    { name: "values", sent: recordSet("www", "A", ["192.0.2.2"], weightedFields("a")) },
    { name: "one value more", sent: recordSet("www", "A", addresses(2), weightedFields("a")) },
    { name: "the TTL", sent: { ...weighted("a"), TTL: 61 } },
    { name: "the weight", sent: weighted("a", 2) },
    { name: "the routing kind", sent: latency("a", "eu-west-1") },
    { name: "a health check", sent: { ...weighted("a"), HealthCheckId: "check" } },
  ].map(({ name, sent }) => ({
    name: `DELETE that differs in ${name}`,
    existing: [weighted("a")],
    changes: deleted(sent),
    messages: [
      `Tried to delete resource record set [name='${fullName}', type='A', set-identifier='a'] but the values provided do not match the current values`,
    ],
  })),
  {
    name: "all faults of a batch, each in its own message",
    existing: [www],
    changes: [
      ...created(www),
      ...created(recordSet("good", "A", ["192.0.2.3"])),
      ...deleted(recordSet("gone", "A", ["192.0.2.3"])),
    ],
    messages: [
      `Tried to create resource record set [name='${fullName}', type='A'] but it already exists`,
      "Tried to delete resource record set [name='gone.example.com.', type='A'] but it was not found",
    ],
  },
  {
    name: "the same deletion twice",
    existing: [www],
    changes: deleted(www, www),
    messages: [
      `The request contains an invalid set of changes for a resource record set 'A ${fullName}'`,
    ],
  },
  {
    name: "a name of another zone",
    changes: created({ ...www, Name: "www.example.org." }),
    messages: ["RRSet with DNS name www.example.org. is not permitted in zone example.com."],
  },
  {
    name: "a name that only ends like the zone",
    changes: created({ ...www, Name: "notexample.com." }),
    messages: ["RRSet with DNS name notexample.com. is not permitted in zone example.com."],
  },
  {
    name: "a label of 64 octets",
    changes: created(recordSet(name64, "A", ["192.0.2.1"])),
    messages: [
      `FATAL problem: DomainLabelTooLong (Domain label is too long) encountered with '${name64}'`,
    ],
  },
  {
    name: "an empty label",
    changes: created({ ...www, Name: "www..example.com." }),
    messages: [
      "FATAL problem: DomainLabelEmpty (Domain label is empty) encountered with 'www..example.com.'",
    ],
  },
  {
    name: "a CNAME at the apex",
    changes: created(recordSet("", "CNAME", ["other.example.net."])),
    messages: [
      "RRSet of type CNAME with DNS name example.com. is not permitted at apex in zone example.com.",
      "RRSet of type CNAME with DNS name example.com. is not permitted as it conflicts with other records with the same DNS name in zone example.com.",
    ],
  },
  {
    name: "a CNAME beside an address",
    existing: [www],
    changes: created(alias),
    messages: [
      `RRSet of type CNAME with DNS name ${fullName} is not permitted as it conflicts with other records with the same DNS name in zone example.com.`,
    ],
  },
  {
    name: "an address beside a CNAME",
    existing: [alias],
    changes: created(www),
    messages: [
      `RRSet of type A with DNS name ${fullName} is not permitted because a conflicting RRSet of type CNAME with the same DNS name already exists in zone example.com.`,
    ],
  },
  {
    name: "an address before the CNAME goes in the same batch",
    existing: [alias],
    changes: [...created(www), ...deleted(alias)],
    messages: [
      `RRSet of type A with DNS name ${fullName} is not permitted because a conflicting RRSet of type CNAME with the same DNS name already exists in zone example.com.`,
    ],
  },
  {
    name: "a CNAME of two values",
    changes: created(recordSet("www", "CNAME", ["a.example.net.", "b.example.net."])),
    messages: [`RRSet of type CNAME with DNS name ${fullName} must contain exactly one record`],
    isOurWording: true,
  },
  {
    name: "no SOA at the apex",
    changes: deleted(
      recordSet(
        "",
        "SOA",
        ["ns-1.awsdns-01.org. awsdns-hostmaster.amazon.com. 1 7200 900 1209600 86400"],
        { TTL: 900 },
      ),
    ),
    messages: ["A HostedZone must contain exactly one SOA record."],
  },
  {
    name: "no NS at the apex",
    changes: deleted(
      recordSet("", "NS", ["ns-2.awsdns-02.co.uk.", "ns-1.awsdns-01.org."], { TTL: 172800 }),
    ),
    messages: ["A HostedZone must contain at least one NS record for the zone itself."],
  },
  {
    name: "NS at a wildcard",
    changes: created(recordSet("*", "NS", ["ns.example.net."])),
    messages: [
      "RRSet of type NS with DNS name \\052.example.com. is not permitted as it is a wildcard",
    ],
    isOurWording: true,
  },
  {
    name: "a simple set beside a weighted one",
    existing: [weighted("a")],
    changes: created(www),
    messages: [
      `RRSet with DNS name ${fullName}, type A cannot be created as other RRSets exist with the same name and type.`,
    ],
  },
  {
    name: "a weighted set beside a simple one",
    existing: [www],
    changes: created(weighted("a")),
    messages: [
      `RRSet with DNS name ${fullName}, type A, SetIdentifier a cannot be created as a non-weighted set exists with the same name and type.`,
    ],
  },
  {
    name: "a weighted set beside one by latency",
    existing: [latency("a", "eu-west-1")],
    changes: upserted(weighted("b")),
    messages: [
      `RRSet with DNS name ${fullName}, type A, SetIdentifier b cannot be created as a non-weighted set exists with the same name and type.`,
    ],
  },
  {
    name: "weighted sets of different TTLs",
    existing: [weighted("a"), weighted("b")],
    changes: upserted({ ...weighted("b"), TTL: 30 }),
    messages: [
      `RRSet with DNS name ${fullName}, type A, SetIdentifier b cannot be created as weighted sets must contain the same TTL.`,
    ],
  },
  {
    name: "one AWS region twice",
    existing: [latency("a", "eu-west-1")],
    changes: created(latency("b", "eu-west-1")),
    messages: [
      `RRSet with DNS name ${fullName}, type A, SetIdentifier b, and Region Name=eu-west-1 cannot be created because a latency RRSet with the same name, type and region already exists.`,
    ],
  },
  {
    name: "one geographic location twice",
    existing: [placed("a", "DE"), placed("b", "FR")],
    changes: created(placed("c", "FR")),
    messages: [
      `RRSet with DNS name ${fullName}, type A, SetIdentifier c, and GeoLocation=FR cannot be created because a geolocation RRSet with the same name, type and geolocation already exists.`,
    ],
    isOurWording: true,
  },
  {
    name: "a 101st part",
    existing: Array.from({ length: 100 }, (_, at) => weighted(`part ${at}`)),
    changes: created(weighted("last")),
    messages: [
      `RRSet with DNS name ${fullName}, type A, SetIdentifier last cannot be created as there may be no more than 100 with the same name and type.`,
    ],
    isOurWording: true,
  },
  {
    name: "401 values",
    changes: created(recordSet("www", "A", addresses(401))),
    messages: ["Cannot have more than 400 records in a RRSet."],
  },
  {
    name: "a value twice",
    changes: created(recordSet("www", "A", ["192.0.2.1", "192.0.2.2", "192.0.2.1"])),
    messages: ["Duplicate Resource Record: '192.0.2.1'"],
  },
  ...valueCases,
];

function weightedFields(identifier: string): Partial<ResourceRecordSet> {
  return { SetIdentifier: identifier, Weight: 1 };
}
