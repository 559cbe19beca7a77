// How much memory a snapshot takes that threads share: services, zones, and the tables of networks. It
// must not know what lies in it.

import type { FamilyTables } from "../geo/range-table.ts";
import type { PackedMap } from "../memory/packed-map.ts";
import type { Snapshot } from "./snapshot.ts";

/** Octets of shared memory, with the room that it has for more. */
export function snapshotOctets({ model, zones, views }: Snapshot): number {
  let octets = packedOctets(model.services.map);
  for (const { packed } of zones.values()) octets += packedOctets(packed.map);
  return octets + tableOctets(views.inside) + tableOctets(views.outside);
}

function packedOctets(map: PackedMap): number {
  const { control, segments, index } = map.image();
  return [control, ...segments, index].reduce((sum, each) => sum + each.byteLength, 0);
}

function tableOctets(tables: FamilyTables): number {
  return [tables[4], tables[6]].reduce(
    (sum, { starts, values, blocks }) =>
      sum + starts.byteLength + values.byteLength + (blocks?.byteLength ?? 0),
    0,
  );
}
