// What must hold between the names that a federation publishes and other names: each broken input
// is named with its place.

import { expect } from "chai";
import { sourceStateOf } from "../kit/compile-world.ts";

const federation = `apiVersion: meridian.dev/v1alpha1
kind: Federation
metadata: { name: fed }
spec:
  domain: example.org
  nameservers:
    - { name: ns1.example.org, addresses: [192.0.2.53] }
`;
const cluster = `apiVersion: meridian.dev/v1alpha1
kind: Cluster
metadata: { name: c1 }
spec:
  region: us
  zones: [us1]
`;
const service = `apiVersion: v1
kind: Service
metadata: { name: web, namespace: a }
spec: { clusterIP: 10.0.0.1, ports: [{ port: 80 }] }
status: {}
`;
const good = {
  "zones/federation.yaml": federation,
  "zones/clusters/c1/cluster.yaml": cluster,
  "zones/clusters/c1/web.yaml": service,
};
const zoneText = "@ 300 SOA ns hostmaster 1 1 1 1 1\n@ 300 NS ns.elsewhere.test.\n";

const cases: { name: string; files: Record<string, string>; expected: string[] }[] = [
  { name: "nothing, as long as nothing is changed", files: {}, expected: [] },
  {
    name: "a name server with the name of a service",
    files: {
      "zones/federation.yaml": federation.replace("ns1.example.org", "Web.a.fed.example.org"),
    },
    expected: [
      'zones/federation.yaml:7:15: cannot use Federation "fed": name server Web.a.fed.example.org. has a name of service a/web',
    ],
  },
  {
    name: "a zone that the federation's names lie in",
    files: { "zones/fed.example.org.zone": zoneText },
    expected: [
      "zones/fed.example.org.zone:1:1: cannot use zone fed.example.org.: federated services have names in it",
    ],
  },
  {
    name: "not a zone below the domain that they do not lie in",
    files: { "zones/other.example.org.zone": zoneText },
    expected: [],
  },
  {
    name: "a region that differs in case only",
    files: {
      "zones/clusters/c2/cluster.yaml": cluster
        .replace("c1", "c2")
        .replace("region: us", "region: US"),
    },
    expected: [
      'zones/clusters/c2/cluster.yaml:5:11: cannot use Cluster "c2": region "US" differs in case only from "us" at zones/clusters/c1/cluster.yaml:5:11',
    ],
  },
  {
    name: "a zone that differs in case only within its region",
    files: { "zones/clusters/c1/cluster.yaml": cluster.replace("[us1]", "[us1, US1]") },
    expected: [
      'zones/clusters/c1/cluster.yaml:6:16: cannot use Cluster "c1": zone "US1" differs in case only from "us1" at zones/clusters/c1/cluster.yaml:6:11',
    ],
  },
  {
    name: "not equal zones of different regions",
    files: {
      "zones/clusters/c2/cluster.yaml": cluster
        .replace("c1", "c2")
        .replace("region: us", "region: eu")
        .replace("us1", "US1"),
    },
    expected: [],
  },
  {
    name: "two services that make one name",
    // In the federation svc: cluster x, service web, namespace svc, and service x, namespace web.
    files: {
      "zones/federation.yaml": federation.replace("name: fed", "name: svc"),
      "zones/clusters/x/cluster.yaml": cluster.replace("c1", "x"),
      "zones/clusters/x/web.yaml": service.replace("namespace: a", "namespace: svc"),
      "zones/clusters/x/x.yaml": service
        .replace("name: web", "name: x")
        .replace("namespace: a", "namespace: web"),
    },
    expected: [
      'zones/federation.yaml:3:19: cannot use Federation "svc": x.web.svc.svc.example.org. is a name of service svc/web and of service web/x',
    ],
  },
];

describe("names that cannot be published together", () => {
  for (const { name, files, expected } of cases) {
    it(`are refused: ${name}`, () => {
      expect(problemsOf({ ...good, ...files })).to.deep.equal(expected);
    });
  }
});

function problemsOf(files: Record<string, string>): string[] {
  try {
    sourceStateOf(files, () => ({ addresses: [], state: "unresolved" }));
    return [];
  } catch (error) {
    return error instanceof Error ? error.message.split("\n") : [String(error)];
  }
}
