// What the control API says, as schemas: they check requests, describe answers in the OpenAPI document,
// and type what the backend gives. Keys are only ever added. It must not know how any of it is made.

import { z } from "zod";

/** ISO 8601 in UTC, by the clock of the server that says it. */
export const moment = z.string().describe("ISO 8601, by this server's clock");
const coordinates = z.object({ latitude: z.number(), longitude: z.number() });
export const count = z.number().describe("since the server started");

/** Whether endpoints are up: by address, ramping ones counted in part. */
const endpointCounts = z.object({
  total: z.number(),
  healthy: z.number().describe("ramping endpoints count in part"),
  down: z.number().describe("down by vote, and not held in"),
});

export const clusterSchema = z.object({
  name: z.string(),
  region: z.string().describe("empty where none is given"),
  zones: z.array(z.string()),
  location: coordinates.nullable(),
  networks: z.array(z.string()),
  priority: z.number(),
  weight: z.number(),
  isEnabled: z.boolean().describe("routing.enabled"),
  isDrained: z.boolean(),
  services: z.number().describe("0 while `endpoints` is null"),
  /** `null`: not counted yet, as there are very many services. */
  endpoints: endpointCounts.nullable(),
  answers: count.describe("federated answers that began with this cluster"),
});
export type ClusterReport = z.infer<typeof clusterSchema>;

/** From where clients come, and which cluster they get first. */
export const flowSchema = z.object({
  from: coordinates.extend({ label: z.string().describe("a country's or region's name") }),
  cluster: z.string(),
  share: z.number().describe("of all that `flows` tells, 0 to 1"),
});
export type Flow = z.infer<typeof flowSchema>;

/** Everything at a glance: what the dashboard opens with. */
export const stateSchema = z.object({
  name: z.string(),
  version: z.string(),
  now: moment,
  startedAt: moment,
  isReady: z.boolean(),
  /** Why not, in one sentence; `null` if it is. */
  notReadyBecause: z.string().nullable(),
  federation: z.object({ name: z.string(), domain: z.string() }),
  listen: z.array(z.object({ address: z.string(), port: z.number() })),
  clusters: z.array(clusterSchema),
  services: z.number(),
  reload: z.object({ at: moment, problems: z.number() }),
  /** `null`: this server takes no part in votes. */
  quorum: z
    .object({
      isHeld: z.boolean(),
      live: z.number(),
      needed: z.number(),
      configured: z.number(),
    })
    .nullable(),
  mirrors: z.number(),
  traffic: z.object({
    responses: count,
    byRcode: z.record(z.string(), count),
    dropped: count,
  }),
  snapshot: z.object({
    ageSeconds: z.number(),
    octets: z.number(),
    buildSeconds: z.number(),
  }),
  /** `sample`: from the clients that were counted; `routing`: where a client in each country would go. */
  flowsBy: z.enum(["sample", "routing"]),
  flows: z.array(flowSchema),
});
export type StateReport = z.infer<typeof stateSchema>;

export const serviceSchema = z.object({
  service: z.string().describe("namespace/name"),
  name: z.string().describe("its own DNS name"),
  clusters: z.array(
    z.object({
      cluster: z.string(),
      internal: z.array(z.string()).describe("clusterIPs or pods"),
      external: z.array(z.string()).describe("load balancers"),
      ports: z.array(z.object({ name: z.string(), protocol: z.string(), port: z.number() })),
    }),
  ),
  mode: z.enum(["ordered", "nearest"]),
  maxAddresses: z.number(),
  ttl: z.object({ min: z.number(), max: z.number() }).describe("seconds"),
  minHealthyPercent: z.number(),
  hasHealthCheck: z.boolean(),
});
export type ServiceReport = z.infer<typeof serviceSchema>;

const voteSchema = z.object({
  voter: z.string(),
  word: z.enum(["up", "down", "none"]),
  since: moment.nullable(),
  reason: z.string().nullable(),
  checksToFlip: z.number().nullable(),
});

/** One address of a service in one cluster. */
export const endpointSchema = z.object({
  service: z.string().describe("namespace/name"),
  cluster: z.string(),
  address: z.string(),
  isInternal: z.boolean(),
  health: z.number().describe("0 down, 1 up, between while it ramps up"),
  /** `null`: nobody votes on it, so it counts as up. */
  verdict: z
    .object({
      word: z.enum(["up", "down", "none"]),
      since: moment.nullable(),
      frozenBecause: z.string().nullable(),
      isHeldIn: z.boolean(),
      votesNeeded: z.number(),
      votes: z.array(voteSchema),
      flip: z.string(),
    })
    .nullable(),
});
export type EndpointReport = z.infer<typeof endpointSchema>;

export const voterSchema = z.object({
  name: z.string(),
  isSelf: z.boolean(),
  isLive: z.boolean(),
  lastBallotSecondsAgo: z.number().nullable(),
  hasOtherConfiguration: z.boolean(),
  lastSent: z.string().nullable(),
});

/** What happened, in the order in which it did. `id` grows by one; a restart begins it anew. */
const eventOf = <Kind extends string, Shape extends z.ZodRawShape>(kind: Kind, shape: Shape) =>
  z.object({ id: z.number(), at: moment, kind: z.literal(kind), ...shape });

export const eventSchema = z.discriminatedUnion("kind", [
  eventOf("verdict", {
    service: z.string(),
    cluster: z.string(),
    address: z.string(),
    word: z.enum(["up", "down"]),
    reason: z.string().describe("the votes in one sentence"),
  }),
  eventOf("quorum", { isHeld: z.boolean(), live: z.number(), needed: z.number() }),
  eventOf("drains", { drained: z.array(z.string()), by: z.string() }),
  eventOf("reload", {
    outcome: z.enum(["changed", "unchanged", "refused", "failed"]),
    problems: z.number(),
  }),
  eventOf("mirror", {
    mirror: z.string(),
    outcome: z.enum(["changed", "failed"]),
    message: z.string(),
  }),
  /** Events were left out of the stream here: ask for the state anew. */
  eventOf("gap", {}),
]);
export type ServerEvent = z.infer<typeof eventSchema>;
/** An event without what the server gives it: its number and its time. */
export type NewEvent = ServerEvent extends infer Each
  ? Each extends ServerEvent
    ? Omit<Each, "id" | "at">
    : never
  : never;

/** Refusals tell the text that is wrong, so that none may be long. */
const assumedTexts = z.array(z.string().max(400)).max(1000).default([]);

/** What-if: verdicts and drains that are taken as given. Texts as the command line takes them. */
export const whatIfSchema = z.strictObject({
  /** `CLUSTER=down`, `ADDRESS=up`, `CLUSTER/NAMESPACE/NAME=down`. */
  health: assumedTexts,
  drain: assumedTexts,
  undrain: assumedTexts,
});

/** How often one query may count in a replay: sums of so many are told exactly enough. */
export const mostCounted = 1e12;

/** What is asked and by whom, as texts. */
export const questionTexts = {
  name: z.string().min(1).max(1100).describe("the name asked for"),
  type: z.string().min(1).max(20).default("A").describe("a mnemonic, or TYPE123"),
  client: z.string().min(1).max(100).describe("a source address, or an ECS prefix with /LEN"),
  resolver: z.string().min(1).max(100).optional().describe("who sends the ECS prefix"),
};

const replayedQuery = z.strictObject({
  ...questionTexts,
  count: z.number().positive().max(mostCounted).default(1),
});

export const whatIfRequestSchema = whatIfSchema.extend({
  /** Left out: the queries of the sample that the server keeps. */
  queries: z.array(replayedQuery).min(1).max(100_000).optional(),
});
export type WhatIfRequest = z.infer<typeof whatIfRequestSchema>;

const shift = z.object({
  cluster: z.string(),
  /** Weighted by the queries' counts. */
  before: z.number(),
  after: z.number(),
});

/** How the traffic of the given queries would move. */
export const whatIfReportSchema = z.object({
  queries: z.number(),
  weight: z.number().describe("the queries' counts together"),
  moved: z.number().describe("of that weight, what begins with another cluster"),
  answeredNothing: z.object({ before: z.number(), after: z.number() }),
  clusters: z.array(shift).describe("by the first address of each answer"),
  km: z.object({
    /** Mean great-circle distance to the first cluster, of those whose distance is known. */
    before: z.number().nullable(),
    after: z.number().nullable(),
    /** The weight for which both distances are known. */
    known: z.number(),
  }),
  /** The heaviest moves first. */
  moves: z.array(
    z.object({
      client: z.string(),
      name: z.string(),
      from: z.string().nullable(),
      to: z.string().nullable(),
      kmBefore: z.number().nullable(),
      kmAfter: z.number().nullable(),
      count: z.number(),
    }),
  ),
});
export type WhatIfReport = z.infer<typeof whatIfReportSchema>;

/** A client of the sample, and how often it asked; estimated from the share that is counted. */
export const sampledSchema = z.object({
  client: z.string().describe("an address, or an ECS prefix with /LEN"),
  resolver: z.string().nullable().describe("who sent the prefix"),
  name: z.string(),
  type: z.string(),
  count: z.number(),
  lastAt: moment,
});
export type SampledClient = z.infer<typeof sampledSchema>;
