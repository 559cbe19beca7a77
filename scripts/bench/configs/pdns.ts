// PowerDNS's files for each world: a zone for its BIND backend, and for `geo` the geoip backend
// with a database of countries.

import {
  clusterIndexes,
  clusters,
  domain,
  geoAddresses,
  hostName,
  nameServerAddress,
  negativeTtlSeconds,
  ttlSeconds,
} from "../bench-world.ts";
import type { ServedWorld, ServerConfig, ServerPlace } from "./config.ts";
import { countryDatabase } from "./country-database.ts";
import { zoneText } from "./zone-text.ts";

/** Files, and arguments of `pdns_server`. */
export function pdnsConfig(world: ServedWorld, { folder, port }: ServerPlace): ServerConfig {
  const isGeo = world.kind === "geo";
  const settings = [
    "daemon=no",
    "guardian=no",
    "local-address=127.0.0.1",
    `local-port=${port}`,
    `socket-dir=${folder}`,
    "receiver-threads=1",
    "distributor-threads=1",
    "loglevel=3",
    "security-poll-suffix=",
    ...(isGeo
      ? [
          "launch=geoip",
          `geoip-zones-file=${folder}/geo.yaml`,
          `geoip-database-files=${folder}/geo.mmdb`,
          "edns-subnet-processing=yes",
        ]
      : ["launch=bind", `bind-config=${folder}/named.conf`]),
  ];
  const data = isGeo
    ? { "geo.yaml": geoZone(world), "geo.mmdb": countryDatabase(world.networks) }
    : {
        "named.conf": `zone "${domain}" { type master; file "${folder}/${domain}.zone"; };\n`,
        [`${domain}.zone`]: zoneText(world),
      };
  return {
    files: { "pdns.conf": `${settings.join("\n")}\n`, ...data },
    args: [`--config-dir=${folder}`],
  };
}

function* geoZone({ hosts }: ServedWorld): Generator<string> {
  const soa = `ns1.${domain} hostmaster.${domain} 1 3600 600 86400 ${negativeTtlSeconds}`;
  yield `domains:\n- domain: ${domain}\n  ttl: ${ttlSeconds}\n  records:\n`;
  yield `    ${domain}:\n      - soa: ${soa}\n      - ns: ns1.${domain}\n`;
  yield `    ns1.${domain}:\n      - a: ${nameServerAddress}\n`;
  for (let host = 0; host < hosts; host++) {
    for (const cluster of clusterIndexes) {
      const addresses = geoAddresses(host, cluster).map((address) => `      - a: ${address}\n`);
      const country = clusters[cluster].country.toLowerCase();
      yield `    ${country}.${hostName(host)}:\n${addresses.join("")}`;
    }
  }
  yield "  services:\n";
  for (let host = 0; host < hosts; host++) {
    yield `    ${hostName(host)}: '%cc.${hostName(host)}'\n`;
  }
}
