import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { expect } from "chai";
import { type FastifyInstance, fastify } from "fastify";
import { controlApp } from "../../src/control/control-server.ts";
import { dashboardPages } from "../../src/control/dashboard-routes.ts";
import { FakeBackend, FakeLog } from "../control/fake-backend.ts";

const html = "<!doctype html><title>page</title>";
const script = "console.log(1);\n".repeat(100);

describe("the dashboard's files", () => {
  let folder: string;
  let app: FastifyInstance;
  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), "meridian-dashboard-"));
    writeFileSync(path.join(folder, "index.html"), html);
    writeFileSync(path.join(folder, "app.js"), script);
    writeFileSync(path.join(folder, "notes.md"), "not for browsers");
    app = fastify();
    app.register(async (own) => dashboardPages(folder)(own));
  });
  after(async () => {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("are served with their types, and nothing beside them", async () => {
    const get = (url: string) => app.inject({ url });
    const page = await get("/");
    expect(page.body).to.equal(html);
    expect(page.headers["content-type"]).to.equal("text/html; charset=utf-8");
    const code = await get("/dashboard/app.js");
    expect(code.body).to.equal(script);
    expect(code.headers["content-type"]).to.equal("text/javascript; charset=utf-8");
    for (const url of [
      "/dashboard/notes.md",
      "/dashboard/index.html",
      "/dashboard/",
      "/dashboard/../app.js",
      "/dashboard/%2e%2e%2fpackage.json",
    ]) {
      expect((await get(url)).statusCode, url).to.equal(404);
    }
    expect((await app.inject({ url: "/", method: "HEAD" })).statusCode).to.equal(200);
  });

  it("allow the page nothing from elsewhere, no script within and no frame around", async () => {
    const { headers } = await app.inject({ url: "/" });
    expect(headers["content-security-policy"]).to.equal(
      "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'",
    );
    expect(headers["x-content-type-options"]).to.equal("nosniff");
    expect(headers["referrer-policy"]).to.equal("no-referrer");
  });

  it("are not sent again to who has them", async () => {
    const { headers } = await app.inject({ url: "/dashboard/app.js" });
    const etag = `${headers["etag"]}`;
    expect(etag).to.match(/^"[\w-]{22}"$/);
    expect(headers["cache-control"]).to.equal("no-cache");
    for (const [known, status] of [
      [etag, 304],
      [`"x", W/${etag}`, 304],
      ["*", 304],
      ['"x"', 200],
    ] as const) {
      const again = await app.inject({
        url: "/dashboard/app.js",
        headers: { "if-none-match": known },
      });
      expect(again.statusCode, known).to.equal(status);
      expect(again.body === "", known).to.equal(status === 304);
      expect(again.headers["etag"], known).to.equal(etag);
    }
  });

  it("are gzipped for who takes that, under a tag of its own", async () => {
    const plain = await app.inject({ url: "/dashboard/app.js" });
    for (const [accepted, isGzipped] of [
      ["gzip", true],
      ["br, GZIP;q=0.5", true],
      ["gzip;q=0", false],
      ["gzip;q=0.0, br", false],
      ["br", false],
      ["xgzip", false],
    ] as const) {
      const { headers, rawPayload } = await app.inject({
        url: "/dashboard/app.js",
        headers: { "accept-encoding": accepted },
      });
      expect(headers["content-encoding"] === "gzip", accepted).to.equal(isGzipped);
      expect(headers["etag"] === plain.headers["etag"], accepted).to.equal(!isGzipped);
      expect(headers["vary"]).to.equal("accept-encoding");
      const text = (isGzipped ? gunzipSync(rawPayload) : rawPayload).toString();
      expect(text, accepted).to.equal(script);
    }
  });

  it("are given to whoever reaches the listener, but not under a name that is not this machine's", async () => {
    const pages = dashboardPages(folder);
    const control = controlApp("network", {
      backend: new FakeBackend(),
      log: new FakeLog(),
      pages,
    });
    for (const [remoteAddress, host, status] of [
      ["127.0.0.1", "127.0.0.1:8053", 200],
      ["127.0.0.1", "localhost", 200],
      ["127.0.0.1", "rebound.example.com", 403],
      ["192.0.2.1", "ns1.example.com", 200],
    ] as const) {
      for (const url of ["/", "/dashboard/app.js"]) {
        const { statusCode } = await control.inject({ url, remoteAddress, headers: { host } });
        expect(statusCode, `${url} from ${remoteAddress} as ${host}`).to.equal(status);
      }
    }
    await control.close();
  });

  it("are said to be missing where they were not built", async () => {
    const bare = fastify();
    bare.register(async (own) => dashboardPages(path.join(folder, "none"))(own));
    const { statusCode, body } = await bare.inject({ url: "/" });
    expect(statusCode).to.equal(404);
    expect(JSON.parse(body).message).to.equal("the dashboard is not built: npm run build makes it");
    await bare.close();
  });
});
