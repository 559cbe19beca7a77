// What can be made to go wrong between a client and the stand-in. It must not know HTTP.

import { Refusal } from "./refusal.ts";

/** Something that goes wrong with requests. */
export interface Fault {
  readonly kind: FaultKind;
  /** Only requests of this operation; default: all. */
  readonly operation?: string;
  /** So many requests go well before; default 0. */
  readonly after?: number;
  /** So many requests go wrong; default: until the fault is taken away. */
  readonly times?: number;
}

export type FaultKind =
  /** The connection ends without an answer; nothing was done. */
  | "drop-before"
  /** The connection ends without an answer; what was asked is done. */
  | "drop-after"
  /** No answer comes; nothing was done. */
  | "hang-before"
  /** No answer comes; what was asked is done. */
  | "hang-after"
  | "internal-error"
  | "unavailable"
  | "throttling"
  | "prior-request-not-complete";

/** The refusal that a fault is, if it is one. */
export function faultRefusal(kind: FaultKind | undefined): Refusal | undefined {
  switch (kind) {
    case "internal-error":
      return new Refusal(500, "InternalFailure", "We encountered an internal error.");
    case "unavailable":
      return new Refusal(503, "ServiceUnavailable", "Service is unavailable");
    case "throttling":
      return new Refusal(400, "Throttling", "Rate exceeded");
    case "prior-request-not-complete":
      return new Refusal(
        400,
        "PriorRequestNotComplete",
        "The request was rejected because Route 53 was still processing a prior request.",
      );
    default:
      return undefined;
  }
}

/** The fault that is set, and how far it has come. */
export class FaultState {
  #fault: Fault | undefined;
  #seen = 0;

  set(fault: Fault | undefined): void {
    this.#fault = fault;
    this.#seen = 0;
  }

  /** What goes wrong with this request; counts it. */
  next(operation: string): FaultKind | undefined {
    const fault = this.#fault;
    if (fault === undefined) return undefined;
    if (fault.operation !== undefined && fault.operation !== operation) return undefined;
    const { after = 0, times = Number.POSITIVE_INFINITY } = fault;
    const at = this.#seen++;
    return at >= after && at < after + times ? fault.kind : undefined;
  }
}
