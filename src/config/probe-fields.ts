// The texts that a probe puts on the wire: the path and the host that are asked for, the text that
// a body must hold. What could break out of a request line or a header is refused here. It must not
// know the other keys of a health check.

import { formatAddress, parseAddress } from "../dns/address.ts";
import { formatName } from "../dns/name.ts";
import { parseDomain } from "./domain-names.ts";
import { parsed } from "./fields.ts";

/** As much of a body as a probe looks at (semantics 6). */
const largestBodyOctets = 64 * 1024;

/** What follows the host in a request: printable ASCII (RFC 9112 section 3.2.1). */
export const probePath = parsed(
  "allowed a path that begins with /, of ASCII letters, digits and signs, others as %C3%A9",
  (text) => (/^\/[!-~]*$/.test(text) ? text : undefined),
);

/** A text that is looked for in the first 64 KiB of a body. */
export const expectedBody = parsed(`allowed text of 1 to ${largestBodyOctets} octets`, (text) => {
  const octets = Buffer.byteLength(text);
  return octets >= 1 && octets <= largestBodyOctets ? text : undefined;
});

/** What the host of a check may be, by its type. */
export const hostRule = {
  dns: "allowed a domain name such as example.com for type dns",
  other: "allowed a host name or an address, with a port or without, such as example.com",
} as const;

/** The name that a DNS probe asks for, in ASCII without final dot; `undefined` if it is none. */
export function parseAskedName(text: string): string | undefined {
  const name = parseDomain(text);
  if (!name) return undefined;
  const ascii = formatName(name).replace(/\.$/, "");
  return looksLikeAddress(ascii) ? undefined : ascii;
}

/**
 * The Host header (RFC 9110 section 7.2) that a text stands for: a domain name in ASCII without
 * final dot, an IPv4 address or an IPv6 address in brackets, each with a port of 1 to 65535 or
 * without. `undefined` if it is none.
 */
export function parseProbeHost(text: string): string | undefined {
  const bare = parseAddress(text);
  if (bare) return hostOfAddress(bare);
  const [, bracketed, plain = "", port] =
    /^(?:\[([^[\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  if (port !== undefined && !(Number(port) >= 1 && Number(port) <= 65535)) return undefined;
  const host = bracketed === undefined ? plainHost(plain) : bracketedHost(bracketed);
  return host === undefined || port === undefined ? host : `${host}:${Number(port)}`;
}

function plainHost(text: string): string | undefined {
  const address = parseAddress(text);
  return address ? hostOfAddress(address) : parseAskedName(text);
}

function bracketedHost(text: string): string | undefined {
  const address = parseAddress(text);
  return address?.length === 16 ? hostOfAddress(address) : undefined;
}

function hostOfAddress(address: Uint8Array): string {
  return address.length === 16 ? `[${formatAddress(address)}]` : formatAddress(address);
}

/** No top-level domain is a number, so a last label of digits is a mistyped IPv4 address. */
function looksLikeAddress(name: string): boolean {
  return /(?:^|\.)\d+$/.test(name);
}
