// The operations of the control API, in the order in which its document shows them. It must not know
// HTTP, nor how the backend does what it is asked for.

import { z } from "zod";
import {
  clustersSchema,
  endpointsSchema,
  explanationSchema,
  mirrorsSchema,
  sampleSchema,
  servicesSchema,
  statusSchema,
  votesSchema,
} from "./api-answers.ts";
import {
  clusterSchema,
  questionTexts,
  serviceSchema,
  stateSchema,
  whatIfReportSchema,
  whatIfRequestSchema,
  whatIfSchema,
} from "./api-schemas.ts";
import { changes, clusterPath } from "./change-operations.ts";
import { type Answer, badRequest, type Operation, ok, operation, refusal } from "./operation.ts";

const none = z.strictObject({});
const plainText = "text/plain; charset=utf-8";
/** https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format */
const metricsText = "text/plain; version=0.0.4; charset=utf-8";

const page = {
  limit: z.int().min(1).max(1000).default(100).describe("the most entries that are given"),
  after: z.string().min(1).max(600).optional().describe("what the page before said as `next`"),
};
const endpointFilters = {
  service: z.string().min(1).max(200).optional().describe("namespace/name"),
  cluster: z.string().min(1).max(100).optional(),
};
/** 100,000 queries of some 160 octets each. */
const whatIfOctets = 16 * 1024 * 1024;
const notThere = { 404: "there is none of this name" };

/** All operations. */
export const operations: readonly Operation[] = [
  operation({
    id: "getState",
    method: "GET",
    url: "/v1/state",
    needs: "read",
    summary: "Everything at a glance: readiness, clusters, quorum, traffic, where clients go",
    path: none,
    query: none,
    answer: { schema: stateSchema },
    run: async (_input, { backend }) => ok(await backend.state()),
  }),
  operation({
    id: "getStatus",
    method: "GET",
    url: "/v1/status",
    needs: "read",
    summary: "The server and its voters, endpoints and mirrors, as `meridian status` prints them",
    path: none,
    query: none,
    answer: { schema: statusSchema },
    run: (_input, { backend }) => ok(backend.status()),
  }),
  operation({
    id: "listClusters",
    method: "GET",
    url: "/v1/clusters",
    needs: "read",
    summary: "All clusters, in order of name",
    path: none,
    query: none,
    answer: { schema: clustersSchema },
    run: (_input, { backend }) => ok(backend.clusters()),
  }),
  operation({
    id: "getCluster",
    method: "GET",
    url: "/v1/clusters/{name}",
    needs: "read",
    summary: "One cluster",
    path: clusterPath,
    query: none,
    answer: { schema: clusterSchema },
    refusals: notThere,
    run: ({ path }, { backend }) => {
      const found = backend.clusters().items.find(({ name }) => name === path.name);
      return found ? ok(found) : refusal(404, "not-found", "there is no such cluster");
    },
  }),
  operation({
    id: "listServices",
    method: "GET",
    url: "/v1/services",
    needs: "read",
    summary: "Services by the page, in an order that stays the same and means nothing",
    path: none,
    query: z.strictObject(page),
    answer: { schema: servicesSchema },
    run: async ({ query }, { backend }) => ok(await backend.services(query)),
  }),
  operation({
    id: "getService",
    method: "GET",
    url: "/v1/services/{namespace}/{name}",
    needs: "read",
    summary: "One service",
    path: z.object({ namespace: z.string().min(1).max(100), name: z.string().min(1).max(100) }),
    query: none,
    answer: { schema: serviceSchema },
    refusals: notThere,
    run: ({ path }, { backend }) => {
      const found = backend.service(`${path.namespace}/${path.name}`.toLowerCase());
      return found ? ok(found) : refusal(404, "not-found", "there is no such service");
    },
  }),
  operation({
    id: "listEndpoints",
    method: "GET",
    url: "/v1/endpoints",
    needs: "read",
    summary: "Addresses of services by the page, each with its verdict and its votes",
    description:
      "A page may hold fewer entries than `limit`, or none, while `next` says that there is more.",
    path: none,
    query: z.strictObject({
      ...page,
      ...endpointFilters,
      verdict: z
        .enum(["up", "down", "none", "unvoted"])
        .optional()
        .describe("none: no verdict was reached; unvoted: nobody votes on it"),
    }),
    answer: { schema: endpointsSchema },
    run: async ({ query }, { backend }) => ok(await backend.endpoints(query)),
  }),
  operation({
    id: "getVotes",
    method: "GET",
    url: "/v1/votes",
    needs: "read",
    summary:
      "Voters, quorum, and by the page each endpoint that is voted on with each voter's word",
    path: none,
    query: z.strictObject({
      ...page,
      ...endpointFilters,
      verdict: z.enum(["up", "down", "none"]).optional(),
    }),
    answer: { schema: votesSchema },
    run: async ({ query }, { backend }) => ok(await backend.votes(query)),
  }),
  operation({
    id: "listMirrors",
    method: "GET",
    url: "/v1/mirror",
    needs: "read",
    summary: "The mirrors in Route 53 and Cloud DNS, in the order of spec.mirror",
    path: none,
    query: none,
    answer: { schema: mirrorsSchema },
    run: (_input, { backend }) => ok(backend.mirrors()),
  }),
  operation({
    id: "getSample",
    method: "GET",
    url: "/v1/sample",
    needs: "read",
    summary: "The clients that asked last and how often, where spec.querySample is set",
    path: none,
    query: z.strictObject({ limit: z.int().min(1).max(100_000).default(1000) }),
    answer: { schema: sampleSchema },
    run: ({ query }, { backend }) => ok(backend.sample(query.limit)),
  }),
  operation({
    id: "explain",
    method: "GET",
    url: "/v1/explain",
    needs: "read",
    summary: "What a client would be answered, and why, step by step; also with assumptions",
    path: none,
    query: z.strictObject({
      ...questionTexts,
      ...whatIfSchema.shape,
    }),
    answer: { schema: explanationSchema },
    run: async ({ query: { resolver, ...query } }, { backend }) => {
      const asked = { ...query, ...(resolver !== undefined && { resolver }) };
      const outcome = await backend.explain(asked);
      return outcome.ok ? ok(outcome.explanation) : badRequest("query", outcome);
    },
  }),
  operation({
    id: "whatIf",
    method: "POST",
    url: "/v1/whatif",
    needs: "read",
    summary: "How the traffic of some queries, or of the sample, would move; changes nothing",
    path: none,
    query: none,
    body: whatIfRequestSchema,
    bodyLimit: whatIfOctets,
    answer: { schema: whatIfReportSchema },
    refusals: { 503: "another one is being reckoned: ask again" },
    run: async ({ body }, { backend }) => {
      const outcome = await backend.whatIf(body);
      if (outcome.ok) return ok(outcome.report);
      if ("isBusy" in outcome) return refusal(503, "busy", outcome.message);
      return badRequest("body", outcome);
    },
  }),
  ...changes,
  operation({
    id: "streamEvents",
    method: "GET",
    url: "/v1/events",
    needs: "read",
    kind: "stream",
    summary: "Verdicts, quorum, drains, reloads and mirror runs as they happen: server-sent events",
    description:
      "`Last-Event-ID` gives what came since. `gap` says that events were left out: ask for the state anew.",
    path: none,
    query: z.strictObject({
      recent: z.int().min(0).max(1000).default(0).describe("so many of the last events first"),
    }),
    answer: { contentType: "text/event-stream" },
    refusals: { 503: "too many listen already" },
    run: () => refusal(500, "failed", "it is answered as a stream"),
  }),
  operation({
    id: "getMetrics",
    method: "GET",
    url: "/metrics",
    needs: "read",
    summary: "Metrics for Prometheus",
    path: none,
    query: z.object({}),
    answer: { contentType: metricsText },
    run: async (_input, { backend }) => text(200, await backend.metrics(), metricsText),
  }),
  operation({
    id: "getHealth",
    method: "GET",
    url: "/healthz",
    needs: "nothing",
    summary: "`ok` while the control plane runs",
    path: none,
    query: z.object({}),
    answer: { contentType: plainText },
    run: () => text(200, "ok", plainText),
  }),
  operation({
    id: "getReadiness",
    method: "GET",
    url: "/readyz",
    needs: "nothing",
    summary: "`ready` while all listeners answer from a state that is whole",
    path: none,
    query: z.object({}),
    answer: { contentType: plainText },
    refusals: { 503: "it is not ready; who may read is told why" },
    run: (_input, { backend, mayRead }) => {
      const because = backend.ready();
      if (because === undefined) return text(200, "ready", plainText);
      return refusal(503, "not-ready", mayRead ? `not ready: ${because}` : "not ready");
    },
  }),
];

function text(status: number, body: string, contentType: string): Answer {
  return { status, body, contentType };
}
