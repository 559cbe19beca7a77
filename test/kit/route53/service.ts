// The way of a request through the stand-in: limits, faults, access, operation, answer, and what is
// remembered of it. It knows requests that have been read; it must not listen to anything.

import { checkAccess, standInKey } from "./access.ts";
import type { SentChange } from "./change.ts";
import { type BatchSize, batchSize } from "./change-batch.ts";
import { type FaultKind, FaultState, faultRefusal } from "./faults.ts";
import type { HostedZone } from "./hosted-zone.ts";
import {
  Account,
  type Asked,
  findRoute,
  type Operation,
  type Route,
  readBatch,
} from "./operations.ts";
import type { Clock, Route53Options } from "./options.ts";
import { Refusal, refusalXml } from "./refusal.ts";
import { readAuthorization, type SignedRequest } from "./signature.ts";

/** One request that came whole, refused ones too. */
export interface Call extends BatchSize {
  /** When it came, in milliseconds of the clock. */
  readonly at: number;
  /** `unknown` for a method and path that Route 53 does not have. */
  readonly operation: Operation | "unknown";
  readonly accessKeyId: string | undefined;
  /** 0: no answer was sent. */
  readonly status: number;
  /** The refusal's code. */
  readonly code: string | undefined;
  /** What a ChangeResourceRecordSets asked to change, whether it was done or not. */
  readonly asked: readonly SentChange[];
}

/** What becomes of a request. */
export type Outcome =
  | { readonly kind: "answer"; readonly status: number; readonly body: string }
  /** The connection ends. */
  | { readonly kind: "drop" }
  /** Nothing comes. */
  | { readonly kind: "hang" };

export class Service {
  /** In the order in which they were carried out. */
  readonly calls: Call[] = [];
  readonly faults = new FaultState();
  readonly #account: Account;
  readonly #options: Route53Options;
  readonly #clock: Clock;
  /** When the requests of the last second came. */
  #accepted: number[] = [];
  /** The zones of changes that came and were not carried out yet. */
  readonly #changing: string[] = [];
  #answers = 0;

  constructor(zones: readonly HostedZone[], options: Route53Options, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
    this.#account = new Account(zones, {
      pendingReads: 1,
      pendingMs: 0,
      mostRoutedValues: options.mostRoutedValues ?? Number.POSITIVE_INFINITY,
      mostRecordSets: options.mostRecordSets ?? Number.POSITIVE_INFINITY,
      ...options.propagation,
    });
  }

  /** Takes a request, half the latency before it is carried out and half after. */
  async take(request: SignedRequest): Promise<Outcome> {
    const at = this.#clock.now();
    const route = findRoute(request.method, request.url.pathname);
    const operation = route?.operation ?? "unknown";
    const overload = this.#overload(at, route);
    const fault = this.faults.next(operation) ?? overload;
    const changed = operation === "ChangeResourceRecordSets" ? route?.id : undefined;
    if (changed !== undefined) this.#changing.push(changed);
    await this.#wait();
    if (changed !== undefined) this.#changing.splice(this.#changing.indexOf(changed), 1);
    const batch = readBatch(operation, request.body);
    const { status, body, code } = this.#carryOut(request, batch, fault);
    const changes = batch === undefined || batch instanceof Refusal ? [] : batch.changes;
    const kind = silence(fault);
    this.calls.push({
      at,
      operation,
      accessKeyId: readAuthorization(request.headers.authorization ?? "")?.accessKeyId,
      status: kind === undefined ? status : 0,
      code,
      asked: changes,
      ...batchSize(changes),
    });
    await this.#wait();
    return kind === undefined ? { kind: "answer", status, body } : { kind };
  }

  /** A new id for an answer. */
  requestId(): string {
    return `00000000-0000-4000-8000-${String(++this.#answers).padStart(12, "0")}`;
  }

  #carryOut(
    request: SignedRequest,
    batch: Asked["batch"],
    fault: FaultKind | undefined,
  ): { readonly status: number; readonly body: string; readonly code: string | undefined } {
    if (fault === "drop-before" || fault === "hang-before") {
      return { status: 0, body: "", code: undefined };
    }
    try {
      const refusal = faultRefusal(fault);
      if (refusal !== undefined) throw refusal;
      const body = this.#perform(request, batch);
      return { status: 200, body, code: undefined };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const form = this.#options.refusalForm ?? "error-response";
      const body = refusalXml(error, form, this.requestId());
      return { status: error.status, body, code: error.code };
    }
  }

  #perform(request: SignedRequest, batch: Asked["batch"]): string {
    const route = findRoute(request.method, request.url.pathname);
    if (route === undefined) {
      const message = `There is no such operation: ${request.method} ${request.url.pathname}`;
      throw new Refusal(404, "UnknownOperationException", message);
    }
    const kind = route.operation === "GetChange" ? "change" : "hostedzone";
    const resource = `arn:aws:route53:::${kind}/${route.id}`;
    checkAccess(request, this.#options.credentials ?? [standInKey], route.operation, resource);
    const query = request.url.searchParams;
    return this.#account.perform(route, { query, batch, now: this.#clock.now() });
  }

  /** Counts a request, unless it is one too many: those do not count against later ones. */
  #overload(at: number, route: Route | undefined): FaultKind | undefined {
    const { requestsPerSecond = Number.POSITIVE_INFINITY, refusesOverlap = false } = this.#options;
    this.#accepted = this.#accepted.filter((earlier) => at - earlier < 1000);
    if (this.#accepted.length >= requestsPerSecond) return "throttling";
    this.#accepted.push(at);
    const isChange = route?.operation === "ChangeResourceRecordSets";
    if (!refusesOverlap || !isChange || !this.#changing.includes(route.id)) return undefined;
    return "prior-request-not-complete";
  }

  async #wait(): Promise<void> {
    const { latencyMs = 0 } = this.#options;
    if (latencyMs > 0) await this.#clock.sleep(latencyMs / 2);
  }
}

function silence(fault: FaultKind | undefined): "drop" | "hang" | undefined {
  if (fault === "drop-before" || fault === "drop-after") return "drop";
  return fault === "hang-before" || fault === "hang-after" ? "hang" : undefined;
}
