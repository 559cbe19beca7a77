// Answers per second over the last fifteen minutes, by rcode and by cluster: a chart each, and the
// same in words for who does not see it.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import type { ClusterReport } from "../control/api-schemas.ts";
import { countText } from "./number-text.ts";
import { busiest, lastRates, type RateColumns, type Reading, rateColumns } from "./rates.ts";
import { useWidth } from "./use-width.ts";

/** Lines of a chart; the rest is added up to one. */
const mostLines = 7;

export function TrafficPanel({
  readings,
  clusters,
}: {
  readings: readonly Reading[];
  clusters: readonly ClusterReport[];
}) {
  const byRcode = useMemo(() => busiest(rateColumns(readings, "byRcode"), mostLines), [readings]);
  const byCluster = useMemo(
    () => busiest(rateColumns(readings, "byCluster"), mostLines),
    [readings],
  );
  const order = clusters.map(({ name }) => name).sort();
  return (
    <section class="panel traffic" aria-labelledby="traffic-title">
      <h2 id="traffic-title">Answers per second</h2>
      <div class="charts">
        <Chart
          title="by response code"
          columns={byRcode}
          now={lastRates(readings, "byRcode")}
          colourOf={(key) => rcodeColours[key] ?? "--line-6"}
        />
        <Chart
          title="by first cluster"
          columns={byCluster}
          now={lastRates(readings, "byCluster")}
          colourOf={(key) => clusterColour(order.indexOf(key))}
        />
      </div>
    </section>
  );
}

/** Names of custom properties in the style sheet. */
const rcodeColours: Readonly<Record<string, string>> = {
  NOERROR: "--line-1",
  NXDOMAIN: "--line-2",
  SERVFAIL: "--bad",
  REFUSED: "--line-4",
  FORMERR: "--line-5",
  others: "--line-7",
};

/** A cluster keeps its colour while the order of the lines changes. */
function clusterColour(at: number): string {
  return at < 0 ? "--line-7" : `--line-${(at % 6) + 1}`;
}

interface ChartProps {
  readonly title: string;
  readonly columns: RateColumns;
  readonly now: ReadonlyMap<string, number> | undefined;
  readonly colourOf: (key: string) => string;
}

function Chart({ title, columns, now, colourOf }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | undefined>(undefined);
  const width = useWidth(place);
  const isDark = useDark();
  const { keys, times, rates } = columns;
  const lines = keys.join(" ");
  const data = useMemo(
    (): uPlot.AlignedData => [[...times], ...rates.map((each) => [...each])],
    [times, rates],
  );
  // A new chart for other lines, colours or widths; new data goes into the one that is there.
  useEffect(() => {
    if (!place.current || width === 0) return undefined;
    const made = new uPlot(options(width, keys, colourOf), data, place.current);
    chart.current = made;
    return () => {
      made.destroy();
      chart.current = undefined;
    };
  }, [width, isDark, lines]);
  useEffect(() => chart.current?.setData(data), [data]);
  return (
    <figure>
      <figcaption>{title}</figcaption>
      <div ref={place} class="plot" aria-hidden="true" />
      <ul class="legend" aria-label={`Answers per second ${title}, now`}>
        {keys.map((key) => (
          <li key={key}>
            <span class={`swatch ${colourOf(key).slice(2)}`} aria-hidden="true" />
            {key} <b>{rateNow(key, keys, now)}</b>
            <span class="hidden"> a second</span>
          </li>
        ))}
        {keys.length === 0 && <li>nothing counted yet</li>}
      </ul>
    </figure>
  );
}

function rateNow(
  key: string,
  keys: readonly string[],
  now: ReadonlyMap<string, number> | undefined,
): string {
  if (!now) return "…";
  if (key !== "others") return countText(now.get(key) ?? 0);
  let rest = 0;
  for (const [each, rate] of now) if (!keys.includes(each)) rest += rate;
  return countText(rest);
}

const plotHeight = 150;
/** Seconds that the chart always spans, so that a line that has just begun is not stretched. */
const leastSpan = 120;

function options(
  width: number,
  keys: readonly string[],
  colourOf: (key: string) => string,
): uPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  const axis = {
    stroke: colour("--faint"),
    grid: { stroke: colour("--grid"), width: 1 },
    ticks: { show: false },
    font: "11px system-ui, sans-serif",
  };
  return {
    width,
    height: plotHeight,
    legend: { show: false },
    cursor: { show: false },
    padding: [8, 8, 0, 0],
    scales: {
      x: { range: (_, min, max): [number, number] => [Math.min(min, max - leastSpan), max] },
      y: { range: (_, __, max): [number, number] => [0, Math.max(1, (max ?? 0) * 1.1)] },
    },
    axes: [
      { ...axis, size: 24, space: 60, values: (_, splits) => splits.map(clockText) },
      { ...axis, size: 40, space: 28, values: (_, splits) => splits.map(countText) },
    ],
    series: [
      {},
      ...keys.map((key) => ({
        label: key,
        stroke: colour(colourOf(key)),
        width: 1.5,
        points: { show: false },
      })),
    ],
  };
}

function clockText(seconds: number): string {
  const date = new Date(seconds * 1000);
  const two = (value: number): string => String(value).padStart(2, "0");
  const clock = `${two(date.getHours())}:${two(date.getMinutes())}`;
  return date.getSeconds() === 0 ? clock : `${clock}:${two(date.getSeconds())}`;
}

function useDark(): boolean {
  const [isDark, setIsDark] = useState(() => darkScheme().matches);
  useEffect(() => {
    const query = darkScheme();
    const onChange = (): void => setIsDark(query.matches);
    query.addEventListener("change", onChange);
    return () => query.removeEventListener("change", onChange);
  }, []);
  return isDark;
}

function darkScheme(): MediaQueryList {
  return matchMedia("(prefers-color-scheme: dark)");
}
