// The errors of the Cloud DNS API v1, with the status, reason and sentence of each. It knows how they
// read; it must not know when they are due.
// https://cloud.google.com/dns/docs/error-messages

/** One reason why a request is refused. */
export interface RefusalReason {
  /** The service's word: `alreadyExists`. */
  readonly reason: string;
  readonly message: string;
}

/** A request is refused, for one reason or several of the same status. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly httpStatus: number;
  readonly reasons: readonly RefusalReason[];
  /** The canonical code, such as `UNAUTHENTICATED`, where the service gives one. */
  readonly status: string | undefined;

  constructor(httpStatus: number, reasons: readonly RefusalReason[], status?: string) {
    super(reasons[0]?.message ?? "");
    this.httpStatus = httpStatus;
    this.reasons = reasons;
    this.status = status;
  }

  /** The body of the answer. */
  toJSON(): unknown {
    return {
      error: {
        code: this.httpStatus,
        message: this.message,
        errors: this.reasons.map(({ reason, message }) => ({ message, domain: "global", reason })),
        ...(this.status === undefined ? {} : { status: this.status }),
      },
    };
  }
}

/** A field says what it cannot say, whatever the zone holds. `field` is its path in the request. */
export function invalid(field: string, value: unknown): Refusal {
  const shown = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return refusal(400, "invalid", `Invalid value for '${field}': '${shown}'`);
}

export function required(field: string): Refusal {
  return refusal(400, "required", `The '${field}' parameter is required but was missing.`);
}

export function notFound(field: string, name: string): Refusal {
  return refusal(404, "notFound", `The '${field}' resource named '${name}' does not exist.`);
}

export function alreadyExists(field: string, name: string): Refusal {
  return refusal(409, "alreadyExists", `The resource '${field}' named '${name}' already exists`);
}

export function conditionNotMet(field: string): Refusal {
  return refusal(412, "conditionNotMet", `Precondition not met for '${field}'`);
}

/** What is asked breaks a rule of DNS: `reason` is the service's word for the rule. */
export function againstRule(reason: string, message: string): Refusal {
  return refusal(400, reason, message);
}

/** Each limit as in `additions per change`. */
export function quotaExceeded(...limits: readonly string[]): Refusal {
  const reasons = limits.map((limit) => ({
    reason: "quotaExceeded",
    message: `The change would exceed quota for ${limit}.`,
  }));
  return new Refusal(403, reasons);
}

/** Too many requests; the service says it with either status. */
export function rateLimitExceeded(httpStatus: 403 | 429): Refusal {
  const reason = "rateLimitExceeded";
  if (httpStatus === 403) return refusal(403, reason, "Rate Limit Exceeded");
  const message = "Resource has been exhausted (e.g. check quota).";
  return refusal(429, reason, message, "RESOURCE_EXHAUSTED");
}

/** The credentials allow nothing here. */
export function forbidden(): Refusal {
  return refusal(403, "forbidden", "Forbidden");
}

export function accessNotConfigured(): Refusal {
  const message =
    "Cloud DNS API has not been used in project 1000 before or it is disabled. Enable it, then retry.";
  return refusal(403, "accessNotConfigured", message, "PERMISSION_DENIED");
}

/** The credentials do not hold. */
export function authError(): Refusal {
  const message =
    "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.";
  return refusal(401, "authError", message, "UNAUTHENTICATED");
}

/** Something is broken at the service itself. */
export function backendError(httpStatus: 500 | 502 | 503): Refusal {
  return httpStatus === 500
    ? refusal(500, "backendError", "Internal error encountered.", "INTERNAL")
    : refusal(httpStatus, "backendError", "The service is currently unavailable.", "UNAVAILABLE");
}

/** The API has no such path. */
export function noSuchPath(): Refusal {
  return refusal(404, "notFound", "Not Found");
}

/** A body is no JSON object, or has what the API does not know. */
export function badPayload(message: string): Refusal {
  return refusal(
    400,
    "badRequest",
    `Invalid JSON payload received. ${message}`,
    "INVALID_ARGUMENT",
  );
}

function refusal(httpStatus: number, reason: string, message: string, status?: string): Refusal {
  return new Refusal(httpStatus, [{ reason, message }], status);
}
