// A small web service that can fall silent, die and come back, for tests of health checks. It must
// not know who asks.

import { createServer, type Server } from "node:http";
import type { Socket } from "node:net";

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
