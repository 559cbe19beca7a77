// The page of all metrics, from the very ones that the server shows. It must not know any of them.

import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { createMetrics } from "../../src/control/metrics.ts";
import { madeBy, table } from "./tables.ts";

export interface MetricRow {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly labels: readonly string[];
  readonly help: string;
}

/** Meridian's own metrics in order of name. */
export function metricRows(): MetricRow[] {
  const rows: MetricRow[] = [];
  const { registerMetric } = Registry.prototype;
  // The server shows each only when there is something to tell; all are known when they are made.
  Registry.prototype.registerMetric = function register(metric) {
    rows.push(...rowOf(metric));
    registerMetric.call(this, metric);
  };
  try {
    createMetrics({ version: "", refusals: [], read: () => undefined });
  } finally {
    Registry.prototype.registerMetric = registerMetric;
  }
  return rows
    .filter(({ name }) => name.startsWith("meridian_"))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

function rowOf(metric: object): MetricRow[] {
  if (!("name" in metric && "help" in metric && "labelNames" in metric)) return [];
  const { name, help, labelNames } = metric;
  const labels = Array.isArray(labelNames) ? labelNames.map(String) : [];
  const types = [
    [Counter, "counter"],
    [Gauge, "gauge"],
    [Histogram, "histogram"],
  ] as const;
  const type = types.find(([kind]) => metric instanceof kind)?.[1];
  return type ? [{ name: String(name), type, labels, help: String(help) }] : [];
}

export function metricsPage(): string {
  const rows = metricRows().map(({ name, type, labels, help }) => [
    `\`${name}\``,
    type,
    labels.map((each) => `\`${each}\``).join(", "),
    help,
  ]);
  return `# Metrics

${madeBy}

\`GET /metrics\` of \`spec.listen.http\` shows these in the text format of Prometheus, and beside them those of
the process and of Node.js (\`process_*\`, \`nodejs_*\`). What a server has nothing to tell of is left out: votes
without \`spec.health\`, mirrors without \`spec.mirror\`, the query log without \`spec.queryLog\`.

${table(["metric", "type", "labels", "meaning"], rows)}
`;
}
