// IP addresses and networks as octets, and their text. It knows both families; it must not know
// what an address is used for.

import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** A network in CIDR terms: `address` has 4 or 16 octets, all bits past `prefixLength` are zero. */
export interface Network {
  readonly address: Uint8Array;
  readonly prefixLength: number;
}

/** A parsed network, or what is wrong with the text. */
export type NetworkResult = { ok: true; network: Network } | { ok: false; reason: string };

/** Reads an IPv4 or IPv6 address strictly: no short forms, no leading zeros, no zone id. */
export function parseAddress(text: string): Uint8Array | undefined {
  // ipaddr.js alone would take `1.2.3` and read `010.1.1.1` as octal.
  if (isIP(text) === 0 || text.includes("%")) return undefined;
  const compatible = /^::(\d[\d.]*\.\d+)$/.exec(text)?.[1];
  if (compatible !== undefined) {
    // ipaddr.js would read this form of RFC 4291 section 2.5.5.1 as IPv4-mapped.
    return Uint8Array.from([...new Uint8Array(12), ...ipaddr.parse(compatible).toByteArray()]);
  }
  return Uint8Array.from(ipaddr.parse(text).toByteArray());
}

/** The address as text, IPv6 by RFC 5952. Throws if there are not 4 or 16 octets. */
export function formatAddress(address: Uint8Array): string {
  if (address.length === 4) return address.join(".");
  const parsed = ipaddr.fromByteArray([...address]);
  if (parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress()) {
    return `::ffff:${address.subarray(12).join(".")}`; // RFC 5952 section 5
  }
  return parsed.toString();
}

/**
 * Reads `address/length`, or an address alone as a network of that one address. Bits past the
 * length must be zero: the reason for refusal names the network that may have been meant.
 */
export function parseNetwork(text: string): NetworkResult {
  const slash = text.indexOf("/");
  const address = parseAddress(slash < 0 ? text : text.slice(0, slash));
  if (!address) return refused("it is not an IP address or address/length", text);
  const bits = address.length * 8;
  if (slash < 0) return { ok: true, network: { address, prefixLength: bits } };
  const lengthText = text.slice(slash + 1);
  const prefixLength = Number(lengthText);
  if (!/^(0|[1-9]\d{0,2})$/.test(lengthText) || prefixLength > bits) {
    return refused(`the prefix length is not 0 to ${bits}`, text);
  }
  const network = { address: maskAddress(address, prefixLength), prefixLength };
  if (compareAddresses(network.address, address) !== 0) {
    return refused(`it has bits past its length (the network is ${formatNetwork(network)})`, text);
  }
  return { ok: true, network };
}

/** The network as `address/length`. */
export function formatNetwork(network: Network): string {
  return `${formatAddress(network.address)}/${network.prefixLength}`;
}

/** A copy of the address with all bits past `prefixLength` zero. */
export function maskAddress(address: Uint8Array, prefixLength: number): Uint8Array {
  return address.map((octet, at) => octet & octetMask(prefixLength - at * 8));
}

/** Whether the address lies in the network; never if the families differ. */
export function containsAddress(network: Network, address: Uint8Array): boolean {
  if (network.address.length !== address.length) return false;
  for (let at = 0; at * 8 < network.prefixLength; at++) {
    const difference = (network.address[at] ?? 0) ^ (address[at] ?? 0);
    if ((difference & octetMask(network.prefixLength - at * 8)) !== 0) return false;
  }
  return true;
}

/** IPv4 before IPv6, then by octets. */
export function compareAddresses(a: Uint8Array, b: Uint8Array): number {
  if (a.length !== b.length) return a.length - b.length;
  for (let at = 0; at < a.length; at++) {
    const order = (a[at] ?? 0) - (b[at] ?? 0);
    if (order !== 0) return order;
  }
  return 0;
}

/** The mask of an octet of which the first `bits` count: 0 or less for none, 8 or more for all. */
function octetMask(bits: number): number {
  if (bits <= 0) return 0;
  return bits >= 8 ? 0xff : (0xff << (8 - bits)) & 0xff;
}

function refused(problem: string, text: string): NetworkResult {
  return { ok: false, reason: `cannot read a network: ${problem}, got "${text}"` };
}
