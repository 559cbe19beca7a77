import { expect } from "chai";
import { formatAddress, parseAddress } from "../../src/dns/address.ts";
import { formatName } from "../../src/dns/name.ts";
import { type ServiceInCluster, serviceKey } from "../../src/federation/model.ts";
import type { Model } from "../../src/federation/whole-model.ts";
import { cloudRegion } from "../../src/geo/cloud-regions.ts";
import {
  mergeObjects,
  type Resolution,
  type ResolveHostname,
  unresolved,
} from "../../src/sources/merge.ts";
import { readSourceFile, type SourceObject } from "../../src/sources/source-objects.ts";
import { healthCheck } from "../kit/health-check.ts";

const federation = `
apiVersion: meridian.dev/v1alpha1
kind: Federation
metadata: { name: fed }
spec: { domain: example.com, nameservers: [{ name: ns.example.net }] }
`;

function objectsOf(cluster: string | undefined, text: string): SourceObject[] {
  const { objects, problems } = readSourceFile("f.yaml", text, cluster);
  expect(problems).to.deep.equal([]);
  return [...objects];
}

function merge(
  texts: Readonly<Record<string, string>>,
  ours = federation,
  resolve: ResolveHostname = () => unresolved,
): Model {
  const objects = [
    ...objectsOf(undefined, ours),
    ...Object.entries(texts).flatMap(([cluster, text]) => objectsOf(cluster, text)),
  ];
  const found = objects.find((object) => object.kind === "Federation");
  if (found?.kind !== "Federation" || !found.value) throw new Error("no Federation");
  return mergeObjects(found.value, objects, resolve);
}

/** What a cluster says of a service, addresses as text. */
function shown(service: ServiceInCluster) {
  return {
    cluster: service.cluster,
    isHeadless: service.isHeadless,
    clusterIps: service.clusterIps.map(formatAddress),
    external: service.external.map(formatAddress),
    endpoints: service.endpoints?.map(
      ({ address, isReady, zone }) =>
        `${formatAddress(address)} ${isReady ? "ready" : "unready"} ${zone ?? "-"}`,
    ),
  };
}

const service = (spec: string, status = "{}", name = "web") => `
apiVersion: v1
kind: Service
metadata: { name: ${name}, namespace: prod, uid: x }
spec: ${spec}
status: ${status}
---
`;
const slice = (endpoints: string, more = "addressType: IPv4", name = "web-1") => `
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: { name: ${name}, namespace: prod, labels: { kubernetes.io/service-name: web } }
${more}
endpoints: ${endpoints}
ports: null
---
`;

describe("mergeObjects", () => {
  const rows: { name: string; input: string; expected: Partial<ReturnType<typeof shown>> }[] = [
    {
      name: "takes both families of clusterIPs",
      input: service('{ clusterIP: 10.0.0.1, clusterIPs: [10.0.0.1, "fd00::1"] }'),
      expected: { clusterIps: ["10.0.0.1", "fd00::1"], isHeadless: false },
    },
    {
      name: "takes clusterIP where there are no clusterIPs",
      input: service("{ clusterIP: 10.0.0.1 }"),
      expected: { clusterIps: ["10.0.0.1"] },
    },
    {
      name: "has no address of a service that has none yet",
      input: service('{ clusterIP: "" }'),
      expected: { clusterIps: [], external: [], endpoints: undefined },
    },
    {
      name: "knows a headless service",
      input: service("{ clusterIP: None, clusterIPs: [None] }"),
      expected: { clusterIps: [], isHeadless: true },
    },
    {
      name: "has no address of an ExternalName service",
      input: service(
        "{ type: ExternalName, externalName: example.org, clusterIP: 10.0.0.1 }",
        "{ loadBalancer: { ingress: [{ ip: 192.0.2.1 }] } }",
      ),
      expected: { clusterIps: [], external: [], isHeadless: false },
    },
    {
      name: "sorts ingress addresses by family and octets, each once",
      input: service(
        "{}",
        '{ loadBalancer: { ingress: [{ ip: "2001:db8::1" }, { ip: 192.0.2.10 }, { ip: 192.0.2.9 }, { ip: 192.0.2.10 }, { ip: "2001:db8:0::1" }] } }',
      ),
      expected: { external: ["192.0.2.9", "192.0.2.10", "2001:db8::1"] },
    },
    {
      name: "takes an unset ready as ready, and null as unset",
      input:
        service("{}") +
        slice(
          "[{ addresses: [10.0.1.1] }, { addresses: [10.0.1.2], conditions: {} }, { addresses: [10.0.1.3], conditions: { ready: null } }]",
        ),
      expected: { endpoints: ["10.0.1.1 ready -", "10.0.1.2 ready -", "10.0.1.3 ready -"] },
    },
    {
      name: "leaves terminating and deleted endpoints out",
      input:
        service("{}") +
        slice(
          '[{ addresses: [10.0.1.1], conditions: { ready: true, terminating: true } }, { addresses: [10.0.1.2], deletionTimestamp: "2026-01-01T00:00:00Z" }, { addresses: [10.0.1.3], conditions: { ready: false } }]',
        ),
      expected: { endpoints: ["10.0.1.3 unready -"] },
    },
    {
      name: "keeps a slice without endpoints apart from no slice",
      input: service("{}") + slice("null"),
      expected: { endpoints: [] },
    },
    {
      name: "merges slices of both families, and ignores names",
      input:
        service("{}") +
        slice('[{ addresses: ["fd00::2"], zone: z2 }]', "addressType: IPv6", "web-6") +
        slice("[{ addresses: [10.0.1.2], zone: z1 }]") +
        slice("[{ addresses: [a.example] }]", "addressType: FQDN", "web-n"),
      expected: { endpoints: ["10.0.1.2 ready z1", "fd00::2 ready z2"] },
    },
    {
      name: "counts an address in two slices once, ready if either says so",
      input:
        service("{}") +
        slice("[{ addresses: [10.0.1.2], conditions: { ready: true } }]") +
        slice(
          "[{ addresses: [10.0.1.2, 10.0.1.1], conditions: { ready: false } }]",
          "addressType: IPv4",
          "web-2",
        ),
      expected: { endpoints: ["10.0.1.1 unready -", "10.0.1.2 ready -"] },
    },
  ];
  for (const { name, input, expected } of rows) {
    it(name, () => {
      const merged = merge({ c1: input }).services.get("prod/web")?.clusters ?? [];
      expect(merged).to.have.length(1);
      for (const each of merged) expect(shown(each)).to.deep.include(expected);
    });
  }

  it("leaves out the slices of another cluster, namespace or service", () => {
    const other = slice("[{ addresses: [10.0.1.9] }]");
    const model = merge({
      c1: service("{}") + other.replace("namespace: prod", "namespace: test"),
      c2: service("{}") + other.replace("service-name: web", "service-name: mail"),
      c3: other,
    });
    const clusters = model.services.get("prod/web")?.clusters ?? [];
    expect(clusters.map((each) => [each.cluster, each.endpoints])).to.deep.equal([
      ["c1", undefined],
      ["c2", undefined],
    ]);
  });

  it("puts clusters in order of name, however they were read", () => {
    const model = merge({
      c3: service("{}") + service("{}", "{}", "mail"),
      c1: service("{}", "{}", "mail"),
      c2: service("{}", "{}", "mail"),
    });
    expect([...model.services.values()].map(serviceKey)).to.have.members(["prod/mail", "prod/web"]);
    expect(model.services.get("prod/mail")?.clusters.map((each) => each.cluster)).to.deep.equal([
      "c1",
      "c2",
      "c3",
    ]);
  });

  it("reads ports with their defaults", () => {
    const model = merge({
      c1: service(
        "{ ports: [{ port: 53, name: dns, protocol: UDP, targetPort: 5353, nodePort: 30000 }, { port: 80 }] }",
      ),
    });
    expect(model.services.get("prod/web")?.clusters[0]?.ports).to.deep.equal([
      { name: "dns", protocol: "udp", port: 53 },
      { name: "", protocol: "tcp", port: 80 },
    ]);
  });

  it("puts a namespace that is left out as Kubernetes does", () => {
    const model = merge({
      c1: "apiVersion: v1\nkind: Service\nmetadata: { name: web }\nspec: {}\n",
    });
    expect([...model.services.values()].map(serviceKey)).to.deep.equal(["default/web"]);
  });

  it("adds the addresses of hostnames to those of ingress points", () => {
    const known: Readonly<Record<string, Resolution>> = {
      "a.elb.example": { addresses: addresses("192.0.2.7", "192.0.2.1"), state: "resolved" },
      "b.elb.example": { addresses: addresses("192.0.2.8"), state: "stale" },
    };
    const ingress =
      "[{ ip: 192.0.2.1 }, { hostname: B.elb.example }, { hostname: a.elb.example. }, { hostname: c.elb.example }, { hostname: a.elb.example }]";
    const model = merge(
      { c1: service("{}", `{ loadBalancer: { ingress: ${ingress} } }`) },
      federation,
      (hostname) => known[hostname] ?? unresolved,
    );
    const merged = model.services.get("prod/web")?.clusters[0];
    expect(merged?.external.map(formatAddress)).to.deep.equal([
      "192.0.2.1",
      "192.0.2.7",
      "192.0.2.8",
    ]);
    expect(merged?.hostnames).to.deep.equal([
      { hostname: "a.elb.example", state: "resolved" },
      { hostname: "b.elb.example", state: "stale" },
      { hostname: "c.elb.example", state: "unresolved" },
    ]);
  });

  it("fills the federation's defaults in", () => {
    const { federation: merged } = merge({});
    expect({
      ...merged,
      domain: formatName(merged.domain),
      contact: formatName(merged.contact),
      nameservers: [],
    }).to.deep.equal({
      name: "fed",
      domain: "example.com.",
      nameservers: [],
      contact: "hostmaster.example.com.",
      ttl: { maxSeconds: 180, minSeconds: 30, negativeSeconds: 60 },
      answer: { mode: "ordered", maxAddresses: 8 },
      minHealthyPercent: 70,
      onAllDown: "open",
    });
  });

  const policies: { name: string; ours: string; policy: string; expected: object }[] = [
    {
      name: "of the federation where the service has none",
      ours: "ttl: 100, minHealthyPercent: 10, onAllDown: empty, answer: { mode: nearest, maxAddresses: 2 }",
      policy: "",
      expected: {
        ttl: { maxSeconds: 100, minSeconds: 30 },
        minHealthyPercent: 10,
        onAllDown: "empty",
        answer: { mode: "nearest", maxAddresses: 2 },
      },
    },
    {
      name: "of the service before that of the federation, field by field",
      ours: "ttl: { max: 100, min: 5 }, minHealthyPercent: 10, answer: { mode: nearest, maxAddresses: 2 }",
      policy:
        "ttl: { max: 50 }, minHealthyPercent: 0, onAllDown: servfail, answer: { maxAddresses: 3 }",
      expected: {
        ttl: { maxSeconds: 50, minSeconds: 5 },
        minHealthyPercent: 0,
        onAllDown: "servfail",
        answer: { mode: "nearest", maxAddresses: 3 },
      },
    },
    {
      name: "with a least TTL of the federation that yields to the service's greatest",
      ours: "ttl: { max: 100, min: 40 }",
      policy: "ttl: 10",
      expected: { ttl: { maxSeconds: 10, minSeconds: 10 } },
    },
  ];
  for (const { name, ours, policy, expected } of policies) {
    it(`gives a service the policy ${name}`, () => {
      const own = `apiVersion: meridian.dev/v1alpha1\nkind: FederatedService\nmetadata: { name: web, namespace: prod }\nspec: { ${policy} }\n`;
      const model = merge(
        { c1: service("{}"), policy: own },
        federation.replace(" }] }", ` }], ${ours} }`),
      );
      expect(model.services.get("prod/web")).to.deep.include(expected);
    });
  }

  it("gives a service its own health check, else the federation's, else none", () => {
    const check = (type: string) => `, healthCheck: { type: ${type} }`;
    const own = `apiVersion: meridian.dev/v1alpha1\nkind: FederatedService\nmetadata: { name: web, namespace: prod }\nspec: { ttl: 60${check("http")} }\n`;
    const texts = { c1: service("{}") + service("{}", "{}", "mail"), policy: own };
    const merged = merge(texts, federation.replace(" }] }", ` }]${check("tcp")} }`));
    expect(merged.services.get("prod/web")?.healthCheck).to.deep.equal(healthCheck());
    expect(merged.services.get("prod/mail")?.healthCheck?.type).to.equal("tcp");
    expect(merge({ c1: service("{}") }).services.get("prod/web")?.healthCheck).to.equal(undefined);
  });

  it("places a cluster where it says, else where its cloud region is, else nowhere", () => {
    const cluster = (name: string, spec: string) =>
      `apiVersion: meridian.dev/v1alpha1\nkind: Cluster\nmetadata: { name: ${name} }\nspec: { ${spec} }\n---\n`;
    const { clusters } = merge({
      all:
        cluster("c", "region: europe-west1, location: { latitude: 1, longitude: 2 }") +
        cluster("b", "region: europe-west1") +
        cluster("a", "region: the-cellar"),
    });
    expect([...clusters.values()].map(({ name, location }) => [name, location])).to.deep.equal([
      ["a", undefined],
      ["b", cloudRegion("europe-west1")],
      ["c", { latitude: 1, longitude: 2 }],
    ]);
    expect(cloudRegion("europe-west1")).to.not.equal(undefined);
  });

  it("gives the pods' own port for a headless service and the service's for others", () => {
    const slice = `
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: { name: web-1, namespace: prod, labels: { kubernetes.io/service-name: web } }
addressType: IPv4
endpoints: [{ addresses: [10.0.0.7] }]
ports: [{ name: http, protocol: TCP, port: 8080 }, { name: "", protocol: UDP, port: 53 }]
`;
    const ports = "ports: [{ name: http, port: 80 }, { name: other, port: 81 }]";
    const portOf = (clusterIp: string) =>
      merge({ a: `${service(`{ clusterIP: ${clusterIp}, ${ports} }`)}---${slice}` })
        .services.get("prod/web")
        ?.clusters[0]?.ports.map(({ name, port }) => `${name} ${port}`);
    expect(portOf("None")).to.deep.equal(["http 8080", "other 81"]);
    expect(portOf("10.0.0.1")).to.deep.equal(["http 80", "other 81"]);
  });
});

function addresses(...texts: string[]): Uint8Array[] {
  return texts.flatMap((text) => parseAddress(text) ?? []);
}
