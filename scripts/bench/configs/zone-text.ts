// The worlds as a master file, for all servers that read one. It knows no server's own settings.

import {
  clusters,
  hostAddress,
  hostInDomain,
  nameServerAddress,
  negativeTtlSeconds,
  servicePort,
  staticAddresses,
  ttlSeconds,
} from "../bench-world.ts";
import type { ServedWorld } from "./config.ts";

const hostsInPiece = 1000;

/** The zone in pieces of a thousand hosts; `geo` has no hosts in it, each server adds its own. */
export function* zoneText({ kind, hosts }: Pick<ServedWorld, "kind" | "hosts">): Generator<string> {
  yield [
    `$TTL ${ttlSeconds}`,
    `@ SOA ns1 hostmaster 1 3600 600 86400 ${negativeTtlSeconds}`,
    "@ NS ns1",
    `ns1 A ${nameServerAddress}`,
    "",
  ].join("\n");
  if (kind === "geo") return;
  const records = kind === "srv" ? srvRecords : addressRecords;
  for (let from = 0; from < hosts; from += hostsInPiece) {
    const count = Math.min(hostsInPiece, hosts - from);
    yield Array.from({ length: count }, (_, at) => records(from + at)).join("");
  }
}

function addressRecords(host: number): string {
  const name = hostInDomain(host);
  return staticAddresses(host)
    .map((address) => `${name} A ${address}\n`)
    .join("");
}

/** The clusters in the order that a client of unknown place is given. */
function srvRecords(host: number): string {
  const name = hostInDomain(host);
  const services = clusters.map(
    (cluster, at) => `_web._tcp.${name} SRV ${at} 65535 ${servicePort} ${cluster.name}.${name}\n`,
  );
  const addresses = clusters.map(
    (cluster, at) => `${cluster.name}.${name} A ${hostAddress(host, at)}\n`,
  );
  return [...services, ...addresses].join("");
}
