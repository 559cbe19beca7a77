// A stand-in of Google Cloud DNS that real clients can talk to: it keeps what the service keeps,
// refuses what it refuses, and fails as a test wants. It must not know who asks. Does I/O.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { type ApiRequest, type ApiState, answerRequest, type Project, readRequest } from "./api.ts";
import { type ApiQuota, type ApiRecordSet, usualQuota } from "./api-types.ts";
import { type Fault, FaultWindow, type Operation, outcomeOf } from "./faults.ts";
import { RateWindow } from "./rate-window.ts";
import { Refusal, rateLimitExceeded } from "./refusal.ts";
import { type ChangeBody, type CloudZone, ManagedZone } from "./zone.ts";

export interface CloudDnsOptions {
  readonly projects: Readonly<Record<string, CloudDnsProject>>;
  /** How long each answer takes; what is asked is done half way. Default 0. */
  readonly latencyMs?: number;
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
  /** What it asked for, as it came; empty unless it is a change. */
  readonly additions: readonly ApiRecordSet[];
  readonly deletions: readonly ApiRecordSet[];
}

/** Rejects with the system's error if it cannot listen. */
export async function startCloudDns(options: CloudDnsOptions): Promise<CloudDns> {
  const { clock = Date.now, latencyMs = 0, pendingMs = 0, rateLimitStatus = 429 } = options;
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

  /** What a request ends with; an object is the JSON of a good answer. */
  const outcomeOfRequest = (request: ApiRequest, body: ChangeBody, at: number): unknown => {
    const fault = faults?.meets(request.operation);
    if (fault && fault.isApplied !== true) return outcomeOf(fault);
    if (!rates.every((rate) => rate.hasRoom(at))) return rateLimitExceeded(rateLimitStatus);
    for (const rate of rates) rate.admit(at);
    try {
      const answer = answerRequest(request, body, state, at);
      return fault ? outcomeOf(fault) : answer;
    } catch (error) {
      if (error instanceof Refusal) return fault ? outcomeOf(fault) : error;
      throw error;
    }
  };

  const handle = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(message);
    const { method = "", url = "" } = message;
    const request = url.startsWith("/dns/v1/") ? readRequest(method, url.slice(7)) : undefined;
    if (!request || body === undefined) {
      const refused = request ? badJson : noSuchPath;
      return respond(response, refused.httpStatus, refused);
    }
    const at = clock();
    const call = { at, operation: request.operation, status: 0, ...asLists(body) };
    calls.push(call);
    if (latencyMs > 0) await pause(latencyMs / 2);
    const outcome = outcomeOfRequest(request, body, clock());
    if (latencyMs > 0) await pause(latencyMs / 2);
    if (outcome === "hang") return;
    if (outcome === "drop") {
      message.socket.resetAndDestroy();
      return;
    }
    call.status = outcome instanceof Refusal ? outcome.httpStatus : 200;
    respond(response, call.status, outcome);
  };

  const server = createServer((message, response) => {
    handle(message, response).catch((error: unknown) => {
      respond(response, 500, { error: { code: 500, message: String(error) } });
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
      const zone = projects.get(project)?.zones.get(name);
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

const noSuchPath = new Refusal(404, [{ reason: "notFound", message: "Not Found" }]);
const badJson = new Refusal(
  400,
  [{ reason: "parseError", message: "Invalid JSON payload received." }],
  "INVALID_ARGUMENT",
);

function projectEntry(
  [id, { zones, quota }]: [string, CloudDnsProject],
  at: number,
): [string, Project] {
  const limits = { ...usualQuota, ...quota };
  const managed = zones.map(
    ({ name, dnsName }) => [name, new ManagedZone(name, dnsName, limits)] as const,
  );
  return [id, { id, number: String(1000 + at), quota: limits, zones: new Map(managed) }];
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
function asLists({ additions, deletions }: ChangeBody): {
  readonly additions: readonly ApiRecordSet[];
  readonly deletions: readonly ApiRecordSet[];
} {
  return {
    additions: Array.isArray(additions) ? additions : [],
    deletions: Array.isArray(deletions) ? deletions : [],
  };
}

function respond(response: ServerResponse, status: number, body: unknown): void {
  response
    .writeHead(status, { "Content-Type": "application/json; charset=UTF-8" })
    .end(JSON.stringify(body));
}
