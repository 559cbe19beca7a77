// A stand-in of Google Cloud DNS that real clients can talk to: it keeps what the service keeps,
// refuses what it refuses, and fails as a test wants. It must not know who asks. Does I/O.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as realPause } from "node:timers/promises";
import { type ApiState, answerRequest, type Project } from "./api.ts";
import { type ApiQuota, type ApiRecordSet, usualQuota } from "./api-types.ts";
import { type Fault, FaultWindow, outcomeOf } from "./faults.ts";
import { RateWindow } from "./rate-window.ts";
import { badPayload, noSuchPath, Refusal, rateLimitExceeded } from "./refusal.ts";
import { type ApiRequest, type Operation, readRequest } from "./requests.ts";
import { type ChangeBody, type CloudZone, ManagedZone } from "./zone.ts";

export interface CloudDnsOptions {
  readonly projects: Readonly<Record<string, CloudDnsProject>>;
  /** How long each answer takes; what is asked is done half way. Default 0. */
  readonly latencyMs?: number;
  /** How the latency is waited for; default: by real timers. */
  readonly pause?: (ms: number) => Promise<unknown>;
  /** Of all projects and operations together; default: as many as come. */
  readonly requestsPerMinute?: number;
  readonly requestsPerSecond?: number;
  /** What a request over the rate gets; default 429. */
  readonly rateLimitStatus?: 403 | 429;
  /** How long changes stay pending, by the clock; default 0: the first look at one finds it done. */
  readonly pendingMs?: number;
  /** Items of a page where a request does not say; default 100, as the service. */
  readonly pageSize?: number;
  /** Items of a page whatever a request says; default 1000, as the service has some such limit. */
  readonly largestPage?: number;
  /** Milliseconds since 1970; default `Date.now`. */
  readonly clock?: () => number;
  /** Default 0: any that is free. */
  readonly port?: number;
}

export interface CloudDnsProject {
  readonly zones: readonly { readonly name: string; readonly dnsName: string }[];
  /** What differs from the limits of a new project. */
  readonly quota?: Partial<ApiQuota>;
}

/** One that listens. */
export interface CloudDns {
  /** `http://127.0.0.1:PORT/dns/v1` */
  readonly baseUrl: string;
  /** All requests that came whole, in order of arrival. */
  readonly calls: readonly CloudDnsCall[];
  /** @throws Error if there is none */
  zone(project: string, name: string): CloudZone;
  /** What goes wrong from now on; `undefined`: nothing. */
  setFault(fault: Fault | undefined): void;
  /** Breaks all connections, ends hanging requests and frees the port. */
  stop(): Promise<void>;
}

export interface CloudDnsCall {
  /** When it came, by the clock. */
  readonly at: number;
  readonly operation: Operation;
  /** HTTP status; 0: no answer was or will be given. */
  readonly status: number;
  /** Whether it came with credentials, of any kind. */
  readonly hasCredentials: boolean;
  /** What it asked for, as it came; empty unless it is a change. */
  readonly additions: readonly ApiRecordSet[];
  readonly deletions: readonly ApiRecordSet[];
}

/** Rejects with the system's error if it cannot listen. */
export async function startCloudDns(options: CloudDnsOptions): Promise<CloudDns> {
  const { clock = Date.now, latencyMs = 0, pause = realPause, pendingMs = 0 } = options;
  const projects = new Map(Object.entries(options.projects).map(projectEntry));
  const state: ApiState = {
    projects,
    pageSizes: { usual: options.pageSize ?? 100, largest: options.largestPage ?? 1000 },
    isDone: ({ startTime }) => clock() - Date.parse(startTime) >= pendingMs,
  };
  const rates = [
    new RateWindow(options.requestsPerMinute, 60_000),
    new RateWindow(options.requestsPerSecond, 1000),
  ];
  const calls: CloudDnsCall[] = [];
  let faults: FaultWindow | undefined;

  /** What a request ends with; what is no refusal and no word of a fault is a good answer. */
  const outcomeOfRequest = (request: ApiRequest, body: ChangeBody, fault?: Fault): unknown => {
    if (fault && fault.isApplied !== true) return outcomeOf(fault);
    const at = clock();
    if (!rates.every((rate) => rate.hasRoom(at))) {
      return rateLimitExceeded(options.rateLimitStatus ?? 429);
    }
    for (const rate of rates) rate.admit(at);
    let answer: unknown;
    try {
      answer = answerRequest(request, body, state, at);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      answer = error;
    }
    return fault ? outcomeOf(fault) : answer;
  };

  const handle = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(message);
    const request = readRequest(message.method ?? "", message.url ?? "");
    if (!request) return respond(response, noSuchPath());
    if (!body) return respond(response, badPayload("It is no object."));
    const call = {
      at: clock(),
      operation: request.operation,
      status: 0,
      hasCredentials: message.headers.authorization !== undefined,
      ...listsOf(body),
    };
    calls.push(call);
    const fault = faults?.meets(request.operation);
    if (latencyMs > 0) await pause(latencyMs / 2);
    const outcome = outcomeOfRequest(request, body, fault);
    if (latencyMs > 0) await pause(latencyMs / 2);
    if (outcome === "hang") return;
    if (outcome === "drop") {
      message.socket.resetAndDestroy();
      return;
    }
    call.status = outcome instanceof Refusal ? outcome.httpStatus : 200;
    respond(response, outcome, fault?.retryAfterSeconds);
  };

  const server = createServer((message, response) => {
    handle(message, response).catch((error: unknown) => {
      // A mistake of the stand-in: the test is to see it.
      respond(response, new Refusal(500, [{ reason: "standIn", message: String(error) }]));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, "127.0.0.1", resolve);
  });
  const bound = server.address();
  const port = bound !== null && typeof bound === "object" ? bound.port : 0;
  return {
    baseUrl: `http://127.0.0.1:${port}/dns/v1`,
    calls,
    zone: (project, name) => {
      const zone = projects.get(project)?.zones.find((known) => known.name === name);
      if (!zone) throw new Error(`cannot find the zone: there is none, got ${project}/${name}`);
      return zone;
    },
    setFault: (fault) => {
      faults = fault && new FaultWindow(fault);
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function projectEntry(
  [id, { zones, quota }]: [string, CloudDnsProject],
  at: number,
): [string, Project] {
  const limits = { ...usualQuota, ...quota };
  const managed = zones.map(
    ({ name, dnsName }, zoneAt) =>
      new ManagedZone(`${7000 + 100 * at + zoneAt}`, name, dnsName, limits),
  );
  return [id, { id, number: String(1000 + at), quota: limits, zones: managed }];
}

/** `undefined`: it is no JSON object. No body is an empty one. */
async function readBody(message: IncomingMessage): Promise<ChangeBody | undefined> {
  const pieces: Buffer[] = [];
  for await (const piece of message) pieces.push(piece);
  if (pieces.length === 0) return {};
  try {
    const body: unknown = JSON.parse(Buffer.concat(pieces).toString());
    return typeof body === "object" && body !== null ? body : undefined;
  } catch {
    return undefined;
  }
}

/** For tests to look at; what is no list is left out. */
function listsOf({ additions, deletions }: ChangeBody): {
  readonly additions: readonly ApiRecordSet[];
  readonly deletions: readonly ApiRecordSet[];
} {
  return {
    additions: Array.isArray(additions) ? additions : [],
    deletions: Array.isArray(deletions) ? deletions : [],
  };
}

/** A front end's 502 is a page for people. */
function respond(response: ServerResponse, outcome: unknown, retryAfterSeconds?: number): void {
  const status = outcome instanceof Refusal ? outcome.httpStatus : 200;
  const isPage = status === 502;
  response.writeHead(status, {
    "Content-Type": `${isPage ? "text/html" : "application/json"}; charset=UTF-8`,
    ...(status !== 200 && retryAfterSeconds !== undefined
      ? { "Retry-After": String(retryAfterSeconds) }
      : {}),
  });
  response.end(isPage ? "<html><title>502 Bad Gateway</title></html>" : JSON.stringify(outcome));
}
