// What a voter is started with: a folder with its `meridian.yaml`, its key, and one service that
// runs in several clusters and has a health check. It must not know how a voter is run. Does I/O.

import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

/** The built command. */
export const command = path.resolve(import.meta.dirname, "../../dist/cli/main.js");
/** The one service that is served. */
export const service = "prod/web";
export const serviceName = "web.prod.demo.example.com";

/** The service, and how its endpoints are probed. */
export interface ServedService {
  /** The one external address in each cluster, by the cluster's name. */
  readonly endpoints: Readonly<Record<string, string>>;
  /** Where all of them listen. */
  readonly port: number;
  /** Keys of `healthCheck` beside type and port. */
  readonly healthCheck: Readonly<Record<string, number>>;
}

/** One voter's own settings. */
export interface VoterSettings {
  readonly name: string;
  /** `address:port`; port 0 is any. */
  readonly dns: string;
  readonly http: string;
  readonly peers: readonly { readonly name: string; readonly url: string }[];
}

/** Makes a key for voters in a new file. Throws with what the command said if it fails. */
export function makeKey(file: string): void {
  const made = spawnSync(process.execPath, [command, "keygen", file], { encoding: "utf8" });
  if (made.status !== 0) throw new Error(`cannot make a key: got ${made.stdout}${made.stderr}`);
}

/** Fills a folder that must not be there yet. */
export function writeVoterFolder(
  folder: string,
  { name, dns, http, peers }: VoterSettings,
  served: ServedService,
  keyFile: string,
): void {
  mkdirSync(path.join(folder, "zones"), { recursive: true });
  const ownKey = path.join(folder, "peers.key");
  copyFileSync(keyFile, ownKey);
  chmodSync(ownKey, 0o600);
  const spec = {
    listen: { dns: [dns], http },
    workers: 1,
    geoip: { databases: [] },
    health: { voter: true, secretFile: "peers.key", peers },
  };
  write(folder, "meridian.yaml", [own("Server", { name }, spec)]);
  write(folder, "zones/federation.yaml", objectsOf(served));
}

function objectsOf({ endpoints, port, healthCheck }: ServedService): object[] {
  const federation = own(
    "Federation",
    { name: "demo" },
    {
      domain: "example.com",
      nameservers: [{ name: "ns1.example.net" }],
      ttl: { max: 60, min: 1, negative: 5 },
      healthCheck: { type: "http", port, ...healthCheck },
    },
  );
  const [namespace, name] = service.split("/");
  const placed = Object.entries(endpoints).flatMap(([cluster, ip]) => [
    own("Cluster", { name: cluster }, {}),
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name, namespace, annotations: { "meridian.dev/cluster": cluster } },
      spec: { type: "LoadBalancer", clusterIP: "None", ports: [{ name: "web", port }] },
      status: { loadBalancer: { ingress: [{ ip }] } },
    },
  ]);
  return [federation, ...placed];
}

function own(kind: string, metadata: object, spec: object): object {
  return { apiVersion: "meridian.dev/v1alpha1", kind, metadata, spec };
}

/** JSON is YAML. */
function write(folder: string, file: string, objects: readonly object[]): void {
  const text = objects.map((each) => JSON.stringify(each, null, 2)).join("\n---\n");
  writeFileSync(path.join(folder, file), `${text}\n`);
}
