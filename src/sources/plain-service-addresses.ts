// Addresses gathered from JSON octets, each once, in the order in which services have them. It
// knows the text of IPv4 itself, because it is read by the million; it must not know whose
// addresses they are.

import { compareAddresses, parseAddress } from "../dns/address.ts";
import type { FamilyCounts } from "../federation/service-shape.ts";

/** More addresses of a family than this are for the exact reader. */
export const maxPlainAddresses = 15;

/** A list that is filled anew for each service. */
export class PlainAddresses {
  /** Whether `None` stands among them: a headless service. */
  hasNone = false;
  #v4Count = 0;
  readonly #v4 = new Uint32Array(maxPlainAddresses);
  readonly #v6: Uint8Array[] = [];

  clear(): void {
    this.hasNone = false;
    this.clearAddresses();
  }

  /** Takes out the addresses only. */
  clearAddresses(): void {
    this.#v4Count = 0;
    if (this.#v6.length > 0) this.#v6.length = 0;
  }

  get counts(): FamilyCounts {
    return { 4: this.#v4Count, 6: this.#v6.length };
  }

  /** The counts as one number below 256. */
  get countsCode(): number {
    return this.#v4Count * (maxPlainAddresses + 1) + this.#v6.length;
  }

  /** Adds the address that stands from `start` to `end`, if it is one and there is room. */
  add(octets: Uint8Array, start: number, end: number): boolean {
    const address = readIpv4(octets, start, end);
    return address < 0 ? this.#addIpv6(octets, start, end) : this.#addIpv4(address);
  }

  /** Writes IPv4, then IPv6, each sorted; the place behind them. */
  write(target: Uint8Array, start: number): number {
    let at = start;
    for (let index = 0; index < this.#v4Count; index++) {
      const address = this.#v4[index] ?? 0;
      target[at++] = address >>> 24;
      target[at++] = address >>> 16;
      target[at++] = address >>> 8;
      target[at++] = address;
    }
    for (const address of this.#v6) {
      target.set(address, at);
      at += address.length;
    }
    return at;
  }

  #addIpv4(address: number): boolean {
    const known = this.#v4;
    const count = this.#v4Count;
    let place = 0;
    while (place < count && (known[place] ?? 0) < address) place++;
    if (place < count && known[place] === address) return true;
    if (count === maxPlainAddresses) return false;
    for (let index = count; index > place; index--) known[index] = known[index - 1] ?? 0;
    known[place] = address;
    this.#v4Count = count + 1;
    return true;
  }

  #addIpv6(octets: Uint8Array, start: number, end: number): boolean {
    if (end - start > maxIpv6Text) return false;
    const address = parseAddress(String.fromCharCode(...octets.subarray(start, end)));
    if (address?.length !== 16) return false;
    if (this.#v6.some((each) => compareAddresses(each, address) === 0)) return true;
    if (this.#v6.length === maxPlainAddresses) return false;
    this.#v6.push(address);
    this.#v6.sort(compareAddresses);
    return true;
  }
}

/** `ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255`. */
const maxIpv6Text = 45;

/** An IPv4 address as a number, or -1: four octets without leading zeros (RFC 6943 section 3.1.1, strict). */
function readIpv4(octets: Uint8Array, start: number, end: number): number {
  let address = 0;
  let value = 0;
  let digits = 0;
  let dots = 0;
  for (let at = start; at < end; at++) {
    const octet = octets[at] ?? 0;
    if (octet === 0x2e) {
      if (digits === 0 || ++dots > 3) return -1;
      address = address * 0x100 + value;
      value = 0;
      digits = 0;
      continue;
    }
    if (octet < 0x30 || octet > 0x39 || (digits > 0 && value === 0)) return -1;
    value = value * 10 + octet - 0x30;
    if (++digits > 3 || value > 0xff) return -1;
  }
  return digits === 0 || dots !== 3 ? -1 : address * 0x100 + value;
}
