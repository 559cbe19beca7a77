// The alert rules and the Grafana dashboard as tests read them: their expressions, and which metrics
// those name. It must not know what any of them says. Does I/O: it reads files.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { parse } from "yaml";

const root = path.resolve(import.meta.dirname, "../..");
export const prometheusFolder = path.join(root, "deploy/prometheus");

/** A rule that fires, or one that records. */
export interface Rule {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly datasource?: { readonly uid: string };
  readonly gridPos: {
    readonly x: number;
    readonly y: number;
    readonly w: number;
    readonly h: number;
  };
  readonly fieldConfig?: { readonly defaults: { readonly unit?: string } };
  readonly targets?: readonly {
    readonly expr: string;
    readonly datasource: { readonly uid: string };
  }[];
}

/** All rules in their order. */
export function readRules(): Rule[] {
  const { groups } = parse(
    readFileSync(path.join(prometheusFolder, "meridian.rules.yaml"), "utf8"),
  );
  return groups.flatMap((group: { rules: Rule[] }) => group.rules);
}

/** What Grafana imports. */
export function readDashboard(): {
  readonly panels: readonly Panel[];
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly type: string }[];
  };
} {
  return JSON.parse(readFileSync(path.join(root, "deploy/grafana/meridian.json"), "utf8"));
}

/** The names of Meridian's own metrics in an expression, those that the rules record left out. */
export function metricNames(expr: string): string[] {
  const unquoted = expr.replace(/"[^"]*"/g, "");
  return [...unquoted.matchAll(/(?<![\w:])meridian_[a-z_]+(?![\w:])/g)].map(([name]) => name);
}

/** The names under which a metric of a source file is read: those of a histogram are several. */
export function metricsOfSource(): Set<string> {
  const names = new Set<string>();
  for (const file of readdirSync(path.join(root, "src/control"))) {
    if (!/metrics\.ts$/.test(file)) continue;
    const text = readFileSync(path.join(root, "src/control", file), "utf8");
    for (const [, name = ""] of text.matchAll(/"(meridian_[a-z_]+)"/g)) {
      names.add(name);
      if (!name.endsWith("_seconds")) continue;
      for (const suffix of ["_bucket", "_sum", "_count"]) names.add(`${name}${suffix}`);
    }
  }
  return names;
}
