// What an answer of the Cloud DNS API that is no success means: whether to ask again, and the
// sentence that people read. It must not know how requests are sent.

import { z } from "zod";
import { MirrorError } from "./provider.ts";

/** What a request is about; also a permission that it needs. */
export type CloudDnsOperation =
  | "dns.projects.get"
  | "dns.managedZones.get"
  | "dns.resourceRecordSets.list"
  | "dns.changes.create"
  | "dns.changes.get";

/** A request that did not succeed. */
export type CloudDnsFailure =
  | {
      readonly kind: "answer";
      /** 300 or more; 200 with a body that is none of the API. */
      readonly status: number;
      /** `alreadyExists`, `rateLimitExceeded` ... */
      readonly reasons: readonly string[];
      /** The first reason in words. */
      readonly message: string;
      readonly retryAfterMs: number | undefined;
    }
  | {
      readonly kind: "silence";
      /** `dns.googleapis.com` */
      readonly host: string;
      /** `ECONNREFUSED`, `no answer after 20 s` */
      readonly cause: string;
    };

/** https://cloud.google.com/apis/design/errors, in the form of v1: reasons in a list. */
const errorBody = z.object({
  error: z.object({
    message: z.string().catch(""),
    errors: z
      .array(z.object({ reason: z.string().catch(""), message: z.string().catch("") }))
      .catch([]),
  }),
});

/**
 * An answer as a failure.
 * @param retryAfter the header `Retry-After`: seconds, or a date (RFC 9110 section 10.2.3)
 * @param nowMs since 1970, for dates
 */
export function answerFailure(
  status: number,
  body: unknown,
  retryAfter: string | null,
  nowMs: number,
): CloudDnsFailure {
  const { data } = errorBody.safeParse(body);
  const errors = data?.error.errors ?? [];
  return {
    kind: "answer",
    status,
    reasons: errors.map(({ reason }) => reason),
    message: plainWords(errors[0]?.message || data?.error.message || ""),
    retryAfterMs: readRetryAfter(retryAfter, nowMs),
  };
}

/** The service asks for patience: 429, or 403 by its rate limits. */
export function isThrottle(failure: CloudDnsFailure): boolean {
  return (
    failure.kind === "answer" &&
    (failure.status === 429 ||
      (failure.status === 403 &&
        failure.reasons.some((reason) => /^(user)?RateLimitExceeded$/i.test(reason))))
  );
}

/** Worth another attempt: patience was asked for, the service is ill, or there was no answer. */
export function isPassing(failure: CloudDnsFailure): boolean {
  return failure.kind === "silence" || failure.status >= 500 || isThrottle(failure);
}

/**
 * What the failure of the last attempt comes to.
 * @param zone `my-project/my-zone`
 */
export function cloudDnsError(
  operation: CloudDnsOperation,
  zone: string,
  failure: CloudDnsFailure,
): MirrorError {
  const subject = operation === "dns.projects.get" ? zone.split("/")[0] : zone;
  const cannot = `cannot ${deeds[operation]} ${subject} in Cloud DNS`;
  if (failure.kind === "silence") {
    return new MirrorError(
      "unavailable",
      `${cannot}: ${failure.host} does not answer, got ${failure.cause}`,
    );
  }
  const { status, reasons, message } = failure;
  const got = `got ${status}${reasons[0] ? ` ${reasons[0]}` : ""}${message ? ` "${message}"` : ""}`;
  if (isThrottle(failure)) {
    return new MirrorError("unavailable", `${cannot}: it asks for fewer requests, ${got}`);
  }
  if (status === 401) {
    return new MirrorError("credentials", `${cannot}: the credentials are not accepted, ${got}`);
  }
  if (status === 413 || (status === 403 && reasons.some((reason) => quotaReasons.has(reason)))) {
    return new MirrorError("quota", `${cannot}: a quota of the project is reached, ${got}`);
  }
  if (status === 403) {
    const problem = reasons.includes("accessNotConfigured")
      ? "the API is not switched on in the project"
      : `the credentials do not allow it, it takes ${permissionsFor(operation, message)}`;
    return new MirrorError("denied", `${cannot}: ${problem}, ${got}`);
  }
  if (isMissingZone(operation, failure)) {
    return new MirrorError(
      "no-zone",
      `${cannot}: there is no such project or managed zone, ${got}`,
    );
  }
  if (status >= 400 && status < 500 && status !== 408) {
    return new MirrorError("refused", `${cannot}: it was refused, ${got}`);
  }
  const problem = status < 400 ? "this is no answer of its API" : "the service fails";
  return new MirrorError("unavailable", `${cannot}: ${problem}, ${got}`);
}

const deeds: Readonly<Record<CloudDnsOperation, string>> = {
  "dns.projects.get": "read the project",
  "dns.managedZones.get": "read the zone",
  "dns.resourceRecordSets.list": "read the records of",
  "dns.changes.create": "change the records of",
  "dns.changes.get": "read the changes of",
};

/** What the message names, else all: the service often says no more than `Forbidden`. */
function permissionsFor(operation: CloudDnsOperation, message: string): string {
  const named = /\bdns\.(?!googleapis)[a-zA-Z]+\.[a-zA-Z]+\b/.exec(message)?.[0];
  if (named !== undefined) return named;
  return operation === "dns.changes.create"
    ? "dns.changes.create and dns.resourceRecordSets.create, update and delete"
    : operation;
}

const quotaReasons: ReadonlySet<string> = new Set([
  "quotaExceeded",
  "dailyLimitExceeded",
  "limitExceeded",
]);

/** The paths of requests name project and zone; a change may also meet records that are missing. */
function isMissingZone(
  operation: CloudDnsOperation,
  { status, message }: Extract<CloudDnsFailure, { kind: "answer" }>,
): boolean {
  if (operation === "dns.changes.create") return status === 404 && !message.includes("entity.");
  if (operation === "dns.changes.get") return false;
  return status === 404 || (status === 400 && operation !== "dns.resourceRecordSets.list");
}

function readRetryAfter(text: string | null, nowMs: number): number | undefined {
  if (text === null) return undefined;
  if (/^\s*\d+\s*$/.test(text)) return Number(text) * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}

/** One line of bounded length: a message may be a page of HTML, or end with a full stop. */
function plainWords(message: string): string {
  const line = message.replace(/\s+/g, " ").trim().replace(/\.$/, "");
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
}
