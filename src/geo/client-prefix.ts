// Who is asking, as far as geography is concerned: a prefix of one family, taken out of the IPv6
// forms that carry an IPv4 address. It knows address formats; it must not know where a prefix is.

import { maskAddress, type Network } from "../dns/address.ts";

/** A client's address or ECS prefix, IPv4 where an IPv4 address stands inside an IPv6 one. */
export interface ClientPrefix {
  readonly family: 4 | 6;
  /** 4 or 16 octets; bits past `prefixLength` are zero. */
  readonly address: Uint8Array;
  readonly prefixLength: number;
  /** Bits of the outer IPv6 prefix in front of the IPv4 address; 0 for an address as it came. */
  readonly embedding: number;
}

/**
 * The client behind an address of 4 or 16 octets of which `prefixLength` bits are known. An
 * IPv4 address inside is taken out where all bits in front of it are known; a shorter prefix
 * stays IPv6.
 */
export function clientPrefix(address: Uint8Array, prefixLength: number): ClientPrefix {
  if (address.length === 4) return prefixOf(4, address, prefixLength, 0);
  const form = embeddings.find((each) => prefixLength >= each.embedding && isOfForm(address, each));
  if (!form) return prefixOf(6, address, prefixLength, 0);
  const offset = form.embedding / 8;
  const inside = address.slice(offset, offset + 4).map((octet) => octet ^ form.mask);
  return prefixOf(4, inside, Math.min(32, prefixLength - form.embedding), form.embedding);
}

/**
 * A scope in bits of `client.address` as a scope in bits of the address that came in the query
 * (RFC 7871 section 7.2.1). For an IPv4 address inside IPv6 the bits in front of it are always
 * counted: without them it would be another address. A caller whose answer did not depend on the
 * client at all gives back 0 without asking.
 */
export function outerScope(client: ClientPrefix, scope: number): number {
  return client.embedding + scope;
}

/** The octets that draws are hashed from: the address cut to `drawPrefixLength`. */
export function drawPrefix(client: ClientPrefix): Uint8Array {
  return maskAddress(client.address, drawPrefixLength(client));
}

/** 24 bits for IPv4 and 56 for IPv6, which is one site, or fewer where fewer are known. */
export function drawPrefixLength(client: ClientPrefix): number {
  return Math.min(drawScope[client.family], client.prefixLength);
}

/**
 * The scope of a draw, by family. It does not shrink with a short prefix: clients that say more
 * bits are drawn by more of them, so only as many bits hold for all (RFC 7871 section 7.2.1
 * allows a scope that is longer than the source length).
 */
export const drawScope: Readonly<Record<4 | 6, number>> = { 4: 24, 6: 56 };

function prefixOf(
  family: 4 | 6,
  address: Uint8Array,
  prefixLength: number,
  embedding: number,
): ClientPrefix {
  return { family, address: maskAddress(address, prefixLength), prefixLength, embedding };
}

/**
 * Bits that an IPv6 prefix would need for the IPv4 address in it to begin, where it lies in a
 * network that carries such addresses and is too short to say any of theirs; else 0.
 */
export function unreadBits({ family, address }: ClientPrefix): number {
  if (family === 4) return 0;
  return embeddings.find((form) => isOfForm(address, form))?.embedding ?? 0;
}

function isOfForm(address: Uint8Array, { marker }: Embedding): boolean {
  return marker.every((octet, index) => address[index] === octet);
}

/** One way to write an IPv4 address in IPv6: leading octets, bits in front, and XOR mask. */
interface Embedding {
  readonly marker: readonly number[];
  readonly embedding: number;
  readonly mask: number;
}

const embeddings: readonly Embedding[] = [
  // IPv4-mapped, ::ffff:0:0/96 (RFC 4291 section 2.5.5.2)
  { marker: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff], embedding: 96, mask: 0 },
  // NAT64, 64:ff9b::/96 (RFC 6052 section 2.1)
  { marker: [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0], embedding: 96, mask: 0 },
  // 6to4, 2002::/16 (RFC 3056 section 2)
  { marker: [0x20, 0x02], embedding: 16, mask: 0 },
  // Teredo, 2001::/32: the client's address ends it, all bits inverted (RFC 4380 section 4)
  { marker: [0x20, 0x01, 0, 0], embedding: 96, mask: 0xff },
];

/** The networks of all IPv6 addresses that carry an IPv4 address. */
export const carrierNetworks: readonly Network[] = embeddings.map(({ marker }) => {
  const address = new Uint8Array(16);
  address.set(marker);
  return { address, prefixLength: marker.length * 8 };
});
