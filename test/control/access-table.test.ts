// Every call of the control API by every holder of a token and by none, through each door: the table of
// results, as data.

import { expect } from "chai";
import type { FastifyInstance } from "fastify";
import { controlApp } from "../../src/control/control-server.ts";
import { operations } from "../../src/control/operations.ts";
import { hashToken, type Token } from "../../src/control/tokens.ts";
import { type ApiCall, apiCalls, injected } from "./api-calls.ts";
import { FakeBackend, FakeLog } from "./fake-backend.ts";

const holders = ["no token", "a wrong one", "read", "operate"] as const;
const places = ["the socket", "loopback", "elsewhere", "loopback behind a proxy"] as const;

/** What each may: the call's own status (`ok`), or the status of the refusal, in the order of `holders`. */
const table: Readonly<
  Record<(typeof places)[number], Readonly<Record<ApiCall["needs"], readonly ("ok" | number)[]>>>
> = {
  "the socket": {
    nothing: ["ok", "ok", "ok", "ok"],
    read: ["ok", "ok", "ok", "ok"],
    operate: ["ok", "ok", "ok", "ok"],
  },
  loopback: {
    nothing: ["ok", "ok", "ok", "ok"],
    read: ["ok", 401, "ok", "ok"],
    operate: [401, 401, 403, "ok"],
  },
  elsewhere: {
    nothing: ["ok", "ok", "ok", "ok"],
    read: [401, 401, "ok", "ok"],
    operate: [401, 401, 403, "ok"],
  },
  "loopback behind a proxy": {
    nothing: ["ok", "ok", "ok", "ok"],
    read: [401, 401, "ok", "ok"],
    operate: [401, 401, 403, "ok"],
  },
};

const texts = { "a wrong one": "mrd_wrong", read: "mrd_read", operate: "mrd_operate" };
const tokens: readonly Token[] = [
  { name: "grafana", role: "read", hash: hashToken(texts.read) },
  { name: "anna", role: "operate", hash: hashToken(texts.operate) },
];

describe("the table of who may call what", () => {
  const backend = new FakeBackend();
  const log = new FakeLog();
  let apps: Record<"socket" | "network", FastifyInstance>;
  // The audit of one app leaves out much of what is refused again and again.
  beforeEach(() => {
    const options = { backend, log, tokens: () => tokens };
    apps = { socket: controlApp("socket", options), network: controlApp("network", options) };
  });
  afterEach(() => Promise.all(Object.values(apps).map((each) => each.close())));

  it("has every operation", () => {
    const known = apiCalls.map(({ method, url }) => `${method} ${url.replace(/\?.*/, "")}`);
    for (const { method, url } of operations) {
      const form = new RegExp(`^${method} ${url.replace(/\{\w+\}/g, "[^/]+")}$`);
      expect(
        known.some((each) => form.test(each)),
        `${method} ${url}`,
      ).to.equal(true);
    }
  });

  for (const place of places) {
    for (const [at, holder] of holders.entries()) {
      it(`by ${place} with ${holder}`, async () => {
        for (const call of apiCalls) {
          const name = `${call.method} ${call.url}`;
          backend.asked.length = 0;
          log.audited.length = 0;
          const response = await apps[place === "the socket" ? "socket" : "network"].inject({
            ...injected(call),
            remoteAddress: place === "elsewhere" ? "192.0.2.7" : "127.0.0.1",
            headers: {
              host: "127.0.0.1:8053",
              ...(holder !== "no token" && { authorization: `Bearer ${texts[holder]}` }),
              ...(place === "loopback behind a proxy" && { "x-forwarded-for": "192.0.2.7" }),
            },
          });
          const expected = table[place][call.needs][at];
          const status = expected === "ok" ? (call.status ?? 200) : expected;
          expect(response.statusCode, name).to.equal(status);
          const challenge = response.headers["www-authenticate"];
          expect(challenge !== undefined, name).to.equal(status === 401);
          if (expected !== "ok") {
            expect(backend.asked, name).to.deep.equal([]);
            expect(Object.keys(response.json()), name).to.deep.equal(["error", "message"]);
          }
          // A write is audited whatever becomes of it, nothing else ever; no token is ever told.
          const isWrite = call.needs === "operate" && !(expected === "ok" && call.status === 405);
          expect(log.audited.length, name).to.equal(isWrite ? 1 : 0);
          for (const text of Object.values(texts)) {
            expect(response.body + JSON.stringify(log.audited), name).not.to.contain(text);
          }
        }
      });
    }
  }
});
