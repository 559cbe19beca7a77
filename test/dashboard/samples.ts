// A cluster, a state, an endpoint as the API tells them, with what a test says otherwise. It must not
// know what the page makes of them.

import type { ClusterReport, EndpointReport, StateReport } from "../../src/control/api-schemas.ts";
import { StubFederation } from "./stub-federation.ts";

/** 1 January 2026. */
export const nowMs = Date.UTC(2026, 0, 1);

export function stateWith(changed: Partial<StateReport> = {}): StateReport {
  return { ...new StubFederation(nowMs).state(), ...changed };
}

export function clusterWith(changed: Partial<ClusterReport> = {}): ClusterReport {
  const [first] = stateWith().clusters;
  if (!first) throw new Error("cannot make a cluster: the federation has none");
  return { ...first, ...changed };
}

type Verdict = NonNullable<EndpointReport["verdict"]>;

export function endpointWith(
  changed: Partial<EndpointReport> = {},
  verdict: Partial<Verdict> = {},
): EndpointReport {
  const [first] = new StubFederation(nowMs).endpoints();
  if (!first?.verdict) throw new Error("cannot make an endpoint: the federation has none");
  return { ...first, verdict: { ...first.verdict, ...verdict }, ...changed };
}
