// The routes of the control server by each door, asked without any socket.

import { expect } from "chai";
import type { FastifyInstance, InjectOptions } from "fastify";
import type { Knock } from "../../src/control/access.ts";
import { controlApp } from "../../src/control/control-server.ts";
import { FakeBackend, FakeLog } from "./fake-backend.ts";

interface Row {
  readonly name: string;
  readonly request: InjectOptions;
  /** Status and body. */
  readonly socket: readonly [number, unknown];
  /** The same over the network from this machine; default: as by the socket. */
  readonly network?: readonly [number, unknown];
}

const noTokens = [
  401,
  { error: "no-tokens", message: "no tokens are configured: use the control socket" },
] as const;
const bad = (message: string) => [400, { error: "bad-request", message }] as const;
const drained = [200, { changed: true, drained: ["cluster-2"] }] as const;
const drainUrl = "/v1/clusters/cluster-2/drain";

const rows: readonly Row[] = [
  { name: "the status", request: { url: "/v1/status" }, socket: [200, { name: "ns1" }] },
  { name: "health of the process", request: { url: "/healthz" }, socket: [200, "ok"] },
  { name: "metrics", request: { url: "/metrics" }, socket: [200, "meridian_quorum 1\n"] },
  {
    name: "an explanation",
    request: { url: "/v1/explain?name=a.example&client=192.0.2.1" },
    socket: [200, { question: "a.example" }],
  },
  {
    name: "an explanation that the backend refuses",
    request: { url: "/v1/explain?name=a.example&client=nobody" },
    socket: bad("query.client: cannot read client, got nobody"),
  },
  {
    name: "an explanation of nothing",
    request: { url: "/v1/explain?client=192.0.2.1" },
    socket: bad("query.name: it is missing"),
  },
  {
    name: "an explanation of two names",
    request: { url: "/v1/explain?client=192.0.2.1&name=a&name=b" },
    socket: bad("query.name: allowed a text, got a list of 2"),
  },
  {
    name: "an explanation with an unknown key",
    request: { url: "/v1/explain?client=192.0.2.1&name=a&tpye=AAAA" },
    socket: bad("query.tpye: there is no such parameter (did you mean type?)"),
  },
  {
    name: "a drain without a body",
    request: { method: "POST", url: drainUrl },
    socket: drained,
    network: noTokens,
  },
  {
    name: "a drain with an empty body that claims to be JSON",
    request: { method: "POST", url: drainUrl, headers: { "content-type": "application/json" } },
    socket: drained,
    network: noTokens,
  },
  {
    name: "a drain by force",
    request: { method: "POST", url: drainUrl, payload: { force: true } },
    socket: drained,
    network: noTokens,
  },
  {
    name: "a drain of something else",
    request: { method: "POST", url: drainUrl, payload: { force: "yes" } },
    socket: bad("body.force: allowed a boolean, got yes"),
    network: noTokens,
  },
  {
    name: "a drain with a body that is no JSON",
    request: { method: "POST", url: drainUrl, payload: "{" },
    socket: bad("body: it is no JSON"),
    network: noTokens,
  },
  {
    name: "an end of a drain",
    request: { method: "POST", url: "/v1/clusters/cluster-2/undrain" },
    socket: drained,
    network: noTokens,
  },
  {
    name: "a body that is too large",
    request: { method: "POST", url: drainUrl, payload: "x".repeat(64 * 1024 + 1) },
    socket: [413, { error: "too-large", message: "the body is too large, allowed 65536 octets" }],
    network: noTokens,
  },
  {
    name: "two faults at once",
    request: { url: "/v1/endpoints?limit=0&verdict=dwon" },
    socket: bad(
      "query.limit: allowed 1 or more, got 0; query.verdict: allowed up, down, none, unvoted, got dwon",
    ),
  },
  {
    name: "a what-if with a fault deep inside",
    request: {
      method: "POST",
      url: "/v1/whatif",
      payload: { queries: [{ name: "a", client: "b" }, { name: "a" }] },
    },
    socket: bad("body.queries[1].client: it is missing"),
  },
  {
    name: "a what-if that the backend refuses",
    request: { method: "POST", url: "/v1/whatif", payload: {} },
    socket: bad("body.queries: cannot replay: there is no sample"),
  },
  {
    name: "a cluster that is not there",
    request: { url: "/v1/clusters/c9" },
    socket: [404, { error: "not-found", message: "there is no such cluster" }],
  },
  { name: "readiness", request: { url: "/readyz" }, socket: [200, "ready"] },
  {
    name: "a reload",
    request: { method: "POST", url: "/v1/reload" },
    socket: [200, { outcome: "unchanged", problems: [] }],
    network: noTokens,
  },
  {
    name: "what is not there",
    request: { url: "/v1/nothing?a=b" },
    socket: [404, { error: "not-found", message: "there is nothing here, got /v1/nothing" }],
  },
  {
    name: "a path that is none",
    request: { url: "/%zz" },
    socket: bad("this is no path of a URL"),
  },
  {
    name: "a drain that only asks",
    request: { url: drainUrl },
    socket: [405, { error: "method-not-allowed", message: "this is for POST, got GET" }],
  },
  {
    name: "a change of the status",
    request: { method: "DELETE", url: "/v1/status" },
    socket: [405, { error: "method-not-allowed", message: "this is for GET, HEAD, got DELETE" }],
    network: noTokens,
  },
];

interface Stand {
  readonly app: FastifyInstance;
  readonly backend: FakeBackend;
  readonly log: FakeLog;
}

const stands = new Map<Knock["door"], Stand>();

/** An app with a backend that was asked nothing yet. */
function standOf(door: Knock["door"], backend?: FakeBackend): Stand {
  const make = (of: FakeBackend): Stand => {
    const log = new FakeLog();
    return { app: controlApp(door, { backend: of, log }), backend: of, log };
  };
  if (backend) return make(backend);
  const stand = stands.get(door) ?? make(new FakeBackend());
  stands.set(door, stand);
  for (const list of [stand.backend.asked, stand.log.lines, stand.log.audited]) list.length = 0;
  return stand;
}

async function ask(door: Knock["door"], request: InjectOptions, own?: FakeBackend) {
  const { app, backend, log } = standOf(door, own);
  const headers = { host: "127.0.0.1:8053", ...request.headers };
  const response = await app.inject({ remoteAddress: "127.0.0.1", ...request, headers });
  if (own) await app.close();
  const isJson = String(response.headers["content-type"]).startsWith("application/json");
  const body: unknown = isJson ? response.json() : response.body;
  return { status: response.statusCode, body, headers: response.headers, backend, log };
}

describe("the routes of the control server", () => {
  after(() => Promise.all([...stands.values()].map(({ app }) => app.close())));

  for (const { name, request, socket, network = socket } of rows) {
    it(`answer ${name} by the socket: ${socket[0]}`, async () => {
      const { status, body } = await ask("socket", request);
      expect([status, body]).to.deep.equal(socket);
    });

    it(`answer ${name} over the network: ${network[0]}`, async () => {
      const { status, body, backend } = await ask("network", request);
      expect([status, body]).to.deep.equal(network);
      if (status === 401) expect(backend.asked).to.deep.equal([]);
    });

    it(`keep ${name} from other machines`, async () => {
      const { status, backend } = await ask("network", { ...request, remoteAddress: "192.0.2.1" });
      // Octets that are no path reach no rule, and tell nothing; nor do probes.
      const isOpen = /^\/(healthz|readyz)$/.test(String(request.url));
      expect(status).to.equal(isOpen ? 200 : request.url === "/%zz" ? 400 : 401);
      expect(backend.asked).to.deep.equal([]);
    });
  }

  it("hand the backend what was asked", async () => {
    const backend = new FakeBackend();
    const post = (url: string, payload?: object): InjectOptions => ({
      method: "POST",
      url,
      ...(payload ? { payload } : {}),
    });
    await ask("socket", post(drainUrl), backend);
    await ask("socket", post(drainUrl, { force: true }), backend);
    await ask("socket", post("/v1/clusters/a%2Fb/undrain"), backend);
    const url = "/v1/explain?name=n&type=SRV&client=192.0.2.0/24&resolver=192.0.2.1";
    await ask("socket", { url: `${url}&health=c1%3Ddown&health=c2%3Dup&drain=c3` }, backend);
    await ask("socket", { url: "/v1/explain?name=n&client=192.0.2.1" }, backend);
    await ask("socket", { url: "/v1/endpoints?limit=7&after=x&cluster=c1" }, backend);
    expect(backend.asked).to.deep.equal([
      { drain: "cluster-2", force: false, by: "socket" },
      { drain: "cluster-2", force: true, by: "socket" },
      { undrain: "a/b", by: "socket" },
      {
        explain: {
          ...{ name: "n", type: "SRV", client: "192.0.2.0/24", resolver: "192.0.2.1" },
          ...{ health: ["c1=down", "c2=up"], drain: ["c3"], undrain: [] },
        },
      },
      {
        explain: {
          ...{ name: "n", type: "A", client: "192.0.2.1" },
          ...{ health: [], drain: [], undrain: [] },
        },
      },
      { endpoints: { limit: 7, after: "x", cluster: "c1" } },
    ]);
  });

  it("tell why a drain is refused", async () => {
    const backend = new FakeBackend();
    backend.outcome = { ok: false, message: "cannot drain: it is the last, got cluster-2" };
    const { status, body } = await ask("socket", { method: "POST", url: drainUrl }, backend);
    expect([status, body]).to.deep.equal([
      409,
      { error: "refused", message: "cannot drain: it is the last, got cluster-2" },
    ]);
  });

  it("log a failure of the backend, and tell nobody its words", async () => {
    const backend = new FakeBackend();
    backend.failure = new Error("the secret is 42");
    const { status, body, log } = await ask("network", { url: "/v1/status" }, backend);
    expect([status, body]).to.deep.equal([
      500,
      { error: "failed", message: "the server failed at this; its log says why" },
    ]);
    expect(log.lines).to.deep.equal(["a request failed /v1/status"]);
  });

  it("close the connection of who may not, and say which methods there are", async () => {
    const stranger = await ask("network", { url: "/v1/status", remoteAddress: "192.0.2.1" });
    expect(stranger.headers.connection).to.equal("close");
    const wrong = await ask("socket", { method: "PUT", url: drainUrl });
    expect(wrong.headers.allow).to.equal("POST");
  });

  it("tell who may not read that the server is not ready, and nobody else why", async () => {
    const backend = new FakeBackend();
    backend.notReady = "hostnames are being resolved";
    const here = await ask("network", { url: "/readyz" }, backend);
    const message = "not ready: hostnames are being resolved";
    expect([here.status, here.body]).to.deep.equal([503, { error: "not-ready", message }]);
    const elsewhere = { url: "/readyz", remoteAddress: "192.0.2.1" };
    const there = await ask("network", elsewhere, backend);
    const short = { error: "not-ready", message: "not ready" };
    expect([there.status, there.body]).to.deep.equal([503, short]);
  });

  it("audit each write, done or refused, and nothing else", async () => {
    const { log } = await ask("socket", { method: "POST", url: drainUrl });
    const what = `POST ${drainUrl}`;
    expect(log.audited).to.deep.equal([
      {
        ...{ event: "audit", who: "socket", by: "socket", from: "socket", what },
        ...{ status: 200, outcome: "done", before: [], after: ["cluster-2"] },
      },
    ]);
    const refused = await ask("network", {
      method: "POST",
      url: drainUrl,
      remoteAddress: "192.0.2.1",
    });
    expect(refused.log.audited).to.deep.equal([
      {
        ...{ event: "audit", who: "nobody", by: "nobody", from: "192.0.2.1", what },
        ...{ status: 401, outcome: "no tokens are configured: use the control socket" },
        ...{ before: null, after: null },
      },
    ]);
    const read = await ask("socket", { method: "POST", url: "/v1/whatif", payload: {} });
    expect(read.log.audited).to.deep.equal([]);
  });
});
