// Meridian's files for each world: a zone, or a federation whose three clusters run every service.

import {
  type ClusterIndex,
  clusterIndexes,
  clusters,
  domain,
  federation,
  geoAddresses,
  hostAddress,
  hostLabel,
  nameServerAddress,
  namespace,
  negativeTtlSeconds,
  networkText,
  servicePort,
  ttlSeconds,
} from "../bench-world.ts";
import type { ConfigFiles, ServedWorld, ServerConfig, ServerPlace } from "./config.ts";
import { zoneText } from "./zone-text.ts";

/** One object a line, or all in one list as `kubectl get` prints them. */
export type ServiceList = "ndjson" | "json";

/** More services than these in one cluster are many. */
const fewServices = 10_000;

/** How the same server is started in different ways. */
export interface MeridianOptions {
  readonly workers: number;
  /** Value of `--udp`; `undefined`: what the server takes by itself. */
  readonly udp?: "batch" | "dgram" | undefined;
  /** How services are written where they are many: one object a line (default), or one list. */
  readonly list?: ServiceList | undefined;
}

/** Files, and arguments of the `meridian` command. */
export function meridianConfig(
  world: ServedWorld,
  { folder, port }: ServerPlace,
  { workers, udp, list = "ndjson" }: MeridianOptions,
): ServerConfig {
  const server = {
    apiVersion: "meridian.dev/v1alpha1",
    kind: "Server",
    metadata: { name: "bench" },
    spec: {
      listen: { dns: [`127.0.0.1:${port}`] },
      workers,
      geoip: { databases: [], overrides: "overrides.yaml" },
    },
  };
  const data =
    world.kind === "static"
      ? {
          [`zones/${domain}.zone`]: zoneText(world),
          // There must be one, of another domain than the zone.
          "zones/federation.json": federationText("federation.test", world),
        }
      : federationFiles(world, world.hosts > fewServices ? list : "json");
  return {
    files: {
      "meridian.yaml": JSON.stringify(server, null, 2),
      "overrides.yaml": overrides(world),
      ...data,
    },
    args: [
      "serve",
      "--config",
      `${folder}/meridian.yaml`,
      ...(udp === undefined ? [] : ["--udp", udp]),
    ],
  };
}

/** One service's object in one cluster, as one line of JSON. */
export function serviceLine(name: string, addresses: readonly string[]): string {
  return `${JSON.stringify({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace },
    spec: { type: "LoadBalancer", ports: [{ name: "web", port: servicePort }] },
    status: { loadBalancer: { ingress: addresses.map((ip) => ({ ip })) } },
  })}\n`;
}

function federationFiles(world: ServedWorld, list: ServiceList): ConfigFiles {
  const objects = clusters.map(({ name, region, latitude, longitude }) => ({
    apiVersion: "meridian.dev/v1alpha1",
    kind: "Cluster",
    metadata: { name },
    spec: { region, location: { latitude, longitude }, networks: [] },
  }));
  const services = clusterIndexes.map((cluster) => [
    `zones/clusters/${clusters[cluster].name}/services.${list}`,
    list === "ndjson" ? serviceLines(world, cluster) : serviceList(world, cluster),
  ]);
  return {
    "zones/federation.json": federationText(domain, world),
    ...Object.fromEntries(
      objects.map((object) => [
        `zones/clusters/${object.metadata.name}/cluster.json`,
        JSON.stringify(object),
      ]),
    ),
    ...Object.fromEntries(services),
  };
}

function federationText(ofDomain: string, { kind }: ServedWorld): string {
  return JSON.stringify({
    apiVersion: "meridian.dev/v1alpha1",
    kind: "Federation",
    metadata: { name: federation },
    spec: {
      domain: ofDomain,
      nameservers: [{ name: `ns1.${ofDomain}`, addresses: [nameServerAddress] }],
      contact: `hostmaster@${ofDomain}`,
      ttl: { max: ttlSeconds, min: 30, negative: negativeTtlSeconds },
      // Three addresses in each case: of the nearest cluster, or of all three.
      answer: { mode: kind === "geo" ? "nearest" : "ordered" },
    },
  });
}

const servicesInPiece = 1000;

function* serviceLines({ kind, hosts }: ServedWorld, cluster: ClusterIndex): Generator<string> {
  for (let from = 0; from < hosts; from += servicesInPiece) {
    const count = Math.min(servicesInPiece, hosts - from);
    const lines = Array.from({ length: count }, (_, at) =>
      serviceLine(
        hostLabel(from + at),
        kind === "geo" ? geoAddresses(from + at, cluster) : [hostAddress(from + at, cluster)],
      ),
    );
    yield lines.join("");
  }
}

/** As `kubectl get services --output json` prints them. */
function* serviceList(world: ServedWorld, cluster: ClusterIndex): Generator<string> {
  yield '{"apiVersion":"v1","kind":"List","items":[\n';
  let isFirst = true;
  for (const lines of serviceLines(world, cluster)) {
    yield (isFirst ? "" : ",\n") + lines.trimEnd().replaceAll("\n", ",\n");
    isFirst = false;
  }
  yield "]}\n";
}

/** Each network lies where its home is; all others where the first cluster is. */
function overrides({ networks }: ServedWorld): string {
  const line = (network: string, cluster: ClusterIndex): string => {
    const { latitude, longitude } = clusters[cluster];
    return `- { network: ${network}, latitude: ${latitude}, longitude: ${longitude} }\n`;
  };
  const lines = networks.map((network) => line(networkText(network), network.home));
  return [line("0.0.0.0/0", 0), ...lines].join("");
}
