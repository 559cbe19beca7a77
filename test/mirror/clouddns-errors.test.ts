// What failures of the Cloud DNS API mean, and the sentences that people read.

import { expect } from "chai";
import {
  answerFailure,
  type CloudDnsFailure,
  type CloudDnsOperation,
  cloudDnsError,
  isPassing,
  isThrottle,
} from "../../src/mirror/clouddns-errors.ts";

const nowMs = Date.parse("2026-01-01T00:00:00Z");

describe("failures of Cloud DNS", () => {
  const kinds: { name: string; status: number; reason?: string; expected: string }[] = [
    { name: "too many requests", status: 429, expected: "throttle" },
    {
      name: "the rate limit by 403",
      status: 403,
      reason: "rateLimitExceeded",
      expected: "throttle",
    },
    {
      name: "the user's rate limit",
      status: 403,
      reason: "userRateLimitExceeded",
      expected: "throttle",
    },
    { name: "a fault of the service", status: 500, expected: "passing" },
    { name: "a fault before the service", status: 502, expected: "passing" },
    { name: "no permission", status: 403, reason: "forbidden", expected: "final" },
    { name: "a quota", status: 403, reason: "quotaExceeded", expected: "final" },
    { name: "an invalid request", status: 400, expected: "final" },
    { name: "a conflict", status: 409, expected: "final" },
    { name: "a time-out of the service", status: 408, expected: "final" },
    { name: "a page that is none of the API", status: 200, expected: "final" },
  ];
  for (const { name, status, reason, expected } of kinds) {
    it(`${name} (${status} ${reason ?? "without reason"}) is ${expected}`, () => {
      const found = failure(status, reason);
      const kind = isThrottle(found) ? "throttle" : isPassing(found) ? "passing" : "final";
      expect(kind).to.equal(expected);
    });
  }

  const silent: CloudDnsFailure = {
    kind: "silence",
    host: "dns.googleapis.com",
    cause: "ENOTFOUND",
  };
  const sentences: {
    failure: CloudDnsFailure;
    operation?: CloudDnsOperation;
    code: string;
    message: string;
  }[] = [
    {
      failure: silent,
      code: "unavailable",
      message:
        "cannot change the records of shop/main in Cloud DNS: dns.googleapis.com does not answer, got ENOTFOUND",
    },
    {
      failure: failure(503, "backendError", "The service is currently unavailable."),
      code: "unavailable",
      message:
        'cannot change the records of shop/main in Cloud DNS: the service fails, got 503 backendError "The service is currently unavailable"',
    },
    {
      failure: failure(
        403,
        "forbidden",
        "Denied on resource '//dns.googleapis.com/projects/shop': dns.resourceRecordSets.create.",
      ),
      code: "denied",
      message: `cannot change the records of shop/main in Cloud DNS: the credentials do not allow it, it takes dns.resourceRecordSets.create, got 403 forbidden "Denied on resource '//dns.googleapis.com/projects/shop': dns.resourceRecordSets.create"`,
    },
    {
      failure: failure(403, "accessNotConfigured", "Cloud DNS API has not been used."),
      operation: "dns.managedZones.get",
      code: "denied",
      message:
        'cannot read the zone shop/main in Cloud DNS: the API is not switched on in the project, got 403 accessNotConfigured "Cloud DNS API has not been used"',
    },
    {
      failure: failure(
        403,
        "quotaExceeded",
        "The change would exceed quota for additions per change.",
      ),
      code: "quota",
      message:
        'cannot change the records of shop/main in Cloud DNS: a quota of the project is reached, got 403 quotaExceeded "The change would exceed quota for additions per change"',
    },
    {
      failure: failure(413),
      code: "quota",
      message:
        "cannot change the records of shop/main in Cloud DNS: a quota of the project is reached, got 413",
    },
    {
      failure: failure(
        404,
        "notFound",
        "The 'parameters.managedZone' resource named 'main' does not exist.",
      ),
      code: "no-zone",
      message: `cannot change the records of shop/main in Cloud DNS: there is no such project or managed zone, got 404 notFound "The 'parameters.managedZone' resource named 'main' does not exist"`,
    },
    {
      failure: failure(
        404,
        "notFound",
        "The 'entity.change.deletions[0]' resource named 'a. (A)' does not exist.",
      ),
      code: "refused",
      message: `cannot change the records of shop/main in Cloud DNS: it was refused, got 404 notFound "The 'entity.change.deletions[0]' resource named 'a. (A)' does not exist"`,
    },
    {
      failure: failure(400, "invalid", "Invalid value for 'parameters.project': 'a b'"),
      operation: "dns.projects.get",
      code: "no-zone",
      message: `cannot read the project shop in Cloud DNS: there is no such project or managed zone, got 400 invalid "Invalid value for 'parameters.project': 'a b'"`,
    },
    {
      failure: failure(400, "invalid", "Invalid value for 'parameters.name'"),
      operation: "dns.resourceRecordSets.list",
      code: "refused",
      message: `cannot read the records of shop/main in Cloud DNS: it was refused, got 400 invalid "Invalid value for 'parameters.name'"`,
    },
    {
      failure: answerFailure(200, "<html>\n\nWelcome</html>", null, nowMs),
      operation: "dns.changes.get",
      code: "unavailable",
      message:
        "cannot read the changes of shop/main in Cloud DNS: this is no answer of its API, got 200",
    },
  ];
  for (const { failure, operation = "dns.changes.create", code, message } of sentences) {
    it(`says ${code}: ${message}`, () => {
      const error = cloudDnsError(operation, "shop/main", failure);
      expect({ code: error.code, message: error.message }).to.deep.equal({ code, message });
    });
  }

  it("a message of the service is one line of bounded length", () => {
    const { message } = cloudDnsError(
      "dns.changes.create",
      "shop/main",
      failure(500, "x", `a\n  b\t${"c".repeat(9999)}`),
    );
    expect(message).to.match(/got 500 x "a b c{296}…"$/);
  });

  const patience: [header: string | null, expectedMs: number | undefined][] = [
    [null, undefined],
    ["7", 7000],
    ["Thu, 01 Jan 2026 00:00:05 GMT", 5000],
    ["Wed, 31 Dec 2025 23:59:00 GMT", 0],
    ["soon", undefined],
  ];
  for (const [header, expectedMs] of patience) {
    it(`reads Retry-After: ${header ?? "none"} as ${expectedMs ?? "nothing"}`, () => {
      expect(answerFailure(429, {}, header, nowMs)).to.have.property("retryAfterMs", expectedMs);
    });
  }
});

function failure(status: number, reason?: string, message = ""): CloudDnsFailure {
  const errors = reason === undefined ? [] : [{ reason, message, domain: "global" }];
  return answerFailure(status, { error: { code: status, message, errors } }, null, nowMs);
}
