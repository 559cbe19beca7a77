// The fields that a Federation sets for all services and a FederatedService for one: TTLs, answer
// mode, health check. It knows their ranges; defaults of the federation stand with its schema.

import { z } from "zod";
import { flag, integer, oneOf, parsed, strictMap } from "./fields.ts";
import {
  expectedBody,
  hostRule,
  parseAskedName,
  parseProbeHost,
  probePath,
} from "./probe-fields.ts";

/** Seconds that a TTL may have (RFC 2181 section 8). */
export const ttlSeconds = integer(0, 2_147_483_647);

/** `ttl: 180` is short for `ttl: { max: 180 }`. */
export function ttlOrMax<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((value) => (typeof value === "object" ? value : { max: value }), schema);
}

/** Refuses a least TTL above the greatest; absent ones and those that are no numbers are not compared. */
export const isTtlRange = (ttl: { max?: number | undefined; min?: number | undefined }): boolean =>
  typeof ttl.max !== "number" || typeof ttl.min !== "number" || !(ttl.min > ttl.max);

/** Where and how that refusal is reported, and that other faults in the map do not hide it. */
export const ttlRangeRefusal = {
  path: ["min"],
  error: "allowed at most ttl.max",
  when: ({ value }: { value: unknown }): boolean => typeof value === "object" && value !== null,
};

export const answerMode = oneOf(["ordered", "nearest"]);
export const maxAddresses = integer(1, 1000);
export const percent = integer(0, 100);
export const onAllDown = oneOf(["open", "empty", "servfail"]);

/** `200-399,404`: status codes and ranges of them, each from 100 to 599. */
const statusRanges = parsed(
  "allowed status codes and ranges from 100 to 599 such as 200-399,404",
  (text) => (isStatusRanges(text) ? text : undefined),
);

/** A port number, or a port's name as Kubernetes has them (RFC 6335 section 5.1): one letter at least. */
const portRule = { error: "allowed a port number from 1 to 65535 or a port name" };
const portNumberOrName = z.union(
  [
    z.int(portRule).min(1, portRule).max(65535, portRule),
    z.string(portRule).regex(/^(?=.*[a-z])[a-z0-9]([-a-z0-9]{0,13}[a-z0-9])?$/, portRule),
  ],
  portRule,
);

/** How an endpoint is probed. Times in seconds; `fall` and `rise` are numbers of results. */
export const healthCheck = strictMap({
  type: oneOf(["http", "https", "tcp", "dns"]),
  port: portNumberOrName.optional(),
  path: probePath.default("/"),
  // A probe may last longer than the interval: the next one is then left out.
  intervalSeconds: integer(1, 3600).default(10),
  timeoutSeconds: integer(1, 600).default(3),
  fall: integer(1, 100).default(3),
  rise: integer(1, 100).default(2),
  rampSeconds: integer(0, 3600).default(0),
  maxEjectPercent: percent.default(100),
  // A YAML number, as in `expectStatus: 200`, is one status code.
  expectStatus: z
    .preprocess((value) => (typeof value === "number" ? String(value) : value), statusRanges)
    .default("200-399"),
  expectBody: expectedBody.optional(),
  host: z.string({ error: hostRule.other }).optional(),
  insecureSkipVerify: flag.default(false),
})
  .refine(({ type, host }) => host === undefined || hostFor(type, host) !== undefined, {
    path: ["host"],
    // Other faults of the check do not hide this one, but it takes a type and a host to judge.
    when: ({ value }) => isTypedHost(value),
    error: ({ input }) =>
      isTypedHost(input) && input.type === "dns" ? hostRule.dns : hostRule.other,
  })
  .transform(({ type, host, ...rest }) => ({
    type,
    ...rest,
    host: host === undefined ? undefined : hostFor(type, host),
  }));

/** The host as probes write it; `undefined` if this type cannot ask for it. */
function hostFor(type: string, host: string): string | undefined {
  return type === "dns" ? parseAskedName(host) : parseProbeHost(host);
}

function isTypedHost(value: unknown): value is { type: string; host: string } {
  if (typeof value !== "object" || value === null) return false;
  return (
    "type" in value &&
    typeof value.type === "string" &&
    "host" in value &&
    typeof value.host === "string"
  );
}

function isStatusRanges(text: string): boolean {
  return text.split(",").every((part) => {
    const [, first = "", last = first] = /^\s*(\d{3})(?:-(\d{3}))?\s*$/.exec(part) ?? [];
    return first >= "100" && last <= "599" && first <= last;
  });
}
