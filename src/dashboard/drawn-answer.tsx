// What an explanation said, drawn on the map. It must not decide anything.

import type { GeoProjection } from "d3-geo";
import type { Drawing } from "./explain-drawing.ts";
import { greatCircle, pointAt } from "./map-projection.ts";
import { kmText } from "./number-text.ts";
import type { PlacedCluster } from "./shown-cluster.ts";

/** Lines from the client to the clusters of its answer, numbered in their order. */
export function DrawnAnswer({
  drawing,
  placed,
  projection,
}: {
  drawing: Drawing;
  placed: readonly PlacedCluster[];
  projection: GeoProjection;
}) {
  const { client, clusters } = drawing;
  return (
    <g class="answer">
      {clusters.map(({ cluster, km }, at) => {
        const there = placed.find((each) => each.cluster.name === cluster);
        const to = there?.cluster.location;
        if (!there || !to) return null;
        const number = `${at + 1}`;
        return (
          <g key={cluster} class={at === 0 ? "first" : "later"} data-to={cluster}>
            {client && <path d={greatCircle(projection, client, to)} />}
            <circle cx={there.x} cy={there.y} r={there.radius + 5} />
            <text x={there.x} y={there.y - there.radius - 9}>
              {number}
              {km === null ? "" : ` · ${kmText(km)}`}
            </text>
          </g>
        );
      })}
    </g>
  );
}

/** Where the client is. */
export function ClientMark({
  drawing,
  projection,
}: {
  drawing: Drawing;
  projection: GeoProjection;
}) {
  const at = drawing.client && pointAt(projection, drawing.client);
  if (!at) return null;
  return (
    // biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: nothing can be done with it
    <g class="asker" role="img" aria-label="The client" transform={`translate(${at.x} ${at.y})`}>
      <path d="M0 0L-6 -12A7 7 0 1 1 6 -12Z" />
      <circle cx="0" cy="-15" r="2.4" />
    </g>
  );
}
