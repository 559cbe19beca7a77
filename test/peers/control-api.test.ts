// The control API of whole servers: that each answer is what its schema says, that lists stay cheap with
// many services, that events come as they happen, and that tokens do what they should.

import { once } from "node:events";
import { request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import path from "node:path";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import { freePorts } from "../../scripts/demo/free-ports.ts";
import { waitFor } from "../../scripts/demo/wait-for.ts";
import type { EndpointPage, ServicePage, VotesReport } from "../../src/control/api-answers.ts";
import { eventSchema, type ServerEvent, type StateReport } from "../../src/control/api-schemas.ts";
import type { Operation } from "../../src/control/operation.ts";
import { operations } from "../../src/control/operations.ts";
import { runCommand } from "../kit/command.ts";
import type { ServiceSketch } from "../kit/federation.ts";
import { type OperatedServer, OperatedServers } from "../kit/operating.ts";
import { startWebService, type WebService } from "../kit/web-service.ts";

const serviceCount = 10_000;
const places = { c1: "127.0.0.31", c2: "127.0.0.32" };

describe("the control API of a whole server", () => {
  let servers: OperatedServers;
  let server: OperatedServer;
  let base: RequestOptions;
  const web: WebService[] = [];

  before(async () => {
    const [port = 0, httpPort = 0] = await freePorts(2);
    for (const address of Object.values(places)) web.push(await startWebService({ address, port }));
    const services: Record<string, ServiceSketch> = {
      "shop/checkout": {
        healthCheck: {
          type: "http",
          port,
          intervalSeconds: 1,
          timeoutSeconds: 1,
          fall: 1,
          rise: 1,
        },
        in: Object.fromEntries(
          Object.entries(places).map(([cluster, address]) => [cluster, { external: [address] }]),
        ),
      },
    };
    const federation = {
      clusters: { c1: { at: [51, 0] as const }, c2: { at: [40, -74] as const } },
      services,
    };
    const spec = {
      listen: { http: `127.0.0.1:${httpPort}` },
      control: { tokensFile: "tokens" },
      health: { voter: true },
      querySample: { sample: 1 },
    };
    servers = new OperatedServers([{ name: "ns1", federation, spec }]);
    server = servers.server("ns1");
    server.write("tokens", "", 0o600);
    for (const cluster of [1, 2]) {
      server.write(`zones/clusters/c${cluster}/many.ndjson`, manyServices(cluster));
    }
    await servers.start();
    base = { host: "127.0.0.1", port: httpPort, agent: false };
    const look = async () => (await server.health()).endpoints.map(({ verdict }) => verdict).join();
    await waitFor("both up", 10_000, look, (seen) => seen === "up,up");
  });
  after(async () => {
    await servers?.stop();
    await Promise.all(web.map((each) => each.stop()));
  });

  async function ask(target: string, more: RequestOptions = {}, body?: object) {
    const sent = httpRequest({ ...base, path: target, ...more });
    const answered = once(sent, "response") as Promise<[IncomingMessage]>;
    sent.end(body && JSON.stringify(body));
    const [response] = await answered;
    const content = await text(response);
    const isJson = response.headers["content-type"]?.startsWith("application/json");
    return {
      status: response.statusCode,
      body: isJson ? (JSON.parse(content) as unknown) : content,
    };
  }

  async function get<Body>(target: string): Promise<Body> {
    const { status, body } = await ask(target);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body as Body;
  }

  it("gives answers that are what their schemas say, and nothing more", async () => {
    const targets: Readonly<Record<string, readonly [string, RequestOptions?, object?]>> = {
      getCluster: ["/v1/clusters/c1"],
      getService: ["/v1/services/shop/checkout"],
      listEndpoints: ["/v1/endpoints?service=shop/checkout"],
      explain: [
        "/v1/explain?name=checkout.shop.my-federation.my-domain.com&client=192.0.2.1&drain=c1",
      ],
      whatIf: [
        "/v1/whatif",
        { method: "POST" },
        {
          drain: ["c1"],
          queries: [{ name: "checkout.shop.my-federation.my-domain.com", client: "192.0.2.1" }],
        },
      ],
      drain: ["/v1/clusters/c1/drain", { method: "POST" }, {}],
      undrain: ["/v1/clusters/c1/undrain", { method: "POST" }],
      reload: ["/v1/reload", { method: "POST" }],
    };
    for (const each of operations) {
      if (each.kind === "stream") continue;
      const [target, more = {}, body] = targets[each.id] ?? [each.url];
      const socket = { socketPath: path.join(server.folder, "data/meridian.sock") };
      const answer = await ask(target, { ...more, ...(each.needs === "operate" && socket) }, body);
      expect(answer.status, `${each.id}: ${JSON.stringify(answer.body)}`).to.equal(200);
      expect(strayKeys(each, answer.body), each.id).to.deep.equal([]);
    }
  });

  it(`is cheap with ${serviceCount} services`, async () => {
    const took: number[] = [];
    for (let each = 0; each < 20; each++) {
      const begunMs = performance.now();
      const state = await get<StateReport>("/v1/state");
      took.push(performance.now() - begunMs);
      expect(state.services).to.equal(serviceCount);
      expect(state.clusters.map(({ services }) => services)).to.deep.equal([5001, 5000]);
    }
    const [median = 0] = took.sort((a, b) => a - b).slice(10);
    expect(median).to.be.below(50);
  });

  it("gives every service and endpoint once by the page", async () => {
    const services = new Set<string>();
    let endpoints = 0;
    for (let after: string | null = ""; after !== null; ) {
      const page: ServicePage = await get(`/v1/services?limit=1000${afterOf(after)}`);
      for (const each of page.items) services.add(each.service);
      after = page.next;
    }
    for (let after: string | null = ""; after !== null; ) {
      const page: EndpointPage = await get(`/v1/endpoints?limit=999${afterOf(after)}`);
      endpoints += page.items.length;
      after = page.next;
    }
    expect([services.size, endpoints]).to.deep.equal([serviceCount, serviceCount + 1]);
    const votes = await get<VotesReport>("/v1/votes");
    expect(votes.items.map(({ address, verdict }) => `${address} ${verdict?.word}`)).to.deep.equal([
      `${places.c1} up`,
      `${places.c2} up`,
    ]);
    expect(votes.quorum).to.deep.equal({ isHeld: true, live: 1, needed: 1, configured: 1 });
  });

  it("tells of a verdict, a drain and a reload as they happen", async () => {
    const sent = httpRequest({ ...base, path: "/v1/events" }).end();
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    const seen: ServerEvent[] = [];
    response.setEncoding("utf8").on("data", (chunk: string) => {
      for (const [, data = ""] of chunk.matchAll(/^data: (.*)$/gm))
        seen.push(eventSchema.parse(JSON.parse(data)));
    });
    await web[0]?.kill();
    const look = () => seen.map(({ kind }) => kind);
    await waitFor("the verdict", 10_000, look, (kinds) => kinds.includes("verdict"));
    const drained = await runCommand(["drain", "c2", "--force"], server.folder);
    expect(drained.status).to.equal(0);
    await runCommand(["undrain", "c2"], server.folder);
    const socketPath = path.join(server.folder, "data/meridian.sock");
    expect((await ask("/v1/reload", { method: "POST", socketPath })).body).to.deep.equal({
      outcome: "unchanged",
      problems: [],
    });
    await waitFor("all of it", 5000, look, (kinds) => kinds.includes("reload"));
    const verdict = seen.find(({ kind }) => kind === "verdict");
    expect(verdict).to.include({ service: "shop/checkout", address: places.c1, word: "down" });
    const drains = seen.flatMap((each) => (each.kind === "drains" ? [each.drained.join()] : []));
    expect(drains).to.deep.equal(["c2", ""]);
    sent.destroy();
    const down = await get<VotesReport>("/v1/votes?verdict=down");
    expect(down.items.map(({ address }) => address)).to.deep.equal([places.c1]);
    const state = await get<StateReport>("/v1/state");
    expect(state.clusters[0]?.endpoints).to.deep.equal({ total: 5001, healthy: 5000, down: 1 });
    await web[0]?.revive();
  });

  it("takes a new token at a reload, and keeps the former ones while the file has a fault", async () => {
    const made = await runCommand(["token", "anna", "--role", "operate"], server.folder);
    const token = made.stdout.trim();
    const headers = { authorization: `Bearer ${token}` };
    const write = { method: "POST", headers };
    expect((await ask("/v1/reload", write)).status).to.equal(401);
    const socketPath = path.join(server.folder, "data/meridian.sock");
    const reload = () => ask("/v1/reload", { method: "POST", socketPath });
    expect((await reload()).body).to.deep.equal({ outcome: "changed", problems: [] });
    expect((await ask("/v1/reload", write)).status).to.equal(200);
    server.write("tokens", "anna operate x\n", 0o600);
    const refused = (await reload()).body;
    expect(refused).to.deep.equal({
      outcome: "refused",
      problems: [
        {
          ...{ file: "tokens", line: 1, column: 14 },
          message: "cannot read token: allowed 64 hexadecimal digits of SHA-256, got 1 characters",
        },
      ],
    });
    expect((await ask("/v1/reload", write)).status).to.equal(200);
    server.write("tokens", "", 0o600);
    await reload();
    expect((await ask("/v1/reload", write)).status).to.equal(401);
    const audited = server.events.filter(({ event, who }) => event === "audit" && who === "anna");
    expect(audited).to.have.length(2);
  });
});

/** Half of all services but one, each in this cluster alone, a line each. */
function manyServices(cluster: number): string {
  const lines: string[] = [];
  for (let at = cluster - 1; at < serviceCount - 1; at += 2) {
    const ip = `10.${cluster}.${at >> 8}.${at & 255}`;
    const service = {
      ...{ apiVersion: "v1", kind: "Service" },
      metadata: { name: `s${at}`, namespace: `ns${at % 100}` },
      spec: { type: "LoadBalancer", ports: [{ port: 80 }] },
      status: { loadBalancer: { ingress: [{ ip }] } },
    };
    lines.push(JSON.stringify(service));
  }
  return `${lines.join("\n")}\n`;
}

function afterOf(after: string): string {
  return after === "" ? "" : `&after=${encodeURIComponent(after)}`;
}

/** What the schema does not allow, or the answer has beyond it. */
function strayKeys({ answer }: Operation, body: unknown): unknown[] {
  if ("contentType" in answer) return typeof body === "string" ? [] : ["no text"];
  const read = answer.schema.safeParse(body);
  if (!read.success) return read.error.issues;
  return JSON.stringify(read.data).length === JSON.stringify(body).length ? [] : ["more keys"];
}
