// The routes of the control server, the same on each of its listeners, and who may use them. It
// must not know sockets, nor how the backend does what it is asked for.

import type {
  FastifyError,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  HTTPMethods,
} from "fastify";
import { type Admission, admit, isStrangeHost, type Knock, type Need } from "./access.ts";
import { Audit } from "./audit.ts";
import type { ControlBackend, ControlLog } from "./control-backend.ts";
import type { EventStreams } from "./event-stream.ts";
import { openApiDocument } from "./openapi.ts";
import { type Answer, type Operation, refusal } from "./operation.ts";
import { operations } from "./operations.ts";
import type { Token } from "./tokens.ts";

export interface RouteOptions {
  readonly backend: ControlBackend;
  readonly log: ControlLog;
  /** By which door all requests of this app come. */
  readonly door: Knock["door"];
  /** `undefined`: none are configured. */
  readonly tokens: () => readonly Token[] | undefined;
  readonly streams: EventStreams;
  /**
   * Puts pages on the app that hold no data: whoever reaches the listener gets them, but not under
   * a name that another site may have pointed here.
   */
  readonly pages?: ((app: FastifyInstance) => void) | undefined;
}

/** What routes are made with. */
interface Routed extends RouteOptions {
  readonly audit: Audit;
}

/** Puts the routes on the app, in a context of their own: no rule of theirs holds for others. */
export function controlRoutes(app: FastifyInstance, given: RouteOptions): void {
  const options: Routed = { ...given, audit: new Audit(given.log) };
  const { log, pages } = options;
  app.setErrorHandler((error: FastifyError, request, reply) =>
    sendError(error, request, reply, log),
  );
  app.setNotFoundHandler(async (request, reply) => {
    const need = isRead(request.method) ? "read" : "operate";
    if (!letIn(request, reply, need, options).ok) return reply;
    const path = request.url.replace(/\?.*/s, "");
    return send(reply, refusal(404, "not-found", `there is nothing here, got ${path}`));
  });
  app.register(async (own) => {
    // Whatever a body claims to be, it is read as JSON, and none is needed.
    own.removeAllContentTypeParsers();
    own.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) =>
      done(null, body),
    );
    for (const each of operations) addOperation(own, each, options);
    addDocument(own, options);
  });
  if (!pages) return;
  app.register(async (own) => {
    own.addHook("onRequest", async (request, reply) => {
      if (!isStrangeHost(knockOf(request, options.door))) return undefined;
      const message = "the Host header is neither an IP address nor localhost";
      return send(reply, refusal(403, "forbidden", message));
    });
    pages(own);
  });
}

function addOperation(app: FastifyInstance, each: Operation, options: Routed): void {
  const { method, needs, bodyLimit } = each;
  const url = each.url.replace(/\{(\w+)\}/g, ":$1");
  const { audit, backend, streams } = options;
  const admissions = new WeakMap<FastifyRequest, Admission>();
  app.route({
    method,
    url,
    ...(bodyLimit !== undefined && { bodyLimit }),
    onRequest: async (request, reply) => {
      const admission = letIn(request, reply, needs, options);
      admissions.set(request, admission);
      return admission.ok ? undefined : reply;
    },
    onResponse: async (request) => admissions.delete(request),
    handler: async (request, reply) => {
      const who = admissions.get(request)?.who ?? { name: "nobody", by: "nobody" };
      if (each.kind === "stream") return streams.open(request, reply, each);
      const mayRead = needs !== "nothing" || decide(request, "read", options).ok;
      const raw = { path: request.params, query: request.query, body: request.body };
      const answer = await each.run(raw, { backend, who, mayRead });
      if (needs === "operate") audit.tell({ who, request: auditedOf(request), answer });
      return send(reply, answer);
    },
  });
  refuseOthers(app, url, method, options);
}

/** The document is made of the operations, and so is none of them. */
function addDocument(app: FastifyInstance, options: Routed): void {
  const url = "/openapi.json";
  let document: object | undefined;
  app.route({
    method: "GET",
    url,
    onRequest: async (request, reply) =>
      letIn(request, reply, "read", options).ok ? undefined : reply,
    handler: async (_request, reply) => {
      document ??= openApiDocument();
      return send(reply, { status: 200, body: document });
    },
  });
  refuseOthers(app, url, "GET", options);
}

/** Every other method of a route is told which there are. */
function refuseOthers(
  app: FastifyInstance,
  url: string,
  method: "GET" | "POST",
  options: Routed,
): void {
  const allowed = allowedOf(method);
  app.route({
    method: app.supportedMethods.filter((each) => !allowed.includes(each)),
    url,
    onRequest: async (request, reply) => {
      const need = isRead(request.method) ? "read" : "operate";
      return letIn(request, reply, need, options).ok ? undefined : reply;
    },
    handler: async (request, reply) => {
      reply.header("allow", allowed.join(", "));
      const message = `this is for ${allowed.join(", ")}, got ${request.method}`;
      return send(reply, refusal(405, "method-not-allowed", message));
    },
  });
}

/** Admits a request, or answers it with why not; a refused write is audited. */
function letIn(
  request: FastifyRequest,
  reply: FastifyReply,
  need: Need,
  options: Routed,
): Admission {
  const admission = decide(request, need, options);
  if (admission.ok) return admission;
  const { status, error, message, challenge } = admission.refusal;
  const answer = refusal(status, error, message);
  if (need === "operate") {
    options.audit.tell({ who: admission.who, request: auditedOf(request), answer });
  }
  // What else comes over the connection is not read.
  reply.header("connection", "close");
  if (challenge !== undefined) reply.header("www-authenticate", challenge);
  send(reply, answer);
  return admission;
}

function decide(request: FastifyRequest, need: Need, { door, tokens }: RouteOptions): Admission {
  return admit(knockOf(request, door), need, tokens());
}

function knockOf(request: FastifyRequest, door: Knock["door"]): Knock {
  return { door, source: request.ip ?? "", method: request.method, headers: request.headers };
}

function auditedOf(request: FastifyRequest) {
  const path = request.url.replace(/\?.*/s, "");
  return { method: request.method, path, source: request.ip ?? "" };
}

/** A failure of the backend is logged, and told in general words only. */
function sendError(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
  log: ControlLog,
): FastifyReply {
  const { statusCode: status = 500 } = error;
  if (status === 413) {
    const message = `the body is too large, allowed ${request.routeOptions.bodyLimit} octets`;
    return send(reply, refusal(413, "too-large", message));
  }
  if (status >= 400 && status < 500)
    return send(reply, refusal(status, "bad-request", error.message));
  log.error({ event: "control-failed", err: error, url: request.url }, "a request failed");
  const message = "the server failed at this; its log says why";
  return send(reply, refusal(500, "failed", message));
}

/** Nothing of this is for caches, nor for a browser to guess a type of. */
function send(reply: FastifyReply, { status, body, contentType }: Answer): FastifyReply {
  reply
    .code(status)
    .header("cache-control", "no-store")
    .header("x-content-type-options", "nosniff");
  if (contentType !== undefined) reply.type(contentType);
  return reply.send(body);
}

function isRead(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

/** HEAD goes where GET does. */
function allowedOf(method: "GET" | "POST"): readonly HTTPMethods[] {
  return method === "GET" ? ["GET", "HEAD"] : ["POST"];
}
