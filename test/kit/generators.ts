// Whole federations by chance, as the files that a server reads: clusters with every routing
// setting, services of every kind, policies, master files that lead into federated names,
// overrides, a geo database. It must not know what any of it is answered.

import type { MmdbContents } from "../../geoip/write-mmdb.ts";
import { Dice } from "./dice.ts";

/** What a server is given. Paths are relative to the server's folder. */
export interface GeneratedWorld {
  readonly seed: number;
  /** `zones/...`, all YAML as JSON. */
  readonly files: Readonly<Record<string, string>>;
  readonly overrides: readonly GeneratedOverride[];
  readonly database: MmdbContents;
  readonly trustedResolvers: readonly string[];
  /** What load balancer hostnames resolve to; one that is missing is not resolved. */
  readonly hostnames: ReadonlyMap<string, readonly string[]>;
  /** Networks that clients may well come from. */
  readonly networks: readonly string[];
  readonly domain: string;
  /** Names under the domain, and of the other zone, that master files declare or leave empty. */
  readonly staticNames: readonly string[];
}

/** An entry of the overrides file. */
export interface GeneratedOverride {
  readonly network: string;
  readonly latitude?: number;
  readonly longitude?: number;
  readonly country?: string;
  readonly cluster?: string;
  readonly region?: string;
  readonly zone?: string;
}

/** The file of the overrides and that of the database in a server's folder. */
export const overridesFile = "geoip/overrides.yaml";
export const databaseFile = "geoip/random.mmdb";

/** The federation's name, and the zone beside it. */
export const federationName = "fed";
export const otherZone = "other.test";

/** The addresses that the clusters' own networks and internal addresses are taken from. */
export function isInternalAddress(address: Uint8Array): boolean {
  return address.length === 4 ? address[0] === 10 : address[0] === 0xfd;
}

/** The number of the cluster that an address, internal or external, was made for. */
export function clusterNumberOf(address: Uint8Array): number {
  if (address.length === 4) return (isInternalAddress(address) ? address[1] : address[2]) ?? 0;
  return (isInternalAddress(address) ? address[3] : address[7]) ?? 0;
}

/** `cluster-N`, as the generated clusters are called. */
export function clusterNameOf(number: number): string {
  return `cluster-${number}`;
}

/** @param options `hostnames`: whether load balancers may have hostnames in place of addresses. */
export function generateWorld(seed: number, options = { hostnames: true }): GeneratedWorld {
  const dice = new Dice(seed);
  const domain = dice.pick(["example.org", "Fed.Example.NET", "corp", "a.b.c.example"]);
  const clusters = Array.from({ length: dice.integer(1, 6) }, (_, at) =>
    generateCluster(dice, at + 1),
  );
  const hostnames = new Map<string, readonly string[]>();
  const files: Record<string, string> = {
    "zones/federation.yaml": yaml(generateFederation(dice, domain)),
    [`zones/${domain.toLowerCase()}.zone`]: federationZone,
    [`zones/${otherZone}.zone`]: otherZoneText(domain),
  };
  for (const each of clusters) {
    files[`zones/clusters/${clusterNameOf(each.number)}/cluster.yaml`] = yaml(each.object);
  }
  const services = dice
    .some(serviceNames, 0.7)
    .map((name, at) => ({ name, namespace: namespaces[(seed + at) % namespaces.length] ?? "a" }));
  for (const service of services) {
    if (dice.chance(0.5)) {
      files[`zones/policy-${service.name}.yaml`] = yaml(generatePolicy(dice, service));
    }
    for (const cluster of clusters) {
      if (!dice.chance(0.75)) continue;
      const objects = generateService(dice, service, cluster, options.hostnames && hostnames);
      const file = `zones/clusters/${clusterNameOf(cluster.number)}/${service.name}.yaml`;
      files[file] = yaml({ apiVersion: "v1", kind: "List", items: objects });
    }
  }
  const overrides = generateOverrides(dice, clusters);
  const database = generateDatabase(dice);
  const networks = [
    ...clusters.flatMap((each) => each.networks),
    ...overrides.map((each) => each.network),
    ...database.entries.map((each) => each.network),
  ];
  return {
    seed,
    files,
    overrides,
    database,
    trustedResolvers: dice.some(["192.0.2.0/25", "2001:db8:aaaa::/48", "127.0.0.9/32"], 0.5),
    hostnames,
    networks,
    domain,
    staticNames: [
      ...staticLabels.map((label) => (label === "" ? domain : `${label}.${domain}`)),
      ...otherLabels.map((label) => (label === "" ? otherZone : `${label}.${otherZone}`)),
      "elsewhere.test",
    ],
  };
}

interface GeneratedCluster {
  readonly number: number;
  readonly networks: readonly string[];
  readonly zones: readonly string[];
  readonly region: string | undefined;
  readonly object: unknown;
}

const serviceNames = ["web", "db", "api", "web-2"];
const namespaces = ["a", "b", "kube-system"];
/** `us-central1` is a cloud region, whose location is known without being given. */
const regions = ["us-central1", "eu", "ap", undefined];
const places = [
  { latitude: 41.26, longitude: -95.86 },
  { latitude: 50.45, longitude: 3.82 },
  { latitude: 50.11, longitude: 8.68 },
  { latitude: 51.51, longitude: -0.09 },
  { latitude: 35.69, longitude: 139.69 },
  { latitude: -33.87, longitude: 151.21 },
  { latitude: -17.7, longitude: 178.0 },
  { latitude: 21.3, longitude: -157.8 },
  { latitude: 89.9, longitude: 20 },
];

function generateFederation(dice: Dice, domain: string): unknown {
  return {
    apiVersion: "meridian.dev/v1alpha1",
    kind: "Federation",
    metadata: { name: federationName },
    spec: {
      domain,
      nameservers: [
        { name: `ns1.${domain}`, addresses: ["192.0.2.53", "2001:db8::53"] },
        { name: "ns.elsewhere.test" },
      ],
      ttl: { max: dice.pick([300, 180, 60]), min: dice.pick([0, 10, 30]), negative: 60 },
      ...generatePolicyFields(dice, 0.5),
    },
  };
}

function generatePolicy(dice: Dice, service: { name: string; namespace: string }): unknown {
  return {
    apiVersion: "meridian.dev/v1alpha1",
    kind: "FederatedService",
    metadata: service,
    spec: {
      ...(dice.chance(0.5) && { ttl: { max: dice.integer(30, 120), min: dice.integer(1, 30) } }),
      ...generatePolicyFields(dice, 0.6),
    },
  };
}

function generatePolicyFields(dice: Dice, probability: number): Record<string, unknown> {
  return {
    ...(dice.chance(probability) && {
      answer: {
        mode: dice.pick(["ordered", "nearest"]),
        maxAddresses: dice.pick([1, 2, 3, 4, 8, 100]),
      },
    }),
    ...(dice.chance(probability) && { minHealthyPercent: dice.pick([0, 1, 50, 70, 100]) }),
    ...(dice.chance(probability) && { onAllDown: dice.pick(["open", "empty", "servfail"]) }),
  };
}

function generateCluster(dice: Dice, number: number): GeneratedCluster {
  const region = dice.pick(regions);
  const zones = dice.some(["z1", "z2", "z3"], 0.4);
  // 127.0.N.0/24 lets a test ask a server of this machine from inside.
  const networks = [
    `127.0.${number}.0/24`,
    ...dice.some(
      [`10.${number}.0.0/16`, `fd00:${number}::/32`, `100.64.${number}.0/24`, "2001:db8:6::/48"],
      0.7,
    ),
    // A part of the next cluster's network.
    ...dice.some([`10.${number + 1}.64.0/18`, `fd00:${number + 1}:7::/48`], 0.2),
  ].filter((network) => network !== "2001:db8:6::/48" || number === 1);
  const routing = {
    enabled: dice.chance(0.9),
    priority: dice.pick([100, 100, 100, 50, 200]),
    weight: dice.pick([100, 100, 70, 30, 1, 0]),
    localPreference: dice.chance(0.75),
    allowCrossClusterTraffic: dice.chance(0.85),
    endpoints: {
      namespaces: dice.pick([[], [], ["a", "b"]]),
      excludeNamespaces: dice.pick([[], [], ["kube-system"]]),
      matchLabels: dice.pick([{}, {}, {}, { tier: "gold" }]),
      matchExpressions: dice.pick([
        [],
        [],
        [],
        [{ key: "tier", operator: "NotIn", values: ["tin"] }],
        [{ key: "secret", operator: "DoesNotExist" }],
      ]),
    },
  };
  const object = {
    apiVersion: "meridian.dev/v1alpha1",
    kind: "Cluster",
    metadata: { name: clusterNameOf(number) },
    spec: {
      ...(region !== undefined && { region }),
      zones,
      ...(dice.chance(0.8) && { location: dice.pick(places) }),
      networks,
      routing,
    },
  };
  return { number, networks, zones, region, object };
}

/** A Service, and EndpointSlices for it or none. */
function generateService(
  dice: Dice,
  { name, namespace }: { name: string; namespace: string },
  { number, zones }: GeneratedCluster,
  hostnames: Map<string, readonly string[]> | false,
): unknown[] {
  const id = serviceNames.indexOf(name) + 1;
  const isDual = dice.chance(0.4);
  const isHeadless = dice.chance(0.2);
  const isExposed = !isHeadless && dice.chance(0.85);
  const clusterIps = isHeadless
    ? ["None"]
    : [`10.${number}.0.${id}`, ...(isDual ? [`fd00:${number}::${id}`] : [])];
  const v4 = [1, 2, 3].map((at) => `198.18.${number}.${id * 10 + at}`);
  const v6 = [1, 2].map((at) => `2001:db8:ee:${number}::${id}${at}`);
  const ingress: object[] = [
    ...dice.some(v4, isDual ? 0.5 : 0.7),
    ...(isDual ? dice.some(v6, 0.7) : []),
  ].map((ip) => ({ ip, ipMode: "VIP" }));
  if (hostnames && isExposed && dice.chance(0.2)) {
    const hostname = `lb-${number}-${name}.elb.test`;
    ingress.push({ hostname });
    if (dice.chance(0.7)) hostnames.set(hostname, [`198.18.${number}.${id * 10 + 9}`]);
  }
  const ports = dice.some(
    [
      { name: "http", protocol: "TCP", port: 80 },
      { name: "http2", protocol: "TCP", port: 8080 + number },
      { name: "dns", protocol: "UDP", port: 53 },
    ],
    0.7,
  );
  const service = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace, labels: dice.pick([{}, { tier: "gold" }, { tier: "tin" }]) },
    spec: {
      type: isExposed ? "LoadBalancer" : "ClusterIP",
      clusterIP: clusterIps[0],
      clusterIPs: clusterIps,
      ports: ports.length > 0 ? ports : [{ port: 80 }],
    },
    status: { loadBalancer: isExposed ? { ingress } : {} },
  };
  const families = ["IPv4", ...(isDual ? ["IPv6"] : [])];
  const slices = dice.chance(isHeadless ? 0.9 : 0.5)
    ? families.map((addressType) => ({
        apiVersion: "discovery.k8s.io/v1",
        kind: "EndpointSlice",
        metadata: {
          name: `${name}-${addressType.toLowerCase()}`,
          namespace,
          labels: { "kubernetes.io/service-name": name },
        },
        addressType,
        endpoints: Array.from({ length: dice.integer(0, 4) }, (_, at) => ({
          addresses: [
            addressType === "IPv4"
              ? `10.${number}.${id}.${at + 1}`
              : `fd00:${number}:0:${id}::${at + 1}`,
          ],
          conditions: dice.pick([
            { ready: true },
            { ready: true },
            {},
            { ready: false },
            { ready: false, terminating: true },
          ]),
          ...(zones.length > 0 && dice.chance(0.7) && { zone: dice.pick(zones) }),
        })),
      }))
    : [];
  return [service, ...slices];
}

function generateOverrides(
  dice: Dice,
  clusters: readonly GeneratedCluster[],
): readonly GeneratedOverride[] {
  const networks = dice.some(
    [
      "203.0.113.0/24",
      "203.0.113.64/26",
      "10.2.0.0/20",
      "77.0.0.0/9",
      "2001:db8:77::/48",
      "2001:db8:77:8000::/50",
    ],
    0.4,
  );
  return networks.map((network) => {
    const cluster = dice.pick(clusters);
    return {
      network,
      ...(dice.chance(0.5) && dice.pick(places)),
      ...(dice.chance(0.3) && { country: dice.pick(["FJ", "NZ", "DE"]) }),
      ...(dice.chance(0.3) && { cluster: clusterNameOf(cluster.number) }),
      ...(dice.chance(0.4) && { region: cluster.region ?? "nowhere" }),
      ...(dice.chance(0.4) && { zone: dice.pick(["z1", "z2", "z3"]) }),
    };
  });
}

function generateDatabase(dice: Dice): MmdbContents {
  const records = [
    ...places,
    { country_code: "GB" },
    { country_code: "JP" },
    { country_code: "BR" },
    { country_code: "XX" },
  ];
  const v4 = Array.from({ length: dice.integer(0, 10) }, () => {
    const length = dice.pick([4, 8, 11, 16, 23, 24, 27]);
    return networkText(Uint8Array.of(...dice.octets(3), 0), length);
  });
  const v6 = Array.from({ length: dice.integer(0, 6) }, () => {
    const length = dice.pick([12, 20, 32, 45, 48, 56, 60]);
    const octets = Uint8Array.of(0x2a, ...dice.octets(9), 0, 0, 0, 0, 0, 0);
    return networkText(octets, length);
  });
  const networks = [...v4, ...v6].filter((each) => !each.startsWith("0."));
  return {
    ipVersion: 6,
    recordSize: dice.pick([24, 28, 32]),
    entries: networks.map((network) => ({ network, record: dice.pick(records) })),
  };
}

/** The text of the network of this length that an address is in. */
function networkText(address: Uint8Array, length: number): string {
  const masked = address.map((octet, at) => {
    const bits = Math.max(0, Math.min(8, length - at * 8));
    return octet & (0xff << (8 - bits)) & 0xff;
  });
  if (masked.length === 4) return `${masked.join(".")}/${length}`;
  const groups = Array.from({ length: 8 }, (_, at) =>
    (((masked[at * 2] ?? 0) << 8) | (masked[at * 2 + 1] ?? 0)).toString(16),
  );
  return `${groups.join(":")}/${length}`;
}

const federationZone = `$TTL 300
www        CNAME web.a.${federationName}
alias      CNAME api.b.${federationName}.svc
deep       CNAME www
zonal      CNAME web.a.${federationName}.svc.z1.eu
gone       CNAME nosuch.a.${federationName}
loop1      CNAME loop2
loop2      CNAME loop1
out        CNAME www.elsewhere.test.
far        CNAME www.${otherZone}.
mail       MX 10 web.a.${federationName}
           MX 20 mx.static
           MX 30 db.b.${federationName}
mx.static  A 192.0.2.1
           TXT "static"
*.wild     CNAME web.a.${federationName}
*.wilder   A 192.0.2.2
*          TXT "wildcard at the apex"
sub        NS ns.sub
           DS 1 13 2 0000000000000000000000000000000000000000000000000000000000000000
ns.sub     A 192.0.2.3
_sip._tcp  SRV 0 0 5060 web.a.${federationName}
`;
const staticLabels = [
  ...["", "www", "alias", "deep", "zonal", "gone", "loop1", "out", "far", "mail", "mx.static"],
  ...["static", "x.wild", "x.y.wild", "wild", "x.wilder", "x.y.wilder", "sub", "x.sub", "nosuch"],
  ...["_sip._tcp", "_tcp", "ns1", federationName, `svc`, `eu`, `a.${federationName}`],
  ...[`${federationName}.svc`, `x.web.a.${federationName}`, `_tcp.web.a.${federationName}`],
];

function otherZoneText(domain: string): string {
  return `@ 300 SOA ns1 hostmaster 1 3600 600 604800 30
@ 300 NS ns1
@ 300 NS ns1.${domain}.
ns1 300 A 192.0.2.54
www 60 CNAME web.a.${federationName}.${domain}.
back 60 CNAME far.${domain}.
mx 60 MX 5 api.b.${federationName}.${domain}.
`;
}
const otherLabels = ["", "www", "back", "mx", "nosuch", "ns1"];

function yaml(value: unknown): string {
  return JSON.stringify(value);
}
