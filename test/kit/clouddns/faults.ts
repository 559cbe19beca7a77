// What a test wants to go wrong: which requests, how often, how. It must not know HTTP or zones.

import {
  accessNotConfigured,
  authError,
  backendError,
  forbidden,
  type Refusal,
  rateLimitExceeded,
} from "./refusal.ts";
import type { Operation } from "./requests.ts";

export interface Fault {
  readonly kind: /** The connection breaks without an answer. */
    | "drop"
    /** No answer comes until the server stops. */
    | "hang"
    | "error-500"
    /** With a page of HTML, as front ends answer. */
    | "error-502"
    | "error-503"
    /** Too many requests, said with 429 and with 403. */
    | "rate-limit-429"
    | "rate-limit-403"
    | "forbidden"
    /** The API is not switched on in the project. */
    | "access-not-configured"
    | "unauthorized";
  /** Whether what was asked is done all the same; default `false`. */
  readonly isApplied?: boolean;
  /** Default: all operations. */
  readonly operation?: Operation;
  /** So many requests of the operation pass first; default 0. */
  readonly after?: number;
  /** How often it happens; default: until it is taken back. */
  readonly times?: number;
  /** Sent as `Retry-After` with an error; default: not sent. */
  readonly retryAfterSeconds?: number;
}

/** Counts the requests that a fault lets pass and those that it meets. */
export class FaultWindow {
  readonly #fault: Fault;
  #seen = 0;

  constructor(fault: Fault) {
    this.#fault = fault;
  }

  /** The fault, if it meets this request. Each request is to be asked about once. */
  meets(operation: Operation): Fault | undefined {
    const { after = 0, times = Number.POSITIVE_INFINITY } = this.#fault;
    if (this.#fault.operation !== undefined && this.#fault.operation !== operation) {
      return undefined;
    }
    const at = this.#seen++;
    return at >= after && at < after + times ? this.#fault : undefined;
  }
}

/** How a request that the fault meets ends. */
export function outcomeOf({ kind }: Fault): "drop" | "hang" | Refusal {
  switch (kind) {
    case "drop":
    case "hang":
      return kind;
    case "error-500":
      return backendError(500);
    case "error-502":
      return backendError(502);
    case "error-503":
      return backendError(503);
    case "rate-limit-429":
      return rateLimitExceeded(429);
    case "rate-limit-403":
      return rateLimitExceeded(403);
    case "forbidden":
      return forbidden();
    case "access-not-configured":
      return accessNotConfigured();
    case "unauthorized":
      return authError();
  }
}
