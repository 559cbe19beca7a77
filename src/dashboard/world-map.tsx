// The map: land, lines from where clients are to the clusters that they get, clusters by condition,
// and what an explanation said. It must not decide what is worth showing.

import type { GeoProjection } from "d3-geo";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Flow } from "../control/api-schemas.ts";
import { ClientMark, DrawnAnswer } from "./drawn-answer.tsx";
import type { Drawing } from "./explain-drawing.ts";
import {
  drawnFlows,
  lineWidthOf,
  placeLabels,
  radiusOf,
  type Size,
  sourcesOf,
  spread,
} from "./map-layout.ts";
import {
  greatCircle,
  mapSize,
  pointAt,
  projectionFor,
  type World,
  worldPaths,
} from "./map-projection.ts";
import { markerGlyph, markerPath } from "./marker-shape.ts";
import { countText, percentText } from "./number-text.ts";
import type { PlacedCluster, ShownCluster } from "./shown-cluster.ts";
import { useWidth } from "./use-width.ts";

const mostFlows = 400;

export function WorldMap({
  clusters,
  flows,
  drawing,
}: {
  clusters: readonly ShownCluster[];
  flows: readonly Flow[];
  drawing: Drawing | undefined;
}) {
  const place = useRef<HTMLDivElement>(null);
  const width = useWidth(place);
  const size = mapSize(width);
  const projection = useMemo(() => projectionFor(mapSize(width)), [width]);
  const [pointed, setPointed] = useState<string | undefined>();
  const placed = placedClusters(clusters, projection, size);
  const unplaced = clusters.filter(({ cluster }) => !cluster.location);
  const pointedAt = placed.find(({ cluster }) => cluster.name === pointed);
  return (
    <div ref={place} class="map">
      {width > 0 && (
        // biome-ignore lint/a11y/useSemanticElements: HTML has no group of drawn things
        <svg
          role="group"
          aria-label="Map of the clusters"
          width={size.width}
          height={size.height}
          viewBox={`0 0 ${size.width} ${size.height}`}
        >
          <Land projection={projection} />
          {drawing ? (
            <DrawnAnswer drawing={drawing} placed={placed} projection={projection} />
          ) : (
            <FlowLines flows={flows} placed={placed} projection={projection} pointed={pointed} />
          )}
          {placed.map((each) => (
            <Marker key={each.cluster.name} shown={each} flows={flows} onPoint={setPointed} />
          ))}
          {drawing?.client && <ClientMark drawing={drawing} projection={projection} />}
        </svg>
      )}
      {pointedAt && <Tip shown={pointedAt} flows={flows} size={size} />}
      {unplaced.length > 0 && (
        <p class="hint">
          Not on the map, as they have no location:{" "}
          {unplaced.map(({ cluster }) => cluster.name).join(", ")}
        </p>
      )}
    </div>
  );
}

const labelLine = 13;
const letterWidth = 6.7;

function placedClusters(
  clusters: readonly ShownCluster[],
  projection: GeoProjection,
  size: Size,
): PlacedCluster[] {
  const located = clusters.flatMap((shown) => {
    const at = shown.cluster.location && pointAt(projection, shown.cluster.location);
    return at ? [{ ...shown, ...at, radius: radiusOf(shown.share, size.width) }] : [];
  });
  // What is not well is named first, then what has the most traffic.
  const urgency = ({ condition, share }: ShownCluster): number =>
    (condition.kind === "well" ? 0 : 2) + share;
  const apart = spread(located.sort((a, b) => urgency(b) - urgency(a)));
  const texts = apart.map(labelLines);
  const labels = placeLabels(
    apart.map(({ x, y, radius }, at) => ({
      x,
      y,
      radius,
      width: Math.max(...(texts[at] ?? []).map((line) => line.length * letterWidth)),
      height: (texts[at]?.length ?? 0) * labelLine,
    })),
    size,
  );
  return apart.map((each, index) => {
    const at = labels[index];
    return { ...each, label: at && { at, lines: texts[index] ?? [] } };
  });
}

function labelLines({ cluster, condition, share }: ShownCluster): string[] {
  const shareText = share > 0 ? percentText(share) : "";
  const second = condition.kind === "well" ? shareText : condition.label;
  return second === "" ? [cluster.name] : [cluster.name, second];
}

/** Drawn once for each width. */
function Land({ projection }: { projection: GeoProjection }) {
  const world = useWorld();
  const paths = useMemo(() => world && worldPaths(world, projection), [world, projection]);
  return useMemo(
    () => (
      <g>
        <path class="land" d={paths?.land ?? ""} />
        <path class="borders" d={paths?.borders ?? ""} />
      </g>
    ),
    [paths],
  );
}

function FlowLines({
  flows,
  placed,
  projection,
  pointed,
}: {
  flows: readonly Flow[];
  placed: readonly PlacedCluster[];
  projection: GeoProjection;
  pointed: string | undefined;
}) {
  const text = JSON.stringify(flows);
  const lines = useMemo(() => {
    const places = new Map(placed.map(({ cluster }) => [cluster.name, cluster.location]));
    return drawnFlows(flows, mostFlows).flatMap(({ from, cluster, share }) => {
      const to = places.get(cluster);
      const start = pointAt(projection, from);
      return to && start
        ? [{ cluster, share, start, path: greatCircle(projection, from, to) }]
        : [];
    });
    // Flows come anew with each look, and seldom with anything new in them.
  }, [text, projection, placed.length]);
  return (
    <g class="flows">
      {lines.map(({ cluster, share, start, path }) => {
        const tone = pointed === undefined ? "" : pointed === cluster ? "meant" : "other";
        return (
          <g key={`${start.x} ${start.y} ${cluster}`} class={tone}>
            <path d={path} stroke-width={lineWidthOf(share)} />
            <circle cx={start.x} cy={start.y} r={0.8 + lineWidthOf(share) / 2} />
          </g>
        );
      })}
    </g>
  );
}

function Marker({
  shown,
  flows,
  onPoint,
}: {
  shown: PlacedCluster;
  flows: readonly Flow[];
  onPoint: (cluster: string | undefined) => void;
}) {
  const { cluster, condition, x, y, radius, label } = shown;
  return (
    // biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: its tip is reached by keys too
    <g
      role="img"
      aria-label={`${tipLines(shown, flows).join(". ")}.`}
      tabIndex={0}
      class={`marker ${condition.kind}`}
      data-cluster={cluster.name}
      onMouseEnter={() => onPoint(cluster.name)}
      onMouseLeave={() => onPoint(undefined)}
      onFocus={() => onPoint(cluster.name)}
      onBlur={() => onPoint(undefined)}
    >
      <g transform={`translate(${x.toFixed(1)} ${y.toFixed(1)})`}>
        <circle class="ring" r={radius + 4} />
        <path class="body" d={markerPath(condition.kind, radius)} />
        <path class="glyph" d={markerGlyph(condition.kind, radius)} />
      </g>
      {label && (
        <text x={label.at.x} y={label.at.y}>
          {label.lines.map((line, at) => (
            <tspan
              key={line}
              class={at === 0 ? "name" : "note"}
              x={label.at.x}
              dy={at === 0 ? 10 : labelLine}
            >
              {line}
            </tspan>
          ))}
        </text>
      )}
    </g>
  );
}

function tipLines(
  { cluster, condition, share, rate }: ShownCluster,
  flows: readonly Flow[],
): string[] {
  const sources = sourcesOf(flows, cluster.name, 4);
  return [
    `${cluster.name}: ${condition.label}`,
    condition.detail,
    ...(share > 0
      ? [
          `${percentText(share)} of the answers in the last minute, ${countText(rate ?? 0)} a second`,
        ]
      : []),
    ...(sources.length > 0 ? [`clients from ${sources.join(", ")}`] : []),
    `priority ${cluster.priority}, weight ${cluster.weight}`,
  ];
}

/** What the marker's own label says to screen readers, for eyes. */
function Tip({ shown, flows, size }: { shown: PlacedCluster; flows: readonly Flow[]; size: Size }) {
  const place = useRef<HTMLDivElement>(null);
  const { x, y, radius } = shown;
  useEffect(() => {
    const tip = place.current;
    if (!tip) return;
    const left = Math.min(Math.max(0, x - tip.offsetWidth / 2), size.width - tip.offsetWidth);
    const above = y - radius - 10 - tip.offsetHeight;
    tip.style.left = `${left}px`;
    tip.style.top = `${above >= 0 ? above : y + radius + 10}px`;
  });
  const [title, ...lines] = tipLines(shown, flows);
  return (
    <div ref={place} class="tip" aria-hidden="true">
      <b>{title}</b>
      {lines.map((line) => (
        <div key={line}>{line}</div>
      ))}
    </div>
  );
}

/** The outlines, once they are there. Without them the clusters are on an empty sea. */
function useWorld(): World | undefined {
  const [world, setWorld] = useState<World | undefined>();
  useEffect(() => {
    fetch("/dashboard/world.json")
      .then((response) => (response.ok ? response.json() : undefined))
      .then(setWorld, () => undefined);
  }, []);
  return world;
}
