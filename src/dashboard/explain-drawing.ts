// What of an explanation goes on the map, and its outcome in a few sentences. It takes all from the
// explanation, and must not decide or compute anything of its own.

import type { ExplainedRoute, Explanation } from "../answer/explanation.ts";
import type { Coordinates } from "../geo/distance.ts";
import { counted, kmText } from "./number-text.ts";

export interface DrawnCluster {
  readonly cluster: string;
  readonly km: number | null;
}

/** The client, and the clusters that it gets. */
export interface Drawing {
  /** `undefined`: nobody knows where the client is. */
  readonly client: Coordinates | undefined;
  /** In the order of the answer. */
  readonly clusters: readonly DrawnCluster[];
}

export function drawingOf(explanation: Explanation): Drawing {
  const route = decisiveRoute(explanation);
  return {
    client: explanation.client.location.coordinates,
    clusters: (route?.order ?? []).map((cluster) => ({ cluster, km: distanceTo(cluster, route) })),
  };
}

/** Outcome, then what made it so, each a sentence. */
export function outcomeSentences(explanation: Explanation): string[] {
  const { client, answer } = explanation;
  const { clusters } = drawingOf(explanation);
  const route = decisiveRoute(explanation);
  const sentences: string[] = [];
  const [first, ...others] = clusters;
  if (first) {
    const then = others.length > 0 ? `, then ${others.map(placed).join(", ")}` : "";
    sentences.push(`${client.prefix} gets ${placed(first)}${then}.`);
  } else {
    const records = counted(answer.answers.length, "record");
    sentences.push(`${client.prefix} gets ${answer.rcode} with ${records}.`);
  }
  if (client.inside !== null) sentences.push(`It is inside ${client.inside}.`);
  else if (clusters.length > 0 && !client.location.coordinates) {
    sentences.push("Where it is nobody knows, so nothing counts as near.");
  }
  if (route?.failOpen) sentences.push("Nothing is healthy, so all endpoints are given.");
  const drained = leftOutBy(route, "drained");
  if (drained.length > 0) sentences.push(`Left out as drained: ${drained.join(", ")}.`);
  const ttls = answer.answers.map(({ ttlSeconds }) => ttlSeconds);
  if (ttls.length > 0) sentences.push(`It may keep that for ${Math.min(...ttls)} s.`);
  return sentences;
}

function placed({ cluster, km }: DrawnCluster): string {
  return km === null ? cluster : `${cluster} (${kmText(km)})`;
}

/** The route of the last name on the way, which the addresses come from. */
function decisiveRoute({ steps }: Explanation): ExplainedRoute | undefined {
  const last = steps.at(-1);
  return last?.leadsTo === null ? last.routes[0] : undefined;
}

function distanceTo(cluster: string, route: ExplainedRoute | undefined): number | null {
  const candidates = (route?.levels ?? []).flatMap((level) => level.candidates);
  return candidates.find((each) => each.cluster === cluster)?.distanceKm ?? null;
}

function leftOutBy(
  route: ExplainedRoute | undefined,
  rule: ExplainedRoute["leftOut"][number]["rule"],
): string[] {
  return (route?.leftOut ?? []).filter((each) => each.rule === rule).map(({ cluster }) => cluster);
}
