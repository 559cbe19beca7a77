// The outline of a cluster on the map, as an SVG path around 0,0: each condition has a shape of its
// own, so that none is told by colour alone. It must not know colours.

import type { ConditionKind } from "./cluster-condition.ts";

/** Each covers about the area of a circle of this radius. */
export function markerPath(kind: ConditionKind, radius: number): string {
  switch (kind) {
    case "well":
    case "disabled":
    case "unknown":
      return circle(radius);
    case "partly-down":
      return polygon(3, radius * 1.35, -Math.PI / 2);
    case "down":
      return polygon(4, radius * 1.25, Math.PI / 4);
    case "drained":
      return polygon(4, radius * 1.25, 0);
  }
}

/** What is drawn over the outline; empty for nothing. */
export function markerGlyph(kind: ConditionKind, radius: number): string {
  const half = rounded(radius * 0.45);
  if (kind === "down")
    return `M${-half} ${-half}L${half} ${half}M${half} ${-half}L${-half} ${half}`;
  if (kind === "partly-down") {
    return `M0 ${rounded(-radius * 0.5)}V${rounded(radius * 0.2)}M0 ${rounded(radius * 0.45)}v.1`;
  }
  return "";
}

function circle(radius: number): string {
  const r = rounded(radius);
  return `M${-r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
}

function polygon(corners: number, radius: number, from: number): string {
  const points = Array.from({ length: corners }, (_, corner) => {
    const angle = from + (corner * 2 * Math.PI) / corners;
    return `${rounded(radius * Math.cos(angle))} ${rounded(radius * Math.sin(angle))}`;
  });
  return `M${points.join("L")}Z`;
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
