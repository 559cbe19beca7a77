// Who may ask what of the control server. It knows where a request came from and what it wants;
// it must not know sockets or what is answered.

import { containsAddress, type Network, parseAddress } from "../dns/address.ts";
import { findToken, type Token } from "./tokens.ts";

/** What a request needs to be allowed: `nothing` is open to everybody. */
export type Need = "nothing" | "read" | "operate";

/** A request, as far as it decides who may. */
export interface Knock {
  /** `socket`: the file system has said who may connect. `network`: anybody may have. */
  readonly door: "socket" | "network";
  /** The source address; `''` if it is not known. */
  readonly source: string;
  readonly method: string;
  readonly headers: KnockHeaders;
}

/** The headers that decide, each as it came. */
export type KnockHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Who asks: the name of a token, or how a request without one came in. */
export interface Asker {
  readonly name: string;
  readonly by: "socket" | "token" | "loopback" | "nobody";
}

/** Why a request is refused. */
export interface AccessRefusal {
  readonly status: 401 | 403;
  readonly error: string;
  readonly message: string;
  /** The WWW-Authenticate header (RFC 6750 section 3). */
  readonly challenge?: string;
}

export type Admission =
  | { readonly ok: true; readonly who: Asker }
  | { readonly ok: false; readonly who: Asker; readonly refusal: AccessRefusal };

/**
 * Decides on a request:
 * 1. through the socket everything passes;
 * 2. what is open to everybody passes;
 * 3. a page of another site that a browser shows may ask for nothing here, but lead to a page;
 * 4. a token that is one passes where its role suffices, from wherever; a wrong one never does;
 * 5. without one, this machine reads, by a name that is its own: a page in a browser here may have
 *    had another name point at this address (DNS rebinding). What a proxy hands on is not this
 *    machine's;
 * 6. nothing else passes.
 * @param tokens `undefined`: none are configured.
 */
export function admit(knock: Knock, need: Need, tokens: readonly Token[] | undefined): Admission {
  if (knock.door === "socket") return { ok: true, who: { name: "socket", by: "socket" } };
  if (need === "nothing") return { ok: true, who: nobody };
  const isLocal = isLoopback(knock.source) && !isForwarded(knock.headers);
  const bearer = bearerOf(knock.headers);
  const token = bearer === undefined ? undefined : findToken(tokens ?? [], bearer);
  const local: Asker = isLocal ? { name: "loopback", by: "loopback" } : nobody;
  const who: Asker = token ? { name: token.name, by: "token" } : local;
  const refuse = (refusal: AccessRefusal): Admission => ({ ok: false, who, refusal });
  if (isCrossSite(knock)) return refuse(crossSite);
  if (token) {
    if (need === "read" || token.role === "operate") return { ok: true, who };
    return refuse(roleTooSmall);
  }
  if (bearer !== undefined) return refuse(tokens ? wrongToken : noTokens);
  // No browser leaves the header out.
  const host = textOf(knock.headers["host"]);
  if (isLocal && host !== undefined && !isOwnName(host)) return refuse(strangeHost);
  if (isLocal && need === "read") return { ok: true, who };
  return refuse(tokens ? tokenNeeded : noTokens);
}

const nobody: Asker = { name: "nobody", by: "nobody" };

const strangeHost: AccessRefusal = {
  status: 403,
  error: "forbidden",
  message: "the Host header is neither an IP address nor localhost",
};
const crossSite: AccessRefusal = {
  status: 403,
  error: "forbidden",
  message: "a page of another site may not ask here",
};
const roleTooSmall: AccessRefusal = {
  status: 403,
  error: "forbidden",
  message: "this token may only read: a token of the role operate is needed",
};
const challenge = 'Bearer realm="meridian"';
const noTokens: AccessRefusal = {
  status: 401,
  error: "no-tokens",
  message: "no tokens are configured: use the control socket",
  challenge,
};
const tokenNeeded: AccessRefusal = {
  status: 401,
  error: "unauthorized",
  message: "a token is needed: Authorization: Bearer TOKEN",
  challenge,
};
const wrongToken: AccessRefusal = {
  status: 401,
  error: "unauthorized",
  message: "this token is not known here",
  challenge: `${challenge}, error="invalid_token"`,
};

/** Whether a request for a page with no data in it is turned away: see rule 5 of `admit`. */
export function isStrangeHost({ door, source, headers }: Knock): boolean {
  const host = textOf(headers["host"]);
  if (door === "socket" || host === undefined || isForwarded(headers)) return false;
  return isLoopback(source) && !isOwnName(host);
}

/** 127.0.0.0/8 and ::1, and the former as IPv4-mapped addresses, as dual-stack sockets show them. */
const loopbacks: readonly Network[] = [
  { address: Uint8Array.of(127, 0, 0, 0), prefixLength: 8 },
  { address: Uint8Array.from([...new Uint8Array(15), 1]), prefixLength: 128 },
  {
    address: Uint8Array.from([...new Uint8Array(10), 0xff, 0xff, 127, 0, 0, 0]),
    prefixLength: 104,
  },
];

function isLoopback(source: string): boolean {
  const address = parseAddress(source);
  return address !== undefined && loopbacks.some((each) => containsAddress(each, address));
}

/** Headers by which proxies say for whom they ask (RFC 7239 and the customs before it). */
const proxyHeaders = [
  "forwarded",
  "via",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-real-ip",
  "x-client-ip",
  "true-client-ip",
  "cf-connecting-ip",
];

function isForwarded(headers: KnockHeaders): boolean {
  return proxyHeaders.some((name) => headers[name] !== undefined);
}

/** The token of an Authorization header (RFC 6750 section 2.1); `undefined` for another scheme or none. */
function bearerOf(headers: KnockHeaders): string | undefined {
  const match = /^bearer(?: +(.*))?$/is.exec(textOf(headers["authorization"]) ?? "");
  return match ? (match[1] ?? "").trim() : undefined;
}

/**
 * Whether a browser says that the page of another site asks. Browsers send `Sec-Fetch-Site`
 * (https://www.w3.org/TR/fetch-metadata/), and `Origin` with everything that could change something.
 */
function isCrossSite({ method, headers }: Knock): boolean {
  const isRead = method === "GET" || method === "HEAD";
  const site = textOf(headers["sec-fetch-site"]);
  if (site === "cross-site" || (site === "same-site" && !isRead)) {
    return !isRead || textOf(headers["sec-fetch-mode"]) !== "navigate";
  }
  const origin = textOf(headers["origin"]);
  return !isRead && origin !== undefined && hostOf(origin) !== textOf(headers["host"]);
}

function hostOf(origin: string): string | undefined {
  return /^https?:\/\/([^/]+)$/i.exec(origin)?.[1];
}

/** A header that came twice has no one value. */
function textOf(value: KnockHeaders[string]): string | undefined {
  return typeof value === "string" || value === undefined ? value : value.join(", ");
}

/** Whether a Host header holds an IP address or `localhost`, with a port or without. */
function isOwnName(host: string): boolean {
  const match = /^(?:\[([^\]]*)\]|([^:]*))(?::\d{1,5})?$/.exec(host);
  if (!match) return false;
  const [, bracketed, plain = ""] = match;
  if (bracketed !== undefined) return parseAddress(bracketed)?.length === 16;
  return plain.toLowerCase() === "localhost" || parseAddress(plain)?.length === 4;
}
