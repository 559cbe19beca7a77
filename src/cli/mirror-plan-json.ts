// What `meridian mirror plan --json` prints: plans of mirrors as plain data, and the schema that
// docs/mirror-plan.schema.json is made of. It must not know how plans are made or carried out.

import { z } from "zod";
import type { MirrorPlan, Plan, PlannedChange } from "../mirror/plan-types.ts";
import type { RecordPart, RecordSet, Routing } from "../mirror/record-set.ts";

/** How the cloud chooses a part. Of what it has beside, only words: never the provider's object. */
const routingSchema = z
  .discriminatedUnion("kind", [
    z
      .object({
        kind: z.literal("geoproximity"),
        id: z.string(),
        latitude: z.string(),
        longitude: z.string(),
      })
      .describe("Route 53: the nearest by distance; degrees."),
    z
      .object({ kind: z.literal("latency"), id: z.string(), region: z.string() })
      .describe("Route 53: the quickest AWS region."),
    z
      .object({ kind: z.literal("geolocation"), id: z.string(), place: z.string() })
      .describe("Route 53: a continent as `continent:EU`, a country as `US`, all others as `*`."),
    z
      .object({ kind: z.literal("weighted"), id: z.string(), weight: z.number() })
      .describe("Route 53: by chance."),
    z
      .object({ kind: z.literal("geo"), location: z.string() })
      .describe("Cloud DNS: the nearest Google Cloud region."),
    z
      .object({ kind: z.literal("wrr"), at: z.int().min(0), weight: z.number() })
      .describe("Cloud DNS: by chance; `at` is the place in the list, from 0."),
    z
      .object({ kind: z.literal("other"), id: z.string(), text: z.string() })
      .describe("Something that a mirror never writes, in words."),
  ])
  .meta({
    id: "routing",
    description: "How the cloud chooses this part; `id` is Route 53's SetIdentifier.",
  });

const ttl = z.int().min(0).describe("Seconds.");
const values = z.array(z.string()).describe("Rdata in presentation form, sorted as text.");
const count = z.int().min(0);

const recordSetSchema = z
  .union([
    z.object({ ttl, values }).describe("Everybody gets these records."),
    z
      .object({ parts: z.array(z.object({ routing: routingSchema.optional(), ttl, values })) })
      .describe("The cloud chooses one of these."),
  ])
  .meta({ id: "records", description: "The records of one name and type." });

const changeSchema = z.object({
  action: z.enum(["create", "update", "delete"]),
  name: z.string().describe("In lower case with a final dot."),
  type: z.string(),
  reason: z
    .enum(["wanted", "unwanted", "drift", "adopted"])
    .describe("`drift`: changed by somebody else; `adopted`: taken over from another owner."),
  ownership: z.boolean().describe("Whether it is a TXT record that says whose a record is."),
  before: recordSetSchema.optional().describe("Not with `create`."),
  after: recordSetSchema.optional().describe("Not with `delete`."),
});

const conflictSchema = z.object({
  name: z.string(),
  type: z.string(),
  service: z.string().describe("`namespace/name`."),
  reason: z.enum(["foreign", "other-owner", "cname", "refused", "too-long"]),
  message: z.string(),
  wanted: recordSetSchema,
  found: z.array(z.object({ name: z.string(), type: z.string(), records: recordSetSchema })),
});

const summarySchema = z.object({
  create: count,
  update: count,
  delete: count,
  drift: count.describe("Of these three, the ones that put back what somebody else changed."),
  adopted: count.describe("Of these three, the ones that take over from another owner."),
  ownership: count.describe("Changes of ownership records, which no other number here counts."),
  conflicts: count,
  owned: count.describe("Record sets of this owner in the zone."),
  unchanged: count.describe("Of these, the ones that are as they should be."),
  lost: count.describe("Of these, the ones that go and leave nothing of ours at their name."),
});

const fidelitySchema = z.object({
  topic: z.enum([
    "address-order",
    "nearest",
    "inside",
    "overflow",
    "priority",
    "weight",
    "geo-and-weight",
    "cross-cluster",
    "ramp",
    "ttl",
    "max-addresses",
    "all-down",
    "local-family",
    "srv-order",
    "location",
  ]),
  message: z.string(),
  services: count.describe("How many services it concerns."),
  examples: z.array(z.string()).describe("The first few of them, as `namespace/name`."),
});

const mirrorSchema = z.object({
  mirror: z.string().describe("The provider and its zone: `route53 Z123`."),
  domain: z.string(),
  owner: z.string(),
  summary: summarySchema,
  changes: z.array(changeSchema).describe("In canonical order of names (RFC 4034 section 6.1)."),
  conflicts: z.array(conflictSchema).describe("What should be there and cannot be."),
  obstacles: z.array(z.string()).describe("Why the plan would not be applied; empty: it would be."),
  fidelity: z.array(fidelitySchema).describe("What the cloud cannot say that our answers do."),
});

/** The schema of all that is printed. Keys are only ever added while `version` is the same. */
export const planSchema = z
  .object({ version: z.literal(1), mirrors: z.array(mirrorSchema) })
  .describe("What `meridian mirror plan --json` prints. Later releases may add keys.");

/** All that is printed. */
export type PlansJson = z.infer<typeof planSchema>;
/** The numbers of one plan. */
export type PlanSummary = z.infer<typeof summarySchema>;
type RecordSetJson = z.infer<typeof recordSetSchema>;
type RoutingJson = z.infer<typeof routingSchema>;

/** What docs/mirror-plan.schema.json holds: JSON Schema, draft 2020-12. */
export function planJsonSchema(): object {
  // As input: a reader has to take keys that it does not know.
  return { title: "Plans of Meridian's mirrors", ...z.toJSONSchema(planSchema, { io: "input" }) };
}

/** Plans as plain data, in the order of the mirrors. */
export function planJson(plans: readonly MirrorPlan[]): PlansJson {
  return { version: 1, mirrors: plans.map(mirrorJson) };
}

/** How many record sets a plan changes; changes of ownership records are counted apart. */
export function planSummary(plan: Plan): PlanSummary {
  const changes = plan.groups.flatMap((group) => group.changes);
  const records = changes.filter((each) => !each.isOwnership);
  const number = (matches: (change: PlannedChange) => boolean): number =>
    records.filter(matches).length;
  return {
    create: number(({ kind }) => kind === "create"),
    update: number(({ kind }) => kind === "update"),
    delete: number(({ kind }) => kind === "delete"),
    drift: number(({ reason }) => reason === "drift"),
    adopted: number(({ reason }) => reason === "adopted"),
    ownership: changes.length - records.length,
    conflicts: plan.conflicts.length,
    owned: plan.owned,
    unchanged: plan.unchanged,
    lost: plan.lost,
  };
}

function mirrorJson(given: MirrorPlan): PlansJson["mirrors"][number] {
  const { mirror, domain, owner, plan, fidelity, obstacles } = given;
  return {
    mirror,
    domain,
    owner,
    summary: planSummary(plan),
    changes: plan.groups.flatMap((group) => group.changes.map(changeJson)),
    conflicts: plan.conflicts.map(({ name, type, service, reason, message, wanted, found }) => ({
      ...{ name, type, service, reason, message },
      wanted: recordSetJson(wanted),
      found: found.map((each) => ({
        name: each.name,
        type: each.type,
        records: recordSetJson(each),
      })),
    })),
    obstacles: [...obstacles],
    fidelity: fidelity.map(({ topic, message, services, examples }) => ({
      ...{ topic, message, services },
      examples: [...examples],
    })),
  };
}

function changeJson(change: PlannedChange): PlansJson["mirrors"][number]["changes"][number] {
  const { name, type } = change.kind === "delete" ? change.before : change.after;
  const { kind: action, reason, isOwnership: ownership } = change;
  return {
    ...{ action, name, type, reason, ownership },
    ...(change.kind !== "create" && { before: recordSetJson(change.before) }),
    ...(change.kind !== "delete" && { after: recordSetJson(change.after) }),
  };
}

function recordSetJson({ parts }: RecordSet): RecordSetJson {
  const [first, ...others] = parts;
  if (first && others.length === 0 && !first.routing) return partJson(first);
  return {
    parts: parts.map((part) => ({
      ...(part.routing && { routing: routingJson(part.routing) }),
      ...partJson(part),
    })),
  };
}

function partJson({ ttlSeconds, values }: RecordPart): { ttl: number; values: string[] } {
  return { ttl: ttlSeconds, values: [...values].sort() };
}

/** All but the provider's own object, which may hold what is nobody's business. */
function routingJson(routing: Routing): RoutingJson {
  if (routing.kind !== "other") return { ...routing };
  const { kind, id, text } = routing;
  return { kind, id, text };
}
