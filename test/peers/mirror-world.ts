// Folders of servers with generated services, for tests and measurements of mirrors, and what a zone
// should hold of them, written anew from semantics 5 and 9 and not by the code under test. It must
// not know providers. Does I/O.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type FederationSketch, filesOf, type ServiceSketch } from "../kit/federation.ts";
import { writeServerFolder } from "../kit/server.ts";

/** A cluster with one region and one zone. */
export interface MirroredCluster {
  readonly name: string;
  readonly region: string;
  readonly zone: string;
}

/** The addresses of a service by cluster, IPv4 only and at least one, of a cluster all. */
export type MirroredService = Readonly<Record<string, readonly string[]>>;

/** What the files say: services by `namespace/name`. */
export interface MirroredWorld {
  readonly clusters: readonly MirroredCluster[];
  readonly services: Readonly<Record<string, MirroredService>>;
}

/** Three clusters in three regions. */
export const threeClusters: readonly MirroredCluster[] = [
  { name: "c1", region: "eu", zone: "eu1" },
  { name: "c2", region: "us", zone: "us1" },
  { name: "c3", region: "ap", zone: "ap1" },
];

/** The world as files; services have one port without a name, of which there are no SRV records. */
export function sketchOf({ clusters, services }: MirroredWorld): FederationSketch {
  return {
    clusters: Object.fromEntries(
      clusters.map(({ name, region, zone }) => [name, { region, zones: [zone] }]),
    ),
    services: Object.fromEntries(
      Object.entries(services).map(([key, addresses]): [string, ServiceSketch] => [
        key,
        {
          in: Object.fromEntries(
            Object.entries(addresses).map(([cluster, external]) => [
              cluster,
              { external, ports: [] },
            ]),
          ),
        },
      ]),
    ),
  };
}

/**
 * The lines `name type values` of all record sets but TXT that a zone should hold, sorted.
 * @param down addresses that are voted down
 */
export function wantedLines(
  { clusters, services }: MirroredWorld,
  down: ReadonlySet<string> = new Set(),
): string[] {
  const lines: string[] = [];
  for (const [key, addresses] of Object.entries(services)) {
    const [namespace, name] = key.split("/");
    const short = `${name}.${namespace}.my-federation`;
    const all = Object.values(addresses).flat();
    const up = all.filter((address) => !down.has(address));
    // All down: as if all were up.
    const given = (up.length > 0 ? up : all).toSorted().join(",");
    lines.push(`${short}.my-domain.com. A ${given}`, `${short}.svc.my-domain.com. A ${given}`);
    for (const { name: cluster, region, zone } of clusters) {
      const local = (addresses[cluster] ?? []).filter((address) => !down.has(address));
      const regional = `${short}.svc.${region}.my-domain.com.`;
      const zonal = `${short}.svc.${zone}.${region}.my-domain.com.`;
      if (local.length > 0) {
        const values = local.toSorted().join(",");
        lines.push(`${regional} A ${values}`, `${zonal} A ${values}`);
      } else {
        lines.push(`${regional} CNAME ${short}.svc.my-domain.com.`, `${zonal} CNAME ${regional}`);
      }
    }
  }
  return lines.sort();
}

/** A folder in which `meridian` runs with one mirror, and whose services change. */
export class MirrorFolder {
  readonly path: string;

  constructor(world: MirroredWorld, mirror: Readonly<Record<string, unknown>>) {
    this.path = writeServerFolder({
      files: filesOf(sketchOf(world)),
      serverSpec: { geoip: { databases: [] }, mirror: [mirror] },
    });
  }

  /** Puts a world in the place of the one before. */
  use(world: MirroredWorld): void {
    rmSync(path.join(this.path, "zones"), { recursive: true });
    for (const [file, text] of Object.entries(filesOf(sketchOf(world)))) {
      mkdirSync(path.dirname(path.join(this.path, file)), { recursive: true });
      writeFileSync(path.join(this.path, file), text);
    }
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
