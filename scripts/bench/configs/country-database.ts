// The networks of a world as a database in MaxMind's format, for servers that take nothing else: a
// cluster stands as the country that it is in.

import { writeMmdb } from "../../../geoip/write-mmdb.ts";
import { type ClientNetwork, clusters, networkText } from "../bench-world.ts";

/** The file's octets; what is in no network is in the first cluster's country. */
export function countryDatabase(networks: readonly ClientNetwork[]): Uint8Array {
  const record = (country: string) => ({ country: { iso_code: country } });
  return writeMmdb({
    ipVersion: 6,
    recordSize: 24,
    entries: [
      { network: "0.0.0.0/0", record: record(clusters[0].country) },
      ...networks.map((network) => ({
        network: networkText(network),
        record: record(clusters[network.home].country),
      })),
    ],
    metadata: { database_type: "GeoLite2-Country" },
  });
}
