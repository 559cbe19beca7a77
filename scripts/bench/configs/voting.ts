// Meridian's files for the benchmarks of voting: a federation whose services have a health check, and
// a server that votes. It knows no load and opens no file.

import {
  clusterIndexes,
  clusters,
  domain,
  federation,
  hostLabel,
  nameServerAddress,
  namespace,
  negativeTtlSeconds,
  ttlSeconds,
} from "../bench-world.ts";
import type { ConfigFiles, ServerConfig, ServerPlace } from "./config.ts";
import { serviceLine } from "./meridian.ts";

/** What services are checked by; the other keys have their defaults. */
export interface BenchCheck {
  readonly type: "http" | "tcp";
  readonly port: number;
  readonly intervalSeconds: number;
}

export interface VotingWorld {
  /** Services; each has four endpoints, two of them in the first cluster. */
  readonly hosts: number;
  /** What endpoints have as their addresses, turn by turn; four or more. */
  readonly addresses: readonly string[];
  readonly check: BenchCheck;
  /** Services that are checked, from the first on. */
  readonly checkedHosts: number;
}

export interface VotingServer {
  readonly httpPort: number;
  /** `spec.health`; `undefined`: nobody votes. */
  readonly health: object | undefined;
}

/** The voter of every benchmark. */
export const ownName = "ns1";
export const endpointsOfHost = 4;
const endpointsByCluster = [2, 1, 1] as const;

/** Files, and arguments of the `meridian` command; one worker answers DNS. */
export function votingConfig(
  world: VotingWorld,
  { httpPort, health }: VotingServer,
  { folder, port }: ServerPlace,
): ServerConfig {
  const server = {
    apiVersion: "meridian.dev/v1alpha1",
    kind: "Server",
    metadata: { name: ownName },
    spec: {
      listen: { dns: [`127.0.0.1:${port}`], http: `127.0.0.1:${httpPort}` },
      workers: 1,
      geoip: { databases: [] },
      ...(health && { health }),
    },
  };
  return {
    files: { "meridian.yaml": JSON.stringify(server, null, 2), ...zoneFiles(world) },
    args: ["serve", "--config", `${folder}/meridian.yaml`],
  };
}

/** A host's four addresses, by cluster. */
export function endpointAddresses(
  { addresses }: Pick<VotingWorld, "addresses">,
  host: number,
): string[][] {
  let at = host * endpointsOfHost;
  return endpointsByCluster.map((count) =>
    Array.from({ length: count }, () => addresses[at++ % addresses.length] ?? ""),
  );
}

function zoneFiles(world: VotingWorld): ConfigFiles {
  const files: Record<string, string> = { "zones/federation.json": federationText(world) };
  for (const index of clusterIndexes) {
    const { name, region, latitude, longitude } = clusters[index];
    const cluster = {
      apiVersion: "meridian.dev/v1alpha1",
      kind: "Cluster",
      metadata: { name },
      spec: { region, location: { latitude, longitude }, networks: [] },
    };
    files[`zones/clusters/${name}/cluster.json`] = JSON.stringify(cluster);
    files[`zones/clusters/${name}/services.ndjson`] = Array.from(
      { length: world.hosts },
      (_, host) => serviceLine(hostLabel(host), endpointAddresses(world, host)[index] ?? []),
    ).join("");
  }
  if (!isWhole(world)) files["zones/policies.ndjson"] = policies(world);
  return files;
}

function federationText(world: VotingWorld): string {
  return JSON.stringify({
    apiVersion: "meridian.dev/v1alpha1",
    kind: "Federation",
    metadata: { name: federation },
    spec: {
      domain,
      nameservers: [{ name: `ns1.${domain}`, addresses: [nameServerAddress] }],
      contact: `hostmaster@${domain}`,
      ttl: { max: ttlSeconds, min: 30, negative: negativeTtlSeconds },
      ...(isWhole(world) && { healthCheck: world.check }),
    },
  });
}

function policies({ checkedHosts, check }: VotingWorld): string {
  return Array.from({ length: checkedHosts }, (_, host) => {
    const metadata = { name: hostLabel(host), namespace };
    const kind = "FederatedService";
    return `${JSON.stringify({ apiVersion: "meridian.dev/v1alpha1", kind, metadata, spec: { healthCheck: check } })}\n`;
  }).join("");
}

/** Whether the federation's own check does for all services. */
function isWhole({ hosts, checkedHosts }: VotingWorld): boolean {
  return checkedHosts >= hosts;
}
