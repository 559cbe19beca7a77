// The settings of a mirror in the stand-in of Route 53, but for where it listens.

import type { Route53Config } from "../../src/config/mirror-config.ts";
import { standInKey } from "../kit/route53/server.ts";

/** A zone by distance, by the key that the stand-in knows. */
export const settings: Route53Config = {
  provider: "route53",
  hostedZone: "Z123",
  region: "us-east-1",
  endpoint: undefined,
  profile: undefined,
  credentials: { ...standInKey, sessionToken: undefined },
  policy: "geoproximity",
  owner: undefined,
  strategy: "plain",
  ttlSeconds: undefined,
  include: { namespaces: [], names: [] },
  exclude: { namespaces: [], names: [] },
  maxDeletePercent: 25,
  schedule: "*/5 * * * *",
  dryRun: false,
};
