// An explanation that another process gave, read back: what has not the shape of one would stop its
// text in the middle. It must not know how it is made or printed.

import { z } from "zod";
import type { Explanation } from "../answer/explanation.ts";

const texts = z.array(z.string());
const word = z.enum(["up", "down", "none"]);

const verdictSchema = z.looseObject({
  word,
  since: z.string().nullable(),
  frozenBecause: z.string().nullable(),
  heldIn: z.boolean(),
  votes: z.array(
    z.looseObject({
      voter: z.string(),
      word,
      since: z.string().nullable(),
      reason: z.string().nullable(),
      checksToFlip: z.number().nullable(),
    }),
  ),
  assumed: z.looseObject({ isVotedOn: z.boolean() }).exactOptional(),
});

const endpointsSchema = z.array(
  z.looseObject({
    address: z.string(),
    health: z.number(),
    verdict: verdictSchema.nullable(),
  }),
);

const hostnamesSchema = z.array(
  z.looseObject({ hostname: z.string(), state: z.enum(["resolved", "stale", "unresolved"]) }),
);

const candidateSchema = z.looseObject({
  cluster: z.string(),
  region: z.string(),
  zones: texts,
  distanceKm: z.number().nullable(),
  isInside: z.boolean(),
  healthy: z.number(),
  total: z.number(),
  healthyShare: z.number(),
  weight: z.number(),
  draw: z.number(),
  score: z.number(),
  addresses: texts,
  upAddresses: texts,
  given: endpointsSchema,
  endpoints: endpointsSchema,
  hostnames: hostnamesSchema,
});

const leftOutRules = [
  ...(["other-cluster", "other-region", "other-zone", "no-port", "no-address"] as const),
  ...(["disabled", "drained", "filtered", "not-home"] as const),
] as const;

const routeSchema = z.looseObject({
  addresses: z.enum(["A", "AAAA", "any"]),
  region: z.string().nullable(),
  zone: z.string().nullable(),
  outcome: z.enum(["answer", "nodata", "servfail"]),
  failOpen: z.boolean(),
  onAllDown: z.enum(["open", "empty", "servfail"]),
  ttlSeconds: z.number(),
  ttlBy: z.discriminatedUnion("kind", [
    z.looseObject({ kind: z.literal("no-vote") }),
    z.looseObject({ kind: z.literal("fail-open") }),
    z.looseObject({
      kind: z.literal("verdict"),
      cluster: z.string(),
      address: z.string(),
      checks: z.number(),
      intervalSeconds: z.number(),
      clampedTo: z.enum(["min", "max"]).nullable(),
    }),
  ]),
  minHealthyPercent: z.number(),
  mode: z.enum(["ordered", "nearest"]),
  maxAddresses: z.number(),
  groups: z.array(z.looseObject({ priority: z.number(), home: z.string().nullable() })),
  levels: z.array(
    z.looseObject({
      kind: z.enum(["front", "zone", "region", "distance", "everywhere"]),
      group: z.number(),
      healthy: z.number(),
      total: z.number(),
      share: z.number(),
      candidates: z.array(candidateSchema),
    }),
  ),
  leftOut: z.array(
    z.looseObject({ cluster: z.string(), rule: z.enum(leftOutRules), hostnames: hostnamesSchema }),
  ),
  spill: z.number(),
  clientLevel: z.number(),
  pool: z.array(z.looseObject({ cluster: z.string(), endpoint: z.string() })),
  order: texts,
});

const locationSchema = z.looseObject({
  by: z.discriminatedUnion("kind", [
    z.looseObject({ kind: z.literal("network"), cluster: z.string(), network: z.string() }),
    z.looseObject({ kind: z.literal("override"), network: z.string(), place: z.string() }),
    z.looseObject({ kind: z.literal("database"), name: z.string() }),
    z.looseObject({ kind: z.literal("unknown") }),
  ]),
  cluster: z.string().exactOptional(),
  zones: texts.exactOptional(),
  region: z.string().exactOptional(),
  country: z.string().exactOptional(),
  continent: z.string().exactOptional(),
  coordinates: z.looseObject({ latitude: z.number(), longitude: z.number() }).exactOptional(),
});

const recordsSchema = z.array(
  z.looseObject({
    name: z.string(),
    ttlSeconds: z.number(),
    type: z.string(),
    data: z.string(),
  }),
);

const explanationSchema = z.looseObject({
  assuming: z.looseObject({ health: texts, drain: texts, undrain: texts }).exactOptional(),
  question: z.looseObject({ name: z.string(), type: z.string() }),
  client: z.looseObject({
    prefix: z.string(),
    isCarriedInIpv6: z.boolean(),
    isEcs: z.boolean(),
    inside: z.string().nullable(),
    notBelievedInside: z.string().nullable(),
    notInsideBecause: z.enum(["resolver-not-trusted", "prefix-too-short"]).nullable(),
    location: locationSchema,
  }),
  steps: z.array(
    z.looseObject({
      name: z.string(),
      kind: z.enum(["service", "local", "cluster", "port"]),
      service: z.string(),
      routes: z.array(routeSchema),
      leadsTo: z.string().nullable(),
    }),
  ),
  answer: z.looseObject({
    rcode: z.string(),
    isAuthoritative: z.boolean(),
    answers: recordsSchema,
    authorities: recordsSchema,
    additionals: recordsSchema,
    scope: z.number(),
    sameFor: z.string().nullable(),
    ecsScope: z.number().nullable(),
  }),
});

/** Reads an explanation, keys of later versions kept; `undefined` for what is none. */
export function readExplanation(value: unknown): Explanation | undefined {
  return explanationSchema.safeParse(value).data;
}
