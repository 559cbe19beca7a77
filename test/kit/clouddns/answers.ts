// How the Cloud DNS API v1 shows what it keeps: each resource with its `kind` and the fields that it
// always gives. It must not know requests.
// https://cloud.google.com/dns/docs/reference/rest/v1

import type { ApiChange, ApiQuota, ApiRecordSet, ApiRoutingPolicy } from "./api-types.ts";
import type { ManagedZone } from "./zone.ts";

export function projectAnswer(id: string, number: string, quota: ApiQuota): unknown {
  return { kind: "dns#project", id, number, quota: { kind: "dns#quota", ...quota } };
}

export function zoneAnswer({ name, dnsName, nameServers, id }: ManagedZone): unknown {
  return {
    kind: "dns#managedZone",
    id,
    name,
    dnsName,
    description: "",
    nameServers,
    visibility: "public",
    creationTime: "2020-01-01T00:00:00.000Z",
  };
}

/** With the signatures of DNSSEC, of which there are none. */
export function recordSetAnswer({ routingPolicy, ...record }: ApiRecordSet): unknown {
  return {
    ...record,
    kind: "dns#resourceRecordSet",
    signatureRrdatas: [],
    ...(routingPolicy ? { routingPolicy: policyAnswer(routingPolicy) } : {}),
  };
}

export function changeAnswer({ additions, deletions, ...change }: ApiChange): unknown {
  return {
    ...change,
    additions: additions.map(recordSetAnswer),
    deletions: deletions.map(recordSetAnswer),
  };
}

function policyAnswer({ geo, wrr }: ApiRoutingPolicy): unknown {
  const kind = "dns#rRSetRoutingPolicy";
  return {
    kind,
    ...(geo && { geo: withKinds(geo, `${kind}GeoPolicy`, "GeoPolicyItem") }),
    ...(wrr && { wrr: withKinds(wrr, `${kind}WrrPolicy`, "WrrPolicyItem") }),
  };
}

function withKinds(
  policy: { readonly items: readonly object[] },
  kind: string,
  itemKind: string,
): unknown {
  const items = policy.items.map((item) => ({ kind: `${kind}${itemKind}`, ...item }));
  return { kind, ...policy, items };
}
