// Random addresses and networks that meet often: few distinct octets, so prefixes nest, touch and
// share bits.

import fc from "fast-check";
import { maskAddress, type Network } from "../../src/dns/address.ts";
import type { NetworkValue } from "../../src/geo/range-table.ts";

export const families: fc.Arbitrary<4 | 6> = fc.constantFrom(4, 6);

export function addressesOf(family: 4 | 6): fc.Arbitrary<Uint8Array> {
  const length = family === 4 ? 4 : 16;
  const octet = fc.constantFrom(0, 1, 127, 128, 254, 255);
  return fc
    .array(octet, { minLength: length, maxLength: length })
    .map((octets) => Uint8Array.from(octets));
}

export function networksOf(family: 4 | 6): fc.Arbitrary<Network> {
  return fc
    .tuple(addressesOf(family), fc.integer({ min: 0, max: family === 4 ? 32 : 128 }))
    .map(([address, prefixLength]) => ({
      address: maskAddress(address, prefixLength),
      prefixLength,
    }));
}

/** Networks with values of which many are equal and some are none. */
export function entriesOf(family: 4 | 6): fc.Arbitrary<NetworkValue[]> {
  const entry = fc.record({
    network: networksOf(family),
    value: fc.integer({ min: -1, max: 3 }),
  });
  return fc.array(entry, { maxLength: 12 });
}
