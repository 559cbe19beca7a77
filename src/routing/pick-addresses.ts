// From ordered clusters to the addresses of an answer (semantics 3, "Addresses", and 4): those of
// one cluster stand together and rotate. It must not know why the clusters stand in this order.

import type { Address } from "../federation/model.ts";

/**
 * Picks at most `maxAddresses` addresses: each cluster keeps one as long as there is room, in
 * order; what room is left goes to further addresses of the clusters, in order.
 * @param clusters each cluster's addresses, the clusters in order.
 * @param rotation how far each cluster's addresses are rotated; any whole number from 0.
 */
export function pickAddresses(
  clusters: readonly (readonly Address[])[],
  maxAddresses: number,
  rotation: number,
): Address[] {
  const given = clusters.filter((each) => each.length > 0).slice(0, maxAddresses);
  let room = maxAddresses - given.length;
  return given.flatMap((addresses) => {
    const further = Math.min(room, addresses.length - 1);
    room -= further;
    return rotate(addresses, rotation).slice(0, 1 + further);
  });
}

function rotate(addresses: readonly Address[], by: number): Address[] {
  const at = by % addresses.length;
  return [...addresses.slice(at), ...addresses.slice(0, at)];
}
