// Three real servers that vote on a federation over the world, its web services, and clients from
// many countries. It must not know the page that shows them. Does I/O.

import { createSocket } from "node:dgram";
import { freePorts } from "../../scripts/demo/free-ports.ts";
import { runCommand } from "../kit/command.ts";
import { queryOctets } from "../kit/dns-client.ts";
import type { FederationSketch } from "../kit/federation.ts";
import { newKey, type OperatedServer, OperatedServers } from "../kit/operating.ts";
import { startWebService, type WebService } from "../kit/web-service.ts";
import { stubClients, stubClusters } from "./stub-places.ts";

export const services = ["prod/checkout", "prod/web"] as const;
export const serviceName = "web.prod.shop.example.com";

/** The servers, and what they vote on. */
export interface Demo {
  readonly servers: OperatedServers;
  /** The one that is looked at. */
  readonly first: OperatedServer;
  readonly url: string;
  /** With which that one may be read from elsewhere. */
  readonly token: string;
  /** By address: see `addressOf`. */
  readonly webServices: ReadonlyMap<string, WebService>;
  readonly stop: () => Promise<void>;
}

/** A cluster's address of a service. */
export function addressOf(cluster: string, service: (typeof services)[number]): string {
  const found = stubClusters.find((each) => each.name === cluster);
  if (!found) throw new Error(`cannot find the cluster: got ${cluster}`);
  return `127.10.${found.at}.${1 + services.indexOf(service)}`;
}

/** A network of clients in that country: each has 254 addresses of 198.18.0.0/15 (RFC 2544). */
export function clientsOf(label: string): string {
  const at = stubClients.findIndex((each) => each.label === label);
  if (at < 0) throw new Error(`cannot find the clients: got ${label}`);
  return `198.18.${at}.0/24`;
}

/** Starts all of it; resolves when the servers serve. */
export async function startDemo(): Promise<Demo> {
  const [webPort = 0, ...httpPorts] = await freePorts(4);
  const addresses = stubClusters.flatMap(({ name }) =>
    services.map((service) => addressOf(name, service)),
  );
  const webServices = new Map<string, WebService>();
  const names = ["ns1", "ns2", "ns3"];
  const places = names.map((name, at) => ({ name, http: `127.0.0.1:${httpPorts[at]}` }));
  const keys = [newKey()];
  const servers = new OperatedServers(
    places.map(({ name, http }) => ({
      name,
      keys,
      federation: federation(webPort),
      spec: {
        listen: { http },
        geoip: { databases: [], overrides: "overrides.yaml" },
        querySample: { clients: 1000, sample: 1 },
        ...(name === "ns1" && { control: { tokensFile: "tokens" } }),
        health: {
          voter: true,
          secretFile: "peers.key",
          peers: places
            .filter((peer) => peer.name !== name)
            .map((peer) => ({ name: peer.name, url: `http://${peer.http}` })),
        },
      },
    })),
  );
  const stop = async (): Promise<void> => {
    await servers.stop();
    await Promise.all([...webServices.values()].map((each) => each.stop()));
  };
  const first = servers.server("ns1");
  let token: string;
  try {
    token = await newToken(first.folder);
    for (const address of addresses) {
      webServices.set(address, await startWebService({ address, port: webPort }));
    }
    for (const server of servers.all) server.write("overrides.yaml", overrides());
    await servers.start();
  } catch (error) {
    await stop();
    throw error;
  }
  return { servers, first, url: `http://127.0.0.1:${httpPorts[0]}/`, token, webServices, stop };
}

async function newToken(folder: string): Promise<string> {
  const args = ["token", "viewer", "--role", "read", "--file", "tokens"];
  const { status, stdout, stderr } = await runCommand(args, folder);
  if (status !== 0) throw new Error(`cannot make a token: got ${stdout}${stderr}`);
  return stdout.trim();
}

function federation(port: number): FederationSketch {
  const healthCheck = { port, intervalSeconds: 1, timeoutSeconds: 1, fall: 2, rise: 1 };
  return {
    name: "shop",
    domain: "example.com",
    ttl: { max: 60, min: 5 },
    maxAddresses: 3,
    clusters: Object.fromEntries(
      stubClusters.map(({ name, region, location }) => [
        name,
        { region, at: [location.latitude, location.longitude] as const },
      ]),
    ),
    services: Object.fromEntries(
      services.map((service) => [
        service,
        {
          healthCheck,
          in: Object.fromEntries(
            stubClusters.map(({ name }) => [name, { external: [addressOf(name, service)] }]),
          ),
        },
      ]),
    ),
  };
}

/** Where the clients are. JSON is YAML. */
function overrides(): string {
  return JSON.stringify(
    stubClients.map(({ label, latitude, longitude, country }) => ({
      network: clientsOf(label),
      latitude,
      longitude,
      country,
    })),
  );
}

/** Clients of all countries ask the server, by their weights, until that is stopped. */
export function startClients(
  { address, port }: { readonly address: string; readonly port: number },
  perSecond: number,
): () => void {
  const asked = stubClients.flatMap(({ label, weight }, at) => {
    const name = at % 3 === 0 ? "checkout.prod.shop.example.com" : serviceName;
    const octets = queryOctets(name, "A", { subnet: clientsOf(label) });
    return Array.from({ length: weight }, () => octets);
  });
  const missing = queryOctets("old.prod.shop.example.com", "A");
  const socket = createSocket("udp4").on("message", () => undefined);
  let sent = 0;
  const pauseMs = 20;
  const timer = setInterval(() => {
    const busy = 1 + 0.15 * Math.sin(performance.now() / 9000);
    for (let left = (perSecond * busy * pauseMs) / 1000; left > 0; left--) {
      // A step that shares no factor with the number of clients comes by all of them.
      const octets = sent % 17 === 0 ? missing : asked[(sent * 389) % asked.length];
      sent++;
      if (octets) socket.send(octets, port, address);
    }
  }, pauseMs);
  return () => {
    clearInterval(timer);
    socket.close();
  };
}
