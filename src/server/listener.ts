// What every listener is to the data plane, and how source addresses reach the responder.

import { parseAddress } from "../dns/address.ts";
import type { Address } from "../federation/model.ts";

/** Where to listen; port 0 lets the system choose. */
export interface ListenAddress {
  readonly address: string;
  readonly port: number;
}

/** A listener that answers until it is stopped. */
export interface BoundListener {
  /** The port that the system chose stands in place of 0. */
  readonly address: ListenAddress;
  /** Takes nothing new, finishes what it has, then closes. */
  readonly stop: () => Promise<void>;
}

/** `ADDRESS:PORT`, an IPv6 address in brackets. */
export function formatListenAddress({ address, port }: ListenAddress): string {
  return address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
}

/** An address as node gives it, less the zone id of link-local ones, as octets. */
export function sourceAddress(text: string): Address {
  const address = parseAddress(text.replace(/%.*$/, ""));
  if (!address) throw new Error(`cannot read source address: not an IP address, got ${text}`);
  return address;
}
