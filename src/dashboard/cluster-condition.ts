// In what condition a cluster is, in one word that has a colour and a shape, and in a sentence. It
// must not know how either is drawn.

import type { ClusterReport } from "../control/api-schemas.ts";
import { counted } from "./number-text.ts";

export type ConditionKind =
  | "well"
  | "partly-down"
  | "down"
  | "drained"
  | "disabled"
  /** It has no endpoints, or too many to be counted at each look. */
  | "unknown";

export interface Condition {
  readonly kind: ConditionKind;
  /** The kind as a reader sees it. */
  readonly label: string;
  /** What of its endpoints is up. */
  readonly detail: string;
}

/** What its operator decided goes before what its endpoints are. */
export function conditionOf(cluster: ClusterReport): Condition {
  const kind = kindOf(cluster);
  return { kind, label: conditionLabels[kind], detail: detailOf(cluster) };
}

export const conditionLabels: Readonly<Record<ConditionKind, string>> = {
  well: "well",
  "partly-down": "partly down",
  down: "down",
  drained: "drained",
  disabled: "disabled",
  unknown: "not counted",
};

/** The worst first: the order in which conditions are listed. */
export const conditionOrder: readonly ConditionKind[] = [
  "down",
  "partly-down",
  "drained",
  "disabled",
  "unknown",
  "well",
];

function kindOf({ isEnabled, isDrained, endpoints }: ClusterReport): ConditionKind {
  if (!isEnabled) return "disabled";
  if (isDrained) return "drained";
  if (!endpoints || endpoints.total === 0) return "unknown";
  if (endpoints.healthy === 0) return "down";
  return endpoints.healthy < endpoints.total ? "partly-down" : "well";
}

function detailOf({ endpoints }: ClusterReport): string {
  if (!endpoints) return "its endpoints are not counted";
  const { total, healthy, down } = endpoints;
  if (total === 0) return "no endpoints";
  if (healthy === total) return `${total === 1 ? "its endpoint is" : `all ${total} endpoints`} up`;
  if (down === 0) {
    const rounded = Number(healthy.toFixed(1));
    return `${rounded} of ${counted(total, "endpoint")} counted, the rest comes back`;
  }
  return `${down} of ${counted(total, "endpoint")} down`;
}
