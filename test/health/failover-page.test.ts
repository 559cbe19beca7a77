// The tables of docs/failover.md are what the code computes. With UPDATE_DOCS=1 in the environment
// the page is written anew instead of compared.

import { readFileSync } from "node:fs";
import { expect } from "chai";
import { explainFailover } from "../../src/cli/failover-text.ts";
import type { Service } from "../../src/federation/model.ts";
import {
  defaultExchangeSeconds,
  defaultResolvers,
  type FailoverSettings,
  failoverBudget,
} from "../../src/health/failover.ts";
import { expectPart } from "../docs/generated-part.ts";
import { address } from "../geo/addresses.ts";
import { healthCheck } from "../kit/health-check.ts";

const page = new URL("../../docs/failover.md", import.meta.url);

const { intervalSeconds, timeoutSeconds, fall } = healthCheck();
const defaults: FailoverSettings = {
  intervalSeconds,
  timeoutSeconds,
  fall,
  voters: 3,
  deadKind: "refused",
  ttl: { minSeconds: 30, maxSeconds: 180 },
  exchangeSeconds: defaultExchangeSeconds,
  resolvers: defaultResolvers,
};

/** What differs from the defaults in each row. */
const commonSettings: readonly [string, Partial<FailoverSettings>][] = [
  ["the defaults", {}],
  ["the defaults, it is silent", { deadKind: "silent" }],
  ["one voter", { voters: 1 }],
  ["five voters", { voters: 5 }],
  ["interval 5", { intervalSeconds: 5 }],
  ["interval 5, fall 2", { intervalSeconds: 5, fall: 2 }],
  ["interval 5, fall 2, ttl.min 5", { intervalSeconds: 5, fall: 2, ttl: ttl(5, 180) }],
  ["interval 2, fall 3, ttl.min 5", { intervalSeconds: 2, ttl: ttl(5, 180) }],
  ["ttl.min 10", { ttl: ttl(10, 180) }],
  ["ttl.min 60", { ttl: ttl(60, 180) }],
  ["ttl.min 60, ttl.max 60", { ttl: ttl(60, 60) }],
  ["ttl.min 300, ttl.max 300", { ttl: ttl(300, 300) }],
  ["interval 30", { intervalSeconds: 30 }],
  ["interval 30, fall 5, it is silent", { intervalSeconds: 30, fall: 5, deadKind: "silent" }],
];

const resolverShares = [0, 0.05, 0.1, 0.15, 0.2];
const resolverTimes = [120, 300, 900, 3600, 86_400];

const parts: Readonly<Record<string, () => string>> = {
  settings: settingsTable,
  resolvers: resolversTable,
  example: exampleText,
};

describe("docs/failover.md", () => {
  for (const [name, made] of Object.entries(parts)) {
    it(`has the ${name} that the code computes`, () => {
      expectPart(page, name, made);
    });
  }

  it("names the defaults that the code has", () => {
    const text = readFileSync(page, "utf8");
    const { ignoreTtlShare, ignoreTtlSeconds } = defaultResolvers;
    expect(text).to.include(`${ignoreTtlShare * 100} % of clients`);
    expect(text).to.include(`${ignoreTtlSeconds} seconds`);
    expect(text).to.include(`${defaultExchangeSeconds} s`);
  });
});

function settingsTable(): string {
  const head = ["settings", "out of the answers", "50 %", "90 %", "99 %", "all"];
  const rows = commonSettings.map(([name, given]) => {
    const { detection, moved } = failoverBudget({ ...defaults, ...given });
    const { meanSeconds, worstSeconds } = detection;
    const { p50, p90, p99, all } = moved;
    const out = `${round(meanSeconds)}, at most ${round(worstSeconds)}`;
    return [name, out, ...[p50, p90, p99, all].map(round)];
  });
  return markdown(head, rows);
}

function resolversTable(): string {
  const head = ["keep answers for", ...resolverShares.map((share) => `${share * 100} % do`)];
  const rows = resolverTimes.map((ignoreTtlSeconds) => [
    `${ignoreTtlSeconds} s`,
    ...resolverShares.map((ignoreTtlShare) => {
      const resolvers = { ...defaultResolvers, ignoreTtlShare, ignoreTtlSeconds };
      return round(failoverBudget({ ...defaults, resolvers }).moved.p90);
    }),
  ]);
  return markdown(head, rows);
}

function exampleText(): string {
  return `\`\`\`console\n$ npx meridian explain checkout.shop.my-federation.my-domain.com --failover\n${explainFailover(checkout(), 3)}\n\`\`\``;
}

/** The service of the page's worked example. */
function checkout(): Service {
  const inCluster = (cluster: string, external: string): Service["clusters"][number] => ({
    cluster,
    isFiltered: false,
    ports: [{ name: "web", protocol: "tcp", port: 443 }],
    isHeadless: false,
    clusterIps: [],
    external: [address(external)],
    hostnames: [],
    endpoints: undefined,
  });
  return {
    namespace: "shop",
    name: "checkout",
    answer: { mode: "ordered", maxAddresses: 8 },
    ttl: ttl(5, 60),
    minHealthyPercent: 70,
    onAllDown: "open",
    healthCheck: healthCheck({ type: "https", intervalSeconds: 5, timeoutSeconds: 2 }),
    clusters: [inCluster("cluster-1", "192.0.2.1"), inCluster("cluster-2", "198.51.100.1")],
  };
}

function ttl(minSeconds: number, maxSeconds: number): FailoverSettings["ttl"] {
  return { minSeconds, maxSeconds };
}

function round(seconds: number): string {
  return `${Math.round(seconds)} s`;
}

/** Columns padded to equal width, all but the first to the right. */
function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((cell, column) =>
    Math.max(cell.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string => {
    const padded = cells.map((cell, column) => {
      const width = widths[column] ?? 0;
      return column === 0 ? cell.padEnd(width) : cell.padStart(width);
    });
    return `| ${padded.join(" | ")} |`;
  };
  const rule = widths.map((width, column) =>
    column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`,
  );
  return [line(head), line(rule), ...rows.map(line)].join("\n");
}
