// The names of a packed zone's nodes, which the zone itself has no need to list. It must not know
// what stands at them.

import type { Name } from "../../src/dns/name.ts";
import type { PackedNodes } from "../../src/zone/packed-nodes.ts";

/** All owner names in lower case, empty non-terminals as well, in no order. */
export function nodeNames({ map }: PackedNodes): Name[] {
  return [...map.refs()].map((ref) => {
    const at = map.keyAt(ref);
    return new Uint8Array(map.octetsOf(ref).subarray(at, at + map.keyLengthOf(ref)));
  });
}
