// A stand-in of Amazon Route 53 for tests: an HTTP server to which the real SDK talks, which keeps
// what Route 53 keeps and refuses what it refuses (API version 2013-04-01). It must not know who
// uses it. Does I/O.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { type AccessKey, checkAccess, standInKey } from "./access.ts";
import { type BatchSize, batchSize } from "./change-batch.ts";
import { type Fault, type FaultKind, FaultState, faultRefusal } from "./faults.ts";
import { HostedZone } from "./hosted-zone.ts";
import { Account, findRoute, type Propagation, type Route, sentChanges } from "./operations.ts";
import { Refusal, type RefusalForm, refusalXml } from "./refusal.ts";

export { standInKey } from "./access.ts";

export interface Route53Options {
  /** Ids in capitals and digits: `Z123`. SOA and NS stand at the apex from the start. */
  readonly zones: readonly { readonly id: string; readonly name: string }[];
  /** From a request to its answer; it is carried out half-way. Default 0. */
  readonly latencyMs?: number;
  /** More in any second are refused with Throttling; Route 53 takes 5. Default: no limit. */
  readonly requestsPerSecond?: number;
  readonly clock?: Clock;
  /** Who may call. Default: `standInKey` alone. */
  readonly credentials?: readonly AccessKey[];
  /** Until a change is in sync. Default: one question says PENDING, the next INSYNC. */
  readonly propagation?: Partial<Propagation>;
  /** Default: as Route 53 writes it today. */
  readonly refusalForm?: RefusalForm;
}

/** Where the stand-in's time comes from. */
export interface Clock {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<unknown>;
}

/** One request that came, refused ones too. */
export interface Call extends BatchSize {
  /** When it came, in milliseconds of the clock. */
  readonly at: number;
  /** `unknown` for a method and path that Route 53 does not have. */
  readonly operation: string;
  readonly accessKeyId: string | undefined;
  /** 0: none was sent. */
  readonly status: number;
  /** The refusal's code. */
  readonly code: string | undefined;
}

export interface Route53StandIn {
  readonly endpoint: string;
  /** A zone, to look into and to write by hand. Throws if there is none of this id. */
  readonly zone: (id: string) => HostedZone;
  /** In the order in which they were answered. */
  readonly calls: readonly Call[];
  /** Lets something go wrong from now on; `undefined`: nothing. */
  readonly setFault: (fault: Fault | undefined) => void;
  /** Ends the server and all connections. */
  readonly stop: () => Promise<void>;
}

/** Starts a stand-in on a free port of 127.0.0.1. */
export async function startRoute53(options: Route53Options): Promise<Route53StandIn> {
  const zones = options.zones.map(({ id, name }) => new HostedZone(id, name));
  const service = new Service(zones, options);
  const server = createServer((request, response) => {
    // A client that is gone in the middle of its request wants no answer.
    service.answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    zone: (id) => {
      const zone = zones.find((candidate) => candidate.id === id);
      if (zone === undefined) throw new Error(`cannot find a zone: none has this id, got ${id}`);
      return zone;
    },
    calls: service.calls,
    setFault: (fault) => service.faults.set(fault),
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** What is sent back; no status: nothing. */
interface Answer {
  readonly status: number;
  readonly body: string;
  readonly code?: string;
}

class Service {
  readonly calls: Call[] = [];
  readonly faults = new FaultState();
  readonly #account: Account;
  readonly #options: Route53Options;
  readonly #clock: Clock;
  /** When the requests of the last second came. */
  #accepted: number[] = [];
  #requests = 0;

  constructor(zones: readonly HostedZone[], options: Route53Options) {
    this.#options = options;
    this.#clock = options.clock ?? { now: Date.now, sleep };
    this.#account = new Account(zones, { pendingReads: 1, pendingMs: 0, ...options.propagation });
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const at = this.#clock.now();
    const url = new URL(request.url ?? "/", "http://route53");
    const route = findRoute(request.method ?? "", url.pathname);
    const operation = route?.operation ?? "unknown";
    const fault = this.faults.next(operation);
    const isTooFast = this.#isTooFast(at);
    const body = await text(request);
    const half = (this.#options.latencyMs ?? 0) / 2;
    if (half > 0) await this.#clock.sleep(half);

    const { authorization } = request.headers;
    const answer = this.#carryOut(route, fault, isTooFast, { url, body, authorization });
    if (half > 0) await this.#clock.sleep(half);
    const size = batchSize(operation === "ChangeResourceRecordSets" ? sentChanges(body) : []);
    const isSilent = fault?.startsWith("drop") === true || fault?.startsWith("hang") === true;
    this.calls.push({
      at,
      operation,
      accessKeyId: /Credential=([^/,]+)/.exec(authorization ?? "")?.[1],
      status: isSilent ? 0 : answer.status,
      code: answer.code,
      ...size,
    });
    if (fault?.startsWith("hang") === true) return;
    if (isSilent) {
      response.destroy();
      return;
    }
    response.writeHead(answer.status, {
      "content-type": "text/xml",
      "x-amzn-requestid": this.#requestId(),
    });
    response.end(answer.body);
  }

  #carryOut(
    route: Route | undefined,
    fault: FaultKind | undefined,
    isTooFast: boolean,
    asked: {
      readonly url: URL;
      readonly body: string;
      readonly authorization: string | undefined;
    },
  ): Answer {
    if (fault === "drop-before" || fault === "hang-before") return { status: 0, body: "" };
    try {
      if (isTooFast) throw new Refusal(400, "Throttling", "Rate exceeded");
      const refusal = faultRefusal(fault);
      if (refusal !== undefined) throw refusal;
      if (route === undefined) {
        throw new Refusal(404, "UnknownOperationException", "There is no such operation");
      }
      const kind = route.operation === "GetChange" ? "change" : "hostedzone";
      const resource = `arn:aws:route53:::${kind}/${route.id}`;
      const keys = this.#options.credentials ?? [standInKey];
      checkAccess(asked.authorization, keys, route.operation, resource);
      const query = asked.url.searchParams;
      const now = this.#clock.now();
      return { status: 200, body: this.#account.perform(route, { query, body: asked.body, now }) };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const form = this.#options.refusalForm ?? "error-response";
      const body = refusalXml(error, form, this.#requestId());
      return { status: error.status, code: error.code, body };
    }
  }

  /** Counts a request, unless it is one too many. */
  #isTooFast(at: number): boolean {
    const { requestsPerSecond = Number.POSITIVE_INFINITY } = this.#options;
    this.#accepted = this.#accepted.filter((earlier) => at - earlier < 1000);
    if (this.#accepted.length >= requestsPerSecond) return true;
    this.#accepted.push(at);
    return false;
  }

  #requestId(): string {
    return `00000000-0000-4000-8000-${String(++this.#requests).padStart(12, "0")}`;
  }
}
