// The longest prefix by trying every network, as plainly as can be: what fast tables must equal.

import { containsAddress } from "../../src/dns/address.ts";
import type { NetworkValue } from "../../src/geo/range-table.ts";

/** The value of the longest network around the address, of equal ones the first; else -1. */
export function naiveValue(entries: readonly NetworkValue[], address: Uint8Array): number {
  let best: NetworkValue | undefined;
  for (const entry of entries) {
    const isLonger = !best || entry.network.prefixLength > best.network.prefixLength;
    if (isLonger && containsAddress(entry.network, address)) best = entry;
  }
  return best?.value ?? -1;
}
