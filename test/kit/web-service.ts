// Web services for tests of health checks: one that can fall silent, die and come back, bare ones
// that do with a connection what a test says, and a port that takes none. It must not know who asks.

import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { createServer as createBareServer, Socket } from "node:net";
import { Worker } from "node:worker_threads";

export interface WebServiceOptions {
  /** Default `127.0.0.1`. */
  readonly address?: string;
  /** Default 0: any that is free. */
  readonly port?: number;
  /** Default 200. */
  readonly status?: number;
  /** Default `ok`. */
  readonly body?: string;
}

/** One that listens. */
export interface WebService {
  readonly address: string;
  readonly port: number;
  /** Requests that came whole. */
  readonly requests: number;
  setStatus(status: number): void;
  /** Takes connections and requests from now on, and answers none. */
  hang(): void;
  /** Stops listening and breaks every connection. */
  kill(): Promise<void>;
  /** Listens on the same port again and answers. */
  revive(): Promise<void>;
  /** The same as `kill`, for good. */
  stop(): Promise<void>;
}

/** Rejects with the system's error if it cannot listen. */
export async function startWebService(options: WebServiceOptions = {}): Promise<WebService> {
  const { address = "127.0.0.1", body = "ok" } = options;
  let { port = 0, status = 200 } = options;
  let isHanging = false;
  let requests = 0;
  let server: Server | undefined;
  const sockets = new Set<Socket>();

  const revive = async (): Promise<void> => {
    isHanging = false;
    if (server) return;
    const opened = createServer((_, response) => {
      requests++;
      if (!isHanging) response.writeHead(status, { "Content-Type": "text/plain" }).end(body);
    });
    opened.on("connection", (socket) => {
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
    });
    await new Promise<void>((resolve, reject) => {
      opened.once("error", reject);
      opened.listen(port, address, resolve);
    });
    const bound = opened.address();
    if (bound !== null && typeof bound === "object") port = bound.port;
    server = opened;
  };
  const kill = async (): Promise<void> => {
    const closing = server;
    server = undefined;
    if (!closing) return;
    const closed = new Promise<void>((resolve) => closing.close(() => resolve()));
    for (const socket of sockets) socket.resetAndDestroy();
    await closed;
  };

  await revive();
  return {
    address,
    get port() {
      return port;
    },
    get requests() {
      return requests;
    },
    setStatus: (changed) => {
      status = changed;
    },
    hang: () => {
      isHanging = true;
    },
    kill,
    revive,
    stop: kill,
  };
}

/**
 * A TCP server that calls `serve` once a connection has sent a whole head, which goes to `heads`,
 * or with `isHasty` as soon as it has sent anything.
 */
export async function listenBare(
  serve: (socket: Socket) => void,
  options: { address?: string; heads?: string[]; isHasty?: boolean } = {},
) {
  const { address = "127.0.0.1", heads = [], isHasty = false } = options;
  const sockets = new Set<Socket>();
  let connections = 0;
  let wasAsked: () => void;
  const asked = new Promise<void>((resolve) => {
    wasAsked = resolve;
  });
  const server = createBareServer((socket) => {
    connections++;
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.on("error", () => {});
    let head = "";
    socket.on("data", (piece) => {
      head += piece.toString("latin1");
      if (!isHasty && !head.endsWith("\r\n\r\n")) return;
      heads.push(head);
      head = "";
      wasAsked();
      serve(socket);
    });
  });
  server.listen(0, address);
  await once(server, "listening");
  const bound = server.address();
  return {
    port: bound !== null && typeof bound === "object" ? bound.port : 0,
    asked,
    get connections() {
      return connections;
    },
    /** Resolves when the probes have closed all that they opened. */
    async allClosed() {
      const closing = [...sockets].map(
        (socket) => new Promise((done) => socket.once("close", done)),
      );
      await Promise.all(closing);
    },
    stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** A port that listens and takes no connection: its queue is full, so the system drops attempts. */
export async function listenDeaf() {
  const code = `
    const { workerData, parentPort } = require("node:worker_threads");
    const server = require("node:net").createServer();
    server.listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
      parentPort.postMessage(server.address().port);
      Atomics.wait(new Int32Array(workerData), 0, 0);
    });`;
  const worker = new Worker(code, { eval: true, workerData: new SharedArrayBuffer(4) });
  const [port]: number[] = await once(worker, "message");
  const fillers = Array.from({ length: 4 }, () => new Socket().on("error", () => {}));
  for (const filler of fillers) filler.connect(port ?? 0, "127.0.0.1");
  await Promise.all(fillers.slice(0, 2).map((filler) => once(filler, "connect")));
  return {
    port: port ?? 0,
    async stop() {
      for (const filler of fillers) filler.destroy();
      await worker.terminate();
    },
  };
}
