// Which services of a cluster its endpoint filter lets out (semantics 3, "Filters"). It knows
// namespaces and labels; it must not know clients.

import type { EndpointFilter, LabelExpression } from "./model.ts";

/** Whether a service of this namespace with these labels may be given to clients outside the cluster. */
export function passesFilter(
  filter: EndpointFilter,
  namespace: string,
  labels: Readonly<Record<string, string>>,
): boolean {
  if (filter.namespaces.length > 0 && !filter.namespaces.includes(namespace)) return false;
  if (filter.excludeNamespaces.includes(namespace)) return false;
  return (
    Object.entries(filter.matchLabels).every(([key, value]) => labels[key] === value) &&
    filter.matchExpressions.every((each) => matches(each, labels[each.key]))
  );
}

/** A label selector requirement as Kubernetes reads it: NotIn holds for a missing label too. */
function matches(expression: LabelExpression, value: string | undefined): boolean {
  switch (expression.operator) {
    case "In":
      return value !== undefined && expression.values.includes(value);
    case "NotIn":
      return value === undefined || !expression.values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
  }
}
