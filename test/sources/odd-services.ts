// Service objects as JSON text for property tests: mostly fine, with fields in any order, odd white
// space, and mistakes of every kind here and there.

import fc from "fast-check";

/** What `kubectl get service --show-managed-fields -o json` prints, all of its noise included. */
export const kubectlService = {
  apiVersion: "v1",
  kind: "Service",
  metadata: {
    annotations: {
      "kubectl.kubernetes.io/last-applied-configuration":
        '{"apiVersion":"v1","kind":"Service","metadata":{"name":"web"},"spec":{"type":"LoadBalancer"}}\n',
      "meridian.dev/cluster": "cluster-1",
    },
    creationTimestamp: "2024-05-01T12:00:00Z",
    finalizers: ["service.kubernetes.io/load-balancer-cleanup"],
    labels: { app: "web", "app.kubernetes.io/part-of": "shop" },
    managedFields: [
      {
        apiVersion: "v1",
        fieldsType: "FieldsV1",
        fieldsV1: {
          "f:metadata": { "f:annotations": { ".": {} }, "f:labels": { ".": {}, "f:app": {} } },
          "f:spec": {
            "f:ports": { ".": {}, 'k:{"port":80,"protocol":"TCP"}': { ".": {}, "f:port": {} } },
          },
        },
        manager: "kubectl-client-side-apply",
        operation: "Update",
        time: "2024-05-01T12:00:00Z",
      },
    ],
    name: "web",
    namespace: "prod",
    resourceVersion: "123456",
    uid: "0b6a2f0e-3c4a-4f0e-9b1a-2f6d3c4a5e6f",
  },
  spec: {
    allocateLoadBalancerNodePorts: true,
    clusterIP: "10.0.0.20",
    clusterIPs: ["10.0.0.20", "fd00::20"],
    externalTrafficPolicy: "Cluster",
    healthCheckNodePort: 0,
    internalTrafficPolicy: "Cluster",
    ipFamilies: ["IPv4", "IPv6"],
    ipFamilyPolicy: "PreferDualStack",
    ports: [
      { name: "http", nodePort: 31234, port: 80, protocol: "TCP", targetPort: "http" },
      { name: "dns", nodePort: 31235, port: 53, protocol: "UDP", targetPort: 5353 },
    ],
    selector: { app: "web" },
    sessionAffinity: "None",
    sessionAffinityConfig: null,
    type: "LoadBalancer",
  },
  status: {
    conditions: [],
    loadBalancer: { ingress: [{ ip: "203.0.113.9", ipMode: "VIP" }, { ip: "198.51.100.7" }] },
  },
};

/** A piece of text that may stand in the way. */
export const oddText = fc.oneof(
  fc.string({ maxLength: 3 }),
  fc.constantFrom(
    ..."{ } [ ] , : \" \\ 0 - . e null true nulll 1e5 01 \\u0041 \\x \\/ # ' & * ! | \u0000 \u0007 é".split(
      " ",
    ),
    ...[
      "\n",
      "\r",
      "\r\n",
      "\t",
      '"a":1,',
      '"name":"x",',
      "A",
      "-",
      "é",
      "\ufeff",
      "\u2028",
      "\\u001g",
    ],
  ),
);

/** Fair values with a mistake among them now and then. */
function mostly<Good, Bad>(good: fc.Arbitrary<Good>, ...bad: Bad[]): fc.Arbitrary<Good | Bad> {
  return fc.oneof(
    { weight: 40, arbitrary: good },
    { weight: 1, arbitrary: fc.constantFrom(...bad) },
  );
}

const odd = [null, 0, "", "x y", [], {}, true, ["a"], { a: null }] as const;
const label = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,6}[a-z0-9])?$/);
const badNames = ["-a", "a-", "A", "a.b", "é", "a".repeat(64), "a\u0000", ...odd];
const name = mostly(fc.oneof(label, fc.constant("a".repeat(63))), ...badNames);
const ipv4 = fc.ipV4();
const ip = mostly(
  fc.oneof({ weight: 5, arbitrary: ipv4 }, fc.ipV6(), fc.constantFrom("10.0.0.1", "::1.2.3.4")),
  "1.2.3",
  "01.2.3.4",
  "1.2.3.4.5",
  "1.2.3.256",
  "1..2.3",
  "1.2.3.",
  "fe80::1%eth0",
  "::ffff:1.2.3.4",
  "1:2",
  " 1.2.3.4",
  ...odd,
);
const clusterIp = fc.oneof({ weight: 6, arbitrary: ip }, fc.constantFrom("", "None"));
const texts = mostly(
  fc.dictionary(
    fc.oneof(label, fc.string({ maxLength: 4 })),
    mostly(fc.string({ maxLength: 5 }), ...odd),
    { maxKeys: 3 },
  ),
  ...odd,
);
const port = mostly(
  fc.record(
    {
      port: mostly(fc.integer({ min: 1, max: 65535 }), 0, 65536, -1, 80.5, 1e21, "80", ...odd),
      name: mostly(
        fc.oneof(label, fc.constantFrom("", "a".repeat(62))),
        "a".repeat(63),
        ...badNames,
      ),
      protocol: mostly(fc.constantFrom("TCP", "UDP", "SCTP"), "tcp", ...odd),
      targetPort: fc.oneof(fc.integer(), label),
    },
    { requiredKeys: ["port"] },
  ),
  ...odd,
);
const noise = fc.jsonValue({ maxDepth: 3 });
const few = { maxLength: 3 } as const;
const metadata = fc
  .record(
    {
      name,
      namespace: name,
      labels: texts,
      annotations: texts,
      uid: noise,
      managedFields: noise,
    },
    { requiredKeys: ["name"] },
  )
  .chain((value) =>
    mostly(name, "").map((cluster) => {
      const { annotations } = value;
      const isMap = typeof annotations === "object" && annotations !== null;
      if (!isMap || Array.isArray(annotations)) return value;
      return { ...value, annotations: { ...annotations, "meridian.dev/cluster": cluster } };
    }),
  );
const spec = fc.record(
  {
    clusterIP: clusterIp,
    clusterIPs: mostly(fc.array(clusterIp, few), ...odd),
    ports: mostly(fc.array(port, few), ...odd),
    type: mostly(fc.constantFrom("ClusterIP", "LoadBalancer"), "ExternalName", ...odd),
    ipFamilies: noise,
  },
  { requiredKeys: [] },
);
const ingress = mostly(
  fc.record({ ip, ports: noise }, { requiredKeys: [] }),
  { hostname: "a.example.com" },
  { hostname: null, ip: "192.0.2.1" },
  ...odd,
);
const status = fc.record(
  {
    loadBalancer: mostly(
      fc.record({ ingress: mostly(fc.array(ingress, few), ...odd) }, { requiredKeys: [] }),
      ...odd,
    ),
    conditions: noise,
  },
  { requiredKeys: [] },
);
const service = fc.record(
  {
    apiVersion: mostly(fc.constant("v1"), "v2", ...odd),
    kind: mostly(fc.constant("Service"), "service", "Pod", ...odd),
    metadata: mostly(metadata, ...odd),
    spec: mostly(spec, ...odd),
    status: mostly(status, ...odd),
    other: noise,
  },
  { requiredKeys: ["apiVersion", "kind", "metadata", "spec"] },
);

/** How a text is written: each number decides one choice, 0 being the plain one. */
const manner = fc.array(fc.oneof({ weight: 30, arbitrary: fc.constant(0) }, fc.nat(1000)), {
  minLength: 1,
  maxLength: 200,
});

/** Service objects as text. */
export const oddServices: fc.Arbitrary<string> = fc
  .record({ value: service, manner })
  .map(({ value, manner }) => {
    let at = 0;
    return write(value, () => manner[at++ % manner.length] ?? 0);
  });

/** Texts of services that have the same fields, and each its own values. */
export type AlikeServices = readonly string[];

export const alikeServices: fc.Arbitrary<AlikeServices> = fc.array(
  fc
    .record({
      name,
      namespace: name,
      cluster: name,
      ip,
      ips: fc.array(clusterIp, few),
      label: name,
    })
    .map(({ name, namespace, cluster, ip, ips, label }) =>
      JSON.stringify({
        apiVersion: "v1",
        kind: "Service",
        metadata: {
          uid: label,
          annotations: { "meridian.dev/cluster": cluster, other: "x" },
          labels: { app: label, tier: "web" },
          name,
          namespace,
        },
        spec: { clusterIP: ip, clusterIPs: ips.length > 2 ? null : ips, ports: [{ port: 80 }] },
        status: { loadBalancer: { ingress: [{ ip }, { ip: "192.0.2.1" }] } },
      }),
    ),
  { minLength: 4, maxLength: 8 },
);

const spaces = ["", " ", "\n", "  \n ", "\r\n", "\t", "\n\n"];

/** Writes a value with choices: white space, order of keys, a key twice, escapes. */
function write(value: unknown, choose: () => number): string {
  const space = (): string => spaces[choose() % spaces.length] ?? "";
  if (Array.isArray(value)) {
    return `[${space()}${value.map((each) => write(each, choose)).join(`${space()},${space()}`)}]`;
  }
  if (typeof value === "string") return writeText(value, choose);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const pairs = Object.entries(value);
  const turn = pairs.length === 0 ? 0 : choose() % pairs.length;
  const turned = [...pairs.slice(turn), ...pairs.slice(0, turn)];
  const [first] = turned;
  if (first && choose() % 60 === 59) turned.push(first);
  const written = turned.map(
    ([key, each]) => `${writeText(key, choose)}${space()}:${space()}${write(each, choose)}`,
  );
  return `{${space()}${written.join(`${space()},${space()}`)}${space()}}`;
}

function writeText(text: string, choose: () => number): string {
  const first = text.charCodeAt(0);
  const isEscaped = text !== "" && choose() % 50 === 49;
  if (!isEscaped) return JSON.stringify(text);
  return `"\\u${first.toString(16).padStart(4, "0")}${JSON.stringify(text.slice(1)).slice(1)}`;
}
