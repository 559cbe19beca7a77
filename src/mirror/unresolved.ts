// When a plan rests on load balancer hostnames that were not resolved: it would take away addresses
// that may be right (semantics 5: last good addresses are kept, which who has just started does not
// have). It
// must not know how hostnames are resolved.

import type { Service } from "../federation/model.ts";
import type { Plan, PlannedGroup } from "./plan-types.ts";
import type { RecordSet } from "./record-set.ts";

/**
 * Why a plan stops, in one sentence; `undefined` if it does not.
 * @param serviceOf by `namespace/name`; `undefined` where there is none any more.
 */
export function unresolvedRefusal(
  { groups }: Pick<Plan, "groups">,
  serviceOf: (service: string) => Service | undefined,
): string | undefined {
  const hostnames = new Set<string>();
  for (const group of groups) {
    if (!takesAway(group)) continue;
    for (const { hostnames: own } of serviceOf(group.service)?.clusters ?? []) {
      for (const { hostname, state } of own) if (state === "unresolved") hostnames.add(hostname);
    }
  }
  const [first] = hostnames;
  if (first === undefined) return undefined;
  const which = hostnames.size === 1 ? first : `${first} and ${hostnames.size - 1} more`;
  return `it would take away what may be right, as load balancer hostnames have no known address (${which})`;
}

/** Whether addresses go, or what leads to them. */
function takesAway({ changes }: PlannedGroup): boolean {
  return changes.some((change) => {
    if (change.isOwnership || change.kind === "create" || change.before.type === "CNAME")
      return false;
    const left = new Set(change.kind === "update" ? valuesOf(change.after) : []);
    return valuesOf(change.before).some((value) => !left.has(value));
  });
}

function valuesOf({ parts }: RecordSet): string[] {
  return parts.flatMap(({ values }) => values);
}
