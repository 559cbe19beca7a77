// Addresses and networks from text, for tests: a mistake in the text is a mistake in the test.

import { type Network, parseAddress, parseNetwork } from "../../src/dns/address.ts";

export function address(text: string): Uint8Array {
  const parsed = parseAddress(text);
  if (!parsed) throw new Error(`cannot parse an address, got ${text}`);
  return parsed;
}

export function network(text: string): Network {
  const parsed = parseNetwork(text);
  if (!parsed.ok) throw new Error(`cannot parse a network: ${parsed.reason}`);
  return parsed.network;
}
