// Files of NSD and BIND, which know no client's place and so serve no `geo` world.

import { domain } from "../bench-world.ts";
import type { ServedWorld, ServerConfig, ServerPlace } from "./config.ts";
import { zoneText } from "./zone-text.ts";

/**
 * Files, and arguments of `nsd`. Its minimal responses leave out the addresses of SRV targets; full
 * ones have the zone's NS records too.
 */
export function nsdConfig(world: ServedWorld, { folder, port }: ServerPlace): ServerConfig {
  const config = `server:
  server-count: 1
  ip-address: 127.0.0.1@${port}
  username: ""
  zonesdir: "${folder}"
  database: ""
  pidfile: "${folder}/nsd.pid"
  xfrdfile: "${folder}/xfrd.state"
  xfrdir: "${folder}"
  zonelistfile: "${folder}/zone.list"
  minimal-responses: ${world.kind === "srv" ? "no" : "yes"}
  rrl-ratelimit: 0
  rrl-whitelist-ratelimit: 0
remote-control:
  control-enable: no
zone:
  name: ${domain}
  zonefile: ${domain}.zone
`;
  return {
    files: { "nsd.conf": config, [`${domain}.zone`]: zoneText(world) },
    args: ["-d", "-c", `${folder}/nsd.conf`],
  };
}

/** Files, and arguments of `named`. */
export function bindConfig(world: ServedWorld, { folder, port }: ServerPlace): ServerConfig {
  const config = `options {
  directory "${folder}";
  pid-file "${folder}/named.pid";
  session-keyfile "${folder}/session.key";
  listen-on port ${port} { 127.0.0.1; };
  listen-on-v6 { none; };
  recursion no;
  // No authority section, as the others give none; additional records all the same.
  minimal-responses no-auth;
};
controls { };
zone "${domain}" { type primary; file "${domain}.zone"; notify no; };
`;
  return {
    files: { "named.conf": config, [`${domain}.zone`]: zoneText(world) },
    args: ["-f", "-n", "1", "-U", "1", "-c", `${folder}/named.conf`],
  };
}
