// The keys of Federation, Cluster and FederatedService objects, with ranges and defaults. It
// knows one object at a time; what must hold between objects is not its matter.

import { z } from "zod";
import {
  address,
  decimal,
  domainName,
  flag,
  integer,
  listOf,
  mailbox,
  network,
  objectName,
  oneOf,
  placeName,
  strictMap,
  text,
  textMap,
} from "./fields.ts";
import {
  answerMode,
  healthCheck,
  isTtlRange,
  maxAddresses,
  onAllDown,
  percent,
  ttlOrMax,
  ttlRangeRefusal,
  ttlSeconds,
} from "./policy-fields.ts";

/** The version of the objects below and of `Server`. */
export const apiVersion = "meridian.dev/v1alpha1";

/** Times that are left out: seconds. */
const defaultTtl = { max: 180, min: 30, negative: 60 };

/** A named set of clusters that publish services under one domain, with defaults filled in. */
export const federationSchema = objectSchema("Federation", {
  metadata: strictMap({ name: objectName, ...labelsAndAnnotations() }),
  spec: strictMap({
    domain: domainName,
    nameservers: listOf(
      strictMap({ name: domainName, addresses: listOf(address, "addresses").default([]) }),
      "name servers",
    ).min(1, { error: "allowed one name server or more" }),
    contact: mailbox.optional(),
    ttl: ttlOrMax(
      strictMap({
        max: ttlSeconds.default(defaultTtl.max),
        min: ttlSeconds.optional(),
        negative: ttlSeconds.default(defaultTtl.negative),
      })
        .refine(isTtlRange, ttlRangeRefusal)
        .transform((ttl) => ({ ...ttl, min: ttl.min ?? Math.min(defaultTtl.min, ttl.max) })),
    ).default(defaultTtl),
    answer: strictMap({
      mode: answerMode.default("ordered"),
      maxAddresses: maxAddresses.default(8),
    }).prefault({}),
    minHealthyPercent: percent.default(70),
    onAllDown: onAllDown.default("open"),
    healthCheck: healthCheck.optional(),
  }),
});

/** A place that runs services, with defaults filled in. */
export const clusterSchema = objectSchema("Cluster", {
  metadata: strictMap({ name: objectName, ...labelsAndAnnotations() }),
  spec: strictMap({
    region: placeName.optional(),
    zones: listOf(placeName, "zones").default([]),
    location: strictMap({ latitude: decimal(-90, 90), longitude: decimal(-180, 180) }).optional(),
    networks: listOf(network, "networks").default([]),
    routing: strictMap({
      enabled: flag.default(true),
      priority: integer(1, 1000).default(100),
      weight: integer(0, 100).default(100),
      localPreference: flag.default(true),
      allowCrossClusterTraffic: flag.default(true),
      endpoints: strictMap({
        namespaces: listOf(objectName, "namespaces").default([]),
        excludeNamespaces: listOf(objectName, "namespaces").default([]),
        matchLabels: textMap.default({}),
        matchExpressions: listOf(labelExpression(), "label expressions").default([]),
      }).prefault({}),
    }).prefault({}),
  }).prefault({}),
});

/** Policy for one service; what is left out is as the Federation has it. */
export const federatedServiceSchema = objectSchema("FederatedService", {
  metadata: strictMap({ name: objectName, namespace: objectName, ...labelsAndAnnotations() }),
  spec: strictMap({
    answer: strictMap({
      mode: answerMode.optional(),
      maxAddresses: maxAddresses.optional(),
    }).prefault({}),
    ttl: ttlOrMax(
      strictMap({ max: ttlSeconds.optional(), min: ttlSeconds.optional() }).refine(
        isTtlRange,
        ttlRangeRefusal,
      ),
    ).default({}),
    minHealthyPercent: percent.optional(),
    onAllDown: onAllDown.optional(),
    healthCheck: healthCheck.optional(),
  }).prefault({}),
});

export type FederationObject = z.output<typeof federationSchema>;
export type ClusterObject = z.output<typeof clusterSchema>;
export type FederatedServiceObject = z.output<typeof federatedServiceSchema>;

/** An object of our own `apiVersion` and of a kind, with no keys beside these and `fields`. */
export function objectSchema<Fields extends z.ZodRawShape>(kind: string, fields: Fields) {
  return strictMap({
    apiVersion: z.literal(apiVersion, { error: `allowed "${apiVersion}"` }),
    kind: z.literal(kind, { error: `allowed "${kind}"` }),
    ...fields,
  });
}

function labelsAndAnnotations() {
  return { labels: textMap.default({}), annotations: textMap.default({}) };
}

/** A Kubernetes label selector requirement: `In` and `NotIn` need values, the others take none. */
function labelExpression() {
  return strictMap({
    key: text,
    operator: oneOf(["In", "NotIn", "Exists", "DoesNotExist"]),
    values: listOf(z.string({ error: "allowed text" }), "texts").default([]),
  }).refine((each) => each.operator.endsWith("In") === each.values.length > 0, {
    path: ["values"],
    error: "allowed values for In and NotIn, none for Exists and DoesNotExist",
  });
}
