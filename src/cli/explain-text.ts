// An explanation as text that a person reads from top to bottom: who asks, where that is, which
// clusters were weighed and how, what comes back. It must not decide or compute anything.

import type {
  ExplainedCandidate,
  ExplainedClient,
  ExplainedLevel,
  ExplainedRecord,
  ExplainedRoute,
  Explanation,
} from "../answer/explain.ts";
import type { LeftOutReason } from "../routing/candidates.ts";

/** The whole text, several lines without a final line break. */
export function explanationText(explanation: Explanation): string {
  const { question, client, steps, answer } = explanation;
  const lines = [`${question.name} ${question.type}`, "", ...clientLines(client)];
  for (const step of steps) {
    lines.push("", `${step.name} is ${nameKinds[step.kind]} ${step.service}`);
    const [decisive] = step.routes;
    if (decisive) lines.push(...routeLines(decisive));
  }
  const flags = answer.isAuthoritative ? ", authoritative" : "";
  const scope = client.isEcs ? `, scope /${answer.scope}` : "";
  lines.push("", `answer   ${answer.rcode}${flags}${scope}`);
  lines.push(...sectionLines("", answer.answers));
  lines.push(...sectionLines("authority", answer.authorities));
  lines.push(...sectionLines("additional", answer.additionals));
  return lines.join("\n");
}

const nameKinds = {
  service: "the service",
  local: "the regional or zonal name of service",
  cluster: "one cluster's name of service",
  port: "a port of service",
} as const;

const leftOutTexts: Record<LeftOutReason, string> = {
  "other-cluster": "the name asks for another cluster",
  "other-region": "the name asks for another region",
  "other-zone": "the name asks for another zone",
  "no-port": "it has no such port",
  "no-address": "it has no address in this family that this client may be given",
  disabled: "routing.enabled is false",
  drained: "it is drained",
  filtered: "routing.endpoints leaves this service out",
  "not-home": "allowCrossClusterTraffic is false and it is not the client's home",
};

const levelTexts: Record<ExplainedLevel["kind"], string> = {
  front: "home and clusters without localPreference",
  zone: "home's zone",
  region: "home's region",
  distance: "by distance",
  everywhere: "no home, so all alike",
};

function clientLines(client: ExplainedClient): string[] {
  const { location } = client;
  const kind = client.isEcs ? "ECS prefix" : "source address";
  const lines = [`client   ${client.prefix} (${kind})`];
  if (client.inside !== null) lines.push(`inside   ${client.inside}`);
  if (client.notBelievedInside !== null) {
    lines.push(
      `outside  although it lies in ${client.notBelievedInside}: the resolver is not in trustedResolvers`,
    );
  }
  const place = [
    location.zones?.join(", "),
    location.region,
    location.country,
    location.continent,
    location.coordinates &&
      `${location.coordinates.latitude.toFixed(2)}, ${location.coordinates.longitude.toFixed(2)}`,
  ].filter((part) => part !== undefined && part !== "");
  lines.push(`located  ${place.join("; ") || "nowhere"} ${sourceText(client)}`);
  return lines;
}

function sourceText({ location: { by } }: ExplainedClient): string {
  switch (by.kind) {
    case "network":
      return `by network ${by.network} of ${by.cluster}`;
    case "override":
      return `by override ${by.network} at ${by.place}`;
    case "database":
      return `by ${by.name}`;
    case "unknown":
      return "by nothing: no network, override or database knows it";
  }
}

function routeLines(route: ExplainedRoute): string[] {
  const lines: string[] = [];
  for (const [index, level] of route.levels.entries()) {
    const group = route.groups[level.group];
    if (route.levels.findIndex((each) => each.group === level.group) === index && group) {
      const home = group.home === null ? "no home" : `home ${group.home}`;
      lines.push(`group    priority ${group.priority}, ${home}`);
    }
    const own = index === route.clientLevel ? "   <- this client" : "";
    const health = `${amount(level.healthy)} of ${level.total} healthy`;
    lines.push(
      `  level ${index}  ${levelTexts[level.kind]}: ${health}, keeps ${percent(level.share)}${own}`,
    );
    lines.push(...candidateTable(level.candidates));
  }
  for (const { cluster, rule } of route.leftOut) {
    lines.push(`left out ${cluster}: ${leftOutTexts[rule]}`);
  }
  lines.push(`spill    the client's number is ${route.spill.toFixed(4)}`);
  const pool = route.pool.map(({ cluster, endpoint }) => `${cluster} ${endpoint}`);
  lines.push(`pool     ${pool.join(", ") || "empty"}`);
  if (route.failOpen) lines.push("fail-open: nothing is healthy, so answered as if all were");
  lines.push(
    `order    ${route.order.join(", ") || "none"} (${route.mode}, at most ${route.maxAddresses})`,
  );
  return lines;
}

function candidateTable(candidates: readonly ExplainedCandidate[]): string[] {
  const rows = candidates.map((each) => [
    each.cluster,
    each.distanceKm === null ? "? km" : `${Math.round(each.distanceKm)} km`,
    `${amount(each.healthy)}/${each.total} healthy`,
    `weight ${each.weight}`,
    `draw ${each.draw.toFixed(4)} score ${each.score.toFixed(1)}`,
    each.addresses
      .map((address) => (each.upAddresses.includes(address) ? address : `(${address} down)`))
      .join(" "),
  ]);
  const widths = rows[0]?.map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows.map((row) =>
    `    ${row.map((cell, column) => cell.padEnd(widths?.[column] ?? 0)).join("  ")}`.trimEnd(),
  );
}

function sectionLines(title: string, records: readonly ExplainedRecord[]): string[] {
  if (records.length === 0) return [];
  const heading = title === "" ? [] : [`  ${title}:`];
  return [
    ...heading,
    ...records.map(({ name, ttlSeconds, type, data }) => `  ${name} ${ttlSeconds} ${type} ${data}`),
  ];
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function amount(healthy: number): string {
  return Number.isInteger(healthy) ? String(healthy) : healthy.toFixed(2);
}
