// What all servers of a run serve: hosts with their addresses, three clusters, and the networks
// that clients are in. It knows no server's way to write that down, and opens no file.

import { below, seededRandom, shuffle } from "./seeded-random.ts";

/** Which of the three clusters, counted from 0. */
export type ClusterIndex = 0 | 1 | 2;
export const clusterIndexes: readonly ClusterIndex[] = [0, 1, 2];

export const domain = "bench.test";
export const federation = "fed";
export const namespace = "shop";
export const servicePort = 80;
export const ttlSeconds = 300;
export const negativeTtlSeconds = 60;
/** The name server's own address in every zone. */
export const nameServerAddress = "192.0.2.53";

/** The clusters of every federated case; the first is the nearest of clients of unknown place. */
export const clusters = [
  { name: "cluster-1", region: "us-central1", country: "US", latitude: 41.26, longitude: -95.86 },
  { name: "cluster-2", region: "europe-west1", country: "BE", latitude: 50.47, longitude: 3.87 },
  {
    name: "cluster-3",
    region: "asia-northeast1",
    country: "JP",
    latitude: 35.69,
    longitude: 139.69,
  },
] as const;

/** Most hosts that there are addresses for. */
export const mostHosts = 2 ** 20;

/** The label of a host; all have the same length, so that all queries have. */
export function hostLabel(host: number): string {
  return `host-${String(host).padStart(7, "0")}`;
}

/** The host's name below the domain, as zones write it. */
export function hostInDomain(host: number): string {
  return `${hostLabel(host)}.${namespace}.${federation}`;
}

/** The host's whole name, without the final dot. */
export function hostName(host: number): string {
  return `${hostInDomain(host)}.${domain}`;
}

/** One of up to nine addresses of a host, no two of which are equal among all hosts. */
export function hostAddress(host: number, index: number): string {
  return addressText(0x0a000000 + index * mostHosts + host);
}

/** A host's three addresses where all clients are answered alike. */
export function staticAddresses(host: number): string[] {
  return [0, 1, 2].map((index) => hostAddress(host, index));
}

/** A host's three addresses in one cluster, where the answer goes by the client's place. */
export function geoAddresses(host: number, cluster: ClusterIndex): string[] {
  return [0, 1, 2].map((index) => hostAddress(host, 3 * cluster + index));
}

/** A network of clients and the cluster that is nearest to them. */
export interface ClientNetwork {
  /** The first address as a number. */
  readonly address: number;
  /** 16 to 24 bits. */
  readonly prefixLength: number;
  readonly home: ClusterIndex;
}

/** Each network lies in a block of its own of this many bits, so none holds another. */
const blockBits = 15;

/** Networks spread over the unicast space, in the order of their addresses; 28,000 at most. */
export function clientNetworks(count: number, seed = 1): ClientNetwork[] {
  const random = seededRandom(seed);
  const blocks = Array.from({ length: 2 ** blockBits }, (_, block) => block).filter((block) =>
    isClientOctet(block >>> (blockBits - 8)),
  );
  if (count > blocks.length) {
    throw new RangeError(`cannot make networks: more than ${blocks.length}, got ${count}`);
  }
  const chosen = shuffle(blocks, random).slice(0, count);
  return chosen
    .sort((a, b) => a - b)
    .map((block) => {
      const prefixLength = 16 + below(random, 9);
      const inBlock = below(random, 2 ** (prefixLength - blockBits));
      const address = block * 2 ** (32 - blockBits) + inBlock * 2 ** (32 - prefixLength);
      return { address, prefixLength, home: below(random, 3) as ClusterIndex };
    });
}

/** The first octets that clients have: no private, loopback or multicast ones. */
export function isClientOctet(octet: number): boolean {
  return octet > 0 && octet < 224 && octet !== 10 && octet !== 127;
}

/** Random /24s as their first addresses, each second one of them in one of the networks. */
export function clientSubnets(
  networks: readonly ClientNetwork[],
  count: number,
  seed = 2,
): Uint32Array {
  const random = seededRandom(seed);
  return Uint32Array.from({ length: count }, (_, at) => {
    const network = at % 2 === 0 ? networks[below(random, networks.length)] : undefined;
    if (network) {
      return network.address + 256 * below(random, 2 ** (24 - network.prefixLength));
    }
    for (;;) {
      const address = (random() & 0xffffff00) >>> 0;
      if (isClientOctet(address >>> 24)) return address;
    }
  });
}

/** The nearest cluster of a client; of those in no network it is the first. */
export function homeOf(networks: readonly ClientNetwork[], address: number): ClusterIndex {
  return networks.find((network) => holds(network, address))?.home ?? 0;
}

/** True if all clients that share so many leading bits with this one have the same home. */
export function isTrueScope(
  networks: readonly ClientNetwork[],
  address: number,
  scopeLength: number,
): boolean {
  const home = homeOf(networks, address);
  const scope = { address: firstAddress(address, scopeLength), prefixLength: scopeLength };
  const around = networks.some((network) => holdsNetwork(network, scope));
  const inside = networks.filter((network) => holdsNetwork(scope, network));
  if (around) return true;
  if (inside.some((network) => network.home !== home)) return false;
  const covered = inside.reduce((sum, { prefixLength }) => sum + 2 ** (32 - prefixLength), 0);
  // What is in no network has the first cluster.
  return home === 0 || covered === 2 ** (32 - scopeLength);
}

/** `192.0.2.1` for a number. */
export function addressText(address: number): string {
  return [24, 16, 8, 0].map((shift) => (address >>> shift) & 0xff).join(".");
}

/** `192.0.2.0/24`. */
export function networkText({ address, prefixLength }: Omit<ClientNetwork, "home">): string {
  return `${addressText(address)}/${prefixLength}`;
}

function holds(network: Omit<ClientNetwork, "home">, address: number): boolean {
  return firstAddress(address, network.prefixLength) === network.address;
}

function holdsNetwork(
  outer: Omit<ClientNetwork, "home">,
  inner: Omit<ClientNetwork, "home">,
): boolean {
  return outer.prefixLength <= inner.prefixLength && holds(outer, inner.address);
}

function firstAddress(address: number, prefixLength: number): number {
  return Math.floor(address / 2 ** (32 - prefixLength)) * 2 ** (32 - prefixLength);
}
