// The state that fuzz runs ask: a federation with every kind of name and static zones beside it,
// read as the server reads them. Does I/O.

import { rmSync } from "node:fs";
import path from "node:path";
import type { AnswerState } from "../../src/answer/federated-answer.ts";
import { WorldReader } from "../../src/cli/world.ts";
import { formatProblem } from "../../src/config/problem.ts";
import { servedFiles } from "../conformance/served.ts";
import { writeServerFolder } from "../kit/server.ts";

/** Two more services: one with more addresses than an answer holds, one without a clusterIP. */
const moreServices = (cluster: number): string => `
apiVersion: v1
kind: Service
metadata: { name: dual, namespace: web }
spec:
  type: LoadBalancer
  clusterIPs: ["10.${cluster}.0.1", "fd00:${cluster}::1"]
  ports: [{ name: http, port: 80, protocol: TCP }, { name: dns, port: 53, protocol: UDP }]
status:
  loadBalancer:
    ingress: [${[1, 2, 3, 4, 5].map((at) => `{ ip: 198.51.100.${cluster}${at} }, { ip: "2001:db8:${cluster}::${at}" }`).join(", ")}]
---
apiVersion: v1
kind: Service
metadata: { name: headless, namespace: web }
spec:
  clusterIP: None
  ports: [{ name: db, port: 5432, protocol: TCP }]
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: { name: headless-1, namespace: web, labels: { kubernetes.io/service-name: headless } }
addressType: IPv4
ports: [{ name: db, port: 5432, protocol: TCP }]
endpoints:
- { addresses: [10.${cluster}.1.1], conditions: { ready: true } }
- { addresses: [10.${cluster}.1.2], conditions: { ready: ${cluster !== 2} } }
`;

/**
 * Reads and compiles the state; every fourth address of it is down.
 * @param databases the geo databases; default: the embedded one.
 */
export async function fuzzState(databases?: readonly string[]): Promise<AnswerState> {
  const files = Object.fromEntries(
    [1, 2, 3].map((number) => [`zones/clusters/cluster-${number}/more.yaml`, moreServices(number)]),
  );
  const folder = writeServerFolder({
    files: { ...servedFiles, ...files },
    serverSpec: {
      trustedResolvers: ["192.0.2.0/24"],
      version: "fuzz",
      ...(databases && { geoip: { databases } }),
    },
  });
  try {
    const reading = await new WorldReader(path.join(folder, "meridian.yaml")).read();
    if (!reading.ok) throw new Error(reading.problems.map(formatProblem).join("\n"));
    let turn = 0;
    return {
      snapshot: reading.state.snapshot,
      health: (_service, _cluster, address) => ((address.at(-1) ?? 0) % 4 === 0 ? 0 : 1),
      drained: new Set(),
      rotation: () => turn++,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
