// The networks of a world as a database in MaxMind's format, for servers that take nothing else: a
// cluster stands as the country that it is in.

import { writeMmdb } from "../../../geoip/write-mmdb.ts";
import { type ClientNetwork, clusters, networkText } from "../bench-world.ts";

/** Fields of the metadata that libmaxminddb takes as 16-bit numbers only. */
const shortFields = [
  "binary_format_major_version",
  "binary_format_minor_version",
  "ip_version",
  "record_size",
];

/** The file's octets; what is in no network is in the first cluster's country. */
export function countryDatabase(networks: readonly ClientNetwork[]): Uint8Array {
  const record = (country: string) => ({ country: { iso_code: country } });
  const octets = writeMmdb({
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
  for (const field of shortFields) {
    const at = octets.lastIndexOf(field, undefined, "latin1") + field.length;
    octets[at] = uint16Type | ((octets[at] ?? 0) & lengthMask);
  }
  return octets;
}

/** The upper three bits of a control octet are the type, the lower five the length. */
const uint16Type = 5 << 5;
const lengthMask = 0x1f;
