// Requests that no client of good will would send, drawn by seeded chance: methods, paths, encodings,
// headers, bodies. It must not know what answers them.

import type { Dice } from "../kit/dice.ts";
import { apiCalls } from "./api-calls.ts";

/** A request as the octets that go over the wire. */
export interface FuzzedRequest {
  readonly octets: Buffer;
  readonly method: string;
}

const methods = [
  "GET",
  "POST",
  "HEAD",
  "PUT",
  "DELETE",
  "PATCH",
  "OPTIONS",
  "TRACE",
  "QUERY",
  "get",
];
const words = [
  ..."state status clusters services endpoints votes mirror sample explain whatif events reload".split(
    " ",
  ),
  ..."v1 v2 metrics healthz readyz openapi.json dashboard ballots cluster-2 drain undrain".split(
    " ",
  ),
  ..."__proto__ constructor toString hasOwnProperty .. . %2e%2e %2F %00 %ff %zz %c0%af ;x=1".split(
    " ",
  ),
  ...["", " ", "%", "ü", "💥", "a".repeat(300), "..%2f..%2fetc%2fpasswd", "\\..\\", "*", "{name}"],
];
const keys = [
  ..."name type client resolver health drain undrain limit after service cluster verdict recent".split(
    " ",
  ),
  ..."force queries count __proto__ constructor toString".split(" "),
];
const values = [
  ..."a.example A AAAA TYPE65535 192.0.2.1 192.0.2.0/24 ::/0 2001:db8::/129 1e9 -1 0 1 1001 NaN".split(
    " ",
  ),
  ..."true null undefined up down c1=down ns/name ns/name#1 #9 [object%20Object] %00 %ff %zz".split(
    " ",
  ),
  ...["", "\\", "'", '"', "<script>", "ü", "a".repeat(1200), "/".repeat(50), ".".repeat(300)],
];
const headers: readonly (readonly [string, readonly string[]])[] = [
  ["Host", ["localhost", "127.0.0.1", "evil.example", "", "[::1", "a b", "localhost:99999999"]],
  ["Authorization", ["Bearer x", "Bearer", "Bearer  ", "Basic eDp5", "\u00ff", "Bearer a b c"]],
  [
    "Content-Type",
    ["application/json", "text/plain", "multipart/form-data", "x", "", "a/b;c=\u00ff"],
  ],
  ["Content-Length", ["0", "-1", "1e3", "99999999999", "abc", "5"]],
  ["Transfer-Encoding", ["chunked", "gzip", "identity", "chunked, chunked"]],
  ["Accept", ["*/*", "text/event-stream", "\u00ff"]],
  ["Accept-Encoding", ["gzip", "br;q=1", "*"]],
  ["Last-Event-ID", ["1", "-1", "x.1", "abc.99999999999999999999", ""]],
  ["X-Forwarded-For", ["192.0.2.1", "", "x".repeat(500)]],
  ["Origin", ["null", "http://evil.example", "http://localhost", "x"]],
  ["Sec-Fetch-Site", ["cross-site", "same-origin", "x"]],
  ["Expect", ["100-continue", "x"]],
  ["Connection", ["keep-alive", "close", "x"]],
  ["If-None-Match", ['"x"', "*", "x".repeat(3000)]],
  ["Range", ["bytes=0-1", "x"]],
  ["Cookie", ["a=b", "__proto__=x"]],
  ["X-Http-Method-Override", ["DELETE"]],
];
const bodies = [
  "",
  "{}",
  "[]",
  "null",
  "{",
  '{"force":true}',
  '{"force":"yes"}',
  '{"__proto__":{"force":true}}',
  '{"constructor":1,"toString":2}',
  '{"queries":[]}',
  '{"queries":[{"name":"a","client":"b","count":-1}]}',
  '{"queries":[{"name":"a","client":"192.0.2.1"}],"drain":["c1","c9"]}',
  '{"health":["x"],"drain":[1],"undrain":{}}',
  '{"health":"x"}',
  "\u0000\u0001",
  "x".repeat(70_000),
  "[".repeat(5000),
  `{"a":${"9".repeat(400)}}`,
];

/** The next request. */
export function fuzzedRequest(dice: Dice): FuzzedRequest {
  const call = dice.pick(apiCalls);
  const method = dice.chance(0.5) ? call.method : dice.pick(methods);
  const depth = dice.integer(0, 4);
  let target = dice.chance(0.6)
    ? call.url
    : `/${Array.from({ length: depth }, () => dice.pick(words)).join("/")}`;
  if (dice.chance(0.1))
    target = target.replace("/v1/", dice.pick(["//v1/", "/V1/", "/v1//", "/./v1/"]));
  if (dice.chance(0.02))
    target = dice.pick(["*", "http://localhost/v1/state", "//evil.example/", "?", "#"]);
  const count = dice.chance(0.6) ? dice.integer(0, 3) : 0;
  for (let each = 0; each < count; each++) {
    const separator = target.includes("?") ? "&" : "?";
    target += `${separator}${dice.pick(keys)}${dice.chance(0.1) ? "[]" : ""}=${dice.pick(values)}`;
  }
  if (dice.chance(0.02)) target += "a".repeat(17_000);
  const body = method === "GET" && dice.chance(0.9) ? "" : dice.pick(bodies);
  const lines = [`${method} ${target} HTTP/1.${dice.chance(0.95) ? 1 : 0}`];
  const given = new Set<string>();
  for (let each = dice.integer(0, 3); each > 0; each--) {
    const [name, choices] = dice.pick(headers);
    given.add(name);
    lines.push(`${name}: ${dice.pick(choices)}`);
  }
  if (!given.has("Host") && dice.chance(0.97)) lines.push("Host: localhost");
  const isSized = given.has("Content-Length") || given.has("Transfer-Encoding");
  if (body !== "" && !isSized) lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
  const octets = Buffer.from(
    `${lines.join("\r\n")}\r\n\r\n${body}`,
    dice.chance(0.9) ? "utf8" : "latin1",
  );
  if (!dice.chance(0.05)) return { octets, method };
  // A few octets of it are something else.
  for (let each = 0; each < 3; each++) {
    octets[dice.integer(0, octets.length - 1)] = dice.integer(0, 255);
  }
  return { octets, method: "?" };
}
