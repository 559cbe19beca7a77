// Knot DNS's files for each world: a zone, and for `geo` its geoip module with a database of
// countries. Its subnet mode keeps a list of networks for each name: 20,000 for each of 1,000
// names are more than it can hold.

import { clusterIndexes, clusters, domain, geoAddresses, hostName } from "../bench-world.ts";
import type { ServedWorld, ServerConfig, ServerPlace } from "./config.ts";
import { countryDatabase } from "./country-database.ts";
import { zoneText } from "./zone-text.ts";

/** Files, and arguments of `knotd`. */
export function knotConfig(world: ServedWorld, { folder, port }: ServerPlace): ServerConfig {
  const isGeo = world.kind === "geo";
  const config = `server:
    listen: 127.0.0.1@${port}
    rundir: "${folder}"
    udp-workers: 1
    tcp-workers: 1
    background-workers: 1
    edns-client-subnet: on
database:
    storage: "${folder}/db"
log:
  - target: stderr
    any: error
${isGeo ? geoModule(folder) : ""}template:
  - id: default
    storage: "${folder}"
    journal-content: none
    zonefile-sync: -1
zone:
  - domain: ${domain}
    file: "${domain}.zone"
${isGeo ? "    module: mod-geoip/places\n" : ""}`;
  return {
    files: {
      "knot.conf": config,
      "db/.keep": "",
      [`${domain}.zone`]: zoneText(world),
      ...(isGeo && { "geo.conf": geoRecords(world), "geo.mmdb": countryDatabase(world.networks) }),
    },
    args: ["-c", `${folder}/knot.conf`],
  };
}

function geoModule(folder: string): string {
  return `mod-geoip:
  - id: places
    config-file: "${folder}/geo.conf"
    mode: geodb
    geodb-file: "${folder}/geo.mmdb"
    geodb-key: country/iso_code
    ttl: 300
`;
}

function* geoRecords({ hosts }: ServedWorld): Generator<string> {
  for (let host = 0; host < hosts; host++) {
    yield `${hostName(host)}:\n`;
    for (const cluster of clusterIndexes) {
      const addresses = geoAddresses(host, cluster).map((address) => `    A: ${address}\n`);
      yield `  - geo: "${clusters[cluster].country}"\n${addresses.join("")}`;
    }
  }
}
