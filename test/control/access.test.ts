// Who may ask what of the control server, decided without any socket.

import { expect } from "chai";
import { admit, type KnockHeaders, type Need } from "../../src/control/access.ts";
import { hashToken, type Token } from "../../src/control/tokens.ts";

type Row = readonly [source: string, host: string | undefined, method: string, expected: string];

const passes = "passes";
const rows: readonly Row[] = [
  ["127.0.0.1", "127.0.0.1:8053", "GET", passes],
  ["127.9.8.7", "127.9.8.7", "HEAD", passes],
  ["::1", "[::1]:8053", "GET", passes],
  ["::1", "[::1]", "GET", passes],
  ["::ffff:127.0.0.1", "localhost:8053", "GET", passes],
  ["127.0.0.1", "LocalHost", "GET", passes],
  // A health checker that speaks HTTP/1.0.
  ["127.0.0.1", undefined, "GET", passes],
  // DNS rebinding.
  ["127.0.0.1", "evil.example:8053", "GET", "403 forbidden"],
  ["127.0.0.1", "localhost.evil.example", "GET", "403 forbidden"],
  ["127.0.0.1", "127.0.0.1.evil.example", "GET", "403 forbidden"],
  ["127.0.0.1", "127.1", "GET", "403 forbidden"],
  ["127.0.0.1", "", "GET", "403 forbidden"],
  ["127.0.0.1", "localhost:1:2", "GET", "403 forbidden"],
  ["127.0.0.1", "[127.0.0.1]", "GET", "403 forbidden"],
  ["127.0.0.1", "[::1", "GET", "403 forbidden"],
  ["::1", "evil.example", "POST", "403 forbidden"],
  // Others than this machine.
  ["192.0.2.1", "192.0.2.53", "GET", "401 no-tokens"],
  ["128.0.0.1", "127.0.0.1", "GET", "401 no-tokens"],
  ["::2", "[::1]", "GET", "401 no-tokens"],
  ["::ffff:192.0.2.1", "localhost", "GET", "401 no-tokens"],
  ["::7f00:1", "localhost", "GET", "401 no-tokens"],
  ["", "localhost", "GET", "401 no-tokens"],
  // Changes.
  ["127.0.0.1", "localhost", "POST", "401 no-tokens"],
  ["127.0.0.1", "localhost", "DELETE", "401 no-tokens"],
  ["127.0.0.1", "localhost", "OPTIONS", "401 no-tokens"],
  ["192.0.2.1", "192.0.2.53", "POST", "401 no-tokens"],
];

function decided(
  source: string,
  method: string,
  headers: KnockHeaders,
  tokens?: readonly Token[],
  need: Need = method === "GET" || method === "HEAD" ? "read" : "operate",
): string {
  const admission = admit({ door: "network", source, method, headers }, need, tokens);
  if (admission.ok) return `${passes} as ${admission.who.name}`;
  return `${admission.refusal.status} ${admission.refusal.error}`;
}

const tokens: readonly Token[] = [
  { name: "grafana", role: "read", hash: hashToken("mrd_read") },
  { name: "anna", role: "operate", hash: hashToken("mrd_operate") },
];

/** What browsers and proxies say with a request, from this machine and with no token. */
const told: readonly (readonly [name: string, method: string, KnockHeaders, expected: string])[] = [
  ["a page of its own", "GET", { "sec-fetch-site": "same-origin" }, "passes as loopback"],
  ["a page of another site", "GET", { "sec-fetch-site": "cross-site" }, "403 forbidden"],
  [
    "a link on another site",
    "GET",
    { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" },
    "passes as loopback",
  ],
  ["its own origin", "POST", { origin: "http://127.0.0.1:8053" }, "passes as loopback"],
  ["another origin", "POST", { origin: "http://127.0.0.1:8054" }, "403 forbidden"],
  ["no origin that it names", "POST", { origin: "null" }, "403 forbidden"],
  ["a form of another site", "POST", { "sec-fetch-site": "cross-site" }, "403 forbidden"],
  ["a form of a neighbour", "POST", { "sec-fetch-site": "same-site" }, "403 forbidden"],
  ["a proxy's Forwarded", "GET", { forwarded: "for=192.0.2.1" }, "401 unauthorized"],
  ["a proxy's X-Forwarded-For", "GET", { "x-forwarded-for": "" }, "401 unauthorized"],
  ["a proxy's Via", "GET", { via: "1.1 proxy" }, "401 unauthorized"],
  [
    "a proxy's X-Forwarded-For and a token",
    "GET",
    { "x-forwarded-for": "192.0.2.1", authorization: "Bearer mrd_read", host: "ns1.example" },
    "passes as grafana",
  ],
  ["another scheme", "GET", { authorization: "Basic bXJkX3JlYWQ=" }, "passes as loopback"],
  ["no token", "GET", { authorization: "Bearer" }, "401 unauthorized"],
  ["a scheme in capitals", "GET", { authorization: "BEARER  mrd_read" }, "passes as grafana"],
  ["a token and more", "GET", { authorization: "Bearer mrd_read x" }, "401 unauthorized"],
];

describe("access to the control server", () => {
  for (const [source, host, method, expected] of rows) {
    it(`over the network ${method} from "${source}" for host ${host}: ${expected}`, () => {
      const found = decided(source, method, { host });
      expect(found).to.equal(expected === passes ? `${passes} as loopback` : expected);
    });
  }

  for (const [name, method, headers, expected] of told) {
    it(`over the network ${method} from this machine with ${name}: ${expected}`, () => {
      const all = { host: "127.0.0.1:8053", ...headers };
      expect(decided("127.0.0.1", method, all, tokens, "read")).to.equal(expected);
    });
  }

  it("by the socket is free, whatever the request says", () => {
    for (const [, host, method] of rows) {
      const knock = { door: "socket" as const, source: "", method, headers: { host } };
      expect(admit(knock, "operate", undefined).ok).to.equal(true);
    }
  });
});
