// Addresses as Linux's calls take them, on 64-bit little-endian machines. It must not know what is
// bound to them.

import { parseAddress } from "../dns/address.ts";
import type { ListenAddress } from "./listener.ts";

export const AF_UNIX = 1;
export const AF_INET = 2;
export const AF_INET6 = 10;

/** An address and port, and what they mean for a socket. */
export interface SocketName {
  readonly family: 4 | 6;
  readonly isWildcard: boolean;
  /** `struct sockaddr_in` or `struct sockaddr_in6`. */
  readonly octets: Uint8Array;
}

/** Throws for what is no IP address. */
export function socketName({ address, port }: ListenAddress): SocketName {
  const octets = parseAddress(address);
  if (!octets) throw new Error(`cannot open a socket: no IP address, got ${address}`);
  const isFour = octets.length === 4;
  const name = new Uint8Array(isFour ? 16 : 28);
  const view = new DataView(name.buffer);
  view.setUint16(0, isFour ? AF_INET : AF_INET6, true);
  view.setUint16(2, port);
  name.set(octets, isFour ? 4 : 8);
  return {
    family: isFour ? 4 : 6,
    isWildcard: octets.every((octet) => octet === 0),
    octets: name,
  };
}

/** The port in a name of either family. */
export function portOf(name: Uint8Array): number {
  return ((name[2] ?? 0) << 8) | (name[3] ?? 0);
}
