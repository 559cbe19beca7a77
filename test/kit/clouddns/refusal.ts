// The errors of the Cloud DNS API v1, with the status, reason and sentence of each. It knows how they
// read as JSON; it must not know when they are due.
// https://cloud.google.com/dns/docs/error-messages

/** One reason why a request is refused. */
export interface RefusalReason {
  readonly reason: string;
  readonly message: string;
}

/** A request is refused, for one reason or several of the same status. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly httpStatus: number;
  readonly reasons: readonly RefusalReason[];
  /** The canonical code (`PERMISSION_DENIED`) where the service gives one. */
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

/** `what` as in `additions per change`. */
export function quotaExceeded(...what: readonly string[]): Refusal {
  return new Refusal(
    403,
    what.map((limit) => ({
      reason: "quotaExceeded",
      message: `The change would exceed quota for ${limit}.`,
    })),
  );
}

/** Too many requests; the service says it with either status. */
export function rateLimitExceeded(httpStatus: 403 | 429): Refusal {
  return httpStatus === 429
    ? refusal(
        429,
        "rateLimitExceeded",
        "Resource has been exhausted (e.g. check quota).",
        "RESOURCE_EXHAUSTED",
      )
    : refusal(403, "rateLimitExceeded", "Rate Limit Exceeded");
}

/** The credentials allow nothing here. */
export function forbidden(): Refusal {
  return refusal(403, "forbidden", "Forbidden", "PERMISSION_DENIED");
}

/** The credentials do not hold. */
export function authError(): Refusal {
  return refusal(
    401,
    "authError",
    "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.",
    "UNAUTHENTICATED",
  );
}

/** Something is broken at the service itself. */
export function backendError(httpStatus: 500 | 502 | 503): Refusal {
  return httpStatus === 500
    ? refusal(500, "backendError", "Internal error encountered.", "INTERNAL")
    : refusal(
        httpStatus,
        "backendError",
        "The service is currently unavailable.",
        httpStatus === 503 ? "UNAVAILABLE" : undefined,
      );
}

function refusal(httpStatus: number, reason: string, message: string, status?: string): Refusal {
  return new Refusal(httpStatus, [{ reason, message }], status);
}
