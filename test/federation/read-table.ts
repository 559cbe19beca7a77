// A table of services with a reader as another thread has one. It must not know what is in them.

import { type Service, serviceKey } from "../../src/federation/model.ts";
import { ServiceReader, sickBit } from "../../src/federation/service-reader.ts";
import { ServiceTable } from "../../src/federation/service-table.ts";
import { epochMarks } from "../../src/memory/epochs.ts";

/** A table, and a reader that takes up what there is more of as it is told. */
export function readTable(): { table: ServiceTable; reader: ServiceReader } {
  const readers: ServiceReader[] = [];
  const table = new ServiceTable();
  table.onGrowth = (growth) => {
    for (const reader of readers) reader.grow(growth);
  };
  const reader = new ServiceReader(table.share(epochMarks(1)));
  readers.push(reader);
  return { table, reader };
}

/** Each address of a service, with its cluster. */
export function addressesOf({ clusters }: Service): { cluster: string; address: Uint8Array }[] {
  return clusters.flatMap(({ cluster, clusterIps, external }) =>
    [...clusterIps, ...external].map((address) => ({ cluster, address })),
  );
}

/** Whether the service's record says that not all is well with it. */
export function isSick(reader: ServiceReader, service: Service): boolean {
  return (reader.map.tagOf(reader.refOf(serviceKey(service))) & sickBit) !== 0;
}
