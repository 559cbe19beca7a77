// Who may ask what of the control server. It knows where a request came from and what it wants;
// it must not know sockets or what is answered.

import { containsAddress, type Network, parseAddress } from "../dns/address.ts";

/** A request, as far as it decides who may. */
export interface Knock {
  /** `socket`: the file system has said who may connect. `network`: anybody may have. */
  readonly door: "socket" | "network";
  /** The source address; `''` if it is not known. */
  readonly source: string;
  /** The Host header. */
  readonly host: string | undefined;
  readonly method: string;
}

/** Why a request is refused. */
export interface AccessRefusal {
  readonly status: 401 | 403;
  readonly error: string;
  readonly message: string;
}

/**
 * Why a request is refused; `undefined` if it may pass:
 * 1. through the socket everything passes;
 * 2. from this machine by a name that is not its own nothing passes: a page in a browser here
 *    may have had that name point at this address (DNS rebinding);
 * 3. over the network nothing is changed;
 * 4. over the network only this machine reads.
 */
export function accessRefusal({ door, source, host, method }: Knock): AccessRefusal | undefined {
  if (door === "socket") return undefined;
  const isLocal = isLoopback(source);
  // No browser leaves the header out.
  if (isLocal && host !== undefined && !isOwnName(host)) return strangeHost;
  if (method !== "GET" && method !== "HEAD") return noTokens;
  return isLocal ? undefined : notLocal;
}

const strangeHost: AccessRefusal = {
  status: 403,
  error: "forbidden",
  message: "the Host header is neither an IP address nor localhost",
};
const noTokens: AccessRefusal = {
  status: 401,
  error: "no-tokens",
  message: "no tokens are configured: use the control socket",
};
const notLocal: AccessRefusal = {
  status: 403,
  error: "forbidden",
  message: "only this machine may read here: ask from a loopback address or by the control socket",
};

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

/** Whether a Host header holds an IP address or `localhost`, with a port or without. */
function isOwnName(host: string): boolean {
  const match = /^(?:\[([^\]]*)\]|([^:]*))(?::\d{1,5})?$/.exec(host);
  if (!match) return false;
  const [, bracketed, plain = ""] = match;
  if (bracketed !== undefined) return parseAddress(bracketed)?.length === 16;
  return plain.toLowerCase() === "localhost" || parseAddress(plain)?.length === 4;
}
