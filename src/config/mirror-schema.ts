// The keys of an entry of `spec.mirror`, with ranges and defaults, each provider's own ones among
// them. It knows one entry at a time, and the text of paths and URLs only; it must not open them.
// Does I/O: it loads the scheduler's own parser, and that only if a schedule is written.

import { createRequire } from "node:module";
import { z } from "zod";
import { flag, integer, listOf, oneOf, parsed, strictMap, suggestion, text } from "./fields.ts";
import type { MirrorConfig } from "./mirror-config.ts";
import { percent } from "./policy-fields.ts";
import type { Path } from "./yaml-documents.ts";

/** What stands in `meridian/owner=OWNER` of a TXT record, where a comma would begin another field. */
export const mirrorOwner = matching(
  /^[\w.-]{1,63}$/,
  "allowed 1 to 63 letters, digits, ., _ and -",
);

/** A hosted zone's id as its list or its console prints it, without `/hostedzone/`. */
export const hostedZone = parsed(
  "allowed the id of a hosted zone such as Z0123456789ABCDEFGHIJ",
  (written) => /^(?:\/hostedzone\/)?(Z[A-Z0-9]{1,31})$/.exec(written)?.[1],
);

/** A project's id, of the first ones with a domain before it; numbers would be a second name. */
export const project = matching(
  /^(?:[a-z0-9.-]{1,63}:)?[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?$/,
  "allowed a project's id such as my-project",
);

/** A managed zone's name; its number would be a second name of the same zone. */
export const managedZone = matching(
  /^[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?$/,
  "allowed a managed zone's name such as my-zone: 1 to 63 of a-z, 0-9 and -, a letter first",
);

/** An http or https URL of a service, without what could hold a secret or ask for something. */
export const serviceUrl = parsed(
  "allowed a URL such as http://127.0.0.1:8080, without user name, password, query and fragment",
  (written) =>
    /^https?:\/\/[^\s/?#@][^\s?#@\p{Cc}]*$/u.test(written) && URL.canParse(written)
      ? written
      : undefined,
);

/** Text that holds a secret: its rule must not be told with the value. */
const secretText = matching(
  /^[!-~]{1,4096}$/,
  "allowed ASCII text without spaces, in quotes if it looks like a number",
);

const credentialKeys = ["accessKeyId", "secretAccessKey", "sessionToken"] as const;

/** An unknown key here may be a secret that lost its own key, so it is told only if it is near one. */
const credentials = z.strictObject(
  {
    accessKeyId: secretText.describe("the key's id"),
    secretAccessKey: secretText.describe("the key"),
    sessionToken: secretText.optional().describe("of temporary keys"),
  },
  {
    error: (issue) => {
      if (issue.code !== "unrecognized_keys") return "allowed a map";
      return issue.keys
        .map((key) => {
          const near = suggestion(key, credentialKeys);
          if (near !== "") return `unknown key "${key}"${near}`;
          return `unknown key among credentials, allowed ${credentialKeys.join(", ")}`;
        })
        .join("\n");
    },
  },
);

/** Globs of `*` and `?` over what names of Kubernetes hold; without these two, a whole name. */
const patterns = (what: string) =>
  listOf(
    matching(
      /^[-a-z0-9*?]{1,63}$/,
      "allowed a pattern of a-z, 0-9, -, * and ? such as team-*, 1 to 63 characters",
    ),
    `patterns of ${what}`,
  ).default([]);

const servicePatterns = strictMap({
  namespaces: patterns("namespaces").describe(
    "patterns of their namespaces; an empty list says nothing",
  ),
  names: patterns("names").describe("patterns of their names; an empty list says nothing"),
}).prefault({});

const sharedKeys = {
  owner: mirrorOwner
    .optional()
    .describe("whose the records are, others' are never touched; default: the federation's name"),
  strategy: oneOf(["plain", "geo"])
    .default("plain")
    .describe(
      "`plain`: everybody gets all healthy addresses; `geo`: the cloud chooses by `policy`",
    ),
  // A week: resolvers are advised to keep nothing longer (RFC 8767 section 4), and the fields of both
  // APIs hold more. 0: nobody keeps it (RFC 1035 section 3.2.1).
  ttl: integer(0, 604_800)
    .optional()
    .describe("seconds, of all published records; default: as the services say"),
  include: servicePatterns.describe(
    "only these services; where both lists are given both must match",
  ),
  exclude: servicePatterns.describe("not these services"),
  maxDeletePercent: percent
    .default(25)
    .describe("more of the mirror's records, and more than 3, are not deleted at once"),
  schedule: parsed("allowed a cron expression of 5 or 6 fields such as */5 * * * *", (written) =>
    isSchedule(written) ? written : undefined,
  )
    .default("*/5 * * * *")
    .describe(
      "when the whole zone is compared; a sixth field, in front, is seconds; the server's time zone",
    ),
  dryRun: flag.default(false).describe("true: plans, and changes nothing"),
};

const route53Keys = {
  hostedZone: hostedZone.describe("the zone's id; `/hostedzone/` may stand before it"),
  // With a last digit: an availability zone, which ends in a letter, is a frequent mistake.
  region: matching(/^[a-z]+(?:-[a-z]+)+-\d{1,2}$/, "allowed an AWS region such as eu-central-1")
    .optional()
    .describe("where requests are signed for; default: the SDK's own, else us-east-1"),
  endpoint: serviceUrl.optional().describe("another server that speaks the API; default: AWS"),
  profile: text.optional().describe("a profile of the shared AWS files; not with `credentials`"),
  credentials: credentials
    .optional()
    .describe("keys in this file, which is a secret then; default: the SDK's own chain"),
  policy: oneOf(["geoproximity", "latency", "geolocation", "weighted"])
    .default("geoproximity")
    .describe("the kind of record sets, one for each cluster; with `strategy: geo`"),
};

const cloudDnsKeys = {
  project: project.describe("the project's id, not its number"),
  managedZone: managedZone.describe("the zone's name, not its number"),
  keyFile: text
    .optional()
    .describe(
      "a service account's key; default: Application Default Credentials; not with `baseUrl`",
    ),
  baseUrl: serviceUrl
    .optional()
    .describe("another server that speaks the API; no credentials are sent there; default: Google"),
  policy: oneOf(["geo", "wrr"])
    .default("geo")
    .describe(
      "`geo`: the nearest Google Cloud region; `wrr`: by chance, by weight; with `strategy: geo`",
    ),
};

/**
 * One mirror, read by its provider; `keyFile` is as written, relative to the file. What must hold
 * between keys and between mirrors is `mirrorProblems`.
 */
export const mirrorSchema = z
  .discriminatedUnion(
    "provider",
    [
      providerMap("route53", route53Keys, ["clouddns", cloudDnsKeys]),
      providerMap("clouddns", cloudDnsKeys, ["route53", route53Keys]),
    ],
    {
      error: (issue) =>
        issue.code === "invalid_union"
          ? "allowed route53 or clouddns"
          : "allowed a map with a provider",
    },
  )
  .transform(({ ttl, ...rest }): MirrorConfig => {
    const shared = { owner: rest.owner, ttlSeconds: ttl };
    if (rest.provider === "clouddns") {
      return { ...rest, ...shared, keyFile: rest.keyFile, baseUrl: rest.baseUrl };
    }
    const { region, endpoint, profile, credentials } = rest;
    return {
      ...rest,
      ...shared,
      region,
      endpoint,
      profile,
      credentials: credentials && { ...credentials, sessionToken: credentials.sessionToken },
    };
  });

/**
 * Whether the value at this path of the server's file may hold a secret, so that no message may show
 * it: all credentials, a URL with what looks like a user name, and what should have been a map.
 */
export function isMirrorSecret([spec, mirror, , key]: Path, value: unknown): boolean {
  if (spec !== "spec" || mirror !== "mirror") return false;
  if (key === undefined || key === "credentials") return true;
  return (key === "endpoint" || key === "baseUrl") && String(value).includes("@");
}

/** A map of the keys of one provider; those of the other are refused by that name. */
function providerMap<const Provider extends string, Keys extends z.ZodRawShape>(
  provider: Provider,
  keys: Keys,
  [other, otherKeys]: readonly [name: string, keys: z.ZodRawShape],
) {
  const shape = {
    provider: z.literal(provider).describe("whose zone it is; the other keys go by it"),
    ...sharedKeys,
    ...keys,
  };
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== "unrecognized_keys") return "allowed a map with a provider";
      return issue.keys
        .map((key) =>
          key in otherKeys
            ? `unknown key "${key}" of provider ${provider}, it is one of ${other}`
            : `unknown key "${key}"${suggestion(key, Object.keys(shape))}`,
        )
        .join("\n");
    },
  });
}

function matching(pattern: RegExp, allowed: string) {
  return z.string({ error: allowed }).regex(pattern, { error: allowed });
}

/** Nicknames such as `@daily` are none: they say nothing of how often a zone is read. */
function isSchedule(expression: string): boolean {
  const fields = expression.trim().split(/\s+/).length;
  if (fields !== 5 && fields !== 6) return false;
  // Files are read at once, without waiting, so this cannot be an import at the time of need; the
  // module starts processes for others, of which this function has nothing.
  const { validate }: { validate: (pattern: string) => boolean } = require("node-cron");
  return validate(expression);
}

const require = createRequire(import.meta.url);
