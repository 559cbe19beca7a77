// Where things stand on the map, in pixels: how large a cluster is, what becomes of two in one
// place, which labels fit, which lines are worth drawing. It must not know maps of the Earth, nor
// how anything is drawn.

import type { Flow } from "../control/api-schemas.ts";

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Box extends Point, Size {}

/** The radius of a cluster with this share of the answers, 0 to 1: the area grows with the share. */
export function radiusOf(share: number, mapWidth: number): number {
  const [least, most] = mapWidth < 560 ? [5, 13] : [6, 20];
  return least + (most - least) * Math.sqrt(Math.min(1, Math.max(0, share)));
}

/** How wide a line of this share is, 0 to 1. */
export function lineWidthOf(share: number): number {
  return 0.8 + 5 * Math.sqrt(Math.min(1, Math.max(0, share)));
}

/**
 * Moves circles that cover each other apart, those given first the least; none further than it
 * must. Circles of one place stand around it.
 */
export function spread<Circle extends Point & { readonly radius: number }>(
  circles: readonly Circle[],
): Circle[] {
  const placed: Circle[] = [];
  for (const circle of circles) {
    let moved = circle;
    for (let step = 1; step <= mostSteps && placed.some((each) => covers(each, moved)); step++) {
      const angle = step * goldenAngle;
      const distance = stepPixels * Math.sqrt(step);
      moved = {
        ...circle,
        x: circle.x + distance * Math.cos(angle),
        y: circle.y + distance * Math.sin(angle),
      };
    }
    placed.push(moved);
  }
  return placed;
}

const mostSteps = 200;
const stepPixels = 3;
const goldenAngle = Math.PI * (3 - Math.sqrt(5));
/** Two circles may cover each other by so much of the smaller one's radius. */
const overlap = 0.5;

type Circle = Point & { readonly radius: number };

function covers(a: Circle, b: Circle): boolean {
  const least = a.radius + b.radius - overlap * Math.min(a.radius, b.radius);
  return Math.hypot(a.x - b.x, a.y - b.y) < least;
}

export interface Labelled extends Point, Size {
  /** Of what is labelled. */
  readonly radius: number;
}

/**
 * The upper left corner of each label beside its circle, `undefined` where none fits: right, left,
 * above or below, inside the map, over no other label and no circle. Those given first choose first.
 */
export function placeLabels(labels: readonly Labelled[], map: Size): (Point | undefined)[] {
  const circles = labels.map(({ x, y, radius }) => squareAround({ x, y, radius }));
  const taken: Box[] = [];
  return labels.map((label, at) => {
    const others = circles.filter((_, other) => other !== at);
    const found = corners(label).find((corner) => {
      const box = { ...corner, width: label.width, height: label.height };
      return isInside(box, map) && ![...taken, ...others].some((each) => meet(each, box));
    });
    if (found) taken.push({ ...found, width: label.width, height: label.height });
    return found;
  });
}

const labelGap = 7;

function corners({ x, y, width, height, radius }: Labelled): Point[] {
  const away = radius + labelGap;
  const slant = away * Math.SQRT1_2;
  return [
    { x: x + away, y: y - height / 2 },
    { x: x - away - width, y: y - height / 2 },
    { x: x - width / 2, y: y - away - height },
    { x: x - width / 2, y: y + away },
    { x: x + slant, y: y - slant - height },
    { x: x + slant, y: y + slant },
    { x: x - slant - width, y: y - slant - height },
    { x: x - slant - width, y: y + slant },
  ];
}

function squareAround({ x, y, radius }: Circle): Box {
  return { x: x - radius, y: y - radius, width: 2 * radius, height: 2 * radius };
}

function isInside({ x, y, width, height }: Box, map: Size): boolean {
  return x >= 0 && y >= 0 && x + width <= map.width && y + height <= map.height;
}

function meet(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

/** The heaviest flows, those of one place to one cluster added up, heaviest last: on top. */
export function drawnFlows(flows: readonly Flow[], most: number): Flow[] {
  const byWay = new Map<string, Flow>();
  for (const flow of flows) {
    const { latitude, longitude } = flow.from;
    const way = `${latitude} ${longitude} ${flow.cluster}`;
    const known = byWay.get(way);
    byWay.set(way, known ? { ...known, share: known.share + flow.share } : flow);
  }
  return [...byWay.values()]
    .sort((a, b) => b.share - a.share)
    .slice(0, most)
    .reverse();
}

/** From where a cluster's clients come, the most first: what a line can be told by in words. */
export function sourcesOf(flows: readonly Flow[], cluster: string, most: number): string[] {
  const byLabel = new Map<string, number>();
  for (const flow of flows) {
    if (flow.cluster !== cluster) continue;
    byLabel.set(flow.from.label, (byLabel.get(flow.from.label) ?? 0) + flow.share);
  }
  return [...byLabel]
    .sort(([, a], [, b]) => b - a)
    .map(([label]) => label)
    .slice(0, most);
}
