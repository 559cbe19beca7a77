// What is voted on (semantics 6): which addresses, under which names, and
// at which port they are probed.

import { expect } from "chai";
import { formatAddress } from "../../src/dns/address.ts";
import type {
  HealthCheck,
  Service,
  ServiceInCluster,
  ServicePort,
} from "../../src/federation/model.ts";
import { targetId, targetsOf } from "../../src/health/target.ts";
import { address } from "../geo/addresses.ts";
import { healthCheck } from "../kit/health-check.ts";

const addressRows: { name: string; clusters: ServiceInCluster[]; expected: string[] }[] = [
  { name: "no cluster runs it", clusters: [], expected: [] },
  { name: "it has no address", clusters: [inCluster("a", {})], expected: [] },
  {
    name: "external addresses of both families, in every cluster",
    clusters: [
      inCluster("a", { external: ["192.0.2.1", "2001:db8::1"] }),
      inCluster("b", { external: ["192.0.2.2"] }),
    ],
    expected: ["n/s a 192.0.2.1", "n/s a 2001:db8::1", "n/s b 192.0.2.2"],
  },
  {
    name: "clusterIPs of both families, for those inside",
    clusters: [inCluster("a", { clusterIps: ["10.0.0.1", "fd00::1"], external: ["192.0.2.1"] })],
    expected: ["n/s a 10.0.0.1 internal", "n/s a 192.0.2.1", "n/s a fd00::1 internal"],
  },
  {
    name: "an address that is a clusterIP and external is external",
    clusters: [
      inCluster("a", {
        clusterIps: ["192.0.2.1", "2001:db8::1"],
        external: ["192.0.2.1", "2001:db8::1"],
      }),
    ],
    expected: ["n/s a 192.0.2.1", "n/s a 2001:db8::1"],
  },
  {
    name: "a clusterIP that is another cluster's external address stays internal",
    clusters: [
      inCluster("a", { clusterIps: ["192.0.2.1"] }),
      inCluster("b", { external: ["192.0.2.1"] }),
    ],
    expected: ["n/s a 192.0.2.1 internal", "n/s b 192.0.2.1"],
  },
  {
    name: "the same addresses in two clusters are two endpoints",
    clusters: [
      inCluster("a", { external: ["192.0.2.1"] }),
      inCluster("b", { external: ["192.0.2.1"] }),
    ],
    expected: ["n/s a 192.0.2.1", "n/s b 192.0.2.1"],
  },
  {
    name: "a cluster whose filter keeps it from outside clients is voted on too",
    clusters: [{ ...inCluster("a", { external: ["192.0.2.1"] }), isFiltered: true }],
    expected: ["n/s a 192.0.2.1"],
  },
  {
    name: "endpoints of a headless service are their cluster's own affair",
    clusters: [
      {
        ...inCluster("a", { external: ["192.0.2.1"] }),
        isHeadless: true,
        endpoints: [{ address: address("10.0.0.9"), isReady: true, zone: undefined }],
      },
    ],
    expected: ["n/s a 192.0.2.1"],
  },
];

const http = { name: "http", protocol: "tcp", port: 80 } as const;
const admin = { name: "admin", protocol: "tcp", port: 9000 } as const;
const dns = { name: "dns", protocol: "udp", port: 53 } as const;
const dnsTcp = { name: "dns-tcp", protocol: "tcp", port: 1053 } as const;
const tunnel = { name: "tunnel", protocol: "sctp", port: 36412 } as const;
const bothTcp = { name: "both", protocol: "tcp", port: 81 } as const;
const bothUdp = { name: "both", protocol: "udp", port: 82 } as const;

const portRows: {
  name: string;
  check: Partial<HealthCheck>;
  ports: ServicePort[];
  expected: number | undefined;
}[] = [
  { name: "the first port", check: {}, ports: [http, admin], expected: 80 },
  {
    name: "the first port that TCP reaches",
    check: {},
    ports: [dns, tunnel, admin],
    expected: 9000,
  },
  { name: "an unnamed port", check: {}, ports: [{ ...http, name: "" }], expected: 80 },
  { name: "no port at all", check: {}, ports: [], expected: undefined },
  {
    name: "only ports that TCP does not reach",
    check: {},
    ports: [dns, tunnel],
    expected: undefined,
  },
  { name: "a port by name", check: { port: "admin" }, ports: [http, admin], expected: 9000 },
  { name: "a name that is not there", check: { port: "x" }, ports: [http], expected: undefined },
  { name: "names differ by case", check: { port: "HTTP" }, ports: [http], expected: undefined },
  {
    name: "a named port that TCP does not reach",
    check: { port: "dns" },
    ports: [dns, http],
    expected: undefined,
  },
  {
    name: "of two ports of a name the one that TCP reaches",
    check: { port: "both" },
    ports: [bothUdp, bothTcp],
    expected: 81,
  },
  { name: "a number, though no port has it", check: { port: 8443 }, ports: [http], expected: 8443 },
  { name: "a number where there is no port", check: { port: 8443 }, ports: [], expected: 8443 },
  { name: "tcp as http", check: { type: "tcp" }, ports: [dns, admin], expected: 9000 },
  { name: "https as http", check: { type: "https" }, ports: [dns, admin], expected: 9000 },
  { name: "dns: the first port", check: { type: "dns" }, ports: [dns, http], expected: 53 },
  { name: "dns: by name", check: { type: "dns", port: "dns" }, ports: [http, dns], expected: 53 },
  { name: "dns: by number", check: { type: "dns", port: 5353 }, ports: [dns], expected: 5353 },
  { name: "dns: not over sctp", check: { type: "dns" }, ports: [tunnel], expected: undefined },
  { name: "dns: past sctp", check: { type: "dns" }, ports: [tunnel, dns], expected: 53 },
  {
    name: "dns: the first port that UDP reaches, where another is before it",
    check: { type: "dns" },
    ports: [http, dnsTcp, dns],
    expected: 53,
  },
  {
    name: "dns: of two ports of a name the one that UDP reaches",
    check: { type: "dns", port: "both" },
    ports: [bothTcp, bothUdp],
    expected: 82,
  },
];

describe("the targets of a service", () => {
  for (const { name, clusters, expected } of addressRows) {
    it(`are its addresses: ${name}`, () => {
      const found = targetsOf(service(healthCheck(), clusters));
      const words = found.map(({ id, isInternal }) => (isInternal ? `${id} internal` : id)).sort();
      expect(words).to.deep.equal(expected);
    });
  }

  it("are none without a health check", () => {
    const clusters = [inCluster("a", { clusterIps: ["10.0.0.1"], external: ["192.0.2.1"] })];
    expect(targetsOf(service(undefined, clusters))).to.deep.equal([]);
  });

  it("say all that is known of them", () => {
    const check = healthCheck({ fall: 7 });
    const [target] = targetsOf(service(check, [inCluster("a", { external: ["192.0.2.1"] })]));
    expect(target).to.deep.equal({
      id: "n/s a 192.0.2.1",
      service: "n/s",
      cluster: "a",
      address: address("192.0.2.1"),
      isInternal: false,
      check,
      port: 80,
    });
  });

  for (const { name, check, ports, expected } of portRows) {
    it(`are probed at ${name}`, () => {
      const entry = { ...inCluster("a", { external: ["192.0.2.1"] }), ports };
      const [target] = targetsOf(service(healthCheck(check), [entry]));
      expect(target?.port).to.equal(expected);
    });
  }

  it("are probed at the port that the name has in each cluster", () => {
    const clusters = [
      { ...inCluster("a", { external: ["192.0.2.1"] }), ports: [http] },
      { ...inCluster("b", { external: ["192.0.2.2"] }), ports: [{ ...http, port: 8080 }] },
      { ...inCluster("c", { external: ["192.0.2.3"] }), ports: [admin] },
    ];
    const found = targetsOf(service(healthCheck({ port: "http" }), clusters));
    expect(found.map(({ cluster, port }) => [cluster, port])).to.deep.equal([
      ["a", 80],
      ["b", 8080],
      ["c", undefined],
    ]);
  });

  it("are called by the shortest form of their address", () => {
    const spelled = address("2001:0db8:0000:0000:0000:0000:0000:0001");
    expect(targetId("n/s", "a", spelled)).to.equal("n/s a 2001:db8::1");
    expect(formatAddress(spelled)).to.equal("2001:db8::1");
  });
});

function service(check: HealthCheck | undefined, clusters: ServiceInCluster[]): Service {
  return {
    namespace: "n",
    name: "s",
    answer: { mode: "ordered", maxAddresses: 8 },
    ttl: { maxSeconds: 180, minSeconds: 30 },
    minHealthyPercent: 70,
    onAllDown: "open",
    healthCheck: check,
    clusters,
  };
}

function inCluster(
  cluster: string,
  { clusterIps = [], external = [] }: { clusterIps?: string[]; external?: string[] },
): ServiceInCluster {
  return {
    cluster,
    isFiltered: false,
    ports: [{ name: "http", protocol: "tcp", port: 80 }],
    isHeadless: false,
    clusterIps: clusterIps.map(address),
    external: external.map(address),
    hostnames: [],
    endpoints: undefined,
  };
}
