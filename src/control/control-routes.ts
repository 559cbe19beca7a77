// The routes of the control server, the same on each of its listeners, and who may use them. It
// must not know sockets, nor how the backend does what it is asked for.

import type {
  FastifyError,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  HTTPMethods,
} from "fastify";
import { z } from "zod";
import { accessRefusal, type Knock } from "./access.ts";
import type { ControlBackend, ControlLog, DrainOutcome } from "./control-backend.ts";

export interface RouteOptions {
  readonly backend: ControlBackend;
  readonly log: ControlLog;
  /** By which door all requests of this app come. */
  readonly door: Knock["door"];
}

/** Puts the routes on the app, in a context of their own: no rule of theirs holds for others. */
export function controlRoutes(app: FastifyInstance, options: RouteOptions): void {
  const { door, log } = options;
  app.setErrorHandler((error: FastifyError, request, reply) =>
    sendError(error, request, reply, log),
  );
  app.setNotFoundHandler(async (request, reply) => {
    const refused = refuseStranger(request, reply, door);
    if (refused) return refused;
    const path = request.url.replace(/\?.*/s, "");
    return sendRefusal(reply, 404, "not-found", `there is nothing here, got ${path}`);
  });
  app.register(async (own) => {
    own.addHook("onRequest", async (request, reply) => refuseStranger(request, reply, door));
    // Whatever a body claims to be, it is read as JSON, and none is needed.
    own.removeAllContentTypeParsers();
    own.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) =>
      done(null, body),
    );
    for (const [url, method, answer] of routesOf(options.backend)) {
      own.route({ method, url, handler: answer });
      const refused = own.supportedMethods.filter((each) => !allowedOf(method).includes(each));
      own.route({
        method: refused,
        url,
        handler: (request, reply) => {
          const allowed = allowedOf(method).join(", ");
          reply.header("allow", allowed);
          const message = `this is for ${allowed}, got ${request.method}`;
          return sendRefusal(reply, 405, "method-not-allowed", message);
        },
      });
    }
  });
}

type Answer = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

function routesOf(backend: ControlBackend): readonly [string, "GET" | "POST", Answer][] {
  return [
    ["/v1/status", "GET", async (_request, reply) => send(reply, backend.status())],
    ["/v1/explain", "GET", (request, reply) => explain(request, reply, backend)],
    [
      "/v1/clusters/:name/drain",
      "POST",
      async (request, reply) => {
        const read = drainBody.safeParse(bodyOf(request.body));
        if (!read.success) return sendBadInput(reply, "cannot drain", read.error);
        const { force } = read.data;
        return sendOutcome(reply, await backend.drain(nameOf(request), { force }));
      },
    ],
    [
      "/v1/clusters/:name/undrain",
      "POST",
      async (request, reply) => sendOutcome(reply, await backend.undrain(nameOf(request))),
    ],
    [
      "/metrics",
      "GET",
      async (_request, reply) => {
        // https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
        reply.type("text/plain; version=0.0.4; charset=utf-8");
        return send(reply, await backend.metrics());
      },
    ],
    [
      "/healthz",
      "GET",
      async (_request, reply) => {
        reply.type("text/plain; charset=utf-8");
        return send(reply, "ok");
      },
    ],
  ];
}

const explainQuery = z.strictObject({
  name: z.string().min(1),
  type: z.string().min(1).default("A"),
  client: z.string().min(1),
  resolver: z.string().min(1).optional(),
});

async function explain(
  request: FastifyRequest,
  reply: FastifyReply,
  backend: ControlBackend,
): Promise<unknown> {
  const read = explainQuery.safeParse(request.query);
  if (!read.success) return sendBadInput(reply, "cannot explain", read.error);
  const { resolver, ...query } = read.data;
  const outcome = await backend.explain({
    ...query,
    ...(resolver === undefined ? {} : { resolver }),
  });
  if (!outcome.ok) return sendRefusal(reply, 400, "bad-request", outcome.message);
  return send(reply, outcome.explanation);
}

const drainBody = z.strictObject({ force: z.boolean().default(false) }).prefault({});

/** What the body holds; `undefined` for none, and a text that is refused if it is no JSON. */
function bodyOf(body: unknown): unknown {
  if (typeof body !== "string" || body.trim() === "") return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

const nameParams = z.object({ name: z.string() });

function nameOf(request: FastifyRequest): string {
  return nameParams.parse(request.params).name;
}

function sendOutcome(reply: FastifyReply, outcome: DrainOutcome): FastifyReply {
  if (!outcome.ok) return sendRefusal(reply, 409, "refused", outcome.message);
  const { changed, drained } = outcome;
  return send(reply, { changed, drained });
}

function sendBadInput(reply: FastifyReply, what: string, error: z.ZodError): FastifyReply {
  const reasons = error.issues.map(({ path, message }) =>
    path.length > 0 ? `${path.join(".")}: ${message}` : message,
  );
  return sendRefusal(reply, 400, "bad-request", `${what}: ${reasons.join("; ")}`);
}

function refuseStranger(
  request: FastifyRequest,
  reply: FastifyReply,
  door: Knock["door"],
): FastifyReply | undefined {
  const refusal = accessRefusal({
    door,
    source: request.ip ?? "",
    host: request.headers.host,
    method: request.method,
  });
  if (!refusal) return undefined;
  // What else comes over the connection is not read.
  reply.header("connection", "close");
  return sendRefusal(reply, refusal.status, refusal.error, refusal.message);
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
    return sendRefusal(reply, 413, "too-large", message);
  }
  if (status >= 400 && status < 500)
    return sendRefusal(reply, status, "bad-request", error.message);
  log.error({ event: "control-failed", err: error, url: request.url }, "a request failed");
  return sendRefusal(reply, 500, "failed", "the server failed at this; its log says why");
}

function sendRefusal(
  reply: FastifyReply,
  status: number,
  error: string,
  message: string,
): FastifyReply {
  return send(reply.code(status), { error, message });
}

/** Nothing of this is for caches, nor for a browser to guess a type of. */
function send(reply: FastifyReply, payload: object | string): FastifyReply {
  reply.header("cache-control", "no-store").header("x-content-type-options", "nosniff");
  return reply.send(payload);
}

/** HEAD goes where GET does. */
function allowedOf(method: "GET" | "POST"): readonly HTTPMethods[] {
  return method === "GET" ? ["GET", "HEAD"] : ["POST"];
}
