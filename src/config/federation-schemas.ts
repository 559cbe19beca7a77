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
  metadata: strictMap({
    name: objectName.describe("the label F of all names"),
    ...labelsAndAnnotations(),
  }),
  spec: strictMap({
    domain: domainName.describe("the domain D"),
    nameservers: listOf(
      strictMap({
        name: domainName.describe("its domain name"),
        addresses: listOf(address, "addresses")
          .default([])
          .describe("its addresses, needed if its name is inside the domain"),
      }),
      "name servers",
    )
      .min(1, { error: "allowed one name server or more" })
      .describe("the name servers of the domain; the first is the SOA's primary"),
    contact: mailbox.optional().describe("SOA contact; default: `hostmaster@` the domain"),
    ttl: ttlOrMax(
      strictMap({
        max: ttlSeconds
          .default(defaultTtl.max)
          .describe("seconds, while no verdict is near to flip"),
        min: ttlSeconds
          .optional()
          .describe("seconds, never less; default: 30, or `max` if that is less"),
        negative: ttlSeconds
          .default(defaultTtl.negative)
          .describe("seconds, of answers that a name or type does not exist"),
      })
        .refine(isTtlRange, ttlRangeRefusal)
        .transform((ttl) => ({ ...ttl, min: ttl.min ?? Math.min(defaultTtl.min, ttl.max) })),
    )
      .default(defaultTtl)
      .describe("TTLs of answers; `ttl: 180` is short for `max`"),
    answer: strictMap({
      mode: answerMode
        .default("ordered")
        .describe(
          "`ordered`: the client's level first, then the others; `nearest`: the client's level only",
        ),
      maxAddresses: maxAddresses.default(8).describe("most addresses of one answer"),
    })
      .prefault({})
      .describe("what stands in an answer"),
    minHealthyPercent: percent
      .default(70)
      .describe("a level below this share of healthy endpoints spills clients to the next"),
    onAllDown: onAllDown
      .default("open")
      .describe(
        "with nothing healthy: `open` answers as if all were, `empty` NODATA, `servfail` SERVFAIL",
      ),
    healthCheck: healthCheck
      .optional()
      .describe("how all services' endpoints are probed; needs `spec.health` of the server"),
  }),
});

/** A place that runs services, with defaults filled in. */
export const clusterSchema = objectSchema("Cluster", {
  metadata: strictMap({
    name: objectName.describe("the label C; the folder `clusters/NAME/` holds its Services"),
    ...labelsAndAnnotations(),
  }),
  spec: strictMap({
    region: placeName.optional().describe("the label R"),
    zones: listOf(placeName, "zones").default([]).describe("the labels Z"),
    location: strictMap({
      latitude: decimal(-90, 90).describe("degrees, north is positive"),
      longitude: decimal(-180, 180).describe("degrees, east is positive"),
    })
      .optional()
      .describe("where it is; default: that of a known cloud region"),
    networks: listOf(network, "networks")
      .default([])
      .describe("clients from these are inside this cluster"),
    routing: strictMap({
      enabled: flag.default(true).describe("false: given to nobody, but for its own name"),
      priority: integer(1, 1000).default(100).describe("clusters of a lower number come first"),
      weight: integer(0, 100)
        .default(100)
        .describe(
          "share of the clients of its level; 0: last in its level, still first for clients whose level it is alone",
        ),
      localPreference: flag
        .default(true)
        .describe("false: stands with the home cluster whatever the distance"),
      allowCrossClusterTraffic: flag
        .default(true)
        .describe("false: only for clients whose home it is"),
      endpoints: strictMap({
        namespaces: listOf(objectName, "namespaces")
          .default([])
          .describe("if given, only Services of these namespaces"),
        excludeNamespaces: listOf(objectName, "namespaces")
          .default([])
          .describe("no Services of these namespaces"),
        matchLabels: textMap.default({}).describe("only Services with all of these labels"),
        matchExpressions: listOf(labelExpression(), "label expressions")
          .default([])
          .describe("only Services that all of these hold for"),
      })
        .prefault({})
        .describe("which Services of the cluster are given; not for clients inside it"),
    })
      .prefault({})
      .describe("whom the cluster is given to, and when"),
  }).prefault({}),
});

/** Policy for one service; what is left out is as the Federation has it. */
export const federatedServiceSchema = objectSchema("FederatedService", {
  metadata: strictMap({
    name: objectName.describe("the Service's name"),
    namespace: objectName.describe("its namespace"),
    ...labelsAndAnnotations(),
  }),
  spec: strictMap({
    answer: strictMap({
      mode: answerMode.optional().describe("in place of the Federation's"),
      maxAddresses: maxAddresses.optional().describe("in place of the Federation's"),
    })
      .prefault({})
      .describe("what stands in an answer"),
    ttl: ttlOrMax(
      strictMap({
        max: ttlSeconds.optional().describe("seconds, in place of the Federation's"),
        min: ttlSeconds.optional().describe("seconds, in place of the Federation's"),
      }).refine(isTtlRange, ttlRangeRefusal),
    )
      .default({})
      .describe("TTLs of answers; `ttl: 180` is short for `max`"),
    minHealthyPercent: percent.optional().describe("in place of the Federation's"),
    onAllDown: onAllDown.optional().describe("in place of the Federation's"),
    healthCheck: healthCheck.optional().describe("in place of the Federation's, whole"),
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
  return {
    labels: textMap.default({}).describe("yours; Meridian does not read them"),
    annotations: textMap.default({}).describe("yours; Meridian does not read them"),
  };
}

/** A Kubernetes label selector requirement: `In` and `NotIn` need values, the others take none. */
function labelExpression() {
  return strictMap({
    key: text.describe("the label"),
    operator: oneOf(["In", "NotIn", "Exists", "DoesNotExist"]).describe(
      "what must hold of it, as in Kubernetes",
    ),
    values: listOf(z.string({ error: "allowed text" }), "texts")
      .default([])
      .describe("of `In` and `NotIn`"),
  }).refine((each) => each.operator.endsWith("In") === each.values.length > 0, {
    path: ["values"],
    error: "allowed values for In and NotIn, none for Exists and DoesNotExist",
  });
}
