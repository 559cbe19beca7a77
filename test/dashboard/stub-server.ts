// The page's own files with the stub federation behind them, over HTTP: what the page asks for, and
// no more. It must not know what the page makes of it. Does I/O.

import { once } from "node:events";
import { type FastifyInstance, type FastifyReply, fastify } from "fastify";
import { dashboardPages } from "../../src/control/dashboard-routes.ts";
import type { StubFederation } from "./stub-federation.ts";

export interface StubServer {
  readonly url: string;
  /** Without it every `/v1/` request is refused. */
  token: string | undefined;
  /** What `GET /v1/explain` gives; left out, it is refused in words. */
  explanation: object | undefined;
  /** Paths of the API that were asked for. */
  readonly asked: string[];
  /** Sends all events that are new to whoever listens. */
  tell(): void;
  stop(): Promise<void>;
}

/** Listens at a port of 127.0.0.1; 0 is any. */
export async function startStub(federation: StubFederation, port = 0): Promise<StubServer> {
  const app = fastify({ forceCloseConnections: true });
  app.register(async (own) => dashboardPages()(own));
  const streams = new Map<FastifyReply, number>();
  const stub: StubServer = {
    url: "",
    token: undefined,
    explanation: undefined,
    asked: [],
    tell: () => {
      for (const [reply, told] of streams) {
        for (const event of federation.events.slice(told)) {
          const data = JSON.stringify(event);
          reply.raw.write(`id: a.${event.id}\nevent: ${event.kind}\ndata: ${data}\n\n`);
        }
        streams.set(reply, federation.events.length);
      }
    },
    stop: async () => {
      for (const reply of streams.keys()) reply.raw.end();
      await app.close();
    },
  };
  addApi(app, federation, stub, streams);
  app.server.listen(port, "127.0.0.1");
  await app.ready();
  if (!app.server.listening) await once(app.server, "listening");
  const bound = app.server.address();
  const found = bound !== null && typeof bound === "object" ? bound.port : 0;
  return Object.assign(stub, { url: `http://127.0.0.1:${found}/` });
}

function addApi(
  app: FastifyInstance,
  federation: StubFederation,
  stub: StubServer,
  streams: Map<FastifyReply, number>,
): void {
  app.register(async (own) => {
    own.addHook("onRequest", async (request, reply) => {
      stub.asked.push(request.url);
      const { token } = stub;
      if (token === undefined || request.headers.authorization === `Bearer ${token}`) return;
      const message = "a token is needed: Authorization: Bearer TOKEN";
      return reply.code(401).send({ error: "unauthorized", message });
    });
    own.get("/v1/state", async () => federation.state());
    own.get("/v1/services", async () => federation.services());
    own.get("/v1/votes", async (request) => federation.votes(queryOf(request.url)));
    own.get("/v1/explain", async (_request, reply) => {
      if (stub.explanation) return stub.explanation;
      const message = "cannot read client: it is no address, got nowhere";
      return reply.code(400).send({ error: "bad-request", message });
    });
    own.get("/v1/events", async (_request, reply) => {
      reply.hijack();
      reply.raw.writeHead(200, { "content-type": "text/event-stream" });
      reply.raw.write(": welcome\n\n");
      streams.set(reply, 0);
      reply.raw.once("close", () => streams.delete(reply));
      stub.tell();
    });
  });
}

function queryOf(url: string): URLSearchParams {
  return new URL(url, "http://127.0.0.1").searchParams;
}
