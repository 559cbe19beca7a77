// What the test databases of this folder hold: documentation networks (RFC 5737, RFC 3849) and a
// few others at places that are made up. Run it to write the files anew:
// `npx tsx geoip/test-databases.ts`.

import { writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type MmdbContents, type Value, writeMmdb } from "./write-mmdb.ts";

/** The contents of each file, by its name in this folder. */
export const testDatabases: Readonly<Record<string, MmdbContents>> = {
  // MaxMind's shape, with the aliases that MaxMind writes.
  "test-city.mmdb": {
    ipVersion: 6,
    recordSize: 28,
    aliases: ["::ffff:0:0/96", "2002::/16", "2001::/32"],
    entries: [
      { network: "192.0.2.0/24", record: nested("GB", "EU", 51.5142, -0.0931) },
      { network: "192.0.2.128/25", record: nested("DE", "EU", 50.1188, 8.6843) },
      { network: "198.51.100.0/24", record: nested("JP", "AS", 35.6893, 139.6899) },
      { network: "203.0.113.0/25", record: { country: { iso_code: "NZ" } } },
      { network: "203.0.113.128/25", record: { continent: { code: "AF" } } },
      { network: "233.252.0.0/24", record: { traits: { is_anycast: true } } },
      { network: "2001:db8::/32", record: nested("GB", "EU", 51.5142, -0.0931) },
      { network: "2001:db8:5::/48", record: nested("BR", "SA", -23.5475, -46.6361) },
    ],
  },
  // The flat shape: numbers as numbers, as strings, and out of range.
  "test-flat.mmdb": {
    ipVersion: 6,
    recordSize: 24,
    entries: [
      { network: "192.0.2.0/24", record: flat("FR", 48.8566, 2.3522) },
      { network: "198.51.100.0/24", record: flat("ZA", "-26.2041", "28.0473") },
      { network: "203.0.113.0/24", record: flat("AU", 91, 200) },
      { network: "233.252.0.0/24", record: { country_code: "us", continent: "NA" } },
      { network: "2001:db8::/32", record: flat("FJ", "-17.7134", "178.065") },
    ],
  },
  "test-ipv4.mmdb": {
    ipVersion: 4,
    recordSize: 32,
    entries: [
      { network: "0.0.0.0/1", record: { country_code: "US" } },
      { network: "192.0.2.0/24", record: { country_code: "JP" } },
      { network: "192.0.2.77/32", record: { country_code: "KR" } },
    ],
  },
};

function nested(country: string, continent: string, latitude: number, longitude: number): Value {
  return {
    continent: { code: continent, names: { en: continent } },
    country: { iso_code: country, names: { en: country } },
    location: { accuracy_radius: 20, latitude, longitude },
  };
}

function flat(country: string, latitude: number | string, longitude: number | string): Value {
  return { country_code: country, latitude, longitude };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [file, contents] of Object.entries(testDatabases)) {
    writeFileSync(path.join(import.meta.dirname, file), writeMmdb(contents));
  }
}
