// The control server: the same routes on a socket in the data folder and, where it is configured,
// on an HTTP listener that others put their own routes on too. It must not know what it is asked
// to do. Does I/O.

import { once } from "node:events";
import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { type FastifyError, type FastifyInstance, type FastifyReply, fastify } from "fastify";
import type { Knock } from "./access.ts";
import type { ControlBackend, ControlLog } from "./control-backend.ts";
import { controlRoutes } from "./control-routes.ts";
import { type BoundSocket, bindSocket } from "./control-socket.ts";
import { EventStreams } from "./event-stream.ts";
import { type FrontDoorOptions, guardDoor } from "./front-door.ts";
import type { Token } from "./tokens.ts";

/** Where to listen; port 0 lets the system choose. */
export interface HttpAddress {
  readonly address: string;
  readonly port: number;
}

export interface ControlOptions {
  /** `undefined`: there is only the socket. */
  readonly http?: HttpAddress | undefined;
  /** `DATADIR/meridian.sock`; its folder is made if it is missing. */
  readonly socketFile: string;
  readonly backend: ControlBackend;
  /** Certificate and key in PEM, for HTTPS; `undefined`: plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /** Who may come over HTTP; asked at each request. `undefined`, or nothing from it: no tokens are configured. */
  readonly tokens?: (() => readonly Token[] | undefined) | undefined;
  /** Puts more routes on the HTTP listener; no rule of the control server holds for them. */
  readonly extend?: ((app: FastifyInstance) => void) | undefined;
  /** Puts pages on the HTTP listener that hold no data: see `RouteOptions`. */
  readonly pages?: ((app: FastifyInstance) => void) | undefined;
  /** What stands before the HTTP listener. Default: nothing. */
  readonly door?: FrontDoorOptions | undefined;
  readonly log: ControlLog;
}

/** A control server that answers until it is stopped. */
export interface RunningControl {
  /** The port that the system chose stands in place of 0; `undefined`: there is only the socket. */
  readonly address: HttpAddress | undefined;
  /** Ends the streams of events: who may still listen comes again. To be called when tokens changed. */
  readonly endStreams: () => void;
  /** Finishes what was asked, a second at most, and removes the socket. */
  readonly stop: () => Promise<void>;
}

/**
 * Starts both listeners. Rejects with `cannot use data folder: ...` if another server answers on
 * the socket or it cannot be bound, and with `cannot listen on ...`; nothing is left then.
 */
export async function startControl(options: ControlOptions): Promise<RunningControl> {
  const { http, socketFile, extend, door } = options;
  const streams = new EventStreams(options.backend.events);
  const local = controlApp("socket", { ...options, streams, pages: undefined });
  await local.ready();
  let socket: BoundSocket;
  try {
    socket = await bindSocket(local.server, socketFile);
  } catch (error) {
    await local.close();
    throw error;
  }
  const apps = [local];
  let address: HttpAddress | undefined;
  const stop = async (): Promise<void> => {
    socket.remove();
    await Promise.all(apps.map(stopApp));
  };
  try {
    if (http) {
      const network = controlApp("network", { ...options, streams });
      apps.push(network);
      if (door) guardDoor(network, door);
      extend?.(network);
      await network.ready();
      address = await listenOn(network, http);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { address, endStreams: () => streams.endAll(), stop };
}

/** Most connections at once by each door. */
const mostConnections: Readonly<Record<Knock["door"], number>> = { socket: 64, network: 512 };
const headersTimeoutMs = 5000;
const requestTimeoutMs = 10_000;
/** Else who only connects to an HTTPS listener keeps a connection for two minutes. */
const handshakeTimeoutMs = 5000;
/** Longer than voters wait between ballots, so that they find their connections open. */
const keepAliveMs = 20_000;
const silenceMs = 30_000;
const checkConnectionsMs = 1000;
const stopMs = 1000;
/** Most octets of a body, and of the lines before it. */
const bodyLimit = 64 * 1024;
const headerLimit = 16 * 1024;

/** What an app of one door is made with; streams of events are shared between doors. */
export type AppOptions = Pick<ControlOptions, "backend" | "log" | "tokens" | "tls" | "pages"> & {
  readonly streams?: EventStreams;
};

/** An app with the routes of one door, that does not listen yet. */
export function controlApp(door: Knock["door"], options: AppOptions): FastifyInstance {
  const { backend, log, tokens = () => undefined, tls, pages } = options;
  const { streams = new EventStreams(backend.events) } = options;
  const app = newApp(door === "network" ? tls : undefined);
  app.server.maxConnections = mostConnections[door];
  app.server.on("checkExpectation", (_request, response: ServerResponse) => {
    const body = JSON.stringify({
      error: "bad-request",
      message: "this Expect header cannot be met",
    });
    response.writeHead(417, {
      "content-type": "application/json; charset=utf-8",
      "content-length": Buffer.byteLength(body),
      connection: "close",
    });
    response.end(body);
  });
  app.addHook("preClose", async () => streams.close());
  controlRoutes(app, { backend, log, door, tokens, streams, pages });
  return app;
}

/** An app whose server ends what takes too long. */
function newApp(tls: ControlOptions["tls"]): FastifyInstance {
  const http = {
    headersTimeout: headersTimeoutMs,
    connectionsCheckingInterval: checkConnectionsMs,
    maxHeaderSize: headerLimit,
  };
  const settings = {
    bodyLimit,
    connectionTimeout: silenceMs,
    keepAliveTimeout: keepAliveMs,
    requestTimeout: requestTimeoutMs,
    // Names may be as long as names can be.
    routerOptions: { maxParamLength: 300 },
    clientErrorHandler: answerBrokenRequest,
    frameworkErrors: (
      { statusCode = 400 }: FastifyError,
      _request: unknown,
      reply: FastifyReply,
    ) => {
      reply.code(statusCode).send({ error: "bad-request", message: "this is no path of a URL" });
    },
  };
  if (!tls) return fastify({ ...settings, http });
  const handshake = { minVersion: "TLSv1.2", handshakeTimeout: handshakeTimeoutMs } as const;
  return fastify({ ...settings, https: { ...http, ...tls, ...handshake } });
}

async function listenOn(app: FastifyInstance, at: HttpAddress): Promise<HttpAddress> {
  const { server } = app;
  const listening = once(server, "listening");
  server.listen(at.port, at.address);
  try {
    await listening;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`cannot listen on ${placeOf(at)} for HTTP: ${reason}`, { cause: error });
  }
  const bound = server.address();
  if (bound === null || typeof bound === "string") {
    throw new Error(`cannot listen on ${placeOf(at)} for HTTP: no such address, got ${bound}`);
  }
  return { address: bound.address, port: bound.port };
}

function placeOf({ address, port }: HttpAddress): string {
  return address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
}

async function stopApp(app: FastifyInstance): Promise<void> {
  const late = setTimeout(() => app.server.closeAllConnections(), stopMs);
  await app.close();
  clearTimeout(late);
}

/** What node could not read as a request is answered as all errors are. */
function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  // Whom no handshake was made with, nothing can be written to: the end would wait for it forever.
  const isUnheard = error.code === "ECONNRESET" || error.code === "ERR_TLS_HANDSHAKE_TIMEOUT";
  if (isUnheard || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, message] = brokenRequests[error.code ?? ""] ?? [400, "this is no HTTP request"];
  const body = JSON.stringify({ error: "bad-request", message });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
}

const brokenRequests: Readonly<Record<string, readonly [number, string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, "the request took too long to come"],
  HPE_HEADER_OVERFLOW: [431, `the lines before the body exceed ${headerLimit} octets`],
};
