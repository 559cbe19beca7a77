// One call of each operation of the control API, with what it needs. It must not know who calls.

import type { InjectOptions } from "fastify";

/** A call that succeeds for whoever may make it. */
export interface ApiCall {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly needs: "nothing" | "read" | "operate";
  /** Its status for who may. Default: 200. */
  readonly status?: number;
  readonly payload?: object;
}

/** Every operation, the document, and what is not there. */
export const apiCalls: readonly ApiCall[] = [
  { method: "GET", url: "/v1/state", needs: "read" },
  { method: "GET", url: "/v1/status", needs: "read" },
  { method: "GET", url: "/v1/clusters", needs: "read" },
  { method: "GET", url: "/v1/clusters/c9", needs: "read", status: 404 },
  { method: "GET", url: "/v1/services?limit=2", needs: "read" },
  { method: "GET", url: "/v1/services/ns/name", needs: "read", status: 404 },
  { method: "GET", url: "/v1/endpoints?verdict=down", needs: "read" },
  { method: "GET", url: "/v1/votes", needs: "read" },
  { method: "GET", url: "/v1/mirror", needs: "read" },
  { method: "GET", url: "/v1/sample", needs: "read" },
  { method: "GET", url: "/v1/explain?name=a.example&client=192.0.2.1", needs: "read" },
  { method: "POST", url: "/v1/whatif", needs: "read", status: 400, payload: {} },
  { method: "POST", url: "/v1/clusters/cluster-2/drain", needs: "operate", payload: {} },
  { method: "POST", url: "/v1/clusters/cluster-2/undrain", needs: "operate" },
  { method: "POST", url: "/v1/reload", needs: "operate" },
  { method: "GET", url: "/v1/events?recent=x", needs: "read", status: 400 },
  { method: "GET", url: "/metrics", needs: "read" },
  { method: "GET", url: "/openapi.json", needs: "read" },
  { method: "GET", url: "/healthz", needs: "nothing" },
  { method: "GET", url: "/readyz", needs: "nothing" },
  { method: "GET", url: "/v1/nothing", needs: "read", status: 404 },
  { method: "POST", url: "/v1/state", needs: "operate", status: 405 },
  { method: "GET", url: "/v1/reload", needs: "read", status: 405 },
];

/** The call as `inject` takes it. */
export function injected({ method, url, payload }: ApiCall): InjectOptions {
  return { method, url, ...(payload && { payload }) };
}
