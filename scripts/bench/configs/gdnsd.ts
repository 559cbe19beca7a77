// gdnsd's files for each world: a zone, and for `geo` its geoip plugin with a map of networks.

import {
  clusterIndexes,
  clusters,
  domain,
  geoAddresses,
  hostInDomain,
  hostLabel,
  networkText,
} from "../bench-world.ts";
import type { ServedWorld, ServerConfig, ServerPlace } from "./config.ts";
import { zoneText } from "./zone-text.ts";

/** Files, and arguments of `gdnsd`. */
export function gdnsdConfig(world: ServedWorld, { folder, port }: ServerPlace): ServerConfig {
  const options = [
    `listen => [ "127.0.0.1:${port}" ]`,
    "udp_threads => 1",
    "tcp_threads => 1",
    `run_dir => ${folder}/run`,
    `state_dir => ${folder}/state`,
  ];
  const plugins = world.kind === "geo" ? "plugins => { geoip => $include{geoip} }\n" : "";
  return {
    files: {
      "run/.keep": "",
      "state/.keep": "",
      config: `options => {\n${options.map((each) => `  ${each}\n`).join("")}}\n${plugins}`,
      [`zones/${domain}`]: world.kind === "geo" ? dynamicZone(world) : zoneText(world),
      ...(world.kind === "geo" && { geoip: geoip(world, folder), nets: nets(world) }),
    },
    args: ["-c", folder, "start"],
  };
}

function* dynamicZone(world: ServedWorld): Generator<string> {
  yield* zoneText(world);
  for (let host = 0; host < world.hosts; host++) {
    yield `${hostInDomain(host)} DYNA geoip!${hostLabel(host)}\n`;
  }
}

function geoip({ hosts }: ServedWorld, folder: string): string {
  const names = clusters.map(({ name }) => name).join(", ");
  const resources = Array.from({ length: hosts }, (_, host) => {
    const places = clusterIndexes.map(
      (cluster) => `${clusters[cluster].name} => [ ${geoAddresses(host, cluster).join(", ")} ]`,
    );
    return `    ${hostLabel(host)} => { map => places, dcmap => { ${places.join(", ")} } }\n`;
  });
  return [
    "  service_types => up\n",
    `  maps => { places => { datacenters => [ ${names} ], nets => ${folder}/nets } }\n`,
    `  resources => {\n${resources.join("")}  }\n`,
  ].join("");
}

/** The nearest cluster first; what is in no network takes them in the map's order. */
function nets({ networks }: ServedWorld): string {
  return networks
    .map((network) => {
      const others = clusterIndexes.filter((cluster) => cluster !== network.home);
      const order = [network.home, ...others].map((cluster) => clusters[cluster].name);
      return `${networkText(network)} => [ ${order.join(", ")} ]\n`;
    })
    .join("");
}
