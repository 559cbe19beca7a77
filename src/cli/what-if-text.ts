// A replay as text: how traffic and kilometres shift between clusters, for a person to read from top to
// bottom. It must not decide or compute anything but sums, parts and differences.

import type { AssumptionTexts } from "../answer/assumptions.ts";
import type { ReplayReport } from "../answer/replay.ts";
import { labelled, table } from "./text-layout.ts";

/** So many moves are printed; `--json` has more. */
const mostPrinted = 10;

/**
 * The whole text, several lines without a final line break.
 * @param source where the queries are from.
 */
export function whatIfText(report: ReplayReport, assumed: AssumptionTexts, source: string): string {
  const { queries, weight, moved } = report;
  const times = weight === queries ? "" : `, asked ${amount(weight)} times`;
  return [
    assumptionText(assumed),
    `${amount(queries)} ${queries === 1 ? "query" : "queries"}${times}, ${source}`,
    "",
    ...clusterLines(report),
    "",
    labelled("moved", `${percent(moved, weight)} begin with another cluster`),
    labelled("distance", distanceText(report)),
    labelled("empty", emptyText(report)),
    ...moveLines(report),
  ].join("\n");
}

/** `What if cluster-2=down, cluster-1 drained`, in one line. */
export function assumptionText({ health = [], drain = [], undrain = [] }: AssumptionTexts): string {
  const parts = [
    ...health,
    ...drain.map((each) => `${each} drained`),
    ...undrain.map((each) => `${each} not drained`),
  ];
  return parts.length === 0 ? "Nothing is assumed: as it is" : `What if: ${parts.join(", ")}`;
}

function clusterLines({ clusters, weight }: ReplayReport): string[] {
  const sums = { before: 0, after: 0 };
  for (const { before, after } of clusters) {
    sums.before += before;
    sums.after += after;
  }
  // What fractions add up to may miss the whole by a hair.
  const rest = (sum: number): number => (weight - sum > weight * 1e-9 ? weight - sum : 0);
  const none = { before: rest(sums.before), after: rest(sums.after) };
  const isSome = none.before > 0 || none.after > 0;
  const rows = [...clusters, ...(isSome ? [{ cluster: "no cluster", ...none }] : [])];
  const cells = rows.map(({ cluster, before, after }) => [
    cluster,
    amount(before),
    percent(before, weight),
    amount(after),
    percent(after, weight),
    signed(after - before),
  ]);
  return table([["", "before", "", "after", "", "change"], ...cells], [1, 2, 3, 4, 5]);
}

function distanceText({ km: { before, after, known }, weight }: ReplayReport): string {
  if (before === null || after === null) return "unknown";
  const part = known === weight ? "" : `; known of ${percent(known, weight)}`;
  const change = `${kilometres(before)} to ${kilometres(after)}`;
  return `${change} on average to the first cluster (${signed(after - before)} km)${part}`;
}

function emptyText({ answeredNothing: { before, after }, weight }: ReplayReport): string {
  const text = `${amount(before)} before, ${amount(after)} after`;
  if (before === 0 && after === 0) return "none: every query gets a record that it asks for";
  return `${text} (${percent(after, weight)}) get no record that they ask for, or SERVFAIL`;
}

function moveLines({ moves }: ReplayReport): string[] {
  if (moves.length === 0) return [];
  const rows = moves
    .slice(0, mostPrinted)
    .map(({ client, name, from, to, kmBefore, kmAfter, count }) => [
      amount(count),
      client,
      name,
      from ?? "none",
      to ?? "none",
      `${kmBefore === null ? "unknown" : kilometres(kmBefore)} to ${
        kmAfter === null ? "unknown" : kilometres(kmAfter)
      }`,
    ]);
  const rest = moves.length - rows.length;
  return [
    "",
    "The heaviest moves",
    ...table([["times", "client", "name", "from", "to", "distance"], ...rows], [0]),
    ...(rest > 0 ? [`and more; --json has the first ${moves.length}`] : []),
  ];
}

/** Estimates of a sample are no whole numbers. */
function amount(value: number): string {
  const digits = Number.isInteger(value) || Math.abs(value) >= 100 ? 0 : 1;
  return value.toLocaleString("en-US", { maximumFractionDigits: digits });
}

function signed(value: number): string {
  const text = amount(value);
  return value > 0 ? `+${text}` : text.replace(/^-0$/, "0");
}

function percent(part: number, whole: number): string {
  return whole > 0 ? `${((part / whole) * 100).toFixed(1)} %` : "0.0 %";
}

function kilometres(km: number): string {
  return `${Math.round(km).toLocaleString("en-US")} km`;
}
