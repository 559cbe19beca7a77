// A stand-in of Amazon Route 53 for tests: an HTTP server to which the real SDK talks, which keeps
// what Route 53 keeps and refuses what it refuses (API version 2013-04-01). It must not know who
// uses it. Does I/O.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import type { Fault } from "./faults.ts";
import { HostedZone } from "./hosted-zone.ts";
import type { Route53Options } from "./options.ts";
import { type Call, Service } from "./service.ts";

export { type AccessKey, standInKey } from "./access.ts";
export type { Fault, FaultKind } from "./faults.ts";
export type { HostedZone } from "./hosted-zone.ts";
export type { Clock, Route53Options } from "./options.ts";
export type { Call } from "./service.ts";

export interface Route53StandIn {
  readonly endpoint: string;
  /** A zone, to look into and to write by hand. Throws if there is none of this id. */
  readonly zone: (id: string) => HostedZone;
  /** In the order in which they were carried out. */
  readonly calls: readonly Call[];
  /** Lets something go wrong from now on; `undefined`: nothing. */
  readonly setFault: (fault: Fault | undefined) => void;
  /** Ends the server and all connections. Rejects if the stand-in itself failed before. */
  readonly stop: () => Promise<void>;
}

/** Starts a stand-in on a free port of 127.0.0.1. */
export async function startRoute53(options: Route53Options): Promise<Route53StandIn> {
  const zones = options.zones.map(({ id, name }) => new HostedZone(id, name, options.nameOrder));
  const service = new Service(zones, options, options.clock ?? { now: Date.now, sleep });
  const failures: unknown[] = [];
  const server = createServer((request, response) => {
    answer(service, request, response).catch((error) => {
      // A client that is gone in the middle of its request wants no answer, and nothing was done.
      if (request.complete) failures.push(error);
      response.destroy();
    });
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
      if (failures.length > 0) throw failures[0];
    },
  };
}

async function answer(
  service: Service,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = "", headers } = request;
  const url = new URL(request.url ?? "/", "http://route53.amazonaws.com");
  const outcome = await service.take({ method, url, headers, body: await text(request) });
  if (outcome.kind === "drop") response.destroy();
  if (outcome.kind !== "answer") return;
  response.writeHead(outcome.status, {
    "content-type": "text/xml",
    "x-amzn-requestid": service.requestId(),
  });
  response.end(outcome.body);
}
