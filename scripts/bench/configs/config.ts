// What every server's configuration is made from, and the shape that it has. It knows no server.

import type { ClientNetwork } from "../bench-world.ts";

/**
 * What is served: `static`: three addresses for each host; `geo`: those of the cluster that is
 * nearest to the client; `srv`: three SRV records for each host with an address each; `services`:
 * a service in three clusters for each host, with one address in each.
 */
export type WorldKind = "static" | "geo" | "srv" | "services";

export interface ServedWorld {
  readonly kind: WorldKind;
  readonly hosts: number;
  /** Where clients are; none but in `geo`. */
  readonly networks: readonly ClientNetwork[];
}

/** Where a server is to run. */
export interface ServerPlace {
  /** Absolute path of an empty folder of its own. */
  readonly folder: string;
  /** On 127.0.0.1, UDP and TCP. */
  readonly port: number;
}

/** Contents by path within the folder; large ones come in pieces. */
export type ConfigFiles = Readonly<Record<string, string | Uint8Array | Iterable<string>>>;

/** How a server serves a world: what to write, and the arguments to start it with. */
export interface ServerConfig {
  readonly files: ConfigFiles;
  readonly args: readonly string[];
}
